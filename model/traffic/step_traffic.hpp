#pragma once

#include <vector>

#include "core/base/precision.hpp"
#include "core/schedule/schedule.hpp"

namespace sparsecast {

/// Bytes of one array that a step reads or writes, and how many bytes of anything the iterations
/// touch between two touches of the same place. Of an LRU cache of at least so many bytes the place
/// would still be there.
struct ArrayTraffic {
  double bytes = 0;
  double reuse_distance = 0;
  bool updated = false;  ///< the step reads and writes it: it is among reads and among writes
};

/// What one step of an iteration moves on one segment.
struct StepTraffic {
  std::size_t step = 0;  ///< index in `Schedule::iteration`
  BytesByKind bytes;     ///< `bytes_moved`, with row offsets of no more than `offset_bytes`
  /// Reads in order (vectors, and the matrix), by the bytes since they were touched last.
  std::vector<ArrayTraffic> reads;
  /// Writes, by the bytes until they are touched next: what is still in a cache then is not
  /// written to memory in between.
  std::vector<ArrayTraffic> writes;
  /// The vector that a multiplication looks up, once. Absent (0 bytes) in other steps.
  ArrayTraffic gathered;
  bool gathered_is_written = false;  ///< by a step of the iteration
};

/// The kernels and reductions of an iteration in the steady state (steps without guard), run again
/// and again. All arrays of a step are passed at the same pace: of the steps that touch an array
/// one after the other, half of what each touches besides lies between the touches of one place.
/// `offset_bytes`: of a stored row offset.
std::vector<StepTraffic> steady_traffic(const Schedule& schedule, const SegmentShape& shape,
                                        Precision precision, double offset_bytes = 8);

}  // namespace sparsecast
