#include "core/analysis/partition_summary.hpp"

#include <algorithm>
#include <numeric>

#include "core/analysis/partition.hpp"
#include "core/formats/bcsr/bcsr.hpp"

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

PartitionSummary summarize_partition(const CsrView<double>& matrix, int devices, int block_size) {
  const Layout layout = block_layout(block_size);
  PartitionSummary summary;
  summary.block_size = block_size;
  summary.segments = partition(matrix, layout, devices, gpu_row_alignment);
  const std::vector<SegmentHalo> halos = find_halos(matrix, summary.segments, layout);
  summary.volumes = exchange_volumes(summary.segments, halos);
  for (std::size_t device = 0; device < summary.segments.size(); ++device) {
    summary.interior_rows.push_back(halos[device].interior_rows);
    const std::int64_t blocks =
        count_blocks(matrix.pattern(), summary.segments[device], block_size).back();
    summary.stored_elements.push_back(blocks * block_size * block_size);
  }
  return summary;
}

double imbalance(const std::vector<std::int64_t>& counts) {
  const auto sum = static_cast<double>(std::reduce(counts.begin(), counts.end()));
  const auto largest = static_cast<double>(*std::ranges::max_element(counts));
  return sum > 0 ? largest * static_cast<double>(counts.size()) / sum : 1;
}

}  // namespace sparsecast
