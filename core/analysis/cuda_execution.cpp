#include "core/analysis/cuda_execution.hpp"

#include <algorithm>
#include <functional>
#include <limits>
#include <numeric>

#include "core/analysis/features.hpp"
#include "core/formats/bcsr/bcsr.hpp"
#include "core/formats/paper/paper_spmv.hpp"
#include "core/formats/registry.hpp"

namespace sparsecast {
namespace {

/// Cumulative numbers of blocks of block rows in their stored order.
template <class T>
Buffer<std::int64_t> block_offsets(const CsrView<T>& matrix, const Layout& layout) {
  Buffer<std::int64_t> offsets =
      count_blocks(matrix.pattern(), {0, matrix.rows}, layout.block_size);
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
  if (shape.index_bytes > 0 &&
      may_narrow_columns(static_cast<std::int64_t>(shape.elements), layout, policy) &&
      reach.below >= Narrow::min() && reach.above <= Narrow::max()) {
    shape.index_bytes = 2;
  }
  return shape;
}

template SegmentShape cuda_shape(const CsrView<float>&, const MatrixFeatures&, const MatrixAccess&,
                                 const Layout&, const CudaPolicy&);
template SegmentShape cuda_shape(const CsrView<double>&, const MatrixFeatures&, const MatrixAccess&,
                                 const Layout&, const CudaPolicy&);

SpmvExecution spmv_execution(const SegmentShape& shape, const Layout& layout, Precision precision,
                             const GpuShape& gpu, const CudaPolicy& policy) {
  return format_of(layout).execution(shape, layout, precision, gpu, policy);
}

SpmvExecution spmv_execution(const SegmentShape& shape, const Layout& layout, Precision precision,
                             const GpuShape& gpu, const CudaPolicy& policy,
                             std::span<const RowLengthCount> row_lengths) {
  SpmvExecution execution = spmv_execution(shape, layout, precision, gpu, policy);
  for (const auto& [blocks, rows] : row_lengths) {
    if (blocks <= execution.longest_short_row) continue;
    execution.long_rows += rows;
    execution.pieces += rows * ((blocks + execution.piece_length - 1) / execution.piece_length);
  }
  return execution;
}

ProductGeometry product_geometry(const SegmentShape& shape, const Layout& layout,
                                 Precision precision, const SpmvExecution& execution) {
  const Layout stored = shape.blocks > 0 ? layout : Layout{};
  return format_of(stored).geometry(stored, precision, execution);
}

}  // namespace sparsecast
