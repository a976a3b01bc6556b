#include "core/analysis/counted/product_counts.hpp"

#include <algorithm>
#include <limits>

#include "core/analysis/cuda_execution.hpp"
#include "core/analysis/warp_loads.hpp"
#include "core/formats/registry.hpp"

namespace sparsecast {
namespace {

/// Whether this is the way of `execution`, which has not looked at any rows.
bool is_way_of(const ProductCounts& counts, const SpmvExecution& execution) {
  return counts.lanes == execution.lanes && counts.streams == execution.streams &&
         counts.rows_per_block == execution.rows_per_block &&
         counts.longest_short_row == execution.longest_short_row &&
         (counts.pieces == 0 || counts.piece_length == execution.piece_length);
}

/// GPUs that differ in all that products depend on: in what they have room for at a time, and in
/// whether the matrix fits in their L2 cache.
template <class Function>
void for_each_gpu(std::span<const GpuShape> more, const Function& function) {
  for (const std::int64_t l2_bytes : {std::int64_t{0}, std::numeric_limits<std::int64_t>::max()}) {
    for (int multiprocessors = 1; multiprocessors <= most_multiprocessors; ++multiprocessors) {
      function(GpuShape{multiprocessors, l2_bytes, 0});
    }
  }
  for (const GpuShape& gpu : more) function(gpu);
}

}  // namespace

template <class T>
std::vector<ProductCounts> count_products(const CsrView<T>& matrix, const Segment& segment,
                                          const SegmentShape& shape, const Layout& layout,
                                          Precision precision, const CudaPolicy& policy,
                                          std::span<const RowLengthCount> row_lengths,
                                          std::span<const GpuShape> more, int threads) {
  std::vector<ProductCounts> all;
  require_forecast(layout);
  const auto way_on = format_of(layout).execution;
  std::optional<SpmvExecution> last;
  for_each_gpu(more, [&](const GpuShape& gpu) {
    const SpmvExecution way = way_on(shape, layout, precision, gpu, policy);
    if (way == last) return;  // as of most neighbours
    last = way;
    if (std::ranges::any_of(all, [&](const ProductCounts& one) { return is_way_of(one, way); })) {
      return;
    }
    const SpmvExecution counted =
        spmv_execution(shape, layout, precision, gpu, policy, row_lengths);
    ProductCounts& one = all.emplace_back();
    one.lanes = counted.lanes;
    one.streams = counted.streams;
    one.rows_per_block = counted.rows_per_block;
    one.longest_short_row = counted.longest_short_row;
    if (counted.pieces > 0) one.piece_length = counted.piece_length;
    one.long_rows = counted.long_rows;
    one.pieces = counted.pieces;
    one.loads = product_loads(matrix, segment, shape, layout, precision, counted, threads);
  });
  return all;
}

template std::vector<ProductCounts> count_products(const CsrView<float>&, const Segment&,
                                                   const SegmentShape&, const Layout&, Precision,
                                                   const CudaPolicy&,
                                                   std::span<const RowLengthCount>,
                                                   std::span<const GpuShape>, int);
template std::vector<ProductCounts> count_products(const CsrView<double>&, const Segment&,
                                                   const SegmentShape&, const Layout&, Precision,
                                                   const CudaPolicy&,
                                                   std::span<const RowLengthCount>,
                                                   std::span<const GpuShape>, int);

std::optional<SpmvExecution> counted_product(std::span<const ProductCounts> counted,
                                             const SegmentShape& shape, const Layout& layout,
                                             Precision precision, const GpuShape& gpu,
                                             const CudaPolicy& policy) {
  SpmvExecution execution = spmv_execution(shape, layout, precision, gpu, policy);
  const auto found = std::ranges::find_if(
      counted, [&](const ProductCounts& one) { return is_way_of(one, execution); });
  if (found == counted.end()) return std::nullopt;
  execution.long_rows = found->long_rows;
  execution.pieces = found->pieces;
  execution.loads = found->loads;
  return execution;
}

}  // namespace sparsecast
