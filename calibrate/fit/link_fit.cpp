#include "calibrate/fit/link_fit.hpp"

#include <algorithm>
#include <set>
#include <utility>

#include "calibrate/fit/curves/fit_point.hpp"
#include "calibrate/fit/formatted.hpp"
#include "calibrate/fit/median.hpp"
#include "core/workload/exchange_mode.hpp"

namespace sparsecast {
namespace {

class LinkFitter {
 public:
  LinkFitter(std::span<const Sample> samples, const std::optional<TrafficProfile>& traffic,
             const CurveFitOptions& options)
      : traffic_(traffic), options_(options) {
    for (const Sample& sample : samples) {
      if (!sample.exchange.empty() && sample.trusted()) samples_.push_back(&sample);
    }
  }

  GpuLinks fit() {
    std::set<int> counts;
    for (const Sample* sample : samples_) {
      if (sample->devices > 1) counts.insert(sample->devices);
    }
    for (const int devices : counts) fit_devices(devices);
    return std::move(result_);
  }

 private:
  void warn(int devices, const std::string& text) {
    result_.warnings.push_back("links of " + std::to_string(devices) + " GPUs: " + text);
  }

  void fit_devices(int devices) {
    Link link;
    const std::optional<double> sync = barrier_seconds(devices);
    if (sync) {
      link.sync_seconds = *sync;
    } else {
      warn(devices, "no sample of a barrier; equation 11 charges none");
    }
    bool any = false;
    for (const ExchangeMode mode : {ExchangeMode::staged, ExchangeMode::peer}) {
      const ExchangeLaw law =
          mode == ExchangeMode::staged ? ExchangeLaw::staged : ExchangeLaw::ingress;
      if (const auto both = fit_curve(devices, mode, std::nullopt, sync.value_or(0))) {
        link.exchange = *both;  // peer's, where it is there
        link.law = law;
        any = true;
      }
      for (const Precision precision : {Precision::f32, Precision::f64}) {
        if (const auto one = fit_curve(devices, mode, precision, sync.value_or(0))) {
          link.curves[std::string(to_string(precision)) + '/' + std::string(to_string(mode))] = {
              *one, law};
        }
      }
    }
    if (!any) {
      warn(devices, "no exchange could be fitted");
      return;
    }
    link.costs = fit_costs(devices);
    result_.links[devices] = std::move(link);
  }

  std::optional<double> barrier_seconds(int devices) const {
    std::vector<double> barriers;
    for (const Sample* sample : samples_) {
      if (sample->kernel == "Barrier" && sample->devices == devices) {
        barriers.push_back(sample->seconds);
      }
    }
    if (barriers.empty()) return std::nullopt;
    return median(std::move(barriers));
  }

  /// Of both precisions together where none is given. Equation 11 charges the synchronisation that
  /// an exchange holds apart: of it at most half of the time is taken off.
  std::optional<KernelCurve> fit_curve(int devices, ExchangeMode mode,
                                       std::optional<Precision> precision, double sync) {
    std::vector<FitPoint> points;
    for (const Sample* sample : samples_) {
      if (sample->kernel != "Exchange" || sample->devices != devices ||
          sample->exchange != to_string(mode) || (precision && sample->precision != *precision)) {
        continue;
      }
      const double seconds = std::max(sample->seconds - sync, sample->seconds / 2);
      points.push_back({sample->elements, seconds,
                        static_cast<double>(bytes_per_value(sample->precision)),
                        sample->relative_noise() * sample->seconds / seconds, 0});
    }
    if (points.empty()) return std::nullopt;
    KernelFit fit = fit_kernel(
        precision, "Exchange/" + std::to_string(devices) + '/' + std::string(to_string(mode)),
        points, options_);
    std::optional<KernelCurve> curve;
    if (fit.ok()) {
      curve = kernel_curve(fit);
    } else {
      warn(devices, fit.key + ": fit " + fit.average.brief());
    }
    result_.kernels.push_back(std::move(fit));
    return curve;
  }

  std::optional<LinkCosts> fit_costs(int devices) {
    if (!traffic_) return std::nullopt;
    LinkCostFit fit = fit_link_costs(samples_, devices, *traffic_);
    if (fit.costs) {
      result_.held_out[devices] = fit.held_out;
    } else {
      warn(devices, fit.warning);
    }
    return std::move(fit.costs);
  }

  std::vector<const Sample*> samples_;
  const std::optional<TrafficProfile>& traffic_;
  const CurveFitOptions& options_;
  GpuLinks result_;
};

}  // namespace

std::string GpuLinks::full() const {
  std::string report;
  for (const auto& [devices, link] : links) {
    report += formatted("links of %d GPUs: barrier %.3g us\n", devices, 1e6 * link.sync_seconds);
    if (!link.costs) continue;
    report += formatted(
        "  a sum over them %.3g +- %.2g us more; %d iterations fitted, median error "
        "%.3f\n",
        1e6 * link.costs->sum_seconds.value, 1e6 * link.costs->sum_seconds.error,
        link.costs->samples, link.costs->median_error);
    for (const auto& [mode, costs] : link.costs->exchanges) {
      report += formatted(
          "  exchange %-7s fixed %.3g +- %.2g us, %.4g +- %.2g GB/s, hidden %.2f +- "
          "%.2f\n",
          std::string(to_string(mode)).c_str(), 1e6 * costs.fixed_seconds.value,
          1e6 * costs.fixed_seconds.error, costs.gbps.value, costs.gbps.error, costs.hidden.value,
          costs.hidden.error);
    }
    const auto compared = held_out.find(devices);
    if (compared != held_out.end() && compared->second.samples > 0) {
      report += formatted("  %d held out: mean error %.3f, median %.3f\n", compared->second.samples,
                          compared->second.mean_error, compared->second.median_error);
    }
    for (const auto& [key, ratios] : link.costs->intervals) {
      report += formatted("  %-14s measured / predicted %.3f to %.3f, %d samples\n", key.c_str(),
                          ratios.low, ratios.high, ratios.samples);
    }
  }
  return report.empty() ? report : report + '\n';
}

GpuLinks fit_gpu_links(std::span<const Sample> samples,
                       const std::optional<TrafficProfile>& traffic,
                       const CurveFitOptions& options) {
  return LinkFitter(samples, traffic, options).fit();
}

}  // namespace sparsecast
