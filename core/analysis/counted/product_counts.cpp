#include "core/analysis/counted/product_counts.hpp"

#include <algorithm>
#include <limits>

#include "core/analysis/cuda_execution.hpp"
#include "core/analysis/warp_loads.hpp"
#include "core/formats/registry.hpp"

namespace sparsecast {
namespace {

/// Whether this is the way of `execution`, whatever the length of its pieces.
bool is_way_of(const ProductCounts& counts, const SpmvExecution& execution) {
  return counts.lanes == execution.lanes && counts.streams == execution.streams &&
         counts.rows_per_block == execution.rows_per_block &&
         counts.longest_short_row == execution.longest_short_row;
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
  const Format& format = format_of(layout);
  const int n = layout.block_size;
  const bool counts_itself = format.count_loads != nullptr || format.warp_loads != nullptr;
  const auto row_loads = [&](const SpmvExecution& way) {
    if (counts_itself) {
      return product_loads(matrix, segment, shape, layout, precision, way, threads);
    }
    return count_row_loads(matrix, segment, n, precision, way);
  };
  const auto piece_loads = [&](const SpmvExecution& way) {
    if (counts_itself) return WarpLoads{};
    return count_piece_loads(matrix, segment, n, precision, way, threads);
  };
  std::optional<SpmvExecution> last;
  for_each_gpu(more, [&](const GpuShape& gpu) {
    const SpmvExecution way = format.execution(shape, layout, precision, gpu, policy);
    if (way == last) return;  // as of most neighbours
    last = way;
    auto known =
        std::ranges::find_if(all, [&](const ProductCounts& one) { return is_way_of(one, way); });
    if (known != all.end() &&
        (known->long_rows == 0 ||
         std::ranges::count(known->pieces, way.piece_length, &PieceCounts::length) > 0)) {
      return;
    }
    const SpmvExecution counted =
        spmv_execution(shape, layout, precision, gpu, policy, row_lengths);
    if (known == all.end()) {
      all.push_back({counted.lanes,
                     counted.streams,
                     counted.rows_per_block,
                     counted.longest_short_row,
                     row_loads(counted),
                     counted.long_rows,
                     {}});
      known = all.end() - 1;
    }
    if (counted.long_rows == 0) return;
    known->pieces.push_back({counted.piece_length, counted.pieces, piece_loads(counted)});
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
  execution.loads = found->loads;
  if (found->long_rows == 0) return execution;
  const auto cut = std::ranges::find(found->pieces, execution.piece_length, &PieceCounts::length);
  if (cut == found->pieces.end()) return std::nullopt;
  execution.pieces = cut->pieces;
  execution.loads = found->loads + cut->loads;
  return execution;
}

}  // namespace sparsecast
