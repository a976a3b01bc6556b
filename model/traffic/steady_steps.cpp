#include "model/traffic/steady_steps.hpp"

#include <algorithm>
#include <array>
#include <limits>
#include <map>
#include <utility>

#include "model/step_kinds.hpp"

namespace sparsecast {
namespace {

/// The arrays that each step touches: the matrix, and the vectors.
class TouchedArrays {
 public:
  static constexpr std::size_t matrix = 0;
  static std::size_t array_of(VectorSlot slot) { return static_cast<std::size_t>(slot) + 1; }

  explicit TouchedArrays(std::size_t vectors) : arrays_(vectors + 1) {}

  void add_step() { touched_.resize(touched_.size() + arrays_, 0); }
  /// Of the last step.
  void touch(std::size_t array) { touched_[touched_.size() - arrays_ + array] = 1; }

  std::size_t arrays() const { return arrays_; }
  std::size_t steps() const { return touched_.size() / arrays_; }
  bool contains(std::size_t step, std::size_t array) const {
    return touched_[step % steps() * arrays_ + array] != 0;
  }

  /// Call when all steps have been added, before `halves_between`.
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

  /// How many halves of an array lie between a place in another when `from` passes it and when `to`
  /// does, later than it and before the end of the next iteration, steps counted on through the
  /// iterations: one if one of the two touches it, both if both do or a step between them does.
  int halves_between(std::size_t from, std::size_t to, std::size_t array) const {
    if (next_[(from + 1) * arrays_ + array] < to) return 2;
    return (contains(from, array) ? 1 : 0) + (contains(to, array) ? 1 : 0);
  }

 private:
  static constexpr std::size_t never = std::numeric_limits<std::size_t>::max();

  std::size_t arrays_;
  std::vector<char> touched_;  ///< by step and array
  /// By step of two iterations and array: the first step from there on that touches it.
  std::vector<std::size_t> next_;
};

bool reads_matrix(const Step& step) {
  const Traffic& traffic = step.traffic;
  return traffic.values_per_element > 0 || traffic.indices_per_block > 0 ||
         traffic.offsets_per_block_row > 0;
}

/// Which vectors the steps that always run write.
std::vector<char> written_vectors(const Schedule& schedule) {
  std::vector<char> written(schedule.vectors.size(), 0);
  for (const Step& step : schedule.iteration) {
    if (!runs_mostly(step)) continue;
    for (std::size_t i = 0; i < step.accesses.size(); ++i) {
      if (step.accesses[i] == VectorAccess::read) continue;
      written[static_cast<std::size_t>(step.vectors[i])] = 1;
    }
  }
  return written;
}

/// `bytes_moved` with row offsets that take no more than so many bytes each.
BytesByKind bytes_with_offsets(const Step& step, const SegmentShape& shape, Precision precision,
                               double offset_bytes) {
  BytesByKind bytes = bytes_moved(step, shape, precision);
  bytes.row_pointers = std::min(bytes.row_pointers, offset_bytes * shape.block_rows);
  return bytes;
}

/// Adds to the last ones if it is touched like them.
void add(const TouchedVectors& vector, std::vector<TouchedVectors>& all) {
  if (!all.empty()) {
    TouchedVectors& last = all.back();
    if (last.scope == vector.scope && last.distance == vector.distance &&
        last.updated == vector.updated) {
      last.count += vector.count;
      return;
    }
  }
  all.push_back(vector);
}

}  // namespace

/// Finds what steps touch.
class SteadyStepsBuilder {
 public:
  explicit SteadyStepsBuilder(SteadySteps& made)
      : made_(made),
        schedule_(*made.schedule_),
        touched_(schedule_.vectors.size()),
        written_(written_vectors(schedule_)) {}

  void build() {
    for (std::size_t index = 0; index < schedule_.iteration.size(); ++index) {
      const Step& step = schedule_.iteration[index];
      if (!runs_mostly(step) || !runs_kernel(step)) continue;
      touched_.add_step();
      for (const VectorSlot slot : step.vectors) touched_.touch(TouchedArrays::array_of(slot));
      if (reads_matrix(step)) touched_.touch(TouchedArrays::matrix);
      SteadyStep steady;
      steady.step = index;
      made_.steps_.push_back(std::move(steady));
    }
    touched_.close();
    for (std::size_t i = 0; i < made_.steps_.size(); ++i) fill(i);
  }

 private:
  using Part = SteadySteps::Part;

  const VectorScope& scope_of(VectorSlot slot) const {
    return schedule_.vectors[static_cast<std::size_t>(slot)].scope;
  }

  void fill(std::size_t i) {
    SteadyStep& steady = made_.steps_[i];
    const Step& step = schedule_.iteration[steady.step];
    std::vector<VectorSlot> read;
    for (std::size_t operand = 0; operand < step.vectors.size(); ++operand) {
      const VectorSlot slot = step.vectors[operand];
      const VectorAccess access =
          step.accesses.empty() ? VectorAccess::read : step.accesses[operand];
      const std::size_t array = TouchedArrays::array_of(slot);
      const bool updated = access == VectorAccess::update;
      if (access != VectorAccess::write && std::ranges::count(read, slot) == 0) {
        read.push_back(slot);
        const TouchedVectors once{scope_of(slot), since_last(i, array), updated};
        if (operand == 0 && step.traffic.gathered_per_total_unknown > 0) {
          steady.gathered = once;
          steady.gathered_is_written = written_[static_cast<std::size_t>(slot)] != 0;
        } else {
          add(once, steady.reads);
        }
      }
      if (access != VectorAccess::read) {
        add({scope_of(slot), until_next(i, array), updated}, steady.writes);
      }
    }
    if (touched_.contains(i, TouchedArrays::matrix)) {
      steady.matrix_distance = since_last(i, TouchedArrays::matrix);
    }
  }

