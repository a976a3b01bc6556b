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
/// what they take says nothing new of the device.
TrafficFit fit_in_turn(std::span<const TrafficPoint> points, const GpuShape& gpu,
                       TrafficFitOptions options) {
  std::vector<TrafficPoint> first;
  std::vector<TrafficPoint> others;
  for (const TrafficPoint& point : points) {
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

/// `TrafficProfile::layouts`; none of a CPU.
std::vector<std::string> measured_layouts(std::span<const TrafficPoint> points) {
  std::set<std::string> layouts;
  for (const TrafficPoint& point : points) {
    if (point.segment.cpu || point.matrix.empty()) continue;
    layouts.insert(layout_key(point.precision, point.segment.layout));
  }
  return {layouts.begin(), layouts.end()};
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

std::optional<TrafficCalibration> calibrate_traffic(const SampleFile& file,
                                                    const TrafficFitOptions& options) {
  const bool is_cpu = file.origin.kind == DeviceProfile::Kind::cpu;
  if (is_cpu && !file.origin.environment.contains("threads")) return std::nullopt;
  const int threads = is_cpu ? static_cast<int>(number_of(file.origin, "threads")) : 0;
  std::vector<TrafficPoint> points;
  std::vector<TrafficPoint> held_out;
  bool fits_products = false;
  for (const Sample& sample : file.samples) {
    if (!sample.trusted()) continue;
    std::optional<TrafficPoint> point = traffic_point(sample, threads);
    if (!point) continue;
    const bool fitted = !is_held_out_of_traffic(sample);
    fits_products = fits_products || (fitted && !sample.layout.empty());
    (fitted ? points : held_out).push_back(*std::move(point));
  }
  // Without products there is nothing to predict: samples of a CPU in version 1 lack their
  // patterns.
  if (!fits_products) return std::nullopt;
  const GpuShape gpu = is_cpu ? GpuShape{} : gpu_of(file.origin);
  TrafficCalibration calibration;
  TrafficFitOptions determined = options;
  if (!is_cpu) determined.peak_gbps = memory_peak_gbps(file.origin.environment);
  // About what fits of CPUs leave in the median.
  constexpr double cpu_model_error = 0.06;
  if (is_cpu) determined.model_error = cpu_model_error;
  // Of costs that so few threads do not have nothing can be known.
  if (is_cpu && threads <= 2) determined.without.emplace_back("cpu/thread");
  if (is_cpu && threads == 1) {
    determined.without.emplace_back("cpu/wait");
    determined.without.emplace_back("cpu/remote_lookup");
    determined.without.emplace_back("cpu/evicted_lookup");
  }
  const auto fit_points = [&] {
    calibration.fit = fit_in_turn(points, gpu, determined);
    calibration.fit.profile.cpu_threads = threads;
  };
  fit_points();

  calibration.fit.profile.layouts = measured_layouts(points);
  TrafficParameters& parameters = calibration.fit.profile.parameters;
  const auto is_left_out = [&](const char* name) {
    return std::ranges::find(options.without, name) != options.without.end();
  };
  if (!is_left_out("residual")) {
    parameters.residuals = fit_residuals(points, gpu, parameters);
  }
  if (is_left_out("iterations")) {
    std::erase_if(parameters.residuals,
                  [](const auto& each) { return is_iterations_group(each.first); });
  }
  TrafficProfile& profile = calibration.fit.profile;
  std::map<std::string, IntervalRatios> intervals =
      fit_traffic_intervals(points, held_out, gpu, parameters);
  std::map<std::string, IntervalRatios> physical_intervals;
  if (!parameters.residuals.empty()) {
    TrafficParameters terms = parameters;
    terms.residuals.clear();
    physical_intervals = fit_traffic_intervals(points, held_out, gpu, terms);
  }
  std::vector<double> errors;
  for (const TrafficPoint& point : held_out) {
    const TrafficPricer pricer(point.schedule, point.launch, point.segment, gpu, point.precision);
    double predicted = 0;
    try {
      predicted = pricer.price(parameters).seconds;
    } catch (const Error&) {
      continue;  // of a kind that no fitted sample has
    }
    errors.push_back(std::abs(predicted / point.seconds - 1));
  }
  calibration.held_out = static_cast<int>(errors.size());
  if (!errors.empty()) {
    for (const double error : errors) calibration.held_out_mean_error += error;
    calibration.held_out_mean_error /= static_cast<double>(errors.size());
    calibration.held_out_median_error = median(std::move(errors));
  }
  if (is_cpu && !held_out.empty()) {
    points.insert(points.end(), std::make_move_iterator(held_out.begin()),
                  std::make_move_iterator(held_out.end()));
    fit_points();
  }
  profile.intervals = std::move(intervals);
  profile.physical_intervals = std::move(physical_intervals);
  return calibration;
}

}  // namespace sparsecast
