#include "calibrate/fit/fitted_samples.hpp"

#include <cmath>
#include <map>
#include <utility>

#include "calibrate/fit/curves/curve_samples.hpp"
#include "calibrate/fit/curves/fit_point.hpp"
#include "calibrate/fit/traffic_samples.hpp"
#include "core/base/error.hpp"
#include "model/traffic/traffic_pricer.hpp"

namespace sparsecast {

namespace {

std::string kind_of(const std::string& kernel) {
  if (kernel.starts_with("SpMV")) return "products";
  if (kernel.starts_with("Load") || kernel.starts_with("Mixed")) return "loads";
  return kernel == "Iteration" ? "iterations" : "vector kernels";
}

std::string name_of(const Sample& sample) {
  std::string name = sample.kernel;
  for (const std::string* more :
       {&sample.schedule, &sample.launch, &sample.layout, &sample.matrix}) {
    if (!more->empty()) name += ", " + *more;
  }
  return name;
}

}  // namespace

std::vector<FittedSample> samples_on_curves(const SampleFile& file, const ProfileFit& fit) {
  std::map<std::pair<Precision, std::string>, const KernelFit*> curves;
  for (const KernelFit& kernel : fit.kernels) {
    if (kernel.ok() && kernel.precision) curves[{*kernel.precision, kernel.key}] = &kernel;
  }
  std::vector<FittedSample> all;
  for (const Sample& sample : file.samples) {
    if (!is_on_curve(sample) || !sample.trusted()) continue;
    const auto found = curves.find({sample.precision, curve_key(sample)});
    if (found == curves.end()) continue;
    const FitPoint point = fit_point(sample, fit.profile.cache);
    const double over_measured = std::exp(log_residual(found->second->average.curve, point));
    all.push_back({kind_of(sample.kernel), name_of(sample), sample.precision, sample.elements,
                   sample.seconds, sample.seconds * over_measured});
  }
  return all;
}

std::vector<FittedSample> samples_by_traffic(const SampleFile& file, const ProfileFit& fit) {
  std::vector<FittedSample> all;
  if (!fit.profile.traffic) return all;
  const TrafficProfile& profile = *fit.profile.traffic;
  for (const Sample& sample : file.samples) {
    if (sample.devices != 1 || !sample.trusted()) continue;
    const auto point = traffic_point(sample, profile.cpu_threads);
    if (!point) continue;
    try {
      const TrafficPricer pricer(point->schedule, point->launch, point->segment, profile.gpu,
                                 point->precision);
      all.push_back({kind_of(sample.kernel), name_of(sample), sample.precision, sample.elements,
                     sample.seconds, pricer.price(profile.parameters).seconds});
    } catch (const Error&) {
      continue;  // of a kernel that no fitted sample has
    }
  }
  return all;
}

}  // namespace sparsecast