  std::size_t since_last(std::size_t i, std::size_t array) {
    const std::size_t count = touched_.steps();
    std::size_t last = i + count - 1;
    while (!touched_.contains(last, array)) --last;
    return between(last % count, last % count < i ? i : i + count);
  }
  std::size_t until_next(std::size_t i, std::size_t array) {
    std::size_t next = i + 1;
    while (!touched_.contains(next, array)) ++next;
    return between(i, next);
  }

  /// Most arrays of a step were touched last by the same one, and much as many lie between other
  /// steps.
  std::size_t between(std::size_t from, std::size_t to) {
    const auto [known, first] = between_.try_emplace({from, to}, 0);
    if (!first) return known->second;
    SteadySteps::Distance distance;
    for (std::size_t array = 0; array < touched_.arrays(); ++array) {
      const int halves = touched_.halves_between(from, to, array);
      if (halves > 0) distance.push_back(part_of(array, halves));
    }
    const auto [place, is_new] = places_.try_emplace(distance, made_.distances_.size());
    if (is_new) made_.distances_.push_back(std::move(distance));
    return known->second = place->second;
  }

  Part part_of(std::size_t array, int halves) const {
    const bool whole = halves == 2;
    if (array == TouchedArrays::matrix) return whole ? Part::matrix : Part::half_matrix;
    return whole ? Part::segment : Part::half_segment;
  }

  SteadySteps& made_;
  const Schedule& schedule_;
  TouchedArrays touched_;
  std::vector<char> written_;
  std::map<std::pair<std::size_t, std::size_t>, std::size_t> between_;  ///< by two steps
  std::map<SteadySteps::Distance, std::size_t> places_;                 ///< of distances
};

bool SteadyStep::touches_like(const SteadyStep& other) const {
  return reads == other.reads && writes == other.writes && gathered == other.gathered &&
         gathered_is_written == other.gathered_is_written &&
         matrix_distance == other.matrix_distance;
}

SteadySteps::SteadySteps(const Schedule& schedule) : schedule_(&schedule) {
  SteadyStepsBuilder(*this).build();
}

SteadySizes SteadySteps::sizes(const SegmentShape& shape, Precision precision,
                               double offset_bytes) const {
  const double value_bytes = static_cast<double>(bytes_per_value(precision));
  SteadySizes sizes{shape,
                    precision,
                    offset_bytes,
                    value_bytes * shape.unknowns,
                    value_bytes * shape.total_unknowns,
                    {}};
  double matrix_bytes = 0;
  for (const SteadyStep& each : steps_) {
    if (!each.matrix_distance) continue;
    matrix_bytes = sparsecast::matrix_bytes(
        bytes_with_offsets(schedule_->iteration[each.step], shape, precision, offset_bytes));
    if (matrix_bytes > 0) break;
  }
  std::array<double, static_cast<std::size_t>(Part::count)> bytes{};
  const auto set = [&bytes](Part half, Part whole, double all) {
    bytes[static_cast<std::size_t>(half)] = 0.5 * all;
    bytes[static_cast<std::size_t>(whole)] = all;
  };
  set(Part::half_matrix, Part::matrix, matrix_bytes);
  set(Part::half_segment, Part::segment, sizes.segment_bytes);
  sizes.distances.reserve(distances_.size());
  for (const Distance& distance : distances_) {
    double sum = 0;
    for (const Part part : distance) sum += bytes[static_cast<std::size_t>(part)];
    sizes.distances.push_back(sum);
  }
  return sizes;
}

BytesByKind SteadySteps::bytes(const SteadyStep& step, const SteadySizes& sizes) const {
  return bytes_with_offsets(schedule_->iteration[step.step], sizes.shape, sizes.precision,
                            sizes.offset_bytes);
}

StepTraffic SteadySteps::traffic(const SteadyStep& step, const SteadySizes& sizes) const {
  const auto touched = [&sizes](const TouchedVectors& vectors, double bytes) {
    return ArrayTraffic{bytes, sizes.distances[vectors.distance], vectors.updated, vectors.count};
  };
  const auto moved = [&](const TouchedVectors& vectors) {
    return touched(vectors, sizes.segment_bytes);
  };
  StepTraffic traffic;
  traffic.step = step.step;
  traffic.bytes = bytes(step, sizes);
  traffic.reads.reserve(step.reads.size() + 1);
  for (const TouchedVectors& each : step.reads) traffic.reads.push_back(moved(each));
  traffic.writes.reserve(step.writes.size());
  for (const TouchedVectors& each : step.writes) traffic.writes.push_back(moved(each));
  if (step.gathered) {
    traffic.gathered = touched(*step.gathered, sizes.gathered_bytes(*step.gathered));
  }
  traffic.gathered_is_written = step.gathered_is_written;
  const double matrix = step.matrix_distance ? matrix_bytes(traffic.bytes) : 0;
  if (matrix > 0) {
    traffic.reads.push_back({matrix, sizes.distances[*step.matrix_distance], false, 1});
  }
  return traffic;
}

std::vector<StepTraffic> steady_traffic(const Schedule& schedule, const SegmentShape& shape,
                                        Precision precision, double offset_bytes) {
  const SteadySteps steady(schedule);
  const SteadySizes sizes = steady.sizes(shape, precision, offset_bytes);
  std::vector<StepTraffic> traffic;
  for (const SteadyStep& step : steady.steps()) traffic.push_back(steady.traffic(step, sizes));
  return traffic;
}

}  // namespace sparsecast
