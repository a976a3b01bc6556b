#include "predict/forecast/traffic/traffic_case.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <limits>

#include "core/analysis/cuda_execution.hpp"
#include "core/analysis/persistent_execution.hpp"
#include "core/analysis/stored_pattern.hpp"
#include "core/analysis/warp_loads.hpp"
#include "core/cpu/cpu_backend.hpp"
#include "core/cuda/cuda_backend.hpp"

namespace sparsecast {
namespace {

/// Of a segment of which only size and access pattern are known.
SpmvExecution estimated_product(const SegmentShape& shape, const AccessPattern& pattern,
                                const Layout& layout, Precision precision, const GpuShape& gpu) {
  const std::array longest{
      RowLengthCount{static_cast<std::int64_t>(pattern.longest_row), std::int64_t{1}}};
  SpmvExecution product = spmv_execution(shape, layout, precision, gpu, CudaPolicy{}, longest);
  product.loads = estimate_product_loads(shape, pattern, layout, precision, product);
  return product;
}

/// Those of one of several devices with so many consecutive rows each that looks up so many values
/// on each side, the nearest first, where there are devices.
std::vector<Neighbour> slab_neighbours(double on_a_side, double own, int device, int devices) {
  const auto reach = static_cast<int>(std::min(std::ceil(on_a_side / own), devices - 1.0));
  std::vector<Neighbour> neighbours;
  const int last = std::min(device + reach, devices - 1);
  for (int other = std::max(device - reach, 0); other <= last; ++other) {
    if (other == device) continue;
    const int between = std::abs(other - device) - 1;
    const double values = std::min(own, on_a_side - between * own);
    neighbours.push_back({other, values, values});
  }
  return neighbours;
}

}  // namespace

TrafficCase traffic_case(const CsrView<double>& matrix, const MatrixFeatures& features,
                         const MatrixAccess& access, const Layout& layout, Precision precision,
                         const GpuShape& gpu) {
  const CudaPolicy policy;
  TrafficCase one;
  one.layout = layout;
  one.shape = cuda_shape(matrix, features, access, layout, policy);
  one.pattern = stored_pattern(access, one.shape, layout, precision);
  one.execution =
      gpu_execution(matrix, access, one.shape, layout, precision, gpu, policy, std::nullopt);
  one.geometry = product_geometry(one.shape, layout, precision, one.execution.product);
  one.parts = product_parts(one.shape, one.pattern, layout, precision, one.execution.product);
  return one;
}

TrafficCase estimated_traffic_case(const MatrixNumbers& numbers, const Layout& layout,
                                   Precision precision, const GpuShape& gpu) {
  const CudaPolicy policy;
  TrafficCase one;
  one.layout = layout;
  one.shape = estimate_shape(numbers, layout);
  one.pattern = estimate_access(numbers, layout, precision);
  constexpr double most_narrow = std::numeric_limits<std::int16_t>::max();
  // Columns count from the first of 32 block rows.
  const double reach = one.pattern.bandwidth / layout.block_size + 32;
  if (may_narrow_columns(layout, policy) && reach <= most_narrow) one.shape.index_bytes = 2;
  one.execution.product = estimated_product(one.shape, one.pattern, layout, precision, gpu);
  one.geometry = product_geometry(one.shape, layout, precision, one.execution.product);
  one.parts = product_parts(one.shape, one.pattern, layout, precision, one.execution.product);
  return one;
}

PersistentExecution estimated_persistent(const MatrixNumbers& numbers, const Layout& layout,
                                         Precision precision, const GpuShape& gpu,
                                         const PersistentNeeds& needs) {
  // It keeps the rows of a segment by falling length.
  Layout kept = block_layout(persistent_block_size(layout.block_size));
  kept.row_order = RowOrder::sorted;
  return estimate_persistent_execution(
      estimate_shape(numbers, kept), estimate_access(numbers, kept, precision),
      [&](double rows) { return estimate_columns(numbers, rows); }, kept.block_size, precision, gpu,
      CudaPolicy{}, needs);
}

TrafficCase cpu_traffic_case(const Layout& layout, const SegmentShape& shape,
                             const AccessPattern& pattern, int threads) {
  TrafficCase one;
  one.layout = layout;
  one.shape = shape;
  one.pattern = pattern;
  one.cpu = CpuExecution{CpuPolicy{}.threads(shape, threads)};
  return one;
}

TrafficCase cpu_traffic_case(const MatrixFeatures& features, const MatrixAccess& access,
                             const Layout& layout, Precision precision, int threads) {
  const SegmentShape shape = features.shape(layout);
  return cpu_traffic_case(layout, shape, stored_pattern(access, shape, layout, precision), threads);
}

TrafficCase estimated_cpu_traffic_case(const MatrixNumbers& numbers, const Layout& layout,
                                       Precision precision, int threads) {
  return cpu_traffic_case(layout, estimate_shape(numbers, layout),
                          estimate_access(numbers, layout, precision), threads);
}

std::vector<SegmentWork> estimated_segments(const MatrixNumbers& numbers, const Layout& layout,
                                            int devices, Precision precision, const GpuShape& gpu,
                                            ExchangeMode mode) {
  const TrafficCase whole = estimated_traffic_case(numbers, layout, precision, gpu);
  const double halo = estimate_halo(numbers, devices);
  const double share = 1.0 / devices;
  SegmentWork work;
  work.shape = whole.shape;
  for (double SegmentShape::*size : {&SegmentShape::unknowns, &SegmentShape::elements,
                                     &SegmentShape::blocks, &SegmentShape::block_rows}) {
    work.shape.*size *= share;
  }
  work.pattern = whole.pattern;
  for (double& count : work.pattern.sector_lookups) count *= share;
  for (double& steps : work.pattern.warp_steps) steps *= share;
  const double sector_values = 32.0 / static_cast<double>(bytes_per_value(precision));
  work.pattern.sector_lookups.back() += halo / sector_values;
  work.product = estimated_product(work.shape, work.pattern, layout, precision, gpu);
  work.geometry = product_geometry(work.shape, layout, precision, work.product);
  work.parts = product_parts(work.shape, work.pattern, layout, precision, work.product);
  const double own = work.shape.unknowns;
  const bool halos = exchanges_halos(mode);
  work.received = halos ? halo : numbers.rows - own;
  work.sent = halos ? halo : mode == ExchangeMode::staged ? own : numbers.rows - own;
  // About as many rows look up values of others as there are such values.
  work.interior_rows = std::max(0.0, own - halo);
  std::vector<SegmentWork> all(static_cast<std::size_t>(devices), work);
  if (!halos || devices < 2) return all;
  const double on_a_side = devices == 2 ? halo : halo / 2;
  for (int device = 0; device < devices; ++device) {
    all[static_cast<std::size_t>(device)].neighbours =
        slab_neighbours(on_a_side, own, device, devices);
  }
  return all;
}

}  // namespace sparsecast
