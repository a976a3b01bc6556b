#include "predict/prediction.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <functional>
#include <limits>
#include <map>
#include <utility>

#include "core/analysis/cuda_segments.hpp"
#include "core/analysis/partition.hpp"
#include "core/base/error.hpp"
#include "core/cuda/cuda_backend.hpp"
#include "core/formats/bcsr/bcsr.hpp"
#include "core/schedule/cg_schedule.hpp"
#include "model/traffic/traffic_pricer.hpp"
#include "model/working_set.hpp"
#include "predict/estimate_spread.hpp"
#include "predict/parallel_forecast.hpp"
#include "predict/traffic_case.hpp"
#include "predict/traffic_interval.hpp"

namespace sparsecast {

namespace {

/// What is to be solved: its size, how a layout of it is cut over devices, and what one GPU does
/// with it.
struct Problem {
  double unknowns = 0;
  double nonzeros = 0;
  std::function<Renumbering(int devices)> renumbering;  ///< none where there is no matrix
  std::function<std::vector<SegmentShape>(const Layout&, int)> segments;
  std::function<TrafficCase(const Layout&, bool with_persistent)> traffic;
  std::function<std::vector<SegmentWork>(const Layout&, int devices, ExchangeMode)> work;
  bool estimated_pattern = false;
  bool density_known = true;  ///< are these the nonzeros, or all block elements?
};

/// One of the combinations that are predicted.
struct Choice {
  int block = 1;
  int devices = 1;
  std::string schedule = "algorithm1";
  std::optional<LaunchMode> launch{};
};

/// A CPU has no launch modes: there any will do.
LaunchMode mode_of(const Choice& choice) {
  return choice.launch.value_or(LaunchMode::graph);
}

constexpr const char* vendor = "vendor";
constexpr const char* fused = "fused";

/// Bytes of one segment's matrix as back ends hold it: values, block columns, block offsets.
double matrix_bytes(const SegmentShape& segment, Precision precision) {
  return static_cast<double>(bytes_per_value(precision)) * segment.elements +
         segment.index_bytes * segment.blocks + 8 * (segment.block_rows + 1);
}

/// Bytes of the vectors that a device holds for a schedule.
double vector_bytes(const Schedule& schedule, const SegmentShape& segment, Precision precision) {
  double values = 0;
  for (const VectorDeclaration& vector : schedule.vectors) {
    values += vector.scope == VectorScope::full ? segment.total_unknowns : segment.unknowns;
  }
  return static_cast<double>(bytes_per_value(precision)) * values;
}

/// Whether the traffic model has all parameters of the groups that a price depends on.
bool knows(TrafficParameters parameters, const std::vector<std::string>& groups) {
  const std::vector<TrafficParameter> all = parameter_list(parameters);
  return std::ranges::all_of(groups, [&](const std::string& group) {
    return std::ranges::any_of(
        all, [&](const TrafficParameter& each) { return each.name.starts_with(group + '/'); });
  });
}

TimeParts parts_of(const TrafficPrice& price) {
  TimeParts parts;
  parts.synchronisation =
      price.launch_seconds + price.synchronisation_seconds + price.device_sum_seconds;
  parts.exchange = price.exchange_seconds;
  parts.spmv = price.blocks_seconds + price.halo_seconds + price.moved_seconds;
  parts.vector_kernels = price.unknowns_seconds;
  for (const StepPrice& step : price.steps) {
    (step.bytes.values > 0 ? parts.spmv
     : step.name == "Red"  ? parts.reductions
                           : parts.vector_kernels) += step.seconds - step.waiting_seconds;
    parts.synchronisation += step.waiting_seconds;
  }
  return parts;
}

/// The launch modes of one device that are priced where none is asked for; no mode where the
/// profile's model knows none.
std::vector<std::optional<LaunchMode>> default_launches(const DeviceProfile& profile) {
  if (!profile.traffic || profile.traffic->cpu_threads > 0) return {std::nullopt};
  return {LaunchMode::graph, LaunchMode::persistent};
}

class Forecaster {
 public:
  Forecaster(Problem problem, const DeviceProfile& profile, const PredictionRequest& request)
      : problem_(std::move(problem)), profile_(profile), request_(request) {}

