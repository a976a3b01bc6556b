#pragma once

#include <string>
#include <vector>

#include "core/workload/launch_mode.hpp"
#include "predict/validation/case_price.hpp"
#include "predict/validation/validation_request.hpp"
#include "predict/validation/validation_supply.hpp"

/// @file
/// Runs solvers and products on a device and writes down what they took.

namespace sparsecast {

/// The solvers for these schedules, some of them one's own, and launch modes: those combinations
/// that there are (not all schedules have a persistent kernel). A CPU has no launch modes.
std::vector<ValidatedSolver> validated_solvers(const std::vector<std::string>& schedules,
                                               const std::vector<LaunchMode>& launches, bool gpu,
                                               const OwnSolvers& own = {});

/// Measures every case of one matrix. Returns false when `proceed` ended it.
bool validate_matrix(const ValidationInput& input, const ValidationRequest& request,
                     const ValidationMonitor& monitor);

}  // namespace sparsecast
