#include "model/traffic/step_traffic.hpp"

#include <algorithm>
#include <limits>

#include "model/step_kinds.hpp"

namespace sparsecast {
namespace {

/// The bytes that each step touches of each array: the matrix, and the vectors.
class TouchedArrays {
 public:
  static constexpr std::size_t matrix = 0;
  static std::size_t array_of(VectorSlot slot) { return static_cast<std::size_t>(slot) + 1; }

  explicit TouchedArrays(std::size_t vectors) : arrays_(vectors + 1), first_bytes_(arrays_, 0) {}

  void add_step() { bytes_.resize(bytes_.size() + arrays_, untouched); }
  /// Of the last step.
  void touch(std::size_t array, double bytes) {
    bytes_[bytes_.size() - arrays_ + array] = bytes;
    if (first_bytes_[array] == 0) first_bytes_[array] = bytes;
  }

  std::size_t steps() const { return bytes_.size() / arrays_; }
  double bytes(std::size_t step, std::size_t array) const {
    return bytes_[step % steps() * arrays_ + array];
  }
  bool contains(std::size_t step, std::size_t array) const {
    return bytes(step, array) != untouched;
  }

  /// Call when all steps have been added, before `between`.
  void close() {
    const std::size_t rounds = 2 * steps();
    next_.assign(rounds * arrays_, never);
    for (std::size_t step = rounds; step-- > 0;) {
      for (std::size_t array = 0; array < arrays_; ++array) {
        const std::size_t later = step + 1 < rounds ? next_[(step + 1) * arrays_ + array] : never;
        next_[step * arrays_ + array] = contains(step, array) ? step : later;
      }
    }
  }

  /// Bytes between a place in an array when `from` passes it and when `to` does, later than it and
  /// before the end of the next iteration, steps counted on through the iterations: half of what
  /// the two touch, and all that those between them touch, each array once.
  double between(std::size_t from, std::size_t to) const {
    const std::size_t* next = next_.data() + (from + 1) * arrays_;
    double sum = 0;
    for (std::size_t array = 0; array < arrays_; ++array) {
      const double ends = (contains(from, array) ? 0.5 : 0.0) + (contains(to, array) ? 0.5 : 0.0);
      sum += (next[array] < to ? 1.0 : ends) * first_bytes_[array];
    }
    return sum;
  }

 private:
  static constexpr double untouched = -1;
  static constexpr std::size_t never = std::numeric_limits<std::size_t>::max();

  std::size_t arrays_;
  std::vector<double> bytes_;        ///< by step and array
  std::vector<double> first_bytes_;  ///< by array, of the first step that touches it
  /// By step of two iterations and array: the first step from there on that touches it.
  std::vector<std::size_t> next_;
};

/// Whether a step that always runs writes the vector.
bool is_written(const Schedule& schedule, VectorSlot slot) {
  return std::ranges::any_of(schedule.iteration, [slot](const Step& step) {
    if (!runs_mostly(step)) return false;
    for (std::size_t i = 0; i < step.accesses.size(); ++i) {
      if (step.vectors[i] == slot && step.accesses[i] != VectorAccess::read) return true;
    }
    return false;
  });
}

/// `bytes_moved` with row offsets that take no more than so many bytes each.
BytesByKind bytes_with_offsets(const Step& step, const SegmentShape& shape, Precision precision,
                               double offset_bytes) {
  BytesByKind bytes = bytes_moved(step, shape, precision);
  bytes.row_pointers = std::min(bytes.row_pointers, offset_bytes * shape.block_rows);
  return bytes;
}

}  // namespace

std::vector<StepTraffic> steady_traffic(const Schedule& schedule, const SegmentShape& shape,
                                        Precision precision, double offset_bytes) {
  const double value_bytes = static_cast<double>(bytes_per_value(precision));
  const auto bytes_of = [&](VectorSlot slot) {
    const bool full = schedule.vectors[static_cast<std::size_t>(slot)].scope == VectorScope::full;
    return value_bytes * (full ? shape.total_unknowns : shape.unknowns);
  };

  std::vector<std::size_t> steps;
  TouchedArrays touched(schedule.vectors.size());
  std::vector<BytesByKind> bytes_of_steps;
  for (std::size_t index = 0; index < schedule.iteration.size(); ++index) {
    const Step& step = schedule.iteration[index];
    if (!runs_mostly(step) || !runs_kernel(step)) continue;
    touched.add_step();
    for (const VectorSlot slot : step.vectors) {
      touched.touch(TouchedArrays::array_of(slot), bytes_of(slot));
    }
    const BytesByKind bytes = bytes_with_offsets(step, shape, precision, offset_bytes);
    const double matrix = bytes.values + bytes.indices + bytes.row_pointers;
    if (matrix > 0) touched.touch(TouchedArrays::matrix, matrix);
    steps.push_back(index);
    bytes_of_steps.push_back(bytes);
  }

  touched.close();

  // Most arrays of a step were touched last by the same one.
  struct Distance {
    std::size_t from, to;
    double bytes;
  };
  std::vector<Distance> distances;
  const auto between = [&](std::size_t from, std::size_t to) {
    const auto known = std::ranges::find_if(
        distances, [&](const Distance& each) { return each.from == from && each.to == to; });
    if (known != distances.end()) return known->bytes;
    distances.push_back({from, to, touched.between(from, to)});
    return distances.back().bytes;
  };
  std::vector<StepTraffic> traffic;
  for (std::size_t i = 0; i < steps.size(); ++i) {
    distances.clear();
    const Step& step = schedule.iteration[steps[i]];
    const std::size_t count = steps.size();
    const auto since_last = [&](std::size_t array) {
      std::size_t last = i + count - 1;
      while (!touched.contains(last, array)) --last;
      return between(last % count, last % count < i ? i : i + count);
    };
    const auto until_next = [&](std::size_t array) {
      std::size_t next = i + 1;
      while (!touched.contains(next, array)) ++next;
      return between(i, next);
    };
    StepTraffic moved;
    moved.step = steps[i];
    moved.bytes = bytes_of_steps[i];
    std::vector<VectorSlot> read;
    for (std::size_t operand = 0; operand < step.vectors.size(); ++operand) {
      const VectorSlot slot = step.vectors[operand];
      const VectorAccess access =
          step.accesses.empty() ? VectorAccess::read : step.accesses[operand];
      const std::size_t array = TouchedArrays::array_of(slot);
      const bool updated = access == VectorAccess::update;
      if (access != VectorAccess::write && std::ranges::count(read, slot) == 0) {
        read.push_back(slot);
        const ArrayTraffic once{bytes_of(slot), since_last(array), updated};
        if (operand == 0 && step.traffic.gathered_per_total_unknown > 0) {
          moved.gathered = once;
          moved.gathered_is_written = is_written(schedule, slot);
        } else {
          moved.reads.push_back(once);
        }
      }
      if (access != VectorAccess::read) {
        moved.writes.push_back({bytes_of(slot), until_next(array), updated});
      }
    }
    if (touched.contains(i, TouchedArrays::matrix)) {
      moved.reads.push_back(
          {touched.bytes(i, TouchedArrays::matrix), since_last(TouchedArrays::matrix), false});
    }
    traffic.push_back(std::move(moved));
  }
  return traffic;
}

}  // namespace sparsecast
