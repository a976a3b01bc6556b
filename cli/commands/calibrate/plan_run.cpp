#include "cli/commands/calibrate/plan_run.hpp"

#include <algorithm>
#include <chrono>
#include <optional>
#include <string>

#include "calibrate/measure/microbenchmarks.hpp"
#include "cli/command.hpp"
#include "cli/interrupt.hpp"
#include "cli/reports/progress.hpp"
#include "core/base/error.hpp"

namespace sparsecast::cli {

namespace fs = std::filesystem;

bool run_with_progress(const MeasurementPlan& plan, const MeasuredDevice& device, SampleFile& file,
                       const std::function<void()>& save) {
  using Clock = std::chrono::steady_clock;
  constexpr std::chrono::seconds save_interval{10};
  const InterruptGuard guard;
  Progress progress(plan.name == "check" ? "check" : "calibrate");
  std::optional<Clock::time_point> saved;
  const PlanFailures failures = run_plan(plan, device, file, [&](const PlanProgress& state) {
    progress.update(static_cast<double>(state.done) / std::max(state.total, 1), state.what,
                    state.remaining_seconds);
    if (saved ? Clock::now() - *saved > save_interval : !file.samples.empty()) {
      save();
      saved = Clock::now();
    }
    return !InterruptGuard::interrupted();
  });
  if (failures.count > 0) {
    warn(std::to_string(failures.count) +
         (failures.count == 1 ? " measurement was" : " measurements were") +
         " left out; the first: " + failures.first);
  }
  return !file.partial;
}

void measure(const MeasurementPlan& plan, const MeasuredDevice& device, SampleFile& file,
             const fs::path& partial) {
  const auto save = [&] {
    if (!file.samples.empty()) write_samples(partial, file);
  };
  bool finished = false;
  try {
    finished = run_with_progress(plan, device, file, save);
  } catch (const std::exception&) {
    save();
    throw;
  }
  save();
  if (finished) return;
  throw Interrupted(file.samples.empty()
                        ? "interrupted before anything was measured"
                        : "interrupted: " + std::to_string(file.samples.size()) +
                              " samples are in " + partial.string() + "; go on with --resume");
}

}  // namespace sparsecast::cli
