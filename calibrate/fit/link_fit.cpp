#include "calibrate/fit/link_fit.hpp"

#include <ceres/ceres.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <limits>
#include <set>
#include <tuple>
#include <utility>

#include "calibrate/fit/median.hpp"
#include "calibrate/measure/microbenchmarks.hpp"
#include "calibrate/plan/link_plan.hpp"
#include "core/base/error.hpp"
#include "core/workload/exchange_mode.hpp"
#include "model/interval_key.hpp"
#include "model/links/parallel_pricer.hpp"
#include "model/step_kinds.hpp"
#include "model/working_set.hpp"

namespace sparsecast {
namespace {

constexpr double giga = 1e9;

/// What the parts of a grid differ by from halves of the whole: alignment, places in memory.
constexpr double pair_error = 0.02;

struct Parameters {
  double constant = 5e-6;  ///< sums and the exchange's fixed cost
  double rate = 1e11;      ///< bytes a second
  double hidden = 0.5;
};

struct Residual {
  LinkPoint point;

  double deviation() const { return std::hypot(point.noise_seconds, pair_error * point.seconds); }

  template <class T>
  bool operator()(const T* log_constant, const T* log_rate, const T* hidden, T* residual) const {
    const T moving = T(point.bytes) / ceres::exp(*log_rate);
    T exposed = moving - *hidden * T(point.interior_seconds);
    if (exposed < T(0)) exposed = T(0);
    const T added = ceres::exp(*log_constant) + exposed;
    *residual = (added - T(point.seconds - point.alone_seconds)) / T(deviation());
    return true;
  }
};

struct Attempt {
  Parameters parameters;
  double cost = 0;
};

Attempt attempt(std::span<const LinkPoint> points, const Parameters& start) {
  double log_constant = std::log(start.constant);
  double log_rate = std::log(start.rate);
  double hidden = start.hidden;
  ceres::Problem problem;
  constexpr double huber_threshold = 1.345;
  for (const LinkPoint& point : points) {
    problem.AddResidualBlock(
        new ceres::AutoDiffCostFunction<Residual, 1, 1, 1, 1>(new Residual{point}),
        new ceres::HuberLoss(huber_threshold), &log_constant, &log_rate, &hidden);
  }
  problem.SetParameterLowerBound(&log_constant, 0, std::log(1e-9));
  problem.SetParameterUpperBound(&log_constant, 0, std::log(1e-1));
  problem.SetParameterLowerBound(&log_rate, 0, std::log(1e6));
  problem.SetParameterUpperBound(&log_rate, 0, std::log(1e14));
  problem.SetParameterLowerBound(&hidden, 0, 0);
  problem.SetParameterUpperBound(&hidden, 0, 1);
  ceres::Solver::Options options;
  options.linear_solver_type = ceres::DENSE_QR;
  options.max_num_iterations = 200;
  options.logging_type = ceres::SILENT;
  options.num_threads = 1;
  ceres::Solver::Summary summary;
  ceres::Solve(options, &problem, &summary);
  return {{std::exp(log_constant), std::exp(log_rate), hidden}, summary.final_cost};
}

/// The best of several starts: where rows hide everything, a slope of the cost is nought.
Parameters fitted(std::span<const LinkPoint> points) {
  std::vector<double> added;
  for (const LinkPoint& point : points) {
    added.push_back(std::max(1e-8, point.seconds - point.alone_seconds));
  }
  std::ranges::sort(added);
  const double least = added[added.size() / 4];
  Attempt best{{}, std::numeric_limits<double>::infinity()};
  for (const double hidden : {0.0, 0.3, 0.9}) {
    for (const double rate : {3e10, 3e11}) {
      const Attempt one = attempt(points, {least, rate, hidden});
      if (one.cost < best.cost) best = one;
    }
  }
  return best.parameters;
}

/// Error of each parameter by leaving out one tenth of the points after the other.
Parameters jackknife(std::span<const LinkPoint> points) {
  const std::size_t parts = std::min<std::size_t>(10, points.size());
  std::vector<Parameters> all;
  for (std::size_t part = 0; part < parts; ++part) {
    std::vector<LinkPoint> others;
    for (std::size_t i = 0; i < points.size(); ++i) {
      if (i % parts != part) others.push_back(points[i]);
    }
    all.push_back(fitted(others));
  }
  const auto error = [&](double Parameters::*member) {
    double mean = 0;
    for (const Parameters& one : all) mean += one.*member / static_cast<double>(parts);
    double squares = 0;
    for (const Parameters& one : all) squares += std::pow(one.*member - mean, 2);
    return std::sqrt(squares * (static_cast<double>(parts) - 1) / static_cast<double>(parts));
  };
  return {error(&Parameters::constant), error(&Parameters::rate), error(&Parameters::hidden)};
}

bool of_mode(const Sample& sample, ExchangeMode mode) {
  return sample.exchange == to_string(mode);
}

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
      if (sample->kernel != "Exchange" || sample->devices != devices || !of_mode(*sample, mode) ||
          (precision && sample->precision != *precision)) {
        continue;
      }
      const double seconds = std::max(sample->seconds - sync, sample->seconds / 2);
      points.push_back({sample->elements, seconds,
                        static_cast<double>(bytes_per_value(sample->precision)),
                        sample->relative_noise() * sample->seconds / seconds, 0});
    }
    if (points.empty()) return std::nullopt;
    KernelFit fit{precision,
                  "Exchange/" + std::to_string(devices) + '/' + std::string(to_string(mode)),
                  {},
                  {}};
    fit.average = fit_average_curve(points, options_);
    fit.maximum = fit_maximum_curve(points, fit.average, options_);
    std::optional<KernelCurve> curve;
    if (fit.ok()) {
      curve = kernel_curve(fit);
    } else {
      warn(devices, fit.key + ": fit " + fit.average.brief());
    }
    result_.kernels.push_back(std::move(fit));
    return curve;
  }

  /// How much longer reductions of n parts take than of one part alone: median, and its error.
  std::optional<Estimate> sum_cost(int devices) const {
    std::map<std::tuple<Precision, std::string, double>, double> alone;
    for (const Sample* sample : samples_) {
      if (sample->exchange == measured_alone && sample->layout.empty()) {
        alone[{sample->precision, sample->kernel, sample->shape.unknowns}] = sample->seconds;
      }
    }
    std::vector<double> more;
    for (const Sample* sample : samples_) {
      if (sample->devices != devices || !sample->layout.empty()) continue;
      const auto part = alone.find(
          {sample->precision, sample->kernel, std::round(sample->shape.unknowns / devices)});
      if (part != alone.end()) more.push_back(sample->seconds - part->second);
    }
    if (more.empty()) return std::nullopt;
    const double middle = median(more);
    std::vector<double> distances;
    for (const double one : more) distances.push_back(std::abs(one - middle));
    // Of a median, from the median of distances, as of a normal distribution.
    constexpr double of_median = 1.253 * 1.483;
    return Estimate{std::max(0.0, middle),
                    of_median * median(distances) / std::sqrt(static_cast<double>(more.size()))};
  }

  const Schedule& schedule(const std::string& name) {
    const auto known = schedules_.find(name);
    if (known != schedules_.end()) return known->second;
    return schedules_.emplace(name, schedule_to_measure("Iteration", name)).first->second;
  }

  std::optional<ParallelPricer> pricer(const Sample& sample) {
    if (sample.segments.size() < 2) return std::nullopt;
    return ParallelPricer(schedule(sample.schedule), sample.segments, traffic_->gpu,
                          sample.precision, parse_layout(sample.layout),
                          parse_exchange_mode(sample.exchange));
  }

  /// Of an iteration, as far as it does not depend on costs that are to be fitted.
  std::optional<LinkPoint> point_of(const Sample& sample) {
    const auto priced = pricer(sample);
    if (!priced) return std::nullopt;
    LinkPoint point;
    point.seconds = sample.seconds;
    point.noise_seconds = sample.relative_noise() * sample.seconds;
    LinkCosts free;
    free.exchanges[parse_exchange_mode(sample.exchange)] = {{0, 0}, {1e9, 0}, {0, 0}};
    const TrafficPrice price = priced->price(traffic_->parameters, free);
    point.sums = 0;
    for (const Step& step : schedule(sample.schedule).iteration) {
      if (!step.guard && sums(step)) ++point.sums;
    }
    for (std::size_t device = 0; device < sample.segments.size(); ++device) {
      point.bytes = std::max(point.bytes, priced->exchanged_bytes(device));
    }
    const SegmentWork& first = sample.segments.front();
    for (const StepPrice& step : price.steps) {
      if (!(step.bytes.values > 0)) continue;
      point.interior_seconds =
          step.seconds * first.interior_rows / std::max(1.0, first.shape.unknowns);
    }
    return point;
  }

  std::vector<LinkPoint> pairs(int devices, ExchangeMode mode) {
    std::map<std::pair<Precision, std::string>, const Sample*> alone;
    for (const Sample* sample : samples_) {
      if (sample->exchange == measured_alone && sample->kernel == "Iteration") {
        alone[{sample->precision, sample->matrix}] = sample;
      }
    }
    std::vector<LinkPoint> points;
    for (const Sample* sample : samples_) {
      if (sample->devices != devices || sample->kernel != "Iteration" || sample->held_out ||
          !of_mode(*sample, mode)) {
        continue;
      }
      const auto part = alone.find({sample->precision, part_of_slab(devices, sample->matrix)});
      if (part == alone.end()) continue;
      std::optional<LinkPoint> point = point_of(*sample);
      if (!point) continue;
      point->alone_seconds = part->second->seconds;
      point->noise_seconds =
          std::hypot(point->noise_seconds, part->second->relative_noise() * part->second->seconds);
      points.push_back(*point);
    }
    return points;
  }

  std::optional<LinkCosts> fit_costs(int devices) {
    if (!traffic_) return std::nullopt;
    const std::optional<Estimate> sum = sum_cost(devices);
    if (!sum) {
      warn(devices, "no reductions to compare; the traffic model cannot price them");
      return std::nullopt;
    }
    LinkCosts costs;
    costs.sum_seconds = *sum;
    for (const ExchangeMode mode : {ExchangeMode::halo, ExchangeMode::peer, ExchangeMode::staged}) {
      const std::vector<LinkPoint> points = pairs(devices, mode);
      const auto exchange = fit_exchange(points, costs.sum_seconds.value);
      if (!exchange) continue;
      costs.exchanges[mode] = *exchange;
      costs.samples += static_cast<int>(points.size());
    }
    if (costs.exchanges.empty()) {
      warn(devices, "too few pairs of iterations; the traffic model cannot price them");
      return std::nullopt;
    }
    compare(devices, costs);
    return costs;
  }

  /// Errors of what was fitted, and intervals of what was not.
  void compare(int devices, LinkCosts& costs) {
    std::vector<double> fitted_errors;
    std::vector<double> errors;
    std::map<std::string, std::vector<double>> ratios;
    for (const Sample* sample : samples_) {
      if (sample->devices != devices || sample->kernel != "Iteration") continue;
      const auto priced = pricer(*sample);
      if (!priced) continue;
      double predicted = 0;
      try {
        predicted = priced->price(traffic_->parameters, costs).seconds;
      } catch (const Error&) {
        continue;  // of a kind that no fitted sample has
      }
      const double error = std::abs(predicted / sample->seconds - 1);
      if (!sample->held_out) {
        fitted_errors.push_back(error);
        continue;
      }
      errors.push_back(error);
      const Schedule& of_sample = schedule(sample->schedule);
      const double bytes =
          working_set_bytes(of_sample, sample->segments.front().shape, sample->precision);
      ratios[interval_key(of_sample, LaunchMode::graph, bytes)].push_back(sample->seconds /
                                                                          predicted);
    }
    if (!fitted_errors.empty()) costs.median_error = median(fitted_errors);
    for (const auto& [key, of_key] : ratios) {
      if (const auto interval = interval_of(of_key)) costs.intervals[key] = interval->ratios;
    }
    GpuLinks::HeldOut& held_out = result_.held_out[devices];
    held_out.samples = static_cast<int>(errors.size());
    if (errors.empty()) return;
    for (const double error : errors) held_out.mean_error += error;
    held_out.mean_error /= held_out.samples;
    held_out.median_error = median(std::move(errors));
  }

  std::vector<const Sample*> samples_;
  const std::optional<TrafficProfile>& traffic_;
  const CurveFitOptions& options_;
  std::map<std::string, Schedule> schedules_;
  GpuLinks result_;
};

}  // namespace

