#include "predict/prediction.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <map>
#include <utility>

#include "core/bcsr.hpp"
#include "core/cg_schedule.hpp"
#include "core/error.hpp"
#include "core/partition.hpp"

namespace sparsecast {

namespace {

/// What is to be solved: its size, and how a layout of it is cut over devices.
struct Problem {
  double unknowns = 0;
  double nonzeros = 0;
  std::function<std::vector<SegmentShape>(const Layout&, int)> segments;
};

/// Bytes of one segment's matrix as `BcsrMatrix` holds it: values, block columns, block offsets.
double matrix_bytes(const SegmentShape& segment, Precision precision) {
  return static_cast<double>(bytes_per_value(precision)) * segment.elements + 4 * segment.blocks +
         8 * (segment.block_rows + 1);
}

/// Bytes of the vectors that a device holds for a schedule.
double vector_bytes(const Schedule& schedule, const SegmentShape& segment, Precision precision) {
  double values = 0;
  for (const VectorDeclaration& vector : schedule.vectors) {
    values += vector.scope == VectorScope::full ? segment.total_unknowns : segment.unknowns;
  }
  return static_cast<double>(bytes_per_value(precision)) * values;
}

class Forecaster {
 public:
  Forecaster(Problem problem, const DeviceProfile& profile, const PredictionRequest& request)
      : problem_(std::move(problem)),
        profile_(profile),
        request_(request),
        schedule_(algorithm1_schedule()) {}

  Prediction predict(int block, int devices) {
    const Layout layout = block_layout(block);
    const std::vector<SegmentShape> segments = problem_.segments(layout, devices);
    const IterationTime time = price(layout, segments);

    Prediction prediction;
    prediction.block = block;
    prediction.devices = devices;
    prediction.precision = request_.precision;
    prediction.model = profile_.model();
    prediction.seconds_per_iteration = time.seconds;
    prediction.interval_seconds = interval(layout, time.seconds);
    prediction.raw_gflops = time.flops / time.seconds / 1e9;
    prediction.effective_gflops =
        iteration_flops(problem_.unknowns, problem_.nonzeros) / time.seconds / 1e9;
    prediction.speedup = one_device_seconds(block) / time.seconds;
    prediction.parts = time.parts;
    prediction.warnings = time.warnings;
    add_memory(segments, prediction);
    if (request_.iterations > 0) add_setup(layout, segments, prediction);
    return prediction;
  }

  /// Fills `pays_after_iterations`: n at which setup + n * seconds falls to that of CSR.
  void add_payoff(Prediction& prediction) {
    if (prediction.block == 1 || !prediction.total_seconds) return;
    const auto& curves = profile_.at(request_.precision).curves;
    if (!curves.contains(spmv_curve_key(to_string(block_layout(1))))) return;
    const Prediction csr = predict(1, prediction.devices);
    if (!csr.total_seconds) return;
    const double saved = csr.seconds_per_iteration - prediction.seconds_per_iteration;
    const double dearer = *prediction.conversion_seconds + *prediction.upload_seconds -
                          *csr.conversion_seconds - *csr.upload_seconds;
    if (dearer <= 0 && saved >= 0) {
      prediction.pays_after_iterations = 0;
    } else {
      prediction.pays_after_iterations =
          saved > 0 ? std::ceil(dearer / saved) : std::numeric_limits<double>::infinity();
    }
  }

 private:
  IterationTime price(const Layout& layout, std::span<const SegmentShape> segments) const {
    return price_iteration(schedule_, segments, profile_, request_.precision, to_string(layout),
                           request_.curve);
  }

  double one_device_seconds(int block) {
    const auto known = one_device_.find(block);
    if (known != one_device_.end()) return known->second;
    const Layout layout = block_layout(block);
    const double seconds = price(layout, problem_.segments(layout, 1)).seconds;
    return one_device_[block] = seconds;
  }

  std::optional<Interval> interval(const Layout& layout, double seconds) const {
    const auto& intervals = profile_.at(request_.precision).intervals;
    const auto ratios = intervals.find(to_string(layout));
    if (ratios == intervals.end()) return std::nullopt;
    return Interval{seconds * ratios->second.low, seconds * ratios->second.high};
  }

