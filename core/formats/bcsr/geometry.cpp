#include "core/formats/bcsr/geometry.hpp"

#include <algorithm>

#include "core/formats/bcsr/spmv_geometry.hpp"

namespace sparsecast {

SpmvExecution bcsr_execution(const SegmentShape& shape, const Layout& layout, Precision precision,
                             const GpuShape& gpu, const CudaPolicy& policy) {
  constexpr std::int64_t warp = 32;
  const int block_size = layout.block_size;
  SpmvExecution execution;
  execution.lanes = spmv_lanes(shape, block_size, static_cast<int>(bytes_per_value(precision)),
                               gpu.l2_bytes, policy);
  execution.streams = row_kernel(block_size, execution.lanes) == RowKernel::streams;
  execution.threads = spmv_threads(block_size, execution.lanes);
  if (execution.streams) {
    // About a thousand blocks a warp.
    std::int64_t together = warp;
    while (together > 1 && static_cast<double>(together) * shape.blocks > 1024 * shape.block_rows) {
      together /= 2;
    }
    execution.rows_per_block = execution.threads / warp * together;
  } else {
    execution.rows_per_block = execution.threads / execution.lanes;
  }
  const auto block_rows = static_cast<std::int64_t>(shape.block_rows);
  execution.blocks = (block_rows + execution.rows_per_block - 1) / execution.rows_per_block;
  // The blocks that lanes take in one pass.
  const auto pass_of = [block_size](std::int64_t lanes) {
    return block_size == 1 ? 2 * csr_step * lanes : 2 * lanes / items_per_block(block_size);
  };
  execution.longest_short_row = policy.long_row_passes * pass_of(execution.lanes);
  const std::int64_t longest_piece =
      std::max<std::int64_t>(warp, policy.values_per_long_piece / (block_size * block_size));
  // A whole warp that takes a row anyway gains only by sharing it.
  if (execution.lanes == warp) {
    execution.longest_short_row = std::max(execution.longest_short_row, longest_piece);
  }
  // In whole passes, and the shorter the less work there is for the multiprocessors: then all wait
  // for the last piece.
  const std::int64_t pass = std::max(warp, pass_of(warp));
  const auto share = static_cast<std::int64_t>(shape.blocks) /
                     (std::int64_t{policy.long_pieces_per_multiprocessor} * gpu.multiprocessors);
  execution.piece_length = std::min(longest_piece, std::max<std::int64_t>(1, share / pass) * pass);
  return execution;
}

ProductGeometry bcsr_geometry(const Layout& layout, Precision precision,
                              const SpmvExecution& execution) {
  const int n = layout.block_size;
  const auto value_bytes = static_cast<int>(bytes_per_value(precision));
  ProductGeometry geometry;
  geometry.blocks_in_pass = blocks_of_pass(n, value_bytes, std::max(1, execution.lanes));
  geometry.blocks_in_stream_pass = blocks_of_stream_pass(n, value_bytes);
  geometry.blocks_before_row = blocks_before_row(n);
  geometry.resident_blocks = resident_thread_blocks(n, value_bytes, execution.streams, false);
  geometry.resident_blocks_with_sums =
      resident_thread_blocks(n, value_bytes, execution.streams, true);
  if (execution.streams) geometry.kind = "-stream";
  return geometry;
}

}  // namespace sparsecast
