#pragma once

#include <cstdint>

#include "core/workload/segment_shape.hpp"

namespace sparsecast {

/// Sizes at which the CPU back end changes its ways, with the measurements behind them.
struct CpuPolicy {
  /// A thread is used for every so many values (20 per unknown and 2 per stored element, about what
  /// an iteration of Algorithm 1 moves). Two cores of an EPYC 9004, f64, one against two threads:
  /// 5-point 20^2 (12 000 values) 1.8 against 2.5 us, 27-point 8^3 (32 000) 6.5 against 5.4 us,
  /// 5-point 100^2 (300 000) 43 against 23 us; the fused schedule 5-point 30^2 (27 000) 3.1 against
  /// 5.2 us, 60^2 (107 000) 11.7 against 9.9 us.
  double values_per_thread = 15'000;

  /// Rows that a thread takes at a time in steps whose parts are handed out (`LoadVariable`).
  std::int64_t rows_per_part = 1024;

  /// Threads for a segment: at least 1, at most `available`.
  int threads(const SegmentShape& segment, int available) const;
};

}  // namespace sparsecast