  void add_memory(std::span<const SegmentShape> segments, Prediction& prediction) const {
    double fullest = 0;
    for (const SegmentShape& segment : segments) {
      fullest = std::max(fullest, matrix_bytes(segment, request_.precision) +
                                      vector_bytes(schedule_, segment, request_.precision));
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
    const auto& conversion = profile_.at(request_.precision).conversion;
    const auto cost = conversion.find(to_string(layout));
    if (cost != conversion.end()) {
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
  Schedule schedule_;
  std::map<int, double> one_device_;
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
  MatrixSegments(const CsrView<double>& matrix, const MatrixFeatures& features)
      : matrix_(matrix), features_(features) {}

  std::vector<SegmentShape> operator()(const Layout& layout, int devices) {
    if (devices == 1) return {features_.shape(layout)};
    const std::span<const std::int64_t> cumulative = cumulative_blocks(layout.block_size);
    const double values_per_block = static_cast<double>(layout.block_size) * layout.block_size;
    std::vector<SegmentShape> shapes;
    for (const Segment& segment : partition(matrix_, layout, devices)) {
      const std::int64_t begin = block_row(segment.begin_row, layout.block_size);
      const std::int64_t end = block_row(segment.end_row, layout.block_size);
      SegmentShape shape;
      shape.unknowns = static_cast<double>(segment.rows());
      shape.total_unknowns = static_cast<double>(matrix_.rows);
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

  std::span<const std::int64_t> cumulative_blocks(int block_size) {
    if (block_size == 1) return matrix_.row_offsets;
    auto& counts = counts_[block_size];
    if (counts.empty()) counts = count_blocks(matrix_, Segment{0, matrix_.rows}, block_size);
    return counts;
  }

  const CsrView<double>& matrix_;
  const MatrixFeatures& features_;
  std::map<int, Buffer<std::int64_t>> counts_;
};

std::string megabytes(std::int64_t bytes) {
  return std::to_string((bytes + 999'999) / 1'000'000) + " MB";
}

}  // namespace

std::vector<Prediction> predict_matrix(const CsrView<double>& matrix,
                                       const MatrixFeatures& features, const DeviceProfile& profile,
                                       const PredictionRequest& request) {
  check_devices(request);
  if (matrix.rows != matrix.columns) {
    throw Error("prediction: the matrix has " + std::to_string(matrix.rows) + " rows and " +
                std::to_string(matrix.columns) + " columns; expected a square one");
  }
  if (matrix.rows == 0) throw Error("prediction: the matrix has no rows; expected at least one");
  const std::vector<int> blocks =
      request.blocks.empty() ? known_blocks(profile, request.precision) : request.blocks;

  MatrixSegments segments(matrix, features);
  Problem problem;
  problem.unknowns = static_cast<double>(matrix.rows);
  problem.nonzeros = static_cast<double>(features.nonzeros);
  problem.segments = std::ref(segments);
  Forecaster forecaster(std::move(problem), profile, request);
  std::vector<Prediction> predictions;
  for (const int block : blocks) {
    for (const int devices : request.devices) {
      predictions.push_back(forecaster.predict(block, devices));
      if (request.iterations > 0) forecaster.add_payoff(predictions.back());
    }
  }
  return predictions;
}

std::vector<Prediction> predict_numbers(double unknowns, double elements, int block,
                                        const DeviceProfile& profile,
                                        const PredictionRequest& request) {
  check_devices(request);
  constexpr double most = 1e15;  // beyond any machine's memory; byte counts stay exact
  if (!(unknowns >= 1 && unknowns <= most) || !(elements >= 1 && elements <= most)) {
    throw Error("prediction: unknowns and elements must lie from 1 to 1e15");
  }
  const double whole_rows = std::ceil(unknowns / block) * block;
  if (elements > whole_rows * whole_rows) {
    throw Error(
        "prediction: more elements than a dense matrix with as many unknowns has; expected "
        "at most " +
        std::to_string(static_cast<std::int64_t>(whole_rows * whole_rows)));
  }
  Problem problem;
  problem.unknowns = unknowns;
  problem.nonzeros = elements;
  problem.segments = [=](const Layout& layout, int devices) {
    return equal_segments(unknowns, elements, layout.block_size, devices);
  };
  Forecaster forecaster(std::move(problem), profile, request);
  std::vector<Prediction> predictions;
  for (const int devices : request.devices) {
    predictions.push_back(forecaster.predict(block, devices));
  }
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
  const bool compare_totals = std::ranges::all_of(
      predictions, [](const Prediction& p) { return p.total_seconds.has_value(); });
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
    if (predictions[i].fits.value_or(true)) fitting.push_back(i);
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
