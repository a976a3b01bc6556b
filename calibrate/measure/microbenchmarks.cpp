#include "calibrate/measure/microbenchmarks.hpp"

#include <cstddef>
#include <map>
#include <set>
#include <utility>
#include <vector>

#include "calibrate/measure/measurement_runner.hpp"
#include "core/base/error.hpp"
#include "core/base/stopwatch.hpp"
#include "core/base/visits.hpp"

namespace sparsecast {

PlanFailures run_plan(const MeasurementPlan& plan, const MeasuredDevice& device, SampleFile& file,
                      const PlanObserver& observer) {
  file.plan = plan.name;
  file.partial = true;
  std::set<std::string> measured;
  for (const Sample& sample : file.samples) measured.insert(sample_id(sample));

  PlanProgress progress;
  progress.total = static_cast<int>(plan.measurements.size()) * plan.passes;
  double estimated_left = plan.estimated_seconds();
  for (const Measurement& measurement : plan.measurements) {
    if (!measured.contains(measurement_id(plan, measurement))) continue;
    // What is there already is not measured again.
    progress.done += plan.passes;
    estimated_left -= plan.passes * measurement.estimated_seconds;
  }

  PlanFailures failures;
  int in_succession = 0;
  const double start = steady_seconds();
  double estimated_done = 0;
  Visits visits;
  for (int pass = 0; pass < plan.most_passes; ++pass) {
    if (pass >= plan.passes) {
      for (const Measurement& measurement : plan.measurements) {
        const std::string id = measurement_id(plan, measurement);
        if (measured.contains(id)) continue;
        // What has no time cannot be measured on this device.
        if (!visits.knows(id) || visits.confirmed(id)) {
          measured.insert(id);
          continue;
        }
        ++progress.total;
        estimated_left += measurement.estimated_seconds;
      }
    }
    MeasurementRunner runner(plan, device, measured);
    std::map<std::string, std::size_t> places;
    for (std::size_t i = 0; i < file.samples.size(); ++i) places[sample_id(file.samples[i])] = i;
    for (const Measurement& measurement : plan.measurements) {
      const std::string id = measurement_id(plan, measurement);
      if (measured.contains(id)) continue;
      const double correction =
          estimated_done > 0 ? (steady_seconds() - start) / estimated_done : 1.0;
      progress.remaining_seconds = estimated_left * correction;
      progress.what = id;
      if (!observer(progress)) return failures;
      try {
        std::vector<Sample> samples;
        runner.measure(measurement, samples);
        if (!samples.empty()) visits.add(id, samples.front().seconds);
        for (Sample& sample : samples) add_visit(std::move(sample), places, file.samples);
        in_succession = 0;
      } catch (const Error& error) {
        if (failures.count++ == 0) failures.first = id + ": " + error.what();
        constexpr int most_in_succession = 30;
        if (++in_succession == most_in_succession) {
          throw Error("calibration: " + std::to_string(most_in_succession) +
                      " measurements in succession failed; the last: " + id + ": " + error.what());
        }
      }
      estimated_done += measurement.estimated_seconds;
      estimated_left -= measurement.estimated_seconds;
      ++progress.done;
    }
  }
  file.partial = false;
  return failures;
}

}  // namespace sparsecast