std::optional<ExchangeCosts> fit_exchange(std::span<const LinkPoint> points, double& sum_seconds) {
  constexpr std::size_t least = 6;
  if (points.size() < least) return std::nullopt;
  const Parameters parameters = fitted(points);
  const Parameters errors = jackknife(points);
  const double sums = points.front().sums;
  sum_seconds = std::min(sum_seconds, parameters.constant / sums);
  ExchangeCosts costs;
  costs.fixed_seconds = {parameters.constant - sums * sum_seconds, errors.constant};
  costs.gbps = {parameters.rate / giga, errors.rate / giga};
  costs.hidden = {parameters.hidden, errors.hidden};
  return costs;
}

std::string GpuLinks::full() const {
  std::string report;
  std::array<char, 200> line{};
  for (const auto& [devices, link] : links) {
    std::snprintf(line.data(), line.size(), "links of %d GPUs: barrier %.3g us\n", devices,
                  1e6 * link.sync_seconds);
    report += line.data();
    if (!link.costs) continue;
    std::snprintf(line.data(), line.size(),
                  "  a sum over them %.3g +- %.2g us more; %d iterations fitted, median error "
                  "%.3f\n",
                  1e6 * link.costs->sum_seconds.value, 1e6 * link.costs->sum_seconds.error,
                  link.costs->samples, link.costs->median_error);
    report += line.data();
    for (const auto& [mode, costs] : link.costs->exchanges) {
      std::snprintf(line.data(), line.size(),
                    "  exchange %-7s fixed %.3g +- %.2g us, %.4g +- %.2g GB/s, hidden %.2f +- "
                    "%.2f\n",
                    std::string(to_string(mode)).c_str(), 1e6 * costs.fixed_seconds.value,
                    1e6 * costs.fixed_seconds.error, costs.gbps.value, costs.gbps.error,
                    costs.hidden.value, costs.hidden.error);
      report += line.data();
    }
    const auto compared = held_out.find(devices);
    if (compared != held_out.end() && compared->second.samples > 0) {
      std::snprintf(line.data(), line.size(), "  %d held out: mean error %.3f, median %.3f\n",
                    compared->second.samples, compared->second.mean_error,
                    compared->second.median_error);
      report += line.data();
    }
    for (const auto& [key, ratios] : link.costs->intervals) {
      std::snprintf(line.data(), line.size(),
                    "  %-14s measured / predicted %.3f to %.3f, %d samples\n", key.c_str(),
                    ratios.low, ratios.high, ratios.samples);
      report += line.data();
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
