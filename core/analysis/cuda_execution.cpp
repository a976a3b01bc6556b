#include "core/analysis/cuda_execution.hpp"

#include <algorithm>
#include <functional>
#include <limits>
#include <numeric>

#include "core/analysis/features.hpp"
#include "core/formats/bcsr/bcsr.hpp"
#include "core/formats/paper/paper_spmv.hpp"
#include "core/workload/spmv_geometry.hpp"

namespace sparsecast {
namespace {

constexpr std::int64_t warp = 32;

/// Cumulative numbers of blocks of block rows in their stored order.
template <class T>
Buffer<std::int64_t> block_offsets(const CsrView<T>& matrix, const Layout& layout) {
  Buffer<std::int64_t> offsets = count_blocks(matrix, {0, matrix.rows}, layout.block_size);
  if (layout.row_order == RowOrder::sorted) {
    std::adjacent_difference(offsets.begin(), offsets.end(), offsets.begin());
    std::sort(offsets.begin() + 1, offsets.end(), std::greater<>());
    std::partial_sum(offsets.begin(), offsets.end(), offsets.begin());
  }
  return offsets;
}

}  // namespace

template <class T>
SegmentShape cuda_shape(const CsrView<T>& matrix, const MatrixFeatures& features,
                        const MatrixAccess& access, const Layout& layout,
                        const CudaPolicy& policy) {
  SegmentShape shape = features.shape(layout);
  shape.total_unknowns = static_cast<double>(matrix.columns);
  const int n = layout.block_size;
  if (policy.paper_spmv) {
    if (policy.paper_spmv->storage == PaperStorage::plain) return shape;
    const PaperGeometry geometry = paper_geometry(*policy.paper_spmv, n);
    const auto offsets = block_offsets(matrix, layout);
    shape.blocks = static_cast<double>(paper_thread_block_offsets(offsets, geometry).back());
    shape.elements = shape.blocks * n * n;
    return shape;
  }
  const ColumnReach reach = access.column_reach(n);
  using Narrow = std::numeric_limits<std::int16_t>;
  if (may_narrow_columns(static_cast<std::int64_t>(shape.elements), layout, policy) &&
      reach.below >= Narrow::min() && reach.above <= Narrow::max()) {
    shape.index_bytes = 2;
  }
  return shape;
}

template SegmentShape cuda_shape(const CsrView<float>&, const MatrixFeatures&, const MatrixAccess&,
                                 const Layout&, const CudaPolicy&);
template SegmentShape cuda_shape(const CsrView<double>&, const MatrixFeatures&, const MatrixAccess&,
                                 const Layout&, const CudaPolicy&);

SpmvExecution spmv_execution(const SegmentShape& shape, int block_size, Precision precision,
                             const GpuShape& gpu, const CudaPolicy& policy) {
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

SpmvExecution spmv_execution(const SegmentShape& shape, int block_size, Precision precision,
                             const GpuShape& gpu, const CudaPolicy& policy,
                             std::span<const RowLengthCount> row_lengths) {
  SpmvExecution execution = spmv_execution(shape, block_size, precision, gpu, policy);
  for (const auto& [blocks, rows] : row_lengths) {
    if (blocks <= execution.longest_short_row) continue;
    execution.long_rows += rows;
    execution.pieces += rows * ((blocks + execution.piece_length - 1) / execution.piece_length);
  }
  return execution;
}

}  // namespace sparsecast
