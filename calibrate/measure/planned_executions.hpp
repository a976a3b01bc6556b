#pragma once

#include <functional>
#include <set>
#include <string>

#include "calibrate/measure/counted_executions.hpp"
#include "calibrate/measure/matrix_supply.hpp"
#include "calibrate/measure/measured_device.hpp"
#include "calibrate/plan/measurement_plan.hpp"

namespace sparsecast {

/// Layouts that hold mostly zeros, take more memory than anybody would give them, or that no back
/// end stores the matrix in.
bool is_left_out(const Measurement& measurement, const SuppliedMatrix& matrix,
                 const MeasuredDevice& device);

/// The case that a measurement on a GPU is an execution of.
CountedExecutions::Case execution_case(const Measurement& measurement);

/// Counts, for the matrices of a plan as they are generated, what the GPU does with them in the
/// measurements that are still to be made: while it measures others.
std::function<void(int index, SuppliedMatrix& matrix)> execution_counter(
    const MeasurementPlan& plan, const MeasuredDevice& device,
    const std::set<std::string>& measured);

}  // namespace sparsecast
