#include "calibrate/fit/profile_fit.hpp"

#include <algorithm>
#include <iterator>
#include <utility>

#include "calibrate/fit/conversion_fit.hpp"
#include "calibrate/fit/curves/cache_fit.hpp"
#include "calibrate/fit/formatted.hpp"
#include "calibrate/fit/link_fit.hpp"
#include "calibrate/fit/links/group_link_fit.hpp"
#include "calibrate/fit/sample_warnings.hpp"
#include "calibrate/fit/upload_fit.hpp"
#include "core/base/error.hpp"
#include "model/estimate/device_sheet.hpp"

namespace sparsecast {

namespace {

template <class T>
void append(std::vector<T> more, std::vector<T>& all) {
  std::ranges::move(more, std::back_inserter(all));
}

DeviceProfile profile_of(const SampleOrigin& origin, const std::string& name) {
  DeviceProfile profile;
  profile.name = name;
  profile.kind = origin.kind;
  profile.origin = DeviceProfile::Origin::measured;
  profile.device = origin.device;
  profile.memory_bytes = origin.memory_bytes;
  profile.device_count_max = origin.device_count_max;
  profile.environment = origin.environment;
  return profile;
}

void take_curves(std::vector<KernelFit> fits, Precision precision, ProfileFit& result) {
  std::vector<std::string> too_few;
  for (const KernelFit& fit : fits) {
    if (fit.ok()) {
      result.profile.precisions[precision].curves[fit.key] = kernel_curve(fit);
      continue;
    }
    const std::string reason = fit.average.ok() ? fit.maximum.brief() : fit.average.brief();
    std::string warning = std::string(to_string(precision)) + ' ' + fit.key + ": fit " + reason;
    const bool few = fit.average.status == FitStatus::too_few_samples;
    (few ? too_few : result.warnings).push_back(std::move(warning));
  }
  append(std::move(fits), result.kernels);
  // A short plan has few of many kernels.
  if (too_few.size() == 1) result.warnings.push_back(too_few.front());
  if (too_few.size() > 1) {
    result.warnings.push_back(too_few.front() + "; so are the fits of " +
                              std::to_string(too_few.size() - 1) + " other kernels in " +
                              std::string(to_string(precision)));
  }
}

/// Only the models of curves need them: the traffic model has no curves.
void warn_of_missing(Precision precision, const PrecisionProfile& curves,
                     std::vector<std::string>& warnings) {
  std::vector<std::string> missing = missing_vector_kernels(curves);
  const bool any_layout = std::ranges::any_of(
      curves.curves, [](const auto& entry) { return entry.first.starts_with("SpMV/"); });
  if (!any_layout) missing.emplace_back("SpMV");
  for (const std::string& kernel : missing) {
    warnings.push_back("no curve of " + kernel + " in " + std::string(to_string(precision)) +
                       ": the paper's model cannot price Algorithm 1 in this precision");
  }
}

void take_intervals(IterationIntervals fit, PrecisionProfile& curves, ProfileFit& result) {
  for (const IterationInterval& interval : fit.intervals) {
    IntervalRatios& ratios = curves.intervals[interval.layout];
    ratios = interval.fit.ratios;
    ratios.median = interval.fit.median;
  }
  append(std::move(fit.intervals), result.intervals);
  append(std::move(fit.warnings), result.warnings);
}

void take_traffic_model(std::optional<TrafficCalibration> calibration, ProfileFit& result) {
  result.traffic = std::move(calibration);
  if (!result.traffic) return;
  if (result.traffic->fit.converged) {
    result.profile.traffic = result.traffic->fit.profile;
  } else {
    result.warnings.push_back("the traffic model was not fitted: " + result.traffic->fit.message);
  }
}

/// `Links`: `GpuLinks` or `GroupLinks`.
template <class Links>
void take_links(Links fit, ProfileFit& result) {
  result.profile.links = std::move(fit.links);
  append(std::move(fit.kernels), result.kernels);
  append(std::move(fit.warnings), result.warnings);
}

}  // namespace

std::string ProfileFit::full() const {
  std::string report;
  for (const KernelFit& fit : kernels) report += fit.full();
  if (profile.cache) {
    report += formatted("cache: effective capacity %.3g MB, sharpness %.3g\n\n",
                        profile.cache->capacity_bytes / 1e6, profile.cache->sharpness);
  }
  if (traffic) report += traffic->full();
  report += links;
  for (const IterationInterval& interval : intervals) report += interval.full();
  return report;
}

ProfileFit fit_profile(const SampleFile& file, const std::string& name,
                       const CurveFitOptions& options) {
  ProfileFit result;
  DeviceProfile& profile = result.profile;
  profile = profile_of(file.origin, name);
  if (file.partial) {
    result.warnings.push_back("the samples are of an unfinished run of the " + file.plan +
                              " plan; resume it");
  }
  const bool is_gpu = file.origin.kind == DeviceProfile::Kind::gpu;
  // A GPU's cache is the traffic model's; its curves are the paper's, which knew of none.
  if (!is_gpu) profile.cache = find_cache(file.samples, options);
  // Links are no memory: only kernels have this bound.
  CurveFitOptions of_kernels = options;
  of_kernels.peak_gbps = memory_peak_gbps(file.origin.environment);
  for (const Precision precision : {Precision::f32, Precision::f64}) {
    take_curves(fit_kernels(file.samples, precision, profile.cache, of_kernels), precision, result);
  }
  if (profile.precisions.empty()) {
    throw Error("samples of '" + file.origin.device + "': no curve could be fitted; " +
                (result.warnings.empty() ? "there are no samples" : result.warnings.front()));
  }
  for (auto& [precision, curves] : profile.precisions) {
    warn_of_missing(precision, curves, result.warnings);
    curves.conversion = fit_conversions(file.samples, precision, file.origin.kind);
    take_intervals(fit_iteration_intervals(file.samples, precision, profile), curves, result);
  }
  if (const auto upload = fit_upload(file.samples)) {
    profile.upload_gbps = upload->gbps;
    profile.upload_small_gbps = upload->small_gbps;
    profile.upload_seconds = upload->seconds_per_array;
    profile.upload_seconds_per_start = upload->seconds_per_start;
    profile.upload_seconds_of_matrix = upload->seconds_of_matrix;
  }
  take_traffic_model(calibrate_traffic(file), result);
  if (is_gpu) {
    GpuLinks links = fit_gpu_links(file.samples, profile.traffic, options);
    result.links = links.full();
    take_links(std::move(links), result);
  } else {
    take_links(fit_group_links(file.samples, options), result);
  }
  append(sample_warnings(file), result.warnings);
  return result;
}

}  // namespace sparsecast
