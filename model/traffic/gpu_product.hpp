#pragma once

#include "core/workload/gpu_execution.hpp"
#include "model/traffic/residual.hpp"
#include "model/traffic/traffic_case.hpp"

namespace sparsecast {

/// What the multiplications of our kernels have to do on one segment and GPU, counted once, for
/// prices with any parameters.
class GpuProduct {
 public:
  GpuProduct(const TrafficCase& segment, const GpuShape& gpu);

  /// Passes over its longest row, one after the other.
  double passes() const { return passes_; }
  /// Passes of a warp, in the mean.
  double passes_of_warp() const;
  /// Whether a row is cut into pieces, which are added up.
  bool joins_pieces() const { return joins_pieces_; }
  /// Thread blocks of a multiprocessor, in the mean.
  double blocks_each() const { return blocks_each_; }
  /// Thread blocks of the fullest multiprocessor over their mean.
  double unevenness() const { return unevenness_; }
  /// Distinct sectors of the vector, each looked up at least once.
  double looked_up_sectors() const { return looked_up_sectors_; }

  /// Thread blocks that a multiprocessor has registers for, of a kernel that ends with sums or not.
  double resident_blocks(bool with_sums) const;

  /// Thread blocks of a product without sums that launch follows launch of, which the fullest
  /// multiprocessor has beyond its share: where there is no room for all of the next launch beside
  /// this one, or two of them, those that come late go where there is room first.
  double contention() const;

  /// Sectors that are looked up in the last-level cache, where a first-level cache keeps so many
  /// bytes of the vector. What a multiprocessor's thread blocks look up is spread over all of the
  /// vector as if by chance; the fewer places it has, the more of them were there before.
  double gathered_sectors(double l1_bytes) const;

  /// By what it is like others (`ProductTrait`). `value_bytes`: of a value; `vector_bytes`: of the
  /// multiplied vector; `missed_share`: of what is streamed, what comes from memory.
  Traits traits(bool with_sums, double value_bytes, double vector_bytes, double missed_share) const;

 private:
  void count_passes();

  TrafficCase segment_;
  int multiprocessors_;
  double passes_ = 0;
  bool joins_pieces_ = false;
  double blocks_each_;
  double unevenness_;
  double block_sectors_;  ///< distinct in each thread block
  double looked_up_sectors_;
};

}  // namespace sparsecast
