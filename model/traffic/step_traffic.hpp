#pragma once

#include <cstddef>
#include <vector>

#include "core/schedule/schedule.hpp"

namespace sparsecast {

/// Bytes of one array that a step reads or writes, and how many bytes of anything the iterations
/// touch between two touches of the same place. Of an LRU cache of at least so many bytes the place
/// would still be there.
struct ArrayTraffic {
  double bytes = 0;
  double reuse_distance = 0;
  bool updated = false;  ///< the step reads and writes it: it is among reads and among writes
  int arrays = 1;        ///< so many of these bytes each, one after the other
};

/// What one step of an iteration moves on one segment.
struct StepTraffic {
  std::size_t step = 0;  ///< index in `Schedule::iteration`
  BytesByKind bytes;     ///< `bytes_moved`, with row offsets as the device stores them
  /// Reads in order (vectors, and the matrix), by the bytes since they were touched last.
  std::vector<ArrayTraffic> reads;
  /// Writes, by the bytes until they are touched next: what is still in a cache then is not
  /// written to memory in between.
  std::vector<ArrayTraffic> writes;
  /// The vector that a multiplication looks up, once. Absent (0 bytes) in other steps.
  ArrayTraffic gathered;
  bool gathered_is_written = false;  ///< by a step of the iteration
};

}  // namespace sparsecast
