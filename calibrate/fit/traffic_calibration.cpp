#include "calibrate/fit/traffic_calibration.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <iterator>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "calibrate/fit/formatted.hpp"
#include "calibrate/fit/median.hpp"
#include "calibrate/fit/residual_fit.hpp"
#include "calibrate/fit/traffic_intervals.hpp"
#include "calibrate/fit/traffic_samples.hpp"
#include "core/base/error.hpp"
#include "core/base/statistics.hpp"
#include "core/formats/for_comparisons.hpp"
#include "model/estimate/device_sheet.hpp"
#include "model/traffic/gpu_pricer.hpp"

namespace sparsecast {
namespace {

std::int64_t number_of(const SampleOrigin& origin, const char* key) {
  const auto found = origin.environment.find(key);
  if (found == origin.environment.end()) {
    throw Error("samples of " + origin.device + " do not say '" + key +
                "', which the traffic model needs; calibrate again");
  }
  return std::stoll(found->second);
}

GpuShape gpu_of(const SampleOrigin& origin) {
  return {static_cast<int>(number_of(origin, "multiprocessors")), number_of(origin, "l2_bytes"),
          number_of(origin, "shared_bytes_per_block")};
}

/// First all but what is stored in formats beside CSR and blocks, then what is these formats' own:
/// what they take says nothing new of the device. Formats for comparisons share the constants of
/// others and change none of them.
TrafficFit fit_formats_in_turn(std::span<const TrafficPoint> points, const GpuShape& gpu,
                               TrafficFitOptions options) {
  std::vector<TrafficPoint> first;
  std::vector<TrafficPoint> others;
  for (const TrafficPoint& point : points) {
    if (!point.segment.cpu && is_for_comparisons(point.segment.layout)) continue;
    (is_csr_or_blocks(point.segment.layout) ? first : others).push_back(point);
  }
  TrafficFit fit = fit_determined(first, gpu, options);
  if (others.empty()) return fit;
  const TrafficParameters device = fit.profile.parameters;
  options.known = &device;
  TrafficFit further = fit_determined(others, gpu, options);
  fit.profile.parameters = std::move(further.profile.parameters);
  fit.profile.log_errors.merge(further.profile.log_errors);
  fit.profile.samples += further.profile.samples;
  std::vector<double> errors;
  for (const TrafficPoint& point : points) {
    errors.push_back(traffic_error(point, gpu, fit.profile.parameters));
  }
  fit.profile.median_error = median(std::move(errors));
  fit.converged = fit.converged && further.converged;
  for (std::string& name : further.at_bounds) {
    if (std::ranges::count(fit.at_bounds, name) == 0) fit.at_bounds.push_back(std::move(name));
  }
  return fit;
}

/// Constants of a GPU's profile: a model of more says less of what each is.
constexpr std::size_t most_constants = 100;

/// Of more constants than there may be those that are known least, as many as are too many; those
/// of passes stay, and of persistent kernels, which recommendations mostly are: of them a rough
/// value is better than none.
std::vector<std::string> constants_too_many(const TrafficProfile& profile) {
  const std::size_t count = profile.log_errors.size();
  if (profile.parameters.cpu || count <= most_constants) return {};
  std::vector<std::pair<double, std::string>> known;
  for (const auto& [name, error] : profile.log_errors) {
    const bool of_passes = name.starts_with(std::string(passes_group) + '/');
    const bool of_persistent = name.find(persistent_group) != std::string::npos;
    if (!of_passes && !of_persistent) known.emplace_back(error, name);
  }
  std::ranges::sort(known, std::ranges::greater{});
  std::vector<std::string> names;
  for (std::size_t i = 0; i < std::min(known.size(), count - most_constants); ++i) {
    names.push_back(known[i].second);
  }
  return names;
}

/// Again and again, until there are no more constants than there may be.
TrafficFit fit_in_turn(std::span<const TrafficPoint> points, const GpuShape& gpu,
                       TrafficFitOptions options) {
  for (;;) {
    TrafficFit fit = fit_formats_in_turn(points, gpu, options);
    const std::vector<std::string> too_many = constants_too_many(fit.profile);
    if (too_many.empty()) return fit;
    options.without.insert(options.without.end(), too_many.begin(), too_many.end());
  }
}

/// `TrafficProfile::layouts`; none of a CPU.
std::vector<std::string> measured_layouts(std::span<const TrafficPoint> points) {
  std::set<std::string> layouts;
  for (const TrafficPoint& point : points) {
    if (point.segment.cpu || point.matrix.empty()) continue;
    layouts.insert(layout_key(point.precision, point.segment.layout));
  }
  return {layouts.begin(), layouts.end()};
}

/// The samples of a file as points, and how they are fitted.
struct Task {
  std::vector<TrafficPoint> points;
  std::vector<TrafficPoint> held_out;
  GpuShape gpu;
  int cpu_threads = 0;  ///< 0: of a GPU
  TrafficFitOptions options;
};

/// Nothing without products: then there is nothing to predict. Samples of a CPU in version 1 lack
/// their patterns.
std::optional<Task> task_of(const SampleFile& file, const TrafficFitOptions& options) {
  const bool is_cpu = file.origin.kind == DeviceProfile::Kind::cpu;
  if (is_cpu && !file.origin.environment.contains("threads")) return std::nullopt;
  Task task;
  task.options = options;
  task.cpu_threads = is_cpu ? static_cast<int>(number_of(file.origin, "threads")) : 0;
  bool fits_products = false;
  for (const Sample& sample : file.samples) {
    if (!sample.trusted()) continue;
    std::optional<TrafficPoint> point = traffic_point(sample, task.cpu_threads);
    if (!point) continue;
    const bool fitted = !is_held_out_of_traffic(sample);
    fits_products = fits_products || (fitted && !sample.layout.empty());
    (fitted ? task.points : task.held_out).push_back(*std::move(point));
  }
  if (!fits_products) return std::nullopt;
  if (!is_cpu) {
    task.gpu = gpu_of(file.origin);
    task.options.peak_gbps = memory_peak_gbps(file.origin.environment);
    return task;
  }
  // About what fits of CPUs leave in the median.
  constexpr double cpu_model_error = 0.06;
  task.options.model_error = cpu_model_error;
  // Of costs that so few threads do not have nothing can be known.
  std::vector<std::string>& without = task.options.without;
  if (task.cpu_threads <= 2) without.emplace_back("cpu/thread");
  if (task.cpu_threads == 1) {
    without.insert(without.end(), {"cpu/wait", "cpu/remote_lookup", "cpu/evicted_lookup"});
  }
  return task;
}

/// The residual model of points; what parameters have of another is dropped.
void add_residuals(std::span<const TrafficPoint> points, const Task& task,
                   const TrafficFitOptions& options, TrafficParameters& parameters) {
  const auto is_left_out = [&](const char* name) {
    return std::ranges::find(options.without, name) != options.without.end();
  };
  parameters.residuals.clear();
  if (!is_left_out("residual")) parameters.residuals = fit_residuals(points, task.gpu, parameters);
  if (is_left_out("iterations")) {
    std::erase_if(parameters.residuals,
                  [](const auto& each) { return is_iterations_group(each.first); });
  }
}

/// With the residual model.
TrafficFit fit_task(std::span<const TrafficPoint> points, const Task& task,
                    const TrafficFitOptions& options) {
  TrafficFit fit = fit_in_turn(points, task.gpu, options);
  fit.profile.cpu_threads = task.cpu_threads;
  fit.profile.layouts = measured_layouts(points);
  add_residuals(points, task, options, fit.profile.parameters);
  return fit;
}

/// Which of so many parts each family belongs to, in turn; points without a matrix have none.
std::map<std::string, int> parts_of_families(const Task& task, int parts) {
  std::map<std::string, int> part_of;
  for (const auto* points : {&task.points, &task.held_out}) {
    for (const TrafficPoint& point : *points) {
      if (!point.matrix.empty()) part_of[family_of(point.matrix)] = 0;
    }
  }
  int next = 0;
  for (auto& [family, part] : part_of) part = next++ % parts;
  return part_of;
}

/// Forecasts by parameters and by their terms alone.
struct Intervals {
  TrafficIntervals hybrid;
  TrafficIntervals terms;

