#include "calibrate/fit/profile_fit.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <iterator>
#include <map>
#include <set>
#include <span>
#include <utility>

#include "calibrate/fit/link_fit.hpp"
#include "calibrate/fit/median.hpp"
#include "calibrate/measure/microbenchmarks.hpp"
#include "core/base/error.hpp"
#include "core/base/threads/thread_team.hpp"
#include "core/schedule/cg_schedule.hpp"
#include "core/workload/launch_mode.hpp"
#include "model/paper/iteration_time.hpp"
#include "model/working_set.hpp"

namespace sparsecast {

namespace {

FitPoint fit_point(const Sample& sample, const std::optional<CacheEffect>& cache) {
  return {sample.elements, sample.seconds, static_cast<double>(bytes_per_value(sample.precision)),
          sample.relative_noise(), cache ? missing_share(*cache, working_set_of(sample)) : 0};
}

/// Kernels of a GPU run in several launch modes; models know them as graphs launch them.
bool is_of_models(const Sample& sample) {
  return sample.launch.empty() || sample.launch == to_string(LaunchMode::graph);
}

/// Kernels that are a curve of one precision.
bool is_curve(const Sample& sample) {
  static const std::set<std::string> others{"Iteration", "Exchange", "Barrier", "Convert",
                                            "Upload"};
  return sample.devices == 1 && sample.exchange.empty() && !others.contains(sample.kernel) &&
         is_of_models(sample) && !sample.held_out && sample.trusted();
}

/// What predictions of Algorithm 1 need, apart from SpMV.
constexpr std::array<const char*, 5> needed_kernels{"CG2", "CG3", "CG4", "CG5", "Red"};

/// 0.95 quantiles of Student's t for 2 to 18 degrees of freedom (Abramowitz and Stegun, table
/// 26.10).
constexpr std::array<double, 17> student_95{2.920, 2.353, 2.132, 2.015, 1.943, 1.895,
                                            1.860, 1.833, 1.812, 1.796, 1.782, 1.771,
                                            1.761, 1.753, 1.746, 1.740, 1.734};

class ProfileFitter {
 public:
  ProfileFitter(const SampleFile& file, const std::string& name, const CurveFitOptions& options)
      : file_(file), options_(options) {
    DeviceProfile& profile = result_.profile;
    profile.name = name;
    profile.kind = file.origin.kind;
    profile.origin = DeviceProfile::Origin::measured;
    profile.device = file.origin.device;
    profile.memory_bytes = file.origin.memory_bytes;
    profile.device_count_max = file.origin.device_count_max;
    profile.environment = file.origin.environment;
  }

  ProfileFit fit() {
    if (file_.partial) {
      warn("the samples are of an unfinished run of the " + file_.plan +
           " plan; finish it with --resume");
    }
    // A GPU's cache is the traffic model's; its curves are the paper's, which knew of none.
    if (file_.origin.kind == DeviceProfile::Kind::cpu) {
      result_.profile.cache = find_cache(file_.samples, options_);
    }
    for (const Precision precision : {Precision::f32, Precision::f64}) fit_curves(precision);
    if (result_.profile.precisions.empty()) {
      throw Error("samples of '" + file_.origin.device + "': no curve could be fitted; " +
                  (result_.warnings.empty() ? "there are no samples" : result_.warnings.front()));
    }
    for (auto& [precision, curves] : result_.profile.precisions) {
      warn_of_missing(precision, curves);
      fit_conversions(precision, curves);
      fit_intervals(precision, curves);
    }
    result_.profile.upload_gbps = fit_upload(file_.samples);
    fit_traffic_model();
    if (file_.origin.kind == DeviceProfile::Kind::gpu) {
      take_gpu_links();
    } else {
      fit_links();
    }
    warn_of_noise();
    warn_of_throttling();
    warn_of_sharing();
    return std::move(result_);
  }

 private:
  void fit_traffic_model() {
    result_.traffic = calibrate_traffic(file_);
    if (!result_.traffic) return;
    if (!result_.traffic->fit.converged) {
      warn("the traffic model was not fitted: " + result_.traffic->fit.message);
      return;
    }
    result_.profile.traffic = result_.traffic->fit.profile;
  }

  void warn(std::string text) { result_.warnings.push_back(std::move(text)); }

  bool has(Precision precision, const std::string& key) const {
    return result_.profile.precisions.at(precision).curves.contains(key);
  }

