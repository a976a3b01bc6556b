#include "model/traffic/step_traffic.hpp"

#include <algorithm>
#include <map>

#include "model/step_kinds.hpp"

namespace sparsecast {
namespace {

/// Stands for the matrix among the vectors.
constexpr VectorSlot matrix_slot = -1;

/// What a step touches, and bytes of it.
using Touched = std::map<VectorSlot, double>;

/// Bytes between a place in an array when `from` passes it and when `to` does, steps counted on
/// through the iterations: half of what the two touch, and all that those between them touch, each
/// array once.
double bytes_between(const std::vector<Touched>& touched, std::size_t from, std::size_t to) {
  std::map<VectorSlot, double> share;
  for (std::size_t step = from; step <= to; ++step) {
    const bool at_the_end = step == from || step == to;
    for (const auto& [slot, bytes] : touched[step % touched.size()]) {
      double& part = share[slot];
      part = std::min(1.0, part + (at_the_end ? 0.5 : 1.0));
    }
  }
  double sum = 0;
  for (const auto& [slot, part] : share) {
    for (const Touched& step : touched) {
      const auto found = step.find(slot);
      if (found == step.end()) continue;
      sum += part * found->second;
      break;
    }
  }
  return sum;
}

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
  std::vector<Touched> touched;
  std::vector<BytesByKind> bytes_of_steps;
  for (std::size_t index = 0; index < schedule.iteration.size(); ++index) {
    const Step& step = schedule.iteration[index];
    if (!runs_mostly(step) || !runs_kernel(step)) continue;
    Touched arrays;
    for (const VectorSlot slot : step.vectors) arrays[slot] = bytes_of(slot);
    const BytesByKind bytes = bytes_with_offsets(step, shape, precision, offset_bytes);
    const double matrix = bytes.values + bytes.indices + bytes.row_pointers;
    if (matrix > 0) arrays[matrix_slot] = matrix;
    steps.push_back(index);
    touched.push_back(std::move(arrays));
    bytes_of_steps.push_back(bytes);
  }

  std::vector<StepTraffic> traffic;
  for (std::size_t i = 0; i < steps.size(); ++i) {
    const Step& step = schedule.iteration[steps[i]];
    const std::size_t count = steps.size();
    const auto since_last = [&](VectorSlot slot) {
      std::size_t last = i + count - 1;
      while (!touched[last % count].contains(slot)) --last;
      return bytes_between(touched, last % count, last % count < i ? i : i + count);
    };
    const auto until_next = [&](VectorSlot slot) {
      std::size_t next = i + 1;
      while (!touched[next % count].contains(slot)) ++next;
      return bytes_between(touched, i, next);
    };
    StepTraffic moved;
    moved.step = steps[i];
    moved.bytes = bytes_of_steps[i];
    Touched read;
    for (std::size_t operand = 0; operand < step.vectors.size(); ++operand) {
      const VectorSlot slot = step.vectors[operand];
      const VectorAccess access =
          step.accesses.empty() ? VectorAccess::read : step.accesses[operand];
      if (access != VectorAccess::write && read.emplace(slot, 0).second) {
        const ArrayTraffic array{bytes_of(slot), since_last(slot), access == VectorAccess::update};
        if (operand == 0 && step.traffic.gathered_per_total_unknown > 0) {
          moved.gathered = array;
          moved.gathered_is_written = is_written(schedule, slot);
        } else {
          moved.reads.push_back(array);
        }
      }
      if (access != VectorAccess::read) {
        moved.writes.push_back({bytes_of(slot), until_next(slot), access == VectorAccess::update});
      }
    }
    const auto matrix = touched[i].find(matrix_slot);
    if (matrix != touched[i].end()) {
      moved.reads.push_back({matrix->second, since_last(matrix_slot), false});
    }
    traffic.push_back(std::move(moved));
  }
  return traffic;
}

}  // namespace sparsecast
