#pragma once

#include <cstdint>
#include <optional>
#include <span>

#include "core/base/precision.hpp"
#include "core/schedule/schedule.hpp"
#include "core/workload/segment_shape.hpp"

namespace sparsecast {

/// Bytes of one segment's matrix as back ends hold it: values, block columns, block offsets.
double matrix_bytes(const SegmentShape& segment, Precision precision);

/// How many times a device holds its part of the matrix: twice where it multiplies by the
/// transpose, which is taken to be as large.
int stored_matrices(const Schedule& schedule);

/// Bytes of the vectors that a device holds for a schedule.
double vector_bytes(const Schedule& schedule, const SegmentShape& segment, Precision precision);

/// Rows of one device, at most: column indices reach no further.
inline constexpr double most_rows_of_device = 0x1p31;

/// Bytes of matrices and vectors on the device that holds most.
std::int64_t fullest_device_bytes(const Schedule& schedule, std::span<const SegmentShape> segments,
                                  Precision precision);

/// Whether each of these devices can hold its segment, `fullest_bytes` on the one that holds most,
/// in a memory of so many bytes (0: unknown); nothing where that is not known.
std::optional<bool> fits(std::span<const SegmentShape> segments, std::int64_t fullest_bytes,
                         std::int64_t memory_bytes);

}  // namespace sparsecast