  Prediction predict(const Choice& choice) {
    const Layout layout = block_layout(choice.block);
    Prediction prediction;
    prediction.block = choice.block;
    prediction.devices = choice.devices;
    if (problem_.renumbering) prediction.renumbering = problem_.renumbering(choice.devices);
    prediction.precision = request_.precision;
    prediction.model = profile_.model();
    prediction.schedule = choice.schedule;
    prediction.launch = choice.launch;
    std::vector<SegmentShape> segments;
    if (choice.launch && choice.devices > 1) {
      segments = predict_several(choice, prediction);
    } else if (profile_.traffic) {
      prediction.traffic = traffic(choice);
      const TrafficPrice& price = prediction.traffic->price;
      segments = {prediction.traffic->segment.shape};
      prediction.seconds_per_iteration = price.seconds;
      prediction.interval_seconds = interval(choice, segments.front(), price.seconds);
      prediction.estimated_pattern = problem_.estimated_pattern;
      prediction.parts = parts_of(price);
      prediction.raw_gflops =
          iteration_flops(problem_.unknowns, segments.front().elements) / price.seconds / 1e9;
    } else {
      segments = problem_.segments(layout, choice.devices);
      const IterationTime time = price(layout, segments);
      prediction.seconds_per_iteration = time.seconds;
      prediction.interval_seconds = interval(layout, time.seconds);
      prediction.raw_gflops = time.flops / time.seconds / 1e9;
      prediction.parts = time.parts;
      prediction.warnings = time.warnings;
      add_warning(bias_warning(profile_, request_.precision, choice.block), prediction);
    }
    add_warning(machine_warning(profile_, choice.devices), prediction);
    if (problem_.density_known || choice.block == 1) {
      prediction.effective_gflops = iteration_flops(problem_.unknowns, problem_.nonzeros) /
                                    prediction.seconds_per_iteration / 1e9;
    }
    add_memory(segments, prediction);
    if (request_.iterations > 0) add_setup(layout, segments, prediction);
    return prediction;
  }

  /// The same by the traffic model; nothing where the profile has not all parameters for it, or
  /// there is no such kernel.
  std::optional<Prediction> predict_if_known(const Choice& choice) {
    const bool persistent = choice.launch == LaunchMode::persistent;
    if (persistent) {
      const auto& steps = profile_.traffic->parameters.persistent_steps;
      if (choice.schedule != fused || !steps.contains(request_.precision)) return std::nullopt;
      const PersistentExecution& kernel = traffic_case(choice).execution.persistent;
      if (!kernel.fits || kernel.block_size != choice.block) return std::nullopt;
    }
    if (choice.schedule == vendor && (choice.block != 1 || persistent)) return std::nullopt;
    if (choice.devices > 1 && (choice.schedule == vendor || choice.launch != LaunchMode::graph)) {
      return std::nullopt;
    }
    if (!knows_price(choice)) return std::nullopt;
    Prediction prediction = predict(choice);
    // Calibration saw no such kernel of that size: nobody knows how well it is forecast.
    if (persistent && !prediction.interval_seconds) return std::nullopt;
    if (request_.iterations > 0) add_payoff(prediction);
    return prediction;
  }

  /// Fills `speedup` of all that is forecast; what is among them is not priced again.
  void add_speedups(std::span<Prediction> predictions) {
    for (const Prediction& one : predictions) {
      if (one.devices != 1 || one.schedule != ours_on_one()) continue;
      one_device_[{one.block, one.launch}] = one.seconds_per_iteration;
    }
    for (Prediction& prediction : predictions) {
      const double one = fastest_on_one(prediction.block);
      if (std::isfinite(one)) prediction.speedup = one / prediction.seconds_per_iteration;
    }
  }

  /// Fills `pays_after_iterations`: n at which setup + n * seconds falls to that of CSR.
  void add_payoff(Prediction& prediction) {
    if (prediction.block == 1 || !prediction.total_seconds) return;
    const std::optional<Prediction> csr = predict_csr(prediction);
    if (!csr || !csr->total_seconds) return;
    const double saved = csr->seconds_per_iteration - prediction.seconds_per_iteration;
    const double dearer = *prediction.conversion_seconds + *prediction.upload_seconds -
                          *csr->conversion_seconds - *csr->upload_seconds;
    if (dearer <= 0 && saved >= 0) {
      prediction.pays_after_iterations = 0;
    } else {
      prediction.pays_after_iterations =
          saved > 0 ? std::ceil(dearer / saved) : std::numeric_limits<double>::infinity();
    }
  }

 private:
  static void add_warning(const std::string& warning, Prediction& prediction) {
    if (!warning.empty()) prediction.warnings.push_back(warning);
  }

  /// The schedule that one device is measured by.
  const char* ours_on_one() const { return profile_.traffic ? fused : "algorithm1"; }

