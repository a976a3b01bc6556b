#pragma once

#include <cstdint>
#include <vector>

#include "core/analysis/exchange_plan.hpp"
#include "core/matrix/csr.hpp"
#include "core/matrix/segment.hpp"
#include "core/workload/layout.hpp"

namespace sparsecast {

/// How a matrix is cut for several GPUs and what they exchange; one entry a device.
struct PartitionSummary {
  Layout layout;
  std::vector<Segment> segments;
  std::vector<std::int64_t> stored_elements;
  std::vector<std::int64_t> interior_rows;
  std::vector<ExchangeVolume> volumes;
  std::vector<std::vector<CountedNeighbour>> neighbours;  ///< of a halo exchange, rising

  std::int64_t unknowns() const { return segments.back().end_row; }
  std::vector<std::int64_t> rows() const;
  std::vector<std::int64_t> halo_received() const;  ///< values of one vector
  std::vector<std::int64_t> neighbour_counts() const;
  /// Values of one vector that each device receives from or sends to one neighbour, whichever are
  /// more, with the one with which they are most.
  std::vector<std::int64_t> largest_messages() const;
};

/// Cuts a square matrix as the CUDA back end does. Throws `Error` for one that is not square and
/// for a layout without kernels.
PartitionSummary summarize_partition(const CsrView<double>& matrix, int devices,
                                     const Layout& layout);

/// The largest count over their mean, 1 where all are 0.
double imbalance(const std::vector<std::int64_t>& counts);

}  // namespace sparsecast
