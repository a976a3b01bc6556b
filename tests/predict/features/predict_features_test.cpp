#include "predict/features/predict_features.hpp"

#include <gtest/gtest.h>

#include <map>
#include <string>
#include <vector>

#include "core/base/error.hpp"
#include "core/engine/own_solver.hpp"
#include "core/engine/shipped_schedules.hpp"
#include "core/formats/registry.hpp"
#include "core/matrix/generate/generators.hpp"
#include "core/random_csr.hpp"
#include "core/refusal.hpp"
#include "core/workload/segment_shape_text.hpp"
#include "model/profile/profile_file.hpp"
#include "predict/advice/advice.hpp"
#include "predict/advice/advice_json.hpp"
#include "predict/advice/best_choice.hpp"
#include "predict/advice/explanation.hpp"
#include "predict/advice/explanation_json.hpp"
#include "predict/features/features_file.hpp"
#include "predict/predict_matrix.hpp"
#include "predict/prediction_json.hpp"
#include "predict/traffic_profile.hpp"
#include "sanitized.hpp"

namespace sparsecast {
namespace {

CsrMatrix<double> of_rows(const std::vector<std::vector<std::int32_t>>& rows) {
  CsrMatrix<double> matrix;
  matrix.rows = matrix.columns = std::ssize(rows);
  matrix.row_offsets.push_back(0);
  for (const auto& row : rows) {
    for (const std::int32_t column : row) {
      matrix.column_indices.push_back(column);
      matrix.values.push_back(1);
    }
    matrix.row_offsets.push_back(std::ssize(matrix.column_indices));
  }
  return matrix;
}

/// A diagonal with empty rows between, and two rows full of entries.
CsrMatrix<double> with_full_rows(std::int32_t size) {
  std::vector<std::vector<std::int32_t>> rows(static_cast<std::size_t>(size));
  for (std::int32_t row = 0; row < size; ++row) {
    const bool full = row == 7 || row == size / 2;
    for (std::int32_t column = 0; column < size; ++column) {
      if (full || (column == row && row % 5 != 0)) {
        rows[static_cast<std::size_t>(row)].push_back(column);
      }
    }
  }
  return of_rows(rows);
}

/// Matrices of all shapes that forecasts tell apart, and how each is made: a test makes its own
/// alone. Small ones under a sanitizer, which takes ten times as long.
const std::map<std::string, CsrMatrix<double> (*)()>& makers() {
  constexpr std::int32_t part = sanitized ? 8 : 1;
  constexpr std::int64_t side = sanitized ? 2 : 1;
  static const std::map<std::string, CsrMatrix<double> (*)()> all{
      {"27-point", [] { return laplacian(27, 24 / side, 20 / side, 18 / side); }},
      {"7-point", [] { return laplacian(7, 30 / side, 20 / side, 20 / side); }},
      {"power law", [] { return power_law(9000 / part, 14, 2.1, 3); }},
      {"elements", [] { return fem_elasticity(1, 12 / side, 5); }},
      {"scattered", [] { return random_csr<double>(5003 / part, 5003 / part, 9, 20260801); }},
      {"full rows", [] { return with_full_rows(12'011 / part); }},
      {"1 x 1", [] { return of_rows({{0}}); }},
      {"no entries", [] {
         return of_rows({{}, {}, {}});
       }}};
  return all;
}

const CsrMatrix<double>& matrix_of(const std::string& name) {
  static std::map<std::string, CsrMatrix<double>> made;
  const auto [place, first] = made.try_emplace(name);
  if (first) place->second = makers().at(name)();
  return place->second;
}

/// The features of a matrix as a file holds them.
ForecastFeatures through_a_file(const CsrMatrix<double>& matrix, const std::vector<GpuShape>& gpus,
                                Renumbering how = Renumbering::none,
                                const std::vector<int>& devices = {2, 3, 4, 8}) {
  MatrixOrders orders(matrix.view(), std::nullopt, how);
  CountRequest request;
  request.devices = devices;
  request.gpus = gpus;
  return parse_features(features_to_json(count_features(orders, "a.mtx", request)),
                        "a.features.json");
}

/// All that a forecast says.
std::string text_of(const std::vector<Prediction>& predictions) {
  std::string text;
  for (const Prediction& one : predictions) {
    text += to_json(one).text();
    if (one.traffic) {
      const auto& [segment, price, segments] = *one.traffic;
      text += to_text(segment.shape) + ' ' + to_text(segment.pattern) + ' ' +
              to_text(segment.execution) + ' ';
      if (segments) text += to_text(*segments);
    }
    text += '\n';
  }
  if (!predictions.empty()) {
    const auto& best = predictions[best_choice(predictions).index];
    if (best.traffic) text += to_json(explain(best, predictions)).text();
  }
  return text;
}

/// A forecast, or why there is none.
template <class Predict>
std::string outcome_of(const Predict& predict) {
  try {
    return text_of(predict());
  } catch (const Error& error) {
    return error.what();
  }
}

/// Compares all that a profile can be asked of a matrix in an order.
void expect_the_same(const CsrMatrix<double>& matrix, const ForecastFeatures& features,
                     const DeviceProfile& profile, const PredictionRequest& request) {
  const auto from_matrix = outcome_of([&] {
    MatrixOrders orders(matrix.view(), std::nullopt, features.renumbering);
    return predict_matrix(orders, profile, request);
  });
  const auto from_features =
      outcome_of([&] { return predict_features(features, profile, request); });
  EXPECT_EQ(from_features, from_matrix);
}

std::vector<std::string> models_of(const DeviceProfile& profile) {
  std::vector<std::string> models{"paper"};
  if (profile.cache) models.emplace_back("cache");
  if (profile.traffic) models.emplace_back("traffic");
  return models;
}

const std::vector<GpuShape>& shipped_gpus() {
  static const std::vector<GpuShape> gpus = [] {
    std::vector<GpuShape> shipped;
    for (const std::string& name : profile_names()) {
      const DeviceProfile profile = read_profile(name);
      if (!profile.traffic || profile.traffic->cpu_threads > 0) continue;
      shipped.push_back(profile.traffic->gpu);
    }
    return shipped;
  }();
  return gpus;
}

class EveryMatrix : public ::testing::TestWithParam<std::string> {
 protected:
  const CsrMatrix<double>& matrix() const { return matrix_of(GetParam()); }
};

TEST_P(EveryMatrix, IsForecastFromItsFeaturesAsItselfOnEveryShippedProfile) {
  const ForecastFeatures features = through_a_file(matrix(), shipped_gpus());
  EXPECT_TRUE(features.left_out.empty());
  for (const std::string& name : profile_names()) {
    const DeviceProfile whole = read_profile(name);
    for (const std::string& model : models_of(whole)) {
      const DeviceProfile profile = whole.for_model(model);
      for (const auto& [precision, curves] : profile.precisions) {
        SCOPED_TRACE(name + ", " + model + ", " + std::string(to_string(precision)));
        PredictionRequest request;
        request.precision = precision;
        request.iterations = 100;
        expect_the_same(matrix(), features, profile, request);
        request.devices = {1, 2, 3, 4, 8};
        expect_the_same(matrix(), features, profile, request);
        if (model == "traffic") {
          request.devices = {1};
          request.schedules = built_in_names();
          request.launches = {LaunchMode::plain};
          expect_the_same(matrix(), features, profile, request);
        }
      }
    }
  }
}

TEST_P(EveryMatrix, IsForecastFromItsFeaturesInEveryLayoutThatIsAskedFor) {
  const ForecastFeatures features = through_a_file(matrix(), shipped_gpus());
  for (const char* name : {"nvidia-h200", "amd-epyc-zen4-2cores"}) {
    const DeviceProfile profile = read_profile(name);
    for (const Layout& layout : usual_layouts()) {
      SCOPED_TRACE(std::string(name) + ", " + to_string(layout));
      PredictionRequest request;
      request.layouts = {layout};
      expect_the_same(matrix(), features, profile, request);
      if (layout.row_order == RowOrder::natural) request.devices = {2};
      expect_the_same(matrix(), features, profile, request);
    }
  }
}

TEST_P(EveryMatrix, IsForecastFromItsFeaturesByAProfileOfACpu) {
  const ForecastFeatures features = through_a_file(matrix(), {}, Renumbering::none, {});
  const DeviceProfile profile = testing::with_dia(testing::made_up_cpu_profile(8));
  for (const Precision precision : {Precision::f32, Precision::f64}) {
    PredictionRequest request;
    request.precision = precision;
    expect_the_same(matrix(), features, profile, request);
  }
}

TEST_P(EveryMatrix, IsForecastFromItsFeaturesForGpusOfAnySize) {
  DeviceProfile profile = testing::with_dia(testing::with_link(testing::made_up_traffic_profile()));
  for (const GpuShape& gpu :
       {GpuShape{1, 100'000, 100'000}, GpuShape{30, 4'000'000, 60'000},
        GpuShape{108, 40'000'000, 166'912}, GpuShape{1024, 500'000'000, 232'448}}) {
    profile.traffic->gpu = gpu;
    SCOPED_TRACE(gpu.multiprocessors);
    const ForecastFeatures features = through_a_file(matrix(), {gpu}, Renumbering::none, {2});
    PredictionRequest request;
    request.devices = {1, 2};
    expect_the_same(matrix(), features, profile, request);
  }
}

TEST_P(EveryMatrix, IsForecastFromItsFeaturesInAnotherOrder) {
  if (GetParam() == "scattered" || GetParam() == "full rows") return;  // METIS wants symmetric ones
  const DeviceProfile profile = read_profile("nvidia-h200");
  for (const Renumbering how : {Renumbering::rcm, Renumbering::metis}) {
    const ForecastFeatures features = through_a_file(matrix(), shipped_gpus(), how, {2});
    EXPECT_EQ(features.renumbering, how);
    PredictionRequest request;
    request.devices = {1, 2};
    expect_the_same(matrix(), features, profile, request);
  }
}

INSTANTIATE_TEST_SUITE_P(PredictFeatures, EveryMatrix, ::testing::ValuesIn([] {
                           std::vector<std::string> names;
                           for (const auto& [name, make] : makers()) names.push_back(name);
                           return names;
                         }()));

TEST(PredictFeatures, OfSchedulesOfOnesOwnAreThoseOfTheMatrix) {
  const CsrMatrix<double>& matrix = matrix_of("27-point");
  const ForecastFeatures features = through_a_file(matrix, shipped_gpus());
  for (const std::string& name : shipped_names()) {
    SCOPED_TRACE(name);
    PredictionRequest request;
    request.own = {OwnSolver(shipped_method(name), {}).priced()};
    request.schedules = {request.own.front().name()};
    request.launches = {LaunchMode::graph};
    expect_the_same(matrix, features, read_profile("nvidia-h200"), request);
  }
}

TEST(PredictFeatures, OfPersistentKernelsOfOtherSolversAreNearThoseOfTheMatrix) {
  const DeviceProfile profile = read_profile("nvidia-h200");
  for (const std::string matrix_name : {"27-point", "elements"}) {
    const CsrMatrix<double>& matrix = matrix_of(matrix_name);
    const ForecastFeatures features = through_a_file(matrix, shipped_gpus());
    for (const std::string name : {"cg", "pipelined-cg", "bicgstab"}) {
      SCOPED_TRACE(matrix_name + ", " + name);
      PredictionRequest request;
      request.own = {OwnSolver(shipped_method(name), {}).priced()};
      request.schedules = {request.own.front().name()};
      request.launches = {LaunchMode::persistent};
      request.layouts = {Layout{}};
      const double expected =
          predict_matrix(matrix.view(), compute_features(matrix.view()), profile, request)
              .at(0)
              .seconds_per_iteration;
      const double found = predict_features(features, profile, request).at(0).seconds_per_iteration;
      EXPECT_NEAR(found, expected, 0.05 * expected);
    }
  }
}

TEST(PredictFeatures, GiveTheAdviceThatTheMatrixGives) {
  const CsrMatrix<double>& matrix = matrix_of("elements");
  const ForecastFeatures features = through_a_file(matrix, shipped_gpus());
  const std::vector<DeviceProfile> profiles{read_profile("nvidia-h200"),
                                            read_profile("amd-epyc-zen4-2cores")};
  AdviceRequest request;
  request.iterations = 500;
  EXPECT_EQ(
      to_json(advise(features, profiles, request)).text(),
      to_json(advise(matrix.view(), compute_features(matrix.view()), profiles, request)).text());
}

TEST(PredictFeatures, OfAGpuThatTheyWereNotMadeForAreRefusedWithWhatToRun) {
  const ForecastFeatures features = through_a_file(matrix_of("27-point"), {});
  const DeviceProfile profile = read_profile("nvidia-h200");
  EXPECT_EQ(
      refusal_of([&] { predict_features(features, profile, {}); }),
      "a.features.json: was not made for the GPU of profile 'nvidia-h200', whose kernels work "
      "on the matrix in other parts; count the matrix again where it is, for this profile too: "
      "sparsecast inspect MATRIX --features FILE --for P,Q, or from Python count_features(A, [P, "
      "Q])");
}

/// Where nothing fits in shared memory there is nothing to count.
TEST(PredictFeatures, OfLargeMatricesAreForGpusThatTheyWereNotMadeFor) {
  const CsrMatrix<double>& matrix = matrix_of("elements");
  DeviceProfile profile = testing::made_up_traffic_profile();
  profile.traffic->gpu = {4, 50'000'000, 1'000};
  expect_the_same(matrix, through_a_file(matrix, {}), profile, {});
}

TEST(PredictFeatures, OfDevicesThatTheyWereNotMadeForAreRefusedWithWhatToRun) {
  const ForecastFeatures features =
      through_a_file(matrix_of("27-point"), shipped_gpus(), Renumbering::none, {2});
  PredictionRequest request;
  request.devices = {1, 4};
  EXPECT_EQ(refusal_of([&] { predict_features(features, read_profile("nvidia-h200"), request); }),
            "a.features.json: is for 1,2 devices, not 1,4; count the matrix again where it is: "
            "sparsecast inspect MATRIX --features FILE --for-devices 2,4, or from Python "
            "count_features(A, profiles, devices=[2,4])");
}

TEST(PredictFeatures, OfSeveralDevicesHaveTheNeighboursThatTheMatrixHas) {
  const CsrMatrix<double>& matrix = matrix_of("scattered");
  const ForecastFeatures features = through_a_file(matrix, shipped_gpus(), Renumbering::none, {4});
  PredictionRequest request;
  request.devices = {4};
  request.layouts = {Layout{}};
  const DeviceProfile profile = read_profile("nvidia-h200");
  const auto there = predict_features(features, profile, request);
  const auto here =
      predict_matrix(matrix.view(), compute_features(matrix.view()), profile, request);
  ASSERT_TRUE(there.front().traffic && here.front().traffic);
  for (std::size_t device = 0; device < 4; ++device) {
    EXPECT_EQ(there.front().traffic->segments->at(device).neighbours,
              here.front().traffic->segments->at(device).neighbours);
    EXPECT_EQ(here.front().traffic->segments->at(device).neighbours.size(), 3U);
  }
}

TEST(PredictFeatures, OfMoreDiagonalsThanTheMatrixHasAreRefused) {
  ForecastFeatures features = through_a_file(matrix_of("27-point"), shipped_gpus());
  features.features.format_counts["dia"]["diagonals"] = 1e15;
  EXPECT_EQ(refusal_of([&] { predict_features(features, read_profile("nvidia-h200"), {}); }),
            "layout dia: the matrix has fewer diagonals than were counted; give the matrix itself");
}

TEST(PredictFeatures, LeaveFormatsOutThatTheFileSaysNothingOf) {
  const CsrMatrix<double>& matrix = matrix_of("27-point");
  ForecastFeatures features = through_a_file(matrix, shipped_gpus());
  std::erase_if(features.layouts,
                [](const CountedLayout& one) { return one.layout.format == "dia"; });
  features = parse_features(features_to_json(features), "a.features.json");
  ASSERT_EQ(features.left_out,
            std::vector<std::string>{"a.features.json says nothing of format dia"});
  const DeviceProfile profile = read_profile("nvidia-h200");
  const auto has_dia = [](const std::vector<Prediction>& all) {
    return std::ranges::any_of(all,
                               [](const Prediction& one) { return one.layout.format == "dia"; });
  };
  EXPECT_TRUE(has_dia(predict_matrix(matrix.view(), compute_features(matrix.view()), profile, {})));
  EXPECT_FALSE(has_dia(predict_features(features, profile, {})));
  PredictionRequest request;
  request.layouts = {{"dia", 1, RowOrder::natural}};
  EXPECT_EQ(refusal_of([&] { predict_features(features, profile, request); }),
            "layout dia: a.features.json has no counts of it; give the matrix itself, or write the "
            "file again with this version");
}

}  // namespace
}  // namespace sparsecast