  bool knows_price(const Choice& choice) {
    const TrafficParameters& parameters = profile_.traffic->parameters;
    if (choice.devices == 1) {
      return knows(parameters, pricer(choice, traffic_case(choice)).parameter_groups());
    }
    const ExchangeMode mode = exchange(choice.devices);
    return knows(parameters, ParallelPricer(schedule(choice.schedule), work(choice, mode),
                                            profile_.traffic->gpu, request_.precision,
                                            block_layout(choice.block), mode)
                                 .parameter_groups());
  }

  /// Halo, or what the link knows instead.
  ExchangeMode exchange(int devices) const {
    const auto& exchanges = profile_.link(devices).costs->exchanges;
    for (const ExchangeMode mode : {ExchangeMode::halo, ExchangeMode::peer}) {
      if (exchanges.contains(mode)) return mode;
    }
    return ExchangeMode::staged;
  }

  const std::vector<SegmentWork>& work(const Choice& choice, ExchangeMode mode) {
    const auto [place, first] = work_.try_emplace({choice.block, choice.devices});
    if (first) place->second = problem_.work(block_layout(choice.block), choice.devices, mode);
    return place->second;
  }

  /// Fills in the traffic model's forecast for several GPUs; returns the sizes of their segments.
  std::vector<SegmentShape> predict_several(const Choice& choice, Prediction& prediction) {
    const ExchangeMode mode = exchange(choice.devices);
    const std::vector<SegmentWork>& segments = work(choice, mode);
    const ParallelForecast forecast =
        price_on_several(profile_, schedule(choice.schedule), segments, request_.precision,
                         block_layout(choice.block), mode);
    prediction.exchange = mode;
    const SegmentWork& one = segments.front();
    prediction.traffic = {
        {block_layout(choice.block), one.shape, one.pattern, {one.product, {}}, {}},
        forecast.price,
        segments};
    prediction.seconds_per_iteration = forecast.price.seconds;
    prediction.interval_seconds = forecast.interval;
    prediction.estimated_pattern = problem_.estimated_pattern;
    prediction.parts = parts_of(forecast.price);
    add_warning(forecast.extrapolation, prediction);
    if (prediction.interval_seconds && problem_.estimated_pattern) {
      const auto touched = [&](const SegmentWork& segment) {
        return working_set_bytes(schedule(choice.schedule), segment.shape, request_.precision);
      };
      double bytes = touched(one);
      // A guess is no better on more devices than were measured.
      if (!forecast.extrapolation.empty()) {
        Choice measured = choice;
        measured.devices = profile_.devices_of_link(choice.devices);
        bytes = std::max(bytes, touched(work(measured, mode).front()));
      }
      const EstimateSpread spread = estimate_spread(LaunchMode::graph, bytes);
      // What is looked up is guessed within a factor of 2.5 for meshes.
      constexpr double more_exchanged = 1.5;
      prediction.interval_seconds->low *= spread.low;
      prediction.interval_seconds->high *= spread.high;
      prediction.interval_seconds->high +=
          more_exchanged * (forecast.price.exchange_seconds + forecast.price.hidden_seconds);
    }
    std::vector<SegmentShape> shapes;
    double elements = 0;
    for (const SegmentWork& segment : segments) {
      shapes.push_back(segment.shape);
      elements += segment.shape.elements;
    }
    prediction.raw_gflops =
        iteration_flops(problem_.unknowns, elements) / prediction.seconds_per_iteration / 1e9;
    return shapes;
  }

  /// Seconds of an iteration on one device by what we recommend there; infinity where that is not
  /// known.
  double fastest_on_one(int block) {
    double least = std::numeric_limits<double>::infinity();
    for (const std::optional<LaunchMode> launch : default_launches(profile_)) {
      const auto [place, first] =
          one_device_.try_emplace({block, launch}, std::numeric_limits<double>::infinity());
      if (first) {
        const Choice choice{block, 1, ours_on_one(), launch};
        const std::optional<Prediction> one =
            profile_.traffic ? predict_if_known(choice) : std::optional(predict(choice));
        if (one) place->second = one->seconds_per_iteration;
      }
      least = std::min(least, place->second);
    }
    return least;
  }

  /// In the same schedule and launch mode.
  std::optional<Prediction> predict_csr(const Prediction& other) {
    const Choice choice{1, other.devices, other.schedule, other.launch};
    if (profile_.traffic) return predict_if_known(choice);
    const auto& curves = profile_.at(request_.precision).curves;
    if (!curves.contains(spmv_curve_key(to_string(block_layout(1))))) return std::nullopt;
    return predict(choice);
  }

