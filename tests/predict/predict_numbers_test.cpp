#include "predict/predict_numbers.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/analysis/matrix_numbers.hpp"
#include "core/base/error.hpp"
#include "core/matrix/generate/generators.hpp"
#include "model/profile/profile_file.hpp"
#include "predict/predict_matrix.hpp"

namespace sparsecast {
namespace {

/// What a user may type.
struct Typed {
  double unknowns = 0;
  double mean = 0;
  RowNumbers rows;
};

struct Sweep {
  const char* name;
  double from;
  double to;
  void (*set)(Typed&, double);
};

const DeviceProfile& shipped() {
  static const DeviceProfile profile = read_profile("nvidia-h200");
  return profile;
}

/// By launch mode.
using Forecasts = std::map<std::string, Prediction, std::less<>>;
Forecasts forecasts(const Typed& typed, const Layout& layout, Precision precision) {
  PredictionRequest request;
  request.precision = precision;
  const double elements =
      std::max(typed.unknowns * layout.block_size, std::round(typed.unknowns * typed.mean));
  Forecasts all;
  for (const Prediction& prediction :
       predict_numbers(typed.unknowns, elements, layout, shipped(), request, typed.rows)) {
    all.emplace(to_string(*prediction.launch), prediction);
  }
  return all;
}

/// Whether kernels are launched alike: only then must times be near.
bool launched_alike(const Prediction& one, const Prediction& other) {
  const TrafficCase& a = one.traffic->segment;
  const TrafficCase& b = other.traffic->segment;
  if (*one.launch == LaunchMode::persistent) {
    const PersistentExecution& p = a.execution.persistent;
    const PersistentExecution& q = b.execution.persistent;
    return p.blocks == q.blocks && p.threads == q.threads && p.lanes == q.lanes &&
           p.clustered == q.clustered;
  }
  const SpmvExecution& p = a.execution.product;
  const SpmvExecution& q = b.execution.product;
  return a.shape.index_bytes == b.shape.index_bytes && p.lanes == q.lanes &&
         p.streams == q.streams && p.rows_per_block == q.rows_per_block && p.pieces == q.pieces;
}

/// The largest relative change in a step of a sweep.
double largest_step(Typed typed, const Sweep& sweep, const Layout& layout, Precision precision) {
  constexpr double ratio = 1.001;
  double largest = 0;
  Forecasts before;
  for (double value = sweep.from; value <= sweep.to; value *= ratio) {
    sweep.set(typed, value);
    Forecasts after = forecasts(typed, layout, precision);
    for (const auto& [launch, prediction] : after) {
      const auto last = before.find(launch);
      if (last == before.end() || !launched_alike(last->second, prediction)) continue;
      largest = std::max(
          largest,
          std::abs(prediction.seconds_per_iteration / last->second.seconds_per_iteration - 1));
    }
    before = std::move(after);
  }
  return largest;
}

const Typed band{5'000, 27, {3, 40, 300, 1.3, 0.9}};
const Typed large{5e6, 12, {4, 0, 9000, 1, {}}};  // too large for a persistent kernel

void expect_steps_below(double bound, const Typed& typed, std::span<const Sweep> sweeps) {
  for (const Sweep& sweep : sweeps) {
    EXPECT_LT(largest_step(typed, sweep, Layout{}, Precision::f64), bound) << sweep.name;
  }
}

TEST(PredictNumbers, DoesNotJumpInWhatIsKnownOfColumns) {
  const std::vector<Sweep> sweeps{
      {"mean distance", 100, 1'000, [](Typed& t, double value) { t.rows.mean_distance = value; }},
      {"neighbours", 0.5, 2, [](Typed& t, double value) { t.rows.neighbours = value; }},
      {"similarity", 0.3, 1, [](Typed& t, double value) { t.rows.similarity = value; }}};
  expect_steps_below(0.011, band, sweeps);
  std::vector<Sweep> wide = sweeps;
  wide[0].from = 3'000;
  wide[0].to = 4e6;
  wide[1].from = wide[2].from = 0.05;
  expect_steps_below(0.011, large, wide);
}

// These decide how many times kernels do something: waves of thread blocks, passes over the longest
// row, sums of its lanes, what of a matrix stays in shared memory.
TEST(PredictNumbers, ChangesInStepsOfKernelsOnlyInSizes) {
  const std::vector<Sweep> sweeps{
      {"unknowns", 5'000, 8'000, [](Typed& t, double value) { t.unknowns = std::round(value); }},
      {"mean", 20, 38, [](Typed& t, double value) { t.mean = value; }},
      {"row deviation", 4, 12, [](Typed& t, double value) { t.rows.deviation = value; }},
      {"longest row", 50, 400, [](Typed& t, double value) { t.rows.longest = value; }}};
  expect_steps_below(0.08, band, sweeps);
}

TEST(PredictNumbers, IsNearTheForecastOfTheMatrix) {
  std::vector<CsrMatrix<double>> matrices;
  matrices.push_back(laplacian(7, 30, 40, 50));
  matrices.push_back(laplacian(9, 200, 300));
  matrices.push_back(power_law(50'000, 9, 2.4, 3));
  matrices.push_back(
      random_matrix({.rows = 60'000, .mean_row_length = 14, .stddev_row_length = 4}));
  for (const CsrMatrix<double>& matrix : matrices) {
    PredictionRequest request;
    request.layouts = {Layout{}};
    const auto own =
        predict_matrix(matrix.view(), compute_features<double>(matrix), shipped(), request);
    const auto guessed =
        predict_numbers(static_cast<double>(matrix.rows), static_cast<double>(matrix.nonzeros()),
                        {}, shipped(), request, count_row_numbers(matrix.view().pattern()));
    ASSERT_EQ(own.size(), guessed.size());
    for (std::size_t k = 0; k < own.size(); ++k) {
      EXPECT_NEAR(guessed[k].seconds_per_iteration / own[k].seconds_per_iteration, 1, 0.25)
          << matrix.rows << ' ' << to_string(*own[k].launch);
    }
  }
}

TEST(PredictNumbers, IsSurerTheMoreIsKnown) {
  const auto width = [](const RowNumbers& rows) {
    PredictionRequest request;
    request.launches = {LaunchMode::graph};
    const Prediction one = predict_numbers(1e6, 12e6, {}, shipped(), request, rows).at(0);
    return (one.interval_seconds->high - one.interval_seconds->low) / one.seconds_per_iteration;
  };
  EXPECT_LT(width({3, 24, 9000, 1, {}}), width({3, 24, {}, {}, {}}));
  EXPECT_LE(width({3, 24, {}, {}, {}}), width({}));
}

TEST(PredictNumbers, RefusesNumbersThatNoMatrixHas) {
  EXPECT_THROW(predict_numbers(1e4, 1e5, {}, shipped(), {}, {0, 0, 1e4, {}, {}}), Error);
  EXPECT_THROW(predict_numbers(1e4, 1e5, {}, shipped(), {}, {0, 0, {}, 2.01, {}}), Error);
  EXPECT_THROW(predict_numbers(1e4, 1e5, {}, shipped(), {}, {0, 0, {}, {}, 1.01}), Error);
}

}  // namespace
}  // namespace sparsecast
