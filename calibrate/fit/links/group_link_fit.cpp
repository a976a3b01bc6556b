#include "calibrate/fit/links/group_link_fit.hpp"

#include <algorithm>
#include <optional>
#include <set>
#include <utility>

#include "calibrate/fit/curves/curve_samples.hpp"
#include "calibrate/fit/median.hpp"

namespace sparsecast {

GroupLinks fit_group_links(std::span<const Sample> samples, const CurveFitOptions& options) {
  GroupLinks result;
  std::set<int> device_counts;
  for (const Sample& sample : samples) {
    if (sample.devices > 1) device_counts.insert(sample.devices);
  }
  for (const int devices : device_counts) {
    std::vector<double> barriers;
    for (const Sample& sample : samples) {
      if (sample.kernel == "Barrier" && sample.devices == devices) {
        barriers.push_back(sample.seconds);
      }
    }
    const std::string key = "Exchange/" + std::to_string(devices);
    if (barriers.empty()) {
      result.warnings.push_back(key + ": no sample of a barrier");
      continue;
    }
    const double sync_seconds = median(barriers);
    // What an exchange holds of it is at least the fastest one; taking off more would turn a busy
    // moment into copies that cost nothing.
    const double sync_within = std::ranges::min(barriers);
    std::vector<FitPoint> points;
    for (const Sample& sample : samples) {
      if (sample.kernel != "Exchange" || sample.devices != devices) continue;
      FitPoint point = fit_point(sample);
      const double copying = point.seconds - sync_within;
      if (!(copying > 0)) continue;
      point.relative_noise *= point.seconds / copying;
      point.seconds = copying;
      points.push_back(point);
    }
    KernelFit fit = fit_kernel(std::nullopt, key, points, options);
    if (fit.ok()) {
      Link link;
      link.exchange = kernel_curve(fit);
      link.law = ExchangeLaw::staged;
      link.sync_seconds = sync_seconds;
      link.shared_bus = true;
      result.links[devices] = link;
    } else {
      result.warnings.push_back(key + ": fit " + fit.average.brief() + "; " +
                                std::to_string(devices) + " devices cannot be predicted");
    }
    result.kernels.push_back(std::move(fit));
  }
  return result;
}

}  // namespace sparsecast
