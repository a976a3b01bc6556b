#include "core/analysis/cuda_segments.hpp"

#include "core/analysis/cuda_execution.hpp"
#include "core/analysis/exchange_plan.hpp"
#include "core/analysis/matrix_access.hpp"
#include "core/analysis/partition.hpp"
#include "core/analysis/segment_numbers.hpp"
#include "core/analysis/stored_pattern.hpp"
#include "core/analysis/warp_loads.hpp"
#include "core/formats/registry.hpp"

namespace sparsecast {
namespace {

SegmentShape stored_shape(const PatternView& matrix, const Segment& segment,
                          const MatrixAccess& access, const Layout& layout,
                          const CudaPolicy& policy, int threads) {
  PatternNumbers numbers = numbers_but_blocks(matrix, segment, layout, policy, threads);
  for (std::size_t k = 0; k < block_sizes.size(); ++k) {
    for (const auto& [blocks, count] : access.row_lengths(block_sizes[k])) {
      numbers.blocks[k] += static_cast<double>(blocks * count);
    }
  }
  return format_of(layout).shape(numbers, layout);
}

}  // namespace

template <class T>
std::vector<SegmentWork> cuda_segments(const CsrView<T>& matrix, const Layout& layout, int devices,
                                       Precision precision, const GpuShape& gpu,
                                       const CudaPolicy& policy, ExchangeMode mode, int threads) {
  const std::vector<Segment> segments = partition(matrix, layout, devices, gpu_row_alignment);
  const std::vector<SegmentHalo> halos = find_halos(matrix, segments, layout, threads);
  const std::vector<ExchangeVolume> volumes = exchange_volumes(segments, halos);
  const int n = layout.block_size;
  std::vector<SegmentWork> all;
  for (std::size_t device = 0; device < segments.size(); ++device) {
    const Segment& segment = segments[device];
    const MatrixAccess access = compute_access(matrix, segment, threads);
    SegmentWork work;
    work.shape = stored_shape(matrix.pattern(), segment, access, layout, policy, threads);
    if (keeps_narrow_columns(work.shape, access, layout, policy)) work.shape.index_bytes = 2;
    work.pattern = stored_pattern(access, work.shape, layout, precision);
    work.product =
        spmv_execution(work.shape, layout, precision, gpu, policy, access.row_lengths(n));
    work.product.loads =
        product_loads(matrix, segment, work.shape, layout, precision, work.product, threads);
    work.geometry = product_geometry(work.shape, layout, precision, work.product);
    const ExchangedValues& exchanged = volumes[device].in(mode);
    work.received = static_cast<double>(exchanged.received);
    work.sent = static_cast<double>(exchanged.sent);
    work.interior_rows = static_cast<double>(halos[device].interior_rows);
    all.push_back(work);
  }
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
  }
}

}  // namespace sparsecast
