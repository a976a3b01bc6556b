#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "cli/reports/table.hpp"
#include "predict/advice/advice.hpp"

namespace sparsecast::cli {

/// "2 x nvidia-h200", "the CPU, amd-epyc-zen4-2cores".
std::string name_of(const DeviceChoice& choice);

/// A line a choice, in the order of the advice; the recommended one and its ties are marked.
/// `iterations`: K of `AdviceRequest`.
Table advice_table(const Advice& advice, std::int64_t iterations);

/// What to use and why; ties; the fewest devices; what is left out.
std::vector<std::string> advice_sentences(const Advice& advice, std::int64_t iterations);

}  // namespace sparsecast::cli
