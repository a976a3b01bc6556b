#include "core/analysis/cuda_segments.hpp"

#include <cstddef>

#include "core/analysis/counted/segment_counts.hpp"
#include "core/analysis/cuda_execution.hpp"
#include "core/analysis/partition.hpp"
#include "core/analysis/warp_loads.hpp"
#include "core/base/threads/thread_team.hpp"

namespace sparsecast {

template <class T>
std::vector<SegmentWork> cuda_segments(const CsrView<T>& matrix, const Layout& layout, int devices,
                                       Precision precision, const GpuShape& gpu,
                                       const CudaPolicy& policy, ExchangeMode mode, int threads) {
  const std::vector<Segment> segments = partition(matrix, layout, devices, gpu_row_alignment);
  const std::vector<SegmentCounts> counts =
      count_segments(matrix, segments, layout, policy, threads);
  std::vector<SegmentWork> all(segments.size());
  const auto work = [&](std::size_t device) {
    const SegmentCounts& of = counts[device];
    const SegmentShape shape = stored_shape(of, layout, policy);
    SpmvExecution product = spmv_execution(shape, layout, precision, gpu, policy,
                                           of.access.row_lengths(layout.block_size));
    product.loads =
        product_loads(matrix, segments[device], shape, layout, precision, product, threads);
    all[device] = segment_work(of, layout, precision, policy, mode, product);
  };
  parallel_for(
      std::ssize(segments), few_segments,
      [&](std::int64_t begin, std::int64_t end) {
        for (std::int64_t k = begin; k < end; ++k) work(static_cast<std::size_t>(k));
      },
      threads);
  return all;
}

template std::vector<SegmentWork> cuda_segments(const CsrView<float>&, const Layout&, int,
                                                Precision, const GpuShape&, const CudaPolicy&,
                                                ExchangeMode, int);
template std::vector<SegmentWork> cuda_segments(const CsrView<double>&, const Layout&, int,
                                                Precision, const GpuShape&, const CudaPolicy&,
                                                ExchangeMode, int);

void fill_geometry(std::span<SegmentWork> segments, const Layout& layout, Precision precision) {
  for (SegmentWork& one : segments) {
    one.geometry = product_geometry(one.shape, layout, precision, one.product);
    one.parts = product_parts(one.shape, one.pattern, layout, precision, one.product);
  }
}

}  // namespace sparsecast