  void fit_curves(Precision precision) {
    std::set<std::string> keys;
    for (const Sample& sample : file_.samples) {
      if (sample.precision == precision && is_curve(sample)) keys.insert(curve_key(sample));
    }
    std::vector<KernelFit> fits;
    for (const std::string& key : keys) fits.push_back({precision, key, {}, {}});
    parallel_for(std::ssize(fits), 1, [&](std::int64_t begin, std::int64_t end) {
      for (KernelFit& fit : std::span(fits).subspan(begin, end - begin)) {
        const std::vector<FitPoint> points =
            fit_points(file_.samples, precision, fit.key, result_.profile.cache);
        fit.average = fit_average_curve(points, options_);
        fit.maximum = fit_maximum_curve(points, fit.average, options_);
      }
    });
    std::vector<std::string> too_few;
    for (KernelFit& fit : fits) {
      const std::string& key = fit.key;
      if (fit.ok()) {
        result_.profile.precisions[precision].curves[key] = kernel_curve(fit);
      } else {
        const std::string reason = fit.average.ok() ? fit.maximum.brief() : fit.average.brief();
        const std::string warning =
            std::string(to_string(precision)) + ' ' + key + ": fit " + reason;
        if (fit.average.status == FitStatus::too_few_samples) {
          too_few.push_back(warning);
        } else {
          warn(warning);
        }
      }
      result_.kernels.push_back(std::move(fit));
    }
    // A short plan has few of many kernels.
    if (too_few.size() == 1) warn(too_few.front());
    if (too_few.size() > 1) {
      warn(too_few.front() + "; so are the fits of " + std::to_string(too_few.size() - 1) +
           " other kernels in " + std::string(to_string(precision)));
    }
  }

  /// Only the models of curves need them: the traffic model has no curves.
  void warn_of_missing(Precision precision, const PrecisionProfile& curves) {
    const auto warn_of = [&](const std::string& kernel) {
      warn("no curve of " + kernel + " in " + std::string(to_string(precision)) +
           ": the paper's model cannot price Algorithm 1 in this precision");
    };
    for (const char* kernel : needed_kernels) {
      if (!has(precision, kernel)) warn_of(kernel);
    }
    const bool any_layout = std::ranges::any_of(
        curves.curves, [](const auto& entry) { return entry.first.starts_with("SpMV/"); });
    if (!any_layout) warn_of("SpMV");
  }

  void fit_conversions(Precision precision, PrecisionProfile& curves) {
    std::map<std::string, std::vector<Sample>> by_layout;
    for (const Sample& sample : file_.samples) {
      if (sample.precision == precision && sample.kernel == "Convert") {
        by_layout[sample.layout].push_back(sample);
      }
    }
    for (const auto& [layout, samples] : by_layout) {
      const auto cost = file_.origin.kind == DeviceProfile::Kind::gpu ? typical_conversion(samples)
                                                                      : fit_conversion(samples);
      if (cost) curves.conversion[layout] = *cost;
    }
  }

  void fit_intervals(Precision precision, PrecisionProfile& curves) {
    const bool complete = std::ranges::all_of(
        needed_kernels, [&](const char* kernel) { return has(precision, kernel); });
    if (!complete) return;
    const Schedule schedule = algorithm1_schedule();
    std::map<std::string, std::vector<double>> ratios;
    for (const Sample& sample : file_.samples) {
      if (sample.precision != precision || sample.kernel != "Iteration" || sample.devices != 1 ||
          !sample.exchange.empty() || !sample.held_out || sample.schedule != schedule.name ||
          !is_of_models(sample) || !sample.trusted() ||
          !has(precision, spmv_curve_key(sample.layout))) {
        continue;
      }
      const IterationTime predicted =
          price_iteration(schedule, std::span(&sample.shape, 1), result_.profile, precision,
                          sample.layout, CurveKind::average);
      ratios[sample.layout].push_back(sample.seconds / predicted.seconds);
    }
    for (const auto& [layout, values] : ratios) {
      std::optional<IntervalFit> interval = interval_of(values);
      if (!interval) {
        warn(std::string(to_string(precision)) + ' ' + layout +
             ": too few whole iterations for an interval");
        continue;
      }
      interval->precision = precision;
      interval->layout = layout;
      curves.intervals[layout] = interval->ratios;
      result_.intervals.push_back(std::move(*interval));
    }
  }

