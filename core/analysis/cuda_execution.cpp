#include "core/analysis/cuda_execution.hpp"

#include <limits>
#include <string>

#include "core/analysis/features.hpp"
#include "core/analysis/segment_numbers.hpp"
#include "core/base/error.hpp"
#include "core/formats/registry.hpp"

namespace sparsecast {
namespace {

/// Throws `Error` for a format whose products nobody forecasts.
const Format& forecast_format(const Layout& layout) {
  const Format& format = format_of(layout);
  if (format.execution == nullptr) {
    throw Error("layout " + to_string(layout) +
                " is for comparisons: its products are measured, not forecast");
  }
  return format;
}

SegmentShape cuda_shape_of(const PatternNumbers& numbers, const MatrixAccess& access,
                           const Layout& layout, const CudaPolicy& policy) {
  SegmentShape shape = format_of(layout).shape(numbers, layout);
  shape.total_unknowns = numbers.columns;
  if (keeps_narrow_columns(access, layout, policy)) shape.index_bytes = 2;
  return shape;
}

}  // namespace

template <class T>
SegmentShape cuda_shape(const CsrView<T>& matrix, const MatrixFeatures& features,
                        const MatrixAccess& access, const Layout& layout,
                        const CudaPolicy& policy) {
  return cuda_shape_of(matrix_numbers(matrix.pattern(), features, layout, policy), access, layout,
                       policy);
}

template SegmentShape cuda_shape(const CsrView<float>&, const MatrixFeatures&, const MatrixAccess&,
                                 const Layout&, const CudaPolicy&);
template SegmentShape cuda_shape(const CsrView<double>&, const MatrixFeatures&, const MatrixAccess&,
                                 const Layout&, const CudaPolicy&);

SegmentShape cuda_shape(const MatrixFeatures& features, const MatrixAccess& access,
                        const Layout& layout, const CudaPolicy& policy) {
  return cuda_shape_of(features.numbers(layout.format), access, layout, policy);
}

void require_forecast(const Layout& layout) {
  forecast_format(layout);
}

SpmvExecution spmv_execution(const SegmentShape& shape, const Layout& layout, Precision precision,
                             const GpuShape& gpu, const CudaPolicy& policy) {
  return forecast_format(layout).execution(shape, layout, precision, gpu, policy);
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

bool keeps_narrow_columns(const MatrixAccess& access, const Layout& layout,
                          const CudaPolicy& policy) {
  if (!format_of(layout).narrows_columns || !may_narrow_columns(layout, policy)) return false;
  const ColumnReach reach = access.column_reach(layout.block_size);
  using Narrow = std::numeric_limits<std::int16_t>;
  return reach.below >= Narrow::min() && reach.above <= Narrow::max();
}

ProductGeometry product_geometry(const SegmentShape& shape, const Layout& layout,
                                 Precision precision, const SpmvExecution& execution) {
  const auto geometry_of = [&](const Layout& stored) {
    return forecast_format(stored).geometry(stored, precision, execution);
  };
  const ProductGeometry geometry = geometry_of(layout);
  if (shape.blocks > 0) return geometry;
  ProductGeometry of_nothing = geometry_of(Layout{});
  of_nothing.priced_as = geometry.priced_as;
  of_nothing.sums = geometry.sums;
  return of_nothing;
}

std::vector<ProductPart> product_parts(const SegmentShape& shape, const AccessPattern& pattern,
                                       const Layout& layout, Precision precision,
                                       const SpmvExecution& execution) {
  const Format& format = forecast_format(layout);
  if (format.parts == nullptr) return {};
  return format.parts(shape, pattern, layout, precision, execution);
}

}  // namespace sparsecast