  const Schedule& schedule(const std::string& name) {
    const auto known = schedules_.find(name);
    if (known != schedules_.end()) return known->second;
    return schedules_.emplace(name, cg_schedule(name)).first->second;
  }

  IterationTime price(const Layout& layout, std::span<const SegmentShape> segments) {
    return price_iteration(schedule("algorithm1"), segments, profile_, request_.precision,
                           to_string(layout), request_.curve);
  }

  /// The persistent kernel is counted at most once a block size.
  TrafficCase traffic_case(const Choice& choice) {
    const Layout layout = block_layout(choice.block);
    const bool persistent = choice.launch == LaunchMode::persistent;
    const auto [place, first] = cases_.try_emplace({choice.block, persistent});
    if (first) place->second = problem_.traffic(layout, persistent);
    TrafficCase one = place->second;
    if (choice.schedule == vendor) one.shape = problem_.segments(layout, 1).front();
    return one;
  }

  TrafficPricer pricer(const Choice& choice, const TrafficCase& one) {
    return TrafficPricer(schedule(choice.schedule), mode_of(choice), one, profile_.traffic->gpu,
                         request_.precision);
  }

  TrafficForecast traffic(const Choice& choice) {
    const TrafficProfile& profile = *profile_.traffic;
    TrafficForecast forecast;
    forecast.segment = traffic_case(choice);
    forecast.price = pricer(choice, forecast.segment).price(profile.parameters);
    return forecast;
  }

  std::optional<Interval> interval(const Layout& layout, double seconds) const {
    const auto& intervals = profile_.at(request_.precision).intervals;
    const auto ratios = intervals.find(to_string(layout));
    if (ratios == intervals.end()) return std::nullopt;
    return Interval{seconds * ratios->second.low, seconds * ratios->second.high};
  }

  std::optional<Interval> interval(const Choice& choice, const SegmentShape& shape,
                                   double seconds) {
    const Schedule& iterations = schedule(choice.schedule);
    const double bytes = working_set_bytes(iterations, shape, request_.precision);
    std::optional<Interval> known =
        traffic_interval(*profile_.traffic, iterations, mode_of(choice), bytes, seconds);
    if (known && problem_.estimated_pattern) {
      const EstimateSpread spread = estimate_spread(mode_of(choice), bytes);
      known->low *= spread.low;
      known->high *= spread.high;
    }
    return known;
  }

  void add_memory(std::span<const SegmentShape> segments, Prediction& prediction) {
    double fullest = 0;
    for (const SegmentShape& segment : segments) {
      fullest = std::max(
          fullest, matrix_bytes(segment, request_.precision) +
                       vector_bytes(schedule(prediction.schedule), segment, request_.precision));
    }
    prediction.bytes_per_device = static_cast<std::int64_t>(std::ceil(fullest));
    prediction.memory_bytes = profile_.memory_bytes;
    if (profile_.memory_bytes > 0) {
      prediction.fits = prediction.bytes_per_device <= profile_.memory_bytes;
    }
  }

  void add_setup(const Layout& layout, std::span<const SegmentShape> segments,
                 Prediction& prediction) const {
    prediction.iterations = request_.iterations;
    double elements = 0;
    double bytes = 2 * static_cast<double>(bytes_per_value(request_.precision)) *
                   problem_.unknowns;  // the start value and the right-hand side
    for (const SegmentShape& segment : segments) {
      elements += segment.elements;
      bytes += matrix_bytes(segment, request_.precision);
    }
    // The vendor's library does not convert; what it does instead is not known.
    const auto& conversion = profile_.at(request_.precision).conversion;
    const auto cost = conversion.find(to_string(layout));
    if (cost != conversion.end() && prediction.schedule != vendor) {
      prediction.conversion_seconds = cost->second.seconds_per_nonzero * problem_.nonzeros +
                                      cost->second.seconds_per_element * elements;
    }
    if (profile_.kind == DeviceProfile::Kind::cpu) {
      prediction.upload_seconds = 0;
    } else if (profile_.upload_gbps) {
      prediction.upload_seconds = bytes / (*profile_.upload_gbps * 1e9);
    }
    if (prediction.conversion_seconds && prediction.upload_seconds) {
      prediction.total_seconds =
          *prediction.conversion_seconds + *prediction.upload_seconds +
          static_cast<double>(request_.iterations) * prediction.seconds_per_iteration;
    }
  }