  void take_gpu_links() {
    GpuLinks links = fit_gpu_links(file_.samples, result_.profile.traffic, options_);
    result_.links = links.full();
    result_.profile.links = std::move(links.links);
    std::ranges::move(links.kernels, std::back_inserter(result_.kernels));
    std::ranges::move(links.warnings, std::back_inserter(result_.warnings));
  }

  void fit_links() {
    std::set<int> device_counts;
    for (const Sample& sample : file_.samples) {
      if (sample.devices > 1) device_counts.insert(sample.devices);
    }
    for (const int devices : device_counts) {
      std::vector<double> barriers;
      for (const Sample& sample : file_.samples) {
        if (sample.kernel == "Barrier" && sample.devices == devices) {
          barriers.push_back(sample.seconds);
        }
      }
      const std::string key = "Exchange/" + std::to_string(devices);
      if (barriers.empty()) {
        warn(key + ": no sample of a barrier");
        continue;
      }
      const double sync_seconds = median(barriers);
      // What an exchange holds of it is at least the fastest one; taking off more would turn a busy
      // moment into copies that cost nothing.
      const double sync_within = std::ranges::min(barriers);
      std::vector<FitPoint> points;
      for (const Sample& sample : file_.samples) {
        if (sample.kernel != "Exchange" || sample.devices != devices) continue;
        FitPoint point = fit_point(sample, std::nullopt);
        const double copying = point.seconds - sync_within;
        if (!(copying > 0)) continue;
        point.relative_noise *= point.seconds / copying;
        point.seconds = copying;
        points.push_back(point);
      }
      KernelFit fit{std::nullopt, key, {}, {}};
      fit.average = fit_average_curve(points, options_);
      fit.maximum = fit_maximum_curve(points, fit.average, options_);
      if (fit.ok()) {
        Link link;
        link.exchange = kernel_curve(fit);
        link.law = ExchangeLaw::staged;
        link.sync_seconds = sync_seconds;
        link.shared_bus = file_.origin.kind == DeviceProfile::Kind::cpu;
        result_.profile.links[devices] = link;
      } else {
        warn(key + ": fit " + fit.average.brief() + "; " + std::to_string(devices) +
             " devices cannot be predicted");
      }
      result_.kernels.push_back(std::move(fit));
    }
  }

  void warn_of_noise() {
    // Conversions are timed once and never stable.
    int timed = 0;
    int unstable = 0;
    for (const Sample& sample : file_.samples) {
      if (sample.kernel == "Convert" || sample.kernel == "Upload") continue;
      ++timed;
      constexpr double noisy = 0.1;
      if (!sample.stable && sample.relative_spread > noisy) ++unstable;
    }
    if (10 * unstable > timed) {
      warn(std::to_string(unstable) + " of " + std::to_string(timed) +
           " samples spread by more than 10 %: the machine was busy, or its clock changed; "
           "calibrate again when it is quiet");
    }
  }

  void warn_of_throttling() {
    std::map<std::string, int> reasons;
    for (const Sample& sample : file_.samples) {
      if (!sample.throttle_reasons.empty()) ++reasons[sample.throttle_reasons];
    }
    for (const auto& [reason, count] : reasons) {
      warn(std::to_string(count) + " of " + std::to_string(file_.samples.size()) +
           " samples were taken while the device was throttled (" + reason +
           "); they are kept but not fitted");
    }
  }

  void warn_of_sharing() {
    const auto others = file_.origin.environment.find("other_processes");
    if (others == file_.origin.environment.end() || others->second == "0") return;
    warn("the device was shared with " + others->second + " other process" +
         (others->second == "1" ? "" : "es") +
         " when calibration began; calibrate again when it is alone");
  }

