#include "predict/features/forecast_features.hpp"

#include <algorithm>
#include <set>

#include "core/analysis/cuda_execution.hpp"
#include "core/analysis/partition.hpp"
#include "core/analysis/persistent_execution.hpp"
#include "core/analysis/segment_numbers.hpp"
#include "core/base/error.hpp"
#include "core/formats/registry.hpp"
#include "core/matrix/segment.hpp"
#include "core/workload/cuda_policy.hpp"

namespace sparsecast {
namespace {

constexpr std::array precisions{Precision::f32, Precision::f64};

/// Products of a segment in both precisions.
std::map<Precision, std::vector<ProductCounts>> products_of(
    const CsrView<double>& matrix, const Segment& segment, const SegmentShape& shape,
    const MatrixAccess& access, const Layout& layout, const CountRequest& request) {
  std::map<Precision, std::vector<ProductCounts>> products;
  for (const Precision precision : precisions) {
    products[precision] = count_products(matrix, segment, shape, layout, precision, CudaPolicy{},
                                         access.row_lengths(layout.block_size), request.gpus);
  }
  return products;
}

CountedPartition cut(const CsrView<double>& matrix, const Layout& layout, int devices,
                     const CountRequest& request) {
  const CudaPolicy policy;
  CountedPartition counted;
  for (const Segment& segment : partition(matrix, layout, devices)) {
    counted.numbers.push_back(segment_numbers(matrix.pattern(), segment, layout));
  }
  const std::vector<Segment> segments = partition(matrix, layout, devices, gpu_row_alignment);
  counted.segments = count_segments(matrix, segments, layout, policy);
  for (std::size_t device = 0; device < segments.size(); ++device) {
    SegmentCounts& counts = counted.segments[device];
    counts.products = products_of(matrix, segments[device], stored_shape(counts, layout, policy),
                                  counts.access, layout, request);
  }
  return counted;
}

std::vector<CountedPersistent> count_persistent(const CsrView<double>& matrix,
                                                const ForecastFeatures& features,
                                                const GpuShape& gpu) {
  const CudaPolicy policy;
  std::vector<CountedPersistent> all;
  for (const int n : persistent_block_sizes()) {
    for (const Precision precision : precisions) {
      const SegmentShape segment = persistent_segment(features.features, n);
      if (persistent_by_size(segment, n, precision, gpu, policy)) continue;
      all.push_back(
          {gpu, precision,
           persistent_execution(matrix.pattern(), block_layout(n), precision, gpu, policy)});
    }
  }
  return all;
}

}  // namespace

const CountedLayout* ForecastFeatures::find(const Layout& layout) const {
  auto found = std::ranges::find(layouts, layout, &CountedLayout::layout);
  if (found == layouts.end() && is_csr_or_blocks(layout)) {
    // Sorted rows of CSR and BCSR are the same rows.
    Layout natural = layout;
    natural.row_order = RowOrder::natural;
    found = std::ranges::find(layouts, natural, &CountedLayout::layout);
  }
  return found == layouts.end() ? nullptr : &*found;
}

ForecastFeatures count_features(MatrixOrders& orders, const std::string& name,
                                const CountRequest& request) {
  const CsrView<double>& given = orders.given().matrix();
  require_system(given.rows, given.columns);
  OrderedMatrix& one = orders.on(1);
  ForecastFeatures counted;
  counted.name = name;
  counted.source = name;
  counted.renumbering = orders.how();
  counted.features = one.features();
  counted.access = one.access();
  counted.devices = request.devices;

  const std::vector<Layout>& layouts = usual_layouts();
  const std::size_t parts = layouts.size() * (1 + request.devices.size()) + request.gpus.size();
  std::size_t done = 0;
  const auto part_is_done = [&] {
    ++done;
    if (request.progress) {
      request.progress(static_cast<double>(done) / static_cast<double>(parts));
    }
  };
  for (const Layout& layout : layouts) {
    CountedLayout& of = counted.layouts.emplace_back();
    of.layout = layout;
    of.products = products_of(one.matrix(), {0, one.matrix().rows},
                              cuda_shape(counted.features, counted.access, layout, CudaPolicy{}),
                              counted.access, layout, request);
    part_is_done();
    for (const int devices : request.devices) {
      of.partitions[devices] = cut(orders.on(devices).matrix(), layout, devices, request);
      part_is_done();
    }
  }
  for (const GpuShape& gpu : request.gpus) {
    for (CountedPersistent& kernel : count_persistent(one.matrix(), counted, gpu)) {
      counted.persistent.push_back(kernel);
    }
    part_is_done();
  }
  return counted;
}

void require_system(std::int64_t rows, std::int64_t columns) {
  if (rows != columns) {
    throw Error("prediction: the matrix has " + std::to_string(rows) + " rows and " +
                std::to_string(columns) + " columns; expected a square one");
  }
  if (rows == 0) throw Error("prediction: the matrix has no rows; expected at least one");
}

}  // namespace sparsecast
