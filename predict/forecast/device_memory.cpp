#include "predict/forecast/device_memory.hpp"

#include <algorithm>
#include <cmath>

namespace sparsecast {

double matrix_bytes(const SegmentShape& segment, Precision precision) {
  return static_cast<double>(bytes_per_value(precision)) * segment.elements +
         segment.index_bytes * segment.blocks + segment.offset_bytes * (segment.block_rows + 1);
}

int stored_matrices(const Schedule& schedule) {
  return multiplies_by_transpose(schedule) ? 2 : 1;
}

double vector_bytes(const Schedule& schedule, const SegmentShape& segment, Precision precision) {
  double values = 0;
  for (const VectorDeclaration& vector : schedule.vectors) {
    values += vector.scope == VectorScope::full ? segment.total_unknowns : segment.unknowns;
  }
  return static_cast<double>(bytes_per_value(precision)) * values;
}

std::int64_t fullest_device_bytes(const Schedule& schedule, std::span<const SegmentShape> segments,
                                  Precision precision) {
  double fullest = 0;
  for (const SegmentShape& segment : segments) {
    fullest = std::max(fullest, stored_matrices(schedule) * matrix_bytes(segment, precision) +
                                    vector_bytes(schedule, segment, precision));
  }
  return static_cast<std::int64_t>(std::ceil(fullest));
}

std::optional<bool> fits(std::span<const SegmentShape> segments, std::int64_t fullest_bytes,
                         std::int64_t memory_bytes) {
  const bool numbered = std::ranges::all_of(segments, [](const SegmentShape& segment) {
    return segment.unknowns <= most_rows_of_device;
  });
  if (!numbered) return false;
  if (memory_bytes == 0) return std::nullopt;
  return fullest_bytes <= memory_bytes;
}

}  // namespace sparsecast