  void add_forecasts(std::span<const TrafficPoint> points, const GpuShape& gpu,
                     TrafficParameters parameters) {
    hybrid.add_forecasts(points, gpu, parameters);
    if (parameters.residuals.empty()) return;
    parameters.residuals.clear();
    terms.add_forecasts(points, gpu, parameters);
  }
};

/// Forecasts every family by a fit without it and others. What the whole fit could not determine
/// these do not try to, and they begin where it ended.
void forecast_families(const Task& task, const TrafficFit& whole, Intervals& intervals) {
  constexpr int parts = 5;
  const std::map<std::string, int> part_of = parts_of_families(task, parts);
  TrafficFitOptions options = task.options;
  options.start = &whole.profile.parameters;
  TrafficParameters parameters = whole.profile.parameters;
  for (const TrafficParameter& each : parameter_list(parameters)) {
    if (!whole.profile.log_errors.contains(each.name)) options.without.push_back(each.name);
  }
  for (int part = 0; part < parts; ++part) {
    std::vector<TrafficPoint> fitted;
    std::vector<TrafficPoint> left_out;
    const auto is_left_out = [&](const TrafficPoint& point) {
      return !point.matrix.empty() && part_of.at(family_of(point.matrix)) == part;
    };
    for (const TrafficPoint& point : task.points) {
      (is_left_out(point) ? left_out : fitted).push_back(point);
    }
    std::ranges::copy_if(task.held_out, std::back_inserter(left_out), is_left_out);
    if (fitted.empty() || left_out.empty()) continue;
    const TrafficFit fit = fit_task(fitted, task, options);
    intervals.add_forecasts(left_out, task.gpu, fit.profile.parameters);
  }
}

}  // namespace

std::string TrafficCalibration::full() const {
  std::string report = formatted("traffic model: %d samples, median error %.3f",
                                 fit.profile.samples, fit.profile.median_error);
  if (held_out > 0) {
    report += formatted("; %d in a fit without them: mean %.3f, median %.3f", held_out,
                        held_out_mean_error, held_out_median_error);
  }
  report += '\n';
  TrafficParameters parameters = fit.profile.parameters;
  for (const TrafficParameter& each : parameter_list(parameters)) {
    const auto error = fit.profile.log_errors.find(each.name);
    const bool at_bound = std::ranges::find(fit.at_bounds, each.name) != fit.at_bounds.end();
    report += formatted("  %-28s %10.4g %-5s +- %5.1f %%  %s%s\n", each.name.c_str(), *each.value,
                        each.unit, error == fit.profile.log_errors.end() ? 0 : 100 * error->second,
                        each.meaning, at_bound ? " (at its bound)" : "");
  }
  for (const auto& [key, ratios] : fit.profile.intervals) {
    report += formatted("  %-14s measured / predicted %.3f to %.3f, %d samples\n", key.c_str(),
                        ratios.low, ratios.high, ratios.samples);
  }
  return report + '\n';
}

std::optional<TrafficFit> fit_samples(const SampleFile& file, const TrafficFitOptions& options) {
  const std::optional<Task> task = task_of(file, options);
  if (!task) return std::nullopt;
  return fit_task(task->points, *task, task->options);
}

std::optional<TrafficCalibration> calibrate_traffic(const SampleFile& file,
                                                    const TrafficFitOptions& options) {
  std::optional<Task> task = task_of(file, options);
  if (!task) return std::nullopt;
  TrafficCalibration calibration;
  calibration.fit = fit_task(task->points, *task, task->options);
  std::vector<double> errors;
  for (const TrafficPoint& point : task->held_out) {
    try {
      errors.push_back(traffic_error(point, task->gpu, calibration.fit.profile.parameters));
    } catch (const Error&) {
      continue;  // of a kind that no fitted sample has
    }
  }
  calibration.held_out = static_cast<int>(errors.size());
  if (!errors.empty()) {
    calibration.held_out_mean_error = mean(errors);
    calibration.held_out_median_error = median(std::move(errors));
  }
  Intervals intervals;
  for (TrafficIntervals* each : {&intervals.hybrid, &intervals.terms}) {
    each->add_calibrated(task->points);
    each->add_calibrated(task->held_out);
  }
  const bool is_cpu = task->cpu_threads > 0;
  if (is_cpu) {
    intervals.add_forecasts(task->held_out, task->gpu, calibration.fit.profile.parameters);
  } else {
    forecast_families(*task, calibration.fit, intervals);
  }
  task->points.insert(task->points.end(), std::make_move_iterator(task->held_out.begin()),
                      std::make_move_iterator(task->held_out.end()));
  if (is_cpu) {
    calibration.fit = fit_task(task->points, *task, task->options);
  } else {
    // Constants are known well enough; of what they leave every sample says more.
    add_residuals(task->points, *task, task->options, calibration.fit.profile.parameters);
  }
  calibration.fit.profile.intervals = intervals.hybrid.intervals();
  calibration.fit.profile.physical_intervals = intervals.terms.intervals();
  return calibration;
}

}  // namespace sparsecast
