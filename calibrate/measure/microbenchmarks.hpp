#pragma once

#include <functional>
#include <string>

#include "calibrate/measure/measured_device.hpp"
#include "calibrate/plan/measurement_plan.hpp"
#include "calibrate/sample.hpp"

namespace sparsecast {

/// How far a run of a plan is.
struct PlanProgress {
  int done = 0;  ///< measurements, those resumed from a file too
  int total = 0;
  double remaining_seconds = 0;  ///< estimate, corrected by the time that those before took
  std::string what;              ///< being measured now
};

/// Called before every measurement; false ends the run, and the samples so far are kept.
using PlanObserver = std::function<bool(const PlanProgress&)>;

/// What a plan could not measure.
struct PlanFailures {
  int count = 0;
  std::string first;  ///< "MEASUREMENT: reason"
};

/// Measures on the device what `plan` lists and `file` does not yet hold, and appends the samples.
/// The file's `partial` says afterwards whether the observer ended it early. What the device
/// refuses (a persistent kernel that does not fit, a matrix larger than its memory) is passed over
/// and counted. Throws `Error` when so many measurements in succession fail that the device must
/// have.
PlanFailures run_plan(const MeasurementPlan& plan, const MeasuredDevice& device, SampleFile& file,
                      const PlanObserver& observer);

}  // namespace sparsecast
