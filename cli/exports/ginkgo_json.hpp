#pragma once

#include <span>
#include <string>

#include "cli/exports/timed_case.hpp"

namespace sparsecast::cli {

/// The cases as Ginkgo's benchmarks write theirs, which its performance explorer loads: an array
/// with an object a matrix and device, whose "spmv" and "solver" have a member a setting
/// (docs/exports.md). A forecast's name ends in "-forecast-PROFILE". Of two cases of one name the
/// faster stays.
std::string ginkgo_json(std::span<const TimedCase> cases);

}  // namespace sparsecast::cli
