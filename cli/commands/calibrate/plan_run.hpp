#pragma once

#include <filesystem>
#include <functional>

#include "calibrate/measure/measured_device.hpp"
#include "calibrate/plan/measurement_plan.hpp"
#include "calibrate/sample.hpp"

namespace sparsecast::cli {

/// Runs a plan under a progress line; `save` is called with the first samples, and now and then.
/// False if interrupted.
bool run_with_progress(const MeasurementPlan& plan, const MeasuredDevice& device, SampleFile& file,
                       const std::function<void()>& save);

/// Measures a plan. What was measured is in the partial samples, however it ends. Throws
/// `Interrupted` with how to go on.
void measure(const MeasurementPlan& plan, const MeasuredDevice& device, SampleFile& file,
             const std::filesystem::path& partial);

}  // namespace sparsecast::cli
