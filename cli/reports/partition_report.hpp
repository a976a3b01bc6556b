#pragma once

#include <nlohmann/json_fwd.hpp>
#include <vector>

#include "core/analysis/exchange_plan.hpp"
#include "core/matrix/csr.hpp"

namespace sparsecast::cli {

/// How a matrix is cut for several GPUs and what they exchange.
struct PartitionReport {
  int block_size = 1;
  std::vector<Segment> segments;
  std::vector<std::int64_t> stored_elements;  ///< per device
  std::vector<std::int64_t> interior_rows;    ///< per device
  std::vector<ExchangeVolume> volumes;
};

/// Cuts a square matrix as the CUDA back end does. Throws `Error` for one that is not square and
/// for a block size without kernels.
PartitionReport report_partition(const CsrView<double>& matrix, int devices, int block_size);

/// A table with a device a line, and what follows from it.
void print_partition(const PartitionReport& report);

nlohmann::ordered_json to_json(const PartitionReport& report);

}  // namespace sparsecast::cli