  Problem problem_;
  const DeviceProfile& profile_;
  const PredictionRequest& request_;
  std::map<std::string, Schedule> schedules_;
  std::map<std::pair<int, bool>, TrafficCase> cases_;  ///< by block size, with persistent kernel
  std::map<std::pair<int, int>, std::vector<SegmentWork>> work_;  ///< by block size and devices
  /// Seconds on one device of what speedups are over, by block size and launch mode.
  std::map<std::pair<int, std::optional<LaunchMode>>, double> one_device_;
};

void check_devices(const PredictionRequest& request) {
  if (request.devices.empty()) throw Error("prediction: no number of devices; expected at least 1");
  for (const int devices : request.devices) {
    if (devices < 1) {
      throw Error("prediction: " + std::to_string(devices) + " devices; expected at least 1");
    }
  }
  if (request.iterations < 0) {
    throw Error("prediction: " + std::to_string(request.iterations) +
                " iterations; expected none or more");
  }
}

/// Throws `Error` for what only the traffic model knows, and where it knows no link.
void check_model(const DeviceProfile& profile, const PredictionRequest& request) {
  if (profile.traffic) {
    for (const int devices : request.devices) {
      if (devices == 1) continue;
      if (profile.traffic->cpu_threads > 0) {
        throw Error("profile '" + profile.name + "' is of a CPU, which is one device by the " +
                    "traffic model, not " + std::to_string(devices) +
                    "; use --devices 1, or --model paper");
      }
      if (profile.link(devices).costs) continue;
      throw Error("profile '" + profile.name + "' does not know what iterations on " +
                  std::to_string(devices) +
                  " GPUs cost; calibrate its links (--device cuda:0,cuda:1), or use --model paper");
    }
    if (profile.traffic->cpu_threads > 0 && !request.launches.empty()) {
      throw Error("profile '" + profile.name + "' is of a CPU, which has no launch modes");
    }
    return;
  }
  const bool paper = std::ranges::all_of(
      request.schedules, [](const std::string& name) { return name == "algorithm1"; });
  if (paper && request.launches.empty()) return;
  throw Error("profile '" + profile.name + "' is priced by the model '" +
              std::string(profile.model()) +
              "', which knows schedule algorithm1 and no launch modes; other schedules and launch "
              "modes need a profile with model traffic");
}

/// All that the request asks for and the traffic model knows; the vendor's last.
std::vector<Prediction> predict_by_traffic(Forecaster& forecaster, const DeviceProfile& profile,
                                           const PredictionRequest& request) {
  std::vector<std::string> schedules = request.schedules;
  if (schedules.empty()) schedules = {fused};
  const bool with_vendor = std::erase(schedules, vendor) > 0;
  std::vector<std::optional<LaunchMode>> launches(request.launches.begin(), request.launches.end());
  if (launches.empty()) launches = default_launches(profile);
  std::vector<int> blocks = request.blocks;
  if (blocks.empty()) blocks.assign(block_sizes.begin(), block_sizes.end());

  std::vector<Prediction> predictions;
  for (const int block : blocks) {
    for (const int devices : request.devices) {
      for (const std::string& name : schedules) {
        for (const std::optional<LaunchMode> launch : launches) {
          auto prediction = forecaster.predict_if_known({block, devices, name, launch});
          if (prediction) predictions.push_back(std::move(*prediction));
        }
      }
    }
  }
  const bool ours = !predictions.empty();
  const bool one_device = std::ranges::find(request.devices, 1) != request.devices.end();
  if (with_vendor && one_device && std::ranges::find(blocks, 1) != blocks.end()) {
    for (const std::optional<LaunchMode> launch : launches) {
      auto prediction = forecaster.predict_if_known({1, 1, vendor, launch});
      if (!prediction) continue;
      prediction->only_compared = ours;
      predictions.push_back(std::move(*prediction));
    }
  }
  if (predictions.empty()) {
    throw Error("nothing to predict: of what is asked for, profile '" + profile.name +
                "' has parameters for none in " + std::string(to_string(request.precision)) +
                ", or there are no kernels (persistent: schedule fused, block sizes 1 and 3, "
                "systems whose parts fit in shared memory; vendor: "
                "block size 1; several GPUs: neither, launch graph)");
  }
  for (const int block : request.blocks) {
    if (std::ranges::find(predictions, block, &Prediction::block) != predictions.end()) continue;
    throw Error("block size " + std::to_string(block) + ": profile '" + profile.name +
                "' has no parameters for it in " + std::string(to_string(request.precision)) +
                ", or there are no such kernels; leave it out");
  }
  forecaster.add_speedups(predictions);
  return predictions;
}

/// The block sizes that the profile has curves for.
std::vector<int> known_blocks(const DeviceProfile& profile, Precision precision) {
  const auto& curves = profile.at(precision).curves;
  std::vector<int> blocks;
  for (const int block : block_sizes) {
    if (curves.contains(spmv_curve_key(to_string(block_layout(block))))) blocks.push_back(block);
  }
  if (blocks.empty()) {
    throw Error("profile '" + profile.name + "' has no SpMV curve in " +
                std::string(to_string(precision)) + "; expected SpMV/csr or SpMV/bcsrN");
  }
  return blocks;
}

/// Shapes of a matrix's segments; the blocks of each block size are counted once.
class MatrixSegments {
 public:
  explicit MatrixSegments(MatrixOrders& orders) : orders_(orders) {}

