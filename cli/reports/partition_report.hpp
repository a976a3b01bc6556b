#pragma once

#include <iosfwd>

#include "cli/reports/table.hpp"
#include "core/analysis/partition_summary.hpp"

namespace sparsecast::cli {

/// A table with a device a line, and what follows from it. Of more than 16 devices, unless it is
/// wide, the least, the mean and the largest numbers of a device.
void print_partition(std::ostream& out, const PartitionSummary& partition,
                     TableStyle style = TableStyle::plain);

}  // namespace sparsecast::cli
