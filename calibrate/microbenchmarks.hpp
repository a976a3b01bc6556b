#pragma once

#include <functional>
#include <string>

#include "calibrate/measurement_plan.hpp"
#include "calibrate/sample.hpp"
#include "core/schedule.hpp"

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

/// Measures on the CPU what `plan` lists and `file` does not yet hold, and appends the samples. The
/// file's `partial` says afterwards whether the observer ended it early. A matrix whose blocks in a
/// layout would take more than `max_matrix_bytes` is left out in this layout: a block format that
/// stores zeros by the gigabyte is nobody's choice. Throws `Error` if the back end cannot run a
/// kernel, or if one ends early.
void run_plan(const MeasurementPlan& plan, int threads, SampleFile& file,
              const PlanObserver& observer, double max_matrix_bytes = 512e6);

/// The CPU of this machine with so many threads, as the origin of samples.
SampleOrigin describe_cpu_origin(int threads);

/// The schedule that measures a kernel (names as in `Sample::kernel`). Throws `Error` for others.
///
/// "Iteration" is one iteration of Algorithm 1 with the scalars t and s fixed at 0: it moves and
/// computes all that an iteration does, but stays where it is, so that any number of iterations can
/// be timed without convergence, denormals or overflow.
Schedule schedule_to_measure(const std::string& kernel);

}  // namespace sparsecast