  std::vector<SegmentShape> operator()(const Layout& layout, int devices) {
    OrderedMatrix& order = orders_.on(devices);
    if (devices == 1) return {order.features().shape(layout)};
    const std::span<const std::int64_t> cumulative = cumulative_blocks(order, layout.block_size);
    const double values_per_block = static_cast<double>(layout.block_size) * layout.block_size;
    std::vector<SegmentShape> shapes;
    for (const Segment& segment : partition(order.matrix(), layout, devices)) {
      const std::int64_t begin = block_row(segment.begin_row, layout.block_size);
      const std::int64_t end = block_row(segment.end_row, layout.block_size);
      SegmentShape shape;
      shape.unknowns = static_cast<double>(segment.rows());
      shape.total_unknowns = static_cast<double>(order.matrix().rows);
      shape.blocks = static_cast<double>(cumulative[static_cast<std::size_t>(end)] -
                                         cumulative[static_cast<std::size_t>(begin)]);
      shape.elements = shape.blocks * values_per_block;
      shape.block_rows = static_cast<double>(end - begin);
      shapes.push_back(shape);
    }
    return shapes;
  }

 private:
  static std::int64_t block_row(std::int64_t row, int block_size) {
    return (row + block_size - 1) / block_size;  // only the matrix's end is no multiple
  }

  std::span<const std::int64_t> cumulative_blocks(const OrderedMatrix& order, int block_size) {
    const CsrView<double>& matrix = order.matrix();
    if (block_size == 1) return matrix.row_offsets;
    auto& counts = counts_[{&order, block_size}];
    if (counts.empty())
      counts = count_blocks(matrix.pattern(), Segment{0, matrix.rows}, block_size);
    return counts;
  }