  const SampleFile& file_;
  const CurveFitOptions& options_;
  ProfileFit result_;
};

}  // namespace

KernelCurve kernel_curve(const KernelFit& fit) {
  KernelCurve curve;
  curve.average = fit.average.curve;
  curve.maximum = fit.maximum.curve;
  FitQuality quality;
  quality.covariance = fit.average.covariance;
  quality.median_relative_error = fit.average.median_relative_error;
  quality.samples = fit.average.samples;
  quality.elements_min = fit.average.elements_min;
  quality.elements_max = fit.average.elements_max;
  quality.maximum_coverage = fit.maximum.coverage_per_decade;
  curve.quality = quality;
  return curve;
}

double working_set_of(const Sample& sample) {
  // The schedule says which buffers the kernel touched.
  return working_set_bytes(schedule_to_measure(sample.kernel, sample.schedule), sample.shape,
                           sample.precision);
}

std::string curve_key(const Sample& sample) {
  return sample.layout.empty() ? sample.kernel : product_curve_key(sample.kernel, sample.layout);
}

std::vector<FitPoint> fit_points(std::span<const Sample> samples, Precision precision,
                                 const std::string& key, const std::optional<CacheEffect>& cache) {
  std::vector<FitPoint> points;
  for (const Sample& sample : samples) {
    if (sample.precision == precision && is_curve(sample) && curve_key(sample) == key) {
      points.push_back(fit_point(sample, cache));
    }
  }
  return points;
}

std::optional<CacheEffect> find_cache(std::span<const Sample> samples,
                                      const CurveFitOptions& options) {
  // Of every kernel on vectors: the points, the working set of each, and the last fit.
  struct Kernel {
    std::vector<FitPoint> points;
    std::vector<double> working_sets;
    CurveFit fit;
  };
  std::map<std::pair<Precision, std::string>, Kernel> by_name;
  for (const Sample& sample : samples) {
    if (!is_curve(sample) || !sample.layout.empty()) continue;
    Kernel& kernel = by_name[{sample.precision, sample.kernel}];
    kernel.points.push_back(fit_point(sample, std::nullopt));
    kernel.working_sets.push_back(working_set_of(sample));
  }
  std::vector<Kernel> kernels;
  for (auto& [name, kernel] : by_name) kernels.push_back(std::move(kernel));
  // The sum of all absolute errors of log time; no single time may count for more than a factor of
  // seven.
  const auto error = [&](const std::optional<CacheEffect>& cache) {
    constexpr double largest = 2;
    parallel_for(std::ssize(kernels), 1, [&](std::int64_t begin, std::int64_t end) {
      for (Kernel& kernel : std::span(kernels).subspan(begin, end - begin)) {
        for (std::size_t i = 0; i < kernel.points.size(); ++i) {
          kernel.points[i].missing_share =
              cache ? missing_share(*cache, kernel.working_sets[i]) : 0;
        }
        kernel.fit = fit_average_curve(kernel.points, options);
      }
    });
    double sum = 0;
    for (const Kernel& kernel : kernels) {
      if (!(kernel.fit.curve.nu > 0)) continue;  // refused before it was fitted, with any cache
      for (const FitPoint& point : kernel.points) {
        const double expected = kernel_seconds(kernel.fit.curve, point.elements,
                                               point.bytes_per_value, point.missing_share);
        sum += std::min(std::abs(std::log(expected / point.seconds)), largest);
      }
    }
    return sum;
  };

  constexpr double least_capacity = 256 << 10;
  constexpr int octaves = 14;
  constexpr double usual_sharpness = 4;
  const double error_without = error(std::nullopt);
  CacheEffect best;
  double least_error = error_without;
  const auto attempt = [&](const CacheEffect& cache) {
    const double found = error(cache);
    if (found < least_error) {
      least_error = found;
      best = cache;
    }
  };
  for (int octave = 0; octave <= octaves; ++octave) {
    attempt({std::ldexp(least_capacity, octave), usual_sharpness});
  }
  if (!(best.capacity_bytes > 0)) return std::nullopt;
  for (const double step : {0.5, 0.25}) {
    const double center = best.capacity_bytes;
    for (const double direction : {-1.0, 1.0}) {
      attempt({center * std::exp2(direction * step), usual_sharpness});
    }
  }
  const double capacity = best.capacity_bytes;
  for (const double sharpness : {1.5, 2.5, 8.0}) attempt({capacity, sharpness});
  constexpr double least_gain = 0.2;
  if (least_error > (1 - least_gain) * error_without) return std::nullopt;
  return best;
}

std::optional<IntervalFit> interval_of(std::span<const double> ratios) {
  constexpr std::size_t least = 3;
  constexpr double tail = 0.05;
  const std::size_t n = ratios.size();
  if (n < least) return std::nullopt;
  std::vector<double> sorted(ratios.begin(), ratios.end());
  std::ranges::sort(sorted);
  IntervalFit fit;
  fit.median = median(sorted);
  fit.ratios.samples = static_cast<int>(n);
  constexpr double rounding = 1e-9;
  const double ranks = static_cast<double>(n + 1);
  const double low_rank = std::floor(tail * ranks + rounding);
  const double high_rank = std::ceil((1 - tail) * ranks - rounding);
  if (low_rank >= 1 && high_rank <= static_cast<double>(n)) {
    fit.ratios.low = sorted[static_cast<std::size_t>(low_rank) - 1];
    fit.ratios.high = sorted[static_cast<std::size_t>(high_rank) - 1];
    return fit;
  }
  fit.assumed_log_normal = true;
  double mean = 0;
  for (const double ratio : sorted) mean += std::log(ratio) / static_cast<double>(n);
  double squares = 0;
  for (const double ratio : sorted) squares += std::pow(std::log(ratio) - mean, 2);
  const double deviation = std::sqrt(squares / static_cast<double>(n - 1));
  const double half_width =
      student_95[n - least] * deviation * std::sqrt(1 + 1 / static_cast<double>(n));
  fit.ratios.low = std::min(sorted.front(), std::exp(mean - half_width));
  fit.ratios.high = std::max(sorted.back(), std::exp(mean + half_width));
  return fit;
}

std::optional<ConversionCost> fit_conversion(std::span<const Sample> samples) {
  constexpr double least_seconds = 1e-3;
  double nn = 0;
  double ne = 0;
  double ee = 0;
  double n1 = 0;
  double e1 = 0;
  for (const Sample& sample : samples) {
    if (sample.seconds < least_seconds) continue;
    const double n = sample.nonzeros / sample.seconds;
    const double e = sample.shape.elements / sample.seconds;
    nn += n * n;
    ne += n * e;
    ee += e * e;
    n1 += n;
    e1 += e;
  }
  if (!(nn > 0 && ee > 0)) return std::nullopt;
  const double determinant = nn * ee - ne * ne;
  // CSR stores what is given: one number then, and it belongs to the nonzeros.
  constexpr double singular = 1e-9;
  if (determinant > singular * nn * ee) {
    const ConversionCost both{(n1 * ee - e1 * ne) / determinant, (e1 * nn - n1 * ne) / determinant};
    if (both.seconds_per_nonzero >= 0 && both.seconds_per_element >= 0) return both;
    if (both.seconds_per_nonzero < 0) return ConversionCost{0, e1 / ee};
  }
  return ConversionCost{n1 / nn, 0};
}

std::optional<ConversionCost> typical_conversion(std::span<const Sample> samples) {
  constexpr double least_nonzeros = 2e6;
  std::vector<double> rates;
  for (const Sample& sample : samples) {
    if (sample.nonzeros < least_nonzeros || !(sample.shape.elements > 0)) continue;
    rates.push_back(sample.seconds / sample.shape.elements);
  }
  if (rates.empty()) return std::nullopt;
  return ConversionCost{0, median(std::move(rates))};
}

std::optional<double> fit_upload(std::span<const Sample> samples) {
  constexpr double least_bytes = 8e6;
  std::vector<double> rates;
  for (const Sample& sample : samples) {
    if (sample.kernel != "Upload" || sample.bytes.total() < least_bytes) continue;
    rates.push_back(sample.bytes.total() / sample.seconds * 1e-9);
  }
  if (rates.empty()) return std::nullopt;
  return median(std::move(rates));
}

std::string ProfileFit::full() const {
  std::string report;
  for (const KernelFit& fit : kernels) {
    if (fit.precision) report += std::string(to_string(*fit.precision)) + ' ';
    report += fit.key + '\n' + fit.average.full();
    if (fit.average.ok()) report += "maximum  " + fit.maximum.full();
    report += '\n';
  }
  if (profile.cache) {
    std::array<char, 200> line{};
    std::snprintf(line.data(), line.size(), "cache: effective capacity %.3g MB, sharpness %.3g\n\n",
                  profile.cache->capacity_bytes / 1e6, profile.cache->sharpness);
    report += line.data();
  }
  if (traffic) report += traffic->full();
  report += links;
  for (const IntervalFit& interval : intervals) {
    std::array<char, 200> line{};
    std::snprintf(line.data(), line.size(),
                  "%s %s: measured / predicted iteration time: median %.2f, 90 %% interval %.2f "
                  "to %.2f, %d matrices%s\n",
                  std::string(to_string(interval.precision)).c_str(), interval.layout.c_str(),
                  interval.median, interval.ratios.low, interval.ratios.high,
                  interval.ratios.samples,
                  interval.assumed_log_normal ? " (log-normal assumed)" : "");
    report += line.data();
  }
  return report;
}

ProfileFit fit_profile(const SampleFile& file, const std::string& name,
                       const CurveFitOptions& options) {
  return ProfileFitter(file, name, options).fit();
}

}  // namespace sparsecast
