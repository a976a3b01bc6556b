#include "core/workload/cuda_policy.hpp"

#include <algorithm>
#include <bit>
#include <cmath>

namespace sparsecast {

bool has_short_offsets(std::int64_t values, const CudaPolicy& policy) {
  return values <= policy.most_values_with_32_bit_offsets;
}

bool may_narrow_columns(const Layout& layout, const CudaPolicy& policy) {
  return policy.narrow_columns && has_narrow_kernels(layout.block_size) &&
         layout.row_order == RowOrder::natural;
}

int spmv_lanes(const SegmentShape& segment, int block_size, int value_bytes, std::int64_t l2_bytes,
               const CudaPolicy& policy) {
  constexpr unsigned warp = 32;
  // There are kernels for fewer lanes of small blocks and of CSR.
  const unsigned least = block_size > 3 ? 4 : 1;
  const auto available = [&](unsigned wanted) {
    return static_cast<int>(std::clamp(std::bit_ceil(wanted), least, warp));
  };
  if (policy.lanes_per_row > 0) return available(static_cast<unsigned>(policy.lanes_per_row));
  const bool streams = block_size == 2 || block_size == 3;
  // With indices of full width, whether or not they fit in less.
  const double bytes = segment.elements * value_bytes + segment.blocks * 4;
  if (streams && bytes > static_cast<double>(l2_bytes)) return warp;
  const double mean = segment.block_rows > 0 ? segment.blocks / segment.block_rows : 0;
  // A lane takes two groups of four elements of CSR, of which a row begins 1.5 elements into the
  // first on average; two small blocks; half a block of N = 6 and a quarter of one of N = 8.
  const double loads = block_size == 1   ? (mean + 1.5) / 8
                       : block_size <= 3 ? mean / 2
                       : block_size == 4 ? mean
                       : block_size == 6 ? mean * 2
                                         : mean * 4;
  const unsigned most = streams ? warp / 2 : warp;
  const double bounded = std::clamp(std::ceil(loads), 1.0, static_cast<double>(most));
  return available(static_cast<unsigned>(bounded));
}

PersistentLaunch persistent_launch(const SegmentShape& segment, int multiprocessors,
                                   const CudaPolicy& policy) {
  constexpr double warp = 32;
  const double unknowns = std::max(1.0, segment.unknowns);
  const double block_rows = std::max(1.0, segment.block_rows);
  PersistentLaunch launch;
  launch.blocks = static_cast<int>(
      std::clamp(std::ceil(std::max(unknowns / policy.persistent_unknowns_per_block,
                                    segment.elements / policy.persistent_elements_per_block)),
                 1.0, static_cast<double>(multiprocessors)));
  constexpr double most_threads = 512;
  // A lane takes so many blocks of a mean row at least, and no more lanes than there are threads.
  const double blocks_per_lane = segment.elements > segment.blocks ? 2 : 4;
  const double rows_here = block_rows / launch.blocks;
  const double lanes = std::clamp(
      std::min(most_threads / rows_here, segment.blocks / block_rows / blocks_per_lane), 1.0, warp);
  launch.lanes = static_cast<int>(std::bit_floor(static_cast<unsigned>(lanes)));
  const double threads = std::max(unknowns / launch.blocks, rows_here * launch.lanes);
  // One warp waits while the others work.
  launch.threads =
      static_cast<int>(std::clamp(warp * (1 + std::ceil(threads / warp)), 4 * warp, most_threads));
  return launch;
}

bool persistent_may_be_faster(const SegmentShape& segment, int value_bytes, int multiprocessors,
                              const CudaPolicy& policy) {
  return segment.elements * value_bytes <=
         static_cast<double>(policy.persistent_bytes_per_multiprocessor) * multiprocessors;
}

bool persistent_is_faster(const SegmentShape& segment, int value_bytes, int lanes,
                          double moved_bytes, std::int64_t l2_bytes, const CudaPolicy& policy) {
  constexpr double column_bytes = 2;
  const double run = (segment.elements * value_bytes + segment.blocks * column_bytes) /
                     std::max(1.0, segment.block_rows * lanes);
  return moved_bytes <=
         policy.persistent_l2_turnover * std::cbrt(run) * static_cast<double>(l2_bytes);
}

}  // namespace sparsecast
