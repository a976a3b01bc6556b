#include "predict/forecast/traffic/traffic_case.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <limits>
#include <utility>

#include "core/analysis/cuda_execution.hpp"
#include "core/analysis/partition.hpp"
#include "core/analysis/persistent_execution.hpp"
#include "core/analysis/stored_pattern.hpp"
#include "core/analysis/warp_loads.hpp"
#include "core/cpu/cpu_backend.hpp"
#include "core/cuda/cuda_backend.hpp"
#include "core/formats/registry.hpp"

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

SegmentWork cpu_segment(const SegmentCounts& counts, const Layout& layout, Precision precision) {
  SegmentWork work;
  work.shape = format_of(layout).shape(counts.numbers, layout);
  work.pattern = stored_pattern(counts.access, work.shape, layout, precision);
  set_exchange(counts, ExchangeMode::nccl, work);
  return work;
}

std::vector<SegmentWork> cpu_segments(const CsrView<double>& matrix, const Layout& layout,
                                      int devices, Precision precision) {
  const std::vector<Segment> segments = partition(matrix, layout, devices, gpu_row_alignment);
  std::vector<SegmentWork> all;
  for (const SegmentCounts& counts : count_segments(matrix, segments, layout, CudaPolicy{})) {
    all.push_back(cpu_segment(counts, layout, precision));
  }
  return all;
}

namespace {

/// A part of so many that are alike, without what it exchanges.
SegmentWork equal_part(const TrafficCase& whole, int devices) {
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
  return work;
}

/// So many of a part, each with what it exchanges.
std::vector<SegmentWork> exchanging(SegmentWork work, EstimatedExchange exchange) {
  work.received = exchange.received;
  work.sent = exchange.sent;
  work.interior_rows = exchange.interior_rows;
  std::vector<SegmentWork> all(exchange.neighbours.size(), work);
  for (std::size_t device = 0; device < all.size(); ++device) {
    all[device].neighbours = std::move(exchange.neighbours[device]);
  }
  return all;
}

void add_lookups(double values, Precision precision, AccessPattern& pattern) {
  const double sector_values = 32.0 / static_cast<double>(bytes_per_value(precision));
  pattern.sector_lookups.back() += values / sector_values;
}

}  // namespace

std::vector<SegmentWork> estimated_segments(const MatrixNumbers& numbers, const Layout& layout,
                                            int devices, Precision precision, const GpuShape& gpu,
                                            ExchangeMode mode, Parts parts) {
  SegmentWork work = equal_part(estimated_traffic_case(numbers, layout, precision, gpu), devices);
  EstimatedExchange exchange = estimate_exchange(numbers, devices, mode, parts);
  add_lookups(exchange.halo, precision, work.pattern);
  work.product = estimated_product(work.shape, work.pattern, layout, precision, gpu);
  work.geometry = product_geometry(work.shape, layout, precision, work.product);
  work.parts = product_parts(work.shape, work.pattern, layout, precision, work.product);
  return exchanging(std::move(work), std::move(exchange));
}

std::vector<SegmentWork> estimated_cpu_segments(const MatrixNumbers& numbers, const Layout& layout,
                                                int devices, Precision precision, Parts parts) {
  SegmentWork work = equal_part(estimated_cpu_traffic_case(numbers, layout, precision, 1), devices);
  EstimatedExchange exchange = estimate_exchange(numbers, devices, ExchangeMode::nccl, parts);
  add_lookups(exchange.halo, precision, work.pattern);
  return exchanging(std::move(work), std::move(exchange));
}

}  // namespace sparsecast
