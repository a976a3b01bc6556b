#pragma once

#include "core/analysis/partition_summary.hpp"
#include "core/base/text/json_text.hpp"

namespace sparsecast {

/// An object with what each device owns and exchanges.
JsonObject to_json(const PartitionSummary& partition);

}  // namespace sparsecast
