#pragma once

#include "core/analysis/partition_summary.hpp"

namespace sparsecast::cli {

/// A table with a device a line, and what follows from it.
void print_partition(const PartitionSummary& partition);

}  // namespace sparsecast::cli
