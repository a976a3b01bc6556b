#pragma once

#include <iosfwd>

#include "core/analysis/partition_summary.hpp"

namespace sparsecast::cli {

/// A table with a device a line, and what follows from it.
void print_partition(std::ostream& out, const PartitionSummary& partition);

}  // namespace sparsecast::cli