  MatrixOrders& orders_;
  std::map<std::pair<const OrderedMatrix*, int>, Buffer<std::int64_t>> counts_;
};

MatrixNumbers numbers_of(double unknowns, double elements, int block, const RowNumbers& rows) {
  MatrixNumbers numbers;
  numbers.rows = unknowns;
  numbers.nonzeros = std::min(elements, unknowns * unknowns);  // of blocks beyond the matrix's end
  numbers.row_deviation = rows.deviation;
  numbers.longest_row = rows.longest;
  const auto place = std::ranges::find(block_sizes, block) - block_sizes.begin();
  numbers.block_density.at(static_cast<std::size_t>(place)) = numbers.nonzeros / elements;
  return numbers;
}

std::string whole(double number) {
  return std::to_string(std::llround(number));
}

/// "1.38": three digits.
std::string times(double ratio) {
  std::array<char, 32> text{};
  std::snprintf(text.data(), text.size(), "%.3g", ratio);
  return text.data();
}

std::string megabytes(std::int64_t bytes) {
  return std::to_string((bytes + 999'999) / 1'000'000) + " MB";
}

}  // namespace

bool prices_several_devices(const DeviceProfile& profile) {
  if (profile.kind == DeviceProfile::Kind::cpu || profile.links.empty()) return false;
  return !profile.traffic || profile.link(2).costs.has_value();
}

std::string machine_warning(const DeviceProfile& profile, int devices) {
  // A CPU's devices are groups of its threads.
  const int known = profile.kind == DeviceProfile::Kind::gpu ? profile.device_count_max : 0;
  if (known == 0 || devices <= known) return "";
  return "profile '" + profile.name + "' is of a machine with " + std::to_string(known) +
         (known == 1 ? " device" : " devices") + "; how " + std::to_string(devices) +
         " work together is not known";
}

std::string bias_warning(const DeviceProfile& profile, Precision precision, int block) {
  if (profile.traffic) return "";
  const std::string layout = to_string(block_layout(block));
  const auto& intervals = profile.at(precision).intervals;
  const auto ratios = intervals.find(layout);
  if (ratios == intervals.end()) return "";
  const auto& [low, high, samples] = ratios->second;
  if (low <= 1 && high >= 1) return "";
  return "profile '" + profile.name + "': the " + std::string(profile.model()) +
         " model is known to be wrong for " + layout + " in " + std::string(to_string(precision)) +
         ": calibration measured " + times(low) + " to " + times(high) +
         " times what it forecasts; the interval is where to expect the time";
}

void check_numbers(double unknowns, double elements, int block, const DeviceProfile& profile,
                   const RowNumbers& rows) {
  const auto refuse = [](const std::string& what) { throw Error(what); };
  constexpr double most = 1e15;  // beyond any machine's memory; byte counts stay exact
  if (!(unknowns >= 1 && unknowns <= most)) refuse("unknowns must lie from 1 to 1e15");
  if (!(elements >= 1 && elements <= most)) refuse("elements must lie from 1 to 1e15");
  constexpr double most_rows = 0x1p31;  // that column indices reach
  if (profile.traffic && unknowns > most_rows) {
    refuse("unknowns must be at most 2^31 for the traffic model");
  }
  const std::string by = std::to_string(block) + " x " + std::to_string(block);
  const std::string of = block == 1 ? "" : " of " + by + " blocks";
  if (elements < unknowns * block) {
    refuse(whole(elements) + " elements are fewer than a full diagonal" + of +
           " has; expected at least " + whole(unknowns * block));
  }
  const double whole_rows = std::ceil(unknowns / block) * block;
  if (elements > whole_rows * whole_rows) {
    refuse(whole(elements) + " elements are more than a dense matrix" + of +
           " has; expected at most " + whole(whole_rows * whole_rows));
  }
  if (!(rows.deviation >= 0 && rows.deviation <= unknowns)) {
    refuse("a row deviation must lie from 0 to the number of unknowns");
  }
  const double mean = std::min(elements, unknowns * unknowns) / unknowns;
  if (rows.longest != 0 && !(rows.longest >= mean && rows.longest <= unknowns)) {
    refuse("a longest row must have from " + times(mean) +
           " entries, the mean, to the number of unknowns");
  }
}

std::vector<Prediction> predict_matrix(const CsrView<double>& matrix,
                                       const MatrixFeatures& features, const DeviceProfile& profile,
                                       const PredictionRequest& request) {
  MatrixOrders as_given(matrix, features);
  return predict_matrix(as_given, profile, request);
}

std::vector<Prediction> predict_matrix(MatrixOrders& orders, const DeviceProfile& profile,
                                       const PredictionRequest& request) {
  check_devices(request);
  check_model(profile, request);
  const CsrView<double>& matrix = orders.given().matrix();
  if (matrix.rows != matrix.columns) {
    throw Error("prediction: the matrix has " + std::to_string(matrix.rows) + " rows and " +
                std::to_string(matrix.columns) + " columns; expected a square one");
  }
  if (matrix.rows == 0) throw Error("prediction: the matrix has no rows; expected at least one");
  MatrixSegments segments(orders);
  Problem problem;
  problem.unknowns = static_cast<double>(matrix.rows);
  problem.nonzeros = static_cast<double>(matrix.nonzeros());
  problem.renumbering = [&](int devices) { return orders.renumbering(devices); };
  problem.segments = std::ref(segments);
  problem.traffic = [&](const Layout& layout, bool with_persistent) {
    OrderedMatrix& one = orders.on(1);
    if (const int threads = profile.traffic->cpu_threads; threads > 0) {
      return cpu_traffic_case(one.features(), one.access(), layout, request.precision, threads);
    }
    return traffic_case(one.matrix(), one.features(), one.access(), layout, request.precision,
                        profile.traffic->gpu, with_persistent);
  };
  problem.work = [&](const Layout& layout, int devices, ExchangeMode mode) {
    return cuda_segments(orders.on(devices).matrix(), layout, devices, request.precision,
                         profile.traffic->gpu, CudaPolicy{}, mode);
  };
  Forecaster forecaster(std::move(problem), profile, request);
  if (profile.traffic) return predict_by_traffic(forecaster, profile, request);
  const std::vector<int> blocks =
      request.blocks.empty() ? known_blocks(profile, request.precision) : request.blocks;
  std::vector<Prediction> predictions;
  for (const int block : blocks) {
    for (const int devices : request.devices) {
      predictions.push_back(forecaster.predict({block, devices}));
      if (request.iterations > 0) forecaster.add_payoff(predictions.back());
    }
  }
  forecaster.add_speedups(predictions);
  return predictions;
}

std::vector<Prediction> predict_numbers(double unknowns, double elements, int block,
                                        const DeviceProfile& profile,
                                        const PredictionRequest& request, const RowNumbers& rows) {
  check_devices(request);
  check_model(profile, request);
  check_numbers(unknowns, elements, block, profile, rows);
  Problem problem;
  problem.unknowns = unknowns;
  problem.nonzeros = elements;
  problem.density_known = false;
  problem.segments = [=](const Layout& layout, int devices) {
    return equal_segments(unknowns, elements, layout.block_size, devices);
  };
  if (profile.traffic) {
    PredictionRequest one = request;
    one.blocks = {block};
    problem.traffic = [&](const Layout& layout, bool) {
      const MatrixNumbers numbers = numbers_of(unknowns, elements, block, rows);
      if (const int threads = profile.traffic->cpu_threads; threads > 0) {
        return estimated_cpu_traffic_case(numbers, layout, request.precision, threads);
      }
      return estimated_traffic_case(numbers, layout, request.precision, profile.traffic->gpu);
    };
    problem.work = [&](const Layout& layout, int devices, ExchangeMode mode) {
      return estimated_segments(numbers_of(unknowns, elements, block, rows), layout, devices,
                                request.precision, profile.traffic->gpu, mode);
    };
    problem.estimated_pattern = true;
    Forecaster forecaster(std::move(problem), profile, one);
    return predict_by_traffic(forecaster, profile, one);
  }
  Forecaster forecaster(std::move(problem), profile, request);
  std::vector<Prediction> predictions;
  for (const int devices : request.devices) {
    predictions.push_back(forecaster.predict({block, devices}));
  }
  forecaster.add_speedups(predictions);
  return predictions;
}

bool is_tie(double seconds_a, const std::optional<Interval>& interval_a, double seconds_b,
            const std::optional<Interval>& interval_b) {
  const auto [faster, slower] = std::minmax(seconds_a, seconds_b);
  if (slower <= (1 + tie_margin) * faster) return true;
  const auto contains = [](const std::optional<Interval>& interval, double seconds) {
    return interval && interval->low <= seconds && seconds <= interval->high;
  };
  return contains(interval_a, seconds_b) && contains(interval_b, seconds_a);
}

BestChoice best_choice(std::span<const Prediction> predictions) {
  if (predictions.empty()) throw Error("no prediction to choose from");
  const bool compare_totals = std::ranges::all_of(predictions, [](const Prediction& p) {
    return p.only_compared || p.total_seconds.has_value();
  });
  const auto seconds = [&](std::size_t i) {
    return compare_totals ? *predictions[i].total_seconds : predictions[i].seconds_per_iteration;
  };
  // The interval is of the iterations: setup shifts it, and its own noise is not known.
  const auto interval = [&](std::size_t i) -> std::optional<Interval> {
    const Prediction& prediction = predictions[i];
    if (!compare_totals || !prediction.interval_seconds) return prediction.interval_seconds;
    const double setup = *prediction.conversion_seconds + *prediction.upload_seconds;
    const auto iterations = static_cast<double>(prediction.iterations);
    return Interval{setup + iterations * prediction.interval_seconds->low,
                    setup + iterations * prediction.interval_seconds->high};
  };

  std::vector<std::size_t> fitting;
  for (std::size_t i = 0; i < predictions.size(); ++i) {
    if (predictions[i].fits.value_or(true) && !predictions[i].only_compared) fitting.push_back(i);
  }
  if (fitting.empty()) {
    const Prediction& smallest =
        *std::ranges::min_element(predictions, {}, &Prediction::bytes_per_device);
    throw Error("the matrix fits on no device: at best it needs " +
                megabytes(smallest.bytes_per_device) + " on each of " +
                std::to_string(smallest.devices) + ", which have " +
                megabytes(smallest.memory_bytes) + "; try more devices");
  }
  std::ranges::stable_sort(fitting, {}, seconds);

  BestChoice best;
  best.index = fitting.front();
  if (fitting.size() > 1) {
    best.second = fitting[1];
    best.margin = seconds(fitting[1]) / seconds(best.index) - 1;
  }
  for (const std::size_t other : std::span(fitting).subspan(1)) {
    if (is_tie(seconds(best.index), interval(best.index), seconds(other), interval(other))) {
      best.ties.push_back(other);
    }
  }
  return best;
}

}  // namespace sparsecast
