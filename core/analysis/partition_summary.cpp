#include "core/analysis/partition_summary.hpp"

#include <algorithm>
#include <iterator>
#include <numeric>
#include <utility>

#include "core/analysis/partition.hpp"
#include "core/analysis/segment_numbers.hpp"
#include "core/formats/registry.hpp"

namespace sparsecast {

std::vector<std::int64_t> PartitionSummary::rows() const {
  std::vector<std::int64_t> counts;
  for (const Segment& segment : segments) counts.push_back(segment.rows());
  return counts;
}

std::vector<std::int64_t> PartitionSummary::halo_received() const {
  std::vector<std::int64_t> counts;
  for (const ExchangeVolume& volume : volumes) counts.push_back(volume.halo.received);
  return counts;
}

std::vector<std::int64_t> PartitionSummary::neighbour_counts() const {
  std::vector<std::int64_t> counts;
  for (const auto& of_device : neighbours) counts.push_back(std::ssize(of_device));
  return counts;
}

std::vector<std::int64_t> PartitionSummary::largest_messages() const {
  std::vector<std::int64_t> counts;
  for (const auto& of_device : neighbours) {
    std::int64_t& largest = counts.emplace_back(0);
    for (const CountedNeighbour& one : of_device) {
      largest = std::max({largest, one.halo.received, one.halo.sent});
    }
  }
  return counts;
}

PartitionSummary summarize_partition(const CsrView<double>& matrix, int devices,
                                     const Layout& layout) {
  const Format& format = format_of(layout);
  PartitionSummary summary;
  summary.layout = layout;
  summary.segments = partition(matrix, layout, devices, gpu_row_alignment);
  std::vector<HaloCounts> halos = count_halos(matrix, summary.segments, layout);
  summary.volumes = exchange_volumes(summary.segments, halos);
  for (std::size_t device = 0; device < summary.segments.size(); ++device) {
    summary.interior_rows.push_back(halos[device].interior_rows);
    summary.neighbours.push_back(std::move(halos[device].neighbours));
    const PatternNumbers numbers =
        segment_numbers(matrix.pattern(), summary.segments[device], layout);
    summary.stored_elements.push_back(
        static_cast<std::int64_t>(format.shape(numbers, layout).elements));
  }
  return summary;
}

double imbalance(const std::vector<std::int64_t>& counts) {
  const auto sum = static_cast<double>(std::reduce(counts.begin(), counts.end()));
  const auto largest = static_cast<double>(*std::ranges::max_element(counts));
  return sum > 0 ? largest * static_cast<double>(counts.size()) / sum : 1;
}

}  // namespace sparsecast
