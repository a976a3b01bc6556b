#include "calibrate/fit/relative_fit.hpp"

#include <algorithm>
#include <iterator>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include "calibrate/fit/sample_warnings.hpp"
#include "calibrate/fit/traffic_samples.hpp"
#include "core/base/error.hpp"
#include "core/base/text/text_fields.hpp"
#include "model/estimate/device_sheet.hpp"
#include "model/estimate/relative_profile.hpp"

namespace sparsecast {
namespace {

/// Groups of parameters that there are.
std::set<std::string> groups_of(TrafficParameters parameters) {
  std::set<std::string> groups;
  for (const TrafficParameter& each : parameter_list(parameters)) {
    groups.insert(each.name.substr(0, each.name.rfind('/')));
  }
  return groups;
}

/// What the terms have to explain.
struct TermPoints {
  std::vector<TrafficPoint> points;
  std::string unknown;  ///< the first kind of kernel that the relative does not have
};

TermPoints points_of(const SampleFile& file, const TrafficProfile& relative,
                     const TrafficParameters& terms) {
  const std::set<std::string> known = groups_of(terms);
  TermPoints result;
  for (const Sample& sample : file.samples) {
    if (!sample.trusted()) continue;
    std::optional<TrafficPoint> point = traffic_point(sample);
    if (!point) continue;
    const TrafficPricer pricer(point->schedule, point->launch, point->segment, relative.gpu,
                               point->precision);
    const std::vector<std::string> groups = pricer.parameter_groups();
    const auto missing = std::ranges::find_if_not(
        groups, [&known](const std::string& group) { return known.contains(group); });
    if (missing != groups.end()) {
      if (result.unknown.empty()) result.unknown = *missing;
      continue;
    }
    point->seconds *= pricer.price(terms).seconds / pricer.price(relative.parameters).seconds;
    result.points.push_back(*std::move(point));
  }
  return result;
}

}  // namespace

ProfileFit fit_like(const SampleFile& file, const DeviceProfile& relative,
                    const std::string& name) {
  if (file.origin.kind == DeviceProfile::Kind::cpu) {
    throw Error("samples of " + in_quotes(file.origin.device) +
                ", a CPU; a relative is of a GPU, and so must they be");
  }
  ProfileFit result;
  result.profile = relative_of_device(
      relative, {name, file.origin.device, file.origin.memory_bytes, file.origin.environment});
  TrafficProfile& traffic = *result.profile.traffic;
  TrafficProfile terms = traffic;
  terms.parameters.residuals.clear();
  const TermPoints measured = points_of(file, traffic, terms.parameters);
  if (!measured.unknown.empty()) {
    result.warnings.push_back("profile '" + relative.name + "' has no constants " +
                              in_quotes(measured.unknown) + ": samples that need them count for " +
                              "nothing");
  }
  if (file.partial) {
    result.warnings.push_back("the samples are of an unfinished run of the " + file.plan +
                              " plan; resume it");
  }
  TrafficFitOptions options;
  options.relative = &terms;
  options.peak_gbps = memory_peak_gbps(file.origin.environment);
  TrafficCalibration calibration;
  calibration.fit = fit_traffic(measured.points, traffic.gpu, options);
  if (!calibration.fit.converged) {
    throw Error("samples of " + in_quotes(file.origin.device) +
                ": the traffic model was not fitted: " + calibration.fit.message);
  }
  TrafficProfile& fitted = calibration.fit.profile;
  fitted.parameters.residuals = std::move(traffic.parameters.residuals);
  fitted.layouts = std::move(traffic.layouts);
  fitted.intervals = std::move(traffic.intervals);
  fitted.physical_intervals = std::move(traffic.physical_intervals);
  traffic = fitted;
  result.traffic = std::move(calibration);
  std::ranges::move(sample_warnings(file), std::back_inserter(result.warnings));
  return result;
}

}  // namespace sparsecast
