#include "predict/validation/case_price.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "core/analysis/persistent_execution.hpp"
#include "core/base/error.hpp"
#include "core/engine/own_solver.hpp"
#include "core/engine/shipped_schedules.hpp"
#include "core/matrix/generate/generators.hpp"
#include "core/schedule/cg_schedule.hpp"
#include "core/schedule/persistent/persistent_plan.hpp"
#include "model/profile/profile_file.hpp"
#include "model/traffic/traffic_pricer.hpp"
#include "predict/forecast/traffic/traffic_case.hpp"
#include "predict/predict_matrix.hpp"
#include "predict/traffic_profile.hpp"
#include "predict/validation/baseline.hpp"
#include "predict/validation/data/validation_csv.hpp"
#include "predict/validation/roofline.hpp"

namespace sparsecast {
namespace {

/// A profile of a latency-bandwidth device: every kernel costs `seconds` and runs at `gbps`.
DeviceProfile made_up_profile(double seconds, double gbps) {
  DeviceProfile profile;
  profile.name = "made up";
  profile.kind = DeviceProfile::Kind::cpu;
  for (const Precision precision : {Precision::f32, Precision::f64}) {
    const double bytes = static_cast<double>(bytes_per_value(precision));
    const ThroughputCurve law{std::log2(seconds * gbps * 1e9 / bytes), latency_bandwidth_sigma,
                              gbps};
    for (const char* name : {"CG1", "CG2", "CG3", "CG4", "CG5", "Red", "SpMV/csr", "SpMV/bcsr2",
                             "SpMV/bcsr4", "SpMV/dia"}) {
      profile.precisions[precision].curves[name] = {law, law, std::nullopt};
    }
  }
  Link link;
  link.exchange.average = link.exchange.maximum = {0, latency_bandwidth_sigma, gbps};
  link.sync_seconds = seconds;
  link.shared_bus = true;
  profile.links[2] = link;
  return profile;
}

SegmentShape shape_of(double unknowns, double elements) {
  SegmentShape shape;
  shape.unknowns = shape.total_unknowns = shape.block_rows = unknowns;
  shape.elements = shape.blocks = elements;
  return shape;
}

ValidationRow measured(const std::string& schedule) {
  ValidationRow row;
  row.matrix = row.pattern = "a";
  row.unknowns = 1000;
  row.nonzeros = row.block_elements = 5000;
  row.schedule = schedule;
  row.segments = {shape_of(1000, 5000)};
  row.measured_seconds = 1e-5;
  return row;
}

ValidationRow priced(const std::string& schedule, const DeviceProfile& profile,
                     std::string_view model = "") {
  ValidationRow row = measured(schedule);
  price_rows(std::span(&row, 1), profile, model, CurveKind::average);
  return row;
}

TEST(CasePrice, IsThatOfTheIteration) {
  const DeviceProfile profile = made_up_profile(1e-6, 10);
  const SegmentShape shape = shape_of(1000, 5000);

  const ValidationRow row = priced("algorithm1", profile);

  EXPECT_DOUBLE_EQ(row.predicted_seconds,
                   price_iteration(algorithm1_schedule(), std::span(&shape, 1), profile,
                                   Precision::f64, "csr", CurveKind::average)
                       .seconds);
  EXPECT_DOUBLE_EQ(row.paper_seconds, row.predicted_seconds);
  EXPECT_DOUBLE_EQ(
      row.baseline_seconds,
      baseline_seconds(algorithm1_schedule(), std::span(&shape, 1), profile, Precision::f64));
}

TEST(CasePrice, OfAProductAloneIsItsOwnKernel) {
  const ValidationRow row = priced("spmv", made_up_profile(1e-6, 10));

  EXPECT_NEAR(row.predicted_seconds, 1e-6 + 8 * 2 * 5000.0 / 10e9, 1e-9);
  EXPECT_DOUBLE_EQ(row.working_set_bytes, 8 * 2 * 1000.0 + 12 * 5000.0 + 8 * 1000.0);
  EXPECT_GT(row.baseline_seconds, 1e-6);
}

TEST(CasePrice, OfDiagonalsIsThatOfTheirCurveAndOfWhatTheyStore) {
  ValidationRow row = measured("spmv");
  row.layout = {"dia", 1, RowOrder::natural};
  row.segments = {{1000, 1000, 5120, 5120, 1000, 0, 0}};
  DeviceProfile profile = made_up_profile(1e-6, 10);

  price_rows(std::span(&row, 1), profile, "", CurveKind::average);

  EXPECT_NEAR(row.predicted_seconds, 1e-6 + 8 * 2 * 5120.0 / 10e9, 1e-9);
  EXPECT_DOUBLE_EQ(row.working_set_bytes, 8 * 2 * 1000.0 + 8 * 5120.0);

  profile.precisions.at(Precision::f64).curves.erase("SpMV/dia");
  price_rows(std::span(&row, 1), profile, "", CurveKind::average);
  EXPECT_EQ(row.predicted_seconds, 0);
}

TEST(CasePrice, OfDiagonalsByTheTrafficModelNeedsTheirKindOfProduct) {
  const Layout dia{"dia", 1, RowOrder::natural};
  const Schedule schedule = fused_cg_schedule();
  const CsrMatrix<double> grid = laplacian(5, 300, 300);
  const MatrixFeatures features = compute_features(grid.view());
  const MatrixAccess access = compute_access(grid.view());
  DeviceProfile profile = testing::made_up_traffic_profile();
  const TrafficCase stored =
      traffic_case(grid.view(), features, access, dia, Precision::f64, profile.traffic->gpu);
  ValidationRow row = measured("fused");
  row.launch = "graph";
  row.layout = dia;
  row.segments = {stored.shape};
  row.access = stored.pattern;
  row.execution = stored.execution;
  price_rows(std::span(&row, 1), profile, "", CurveKind::average);
  EXPECT_EQ(row.predicted_seconds, 0);

  auto& products = profile.traffic->parameters.products;
  for (const char* kind : {"dia", "dia-few-rows"}) products[kind] = products.at("csr");
  profile.traffic->layouts.emplace_back("f64/dia");
  price_rows(std::span(&row, 1), profile, "", CurveKind::average);
  EXPECT_DOUBLE_EQ(row.predicted_seconds, TrafficPricer(schedule, LaunchMode::graph, stored,
                                                        profile.traffic->gpu, Precision::f64)
                                              .price(profile.traffic->parameters)
                                              .seconds);

  EXPECT_DOUBLE_EQ(row.roofline_seconds, roofline_seconds(schedule, LaunchMode::graph, stored.shape,
                                                          {}, profile, Precision::f64));

  // What was read again is priced alike: that no row offsets are stored is not forgotten.
  const ValidationData again = parse_validation_csv(validation_to_csv({{}, {row}}), "raw.csv");
  ValidationRow read = again.rows.at(0);
  read.predicted_seconds = 0;
  price_rows(std::span(&read, 1), profile, "", CurveKind::average);
  EXPECT_EQ(read.predicted_seconds, row.predicted_seconds);
}

TEST(CasePrice, IsNothingWhereTheProfileLacksACurve) {
  const ValidationRow row = priced("vendor", made_up_profile(1e-6, 10));

  EXPECT_EQ(row.predicted_seconds, 0);
  EXPECT_FALSE(row.interval_seconds.has_value());
  EXPECT_EQ(row.baseline_seconds, 0);
  EXPECT_GT(row.working_set_bytes, 60000);
}

TEST(CasePrice, HasTheIntervalOfTheProfileForAlgorithm1Only) {
  DeviceProfile profile = made_up_profile(1e-6, 10);
  profile.precisions.at(Precision::f64).intervals["csr"] = {0.5, 2, 10};

  const ValidationRow row = priced("algorithm1", profile);

  ASSERT_TRUE(row.interval_seconds.has_value());
  EXPECT_DOUBLE_EQ(row.interval_seconds->low, 0.5 * row.predicted_seconds);
  EXPECT_FALSE(priced("spmv", profile).interval_seconds.has_value());
}

TEST(CasePrice, JudgesThePaperByWhatItDescribes) {
  DeviceProfile profile = made_up_profile(1e-6, 10);
  auto& curves = profile.precisions.at(Precision::f64).curves;
  curves["SpMVDot/csr"] = curves.at("SpMV/csr");
  for (const char* name : {"CGResidual", "CGDirection", "CGStart"}) curves[name] = curves.at("CG4");

  for (const char* described : {"algorithm1", "spmv"}) {
    EXPECT_GT(priced(described, profile).paper_seconds, 0) << described;
  }
  // Kernels that it has no equation for, though there are curves of them.
  EXPECT_EQ(priced("fused", profile).paper_seconds, 0);
  EXPECT_EQ(priced("fused", profile, "paper").predicted_seconds, 0);
  profile.cache = CacheEffect{1e6, 2};
  EXPECT_GT(priced("fused", profile, "cache").predicted_seconds, 0);

  const auto launched = [&](const char* launch) {
    ValidationRow row = measured("algorithm1");
    row.launch = launch;
    price_rows(std::span(&row, 1), profile, "", CurveKind::average);
    return row;
  };
  for (const char* launch : {"plain", "host", "graph"}) {
    EXPECT_GT(launched(launch).paper_seconds, 0) << launch;
  }
  EXPECT_EQ(launched("persistent").paper_seconds, 0);
  EXPECT_EQ(launched("persistent").predicted_seconds, 0);

  // Equation 11 exchanges whole vectors.
  ValidationRow two = measured("algorithm1");
  two.segments = {shape_of(500, 2500), shape_of(500, 2500)};
  for (const char* exchange : {"staged", "peer"}) {
    two.exchange = exchange;
    price_rows(std::span(&two, 1), profile, "", CurveKind::average);
    EXPECT_GT(two.paper_seconds, 0) << exchange;
  }
  two.exchange = "halo";
  price_rows(std::span(&two, 1), profile, "", CurveKind::average);
  EXPECT_EQ(two.paper_seconds, 0);
}

TEST(CasePrice, PutsThePaperBesideAModelThatKnowsACache) {
  DeviceProfile profile = made_up_profile(1e-6, 10);
  profile.cache = CacheEffect{1e6, 2};
  for (auto& [name, curve] : profile.precisions.at(Precision::f64).curves) {
    curve.average.memory_nu = 5;
  }

  const ValidationRow row = priced("algorithm1", profile);

  EXPECT_EQ(CasePricer(profile, "", CurveKind::average).model(), "cache");
  EXPECT_NE(row.predicted_seconds, row.paper_seconds);
  EXPECT_DOUBLE_EQ(priced("algorithm1", profile, "paper").predicted_seconds, row.paper_seconds);
}

TEST(CasePrice, RefusesModelsThatThereAreNot) {
  const DeviceProfile profile = made_up_profile(1e-6, 10);
  EXPECT_THROW(CasePricer(profile, "guess", CurveKind::average), Error);
  EXPECT_THROW(CasePricer(profile, "cache", CurveKind::average), Error);
}

TEST(CasePrice, NeedsShapes) {
  ValidationRow row = measured("algorithm1");
  row.segments.clear();
  EXPECT_THROW(price_rows(std::span(&row, 1), made_up_profile(1e-6, 10), "", CurveKind::average),
               Error);
}

TEST(CasePrice, OfTheTrafficModelIsOfThatKindOfDevice) {
  const CsrMatrix<double> grid = laplacian(5, 300, 300);
  const TrafficCase stored =
      traffic_case(grid.view(), compute_features(grid.view()), compute_access(grid.view()),
                   Layout{}, Precision::f64, testing::made_up_traffic_profile().traffic->gpu);
  ValidationRow on_cpu = measured("fused");
  on_cpu.segments = {stored.shape};
  on_cpu.access = stored.pattern;
  ValidationRow on_gpu = on_cpu;
  on_gpu.launch = "graph";
  on_gpu.execution = stored.execution;

  const auto forecast = [](ValidationRow row, const DeviceProfile& profile) {
    price_rows(std::span(&row, 1), profile, "", CurveKind::average);
    return row.predicted_seconds;
  };
  const DeviceProfile cpu = testing::made_up_cpu_profile(2);
  const DeviceProfile gpu = testing::made_up_traffic_profile();
  EXPECT_GT(forecast(on_cpu, cpu), 0);
  EXPECT_EQ(forecast(on_gpu, cpu), 0);
  EXPECT_GT(forecast(on_gpu, gpu), 0);
  EXPECT_EQ(forecast(on_cpu, gpu), 0);
}

TEST(CasePrice, OfAnotherSolversPersistentKernelIsThatOfItsForecast) {
  const CsrMatrix<double> grid = laplacian(5, 100, 100);
  const MatrixFeatures features = compute_features(grid.view());
  const MatrixAccess access = compute_access(grid.view());
  const DeviceProfile profile = read_profile("nvidia-h200");
  const OwnSolver solver(shipped_method("bicgstab"), {});
  const TrafficCase stored =
      traffic_case(grid.view(), features, access, Layout{}, Precision::f64, profile.traffic->gpu);
  const GpuExecution execution =
      gpu_execution(grid.view(), access, stored.shape, Layout{}, Precision::f64,
                    profile.traffic->gpu, CudaPolicy{}, persistent_needs(solver.priced().schedule));
  PricedCase priced;
  priced.schedule = "bicgstab";
  priced.launch = "persistent";
  priced.segments = std::span(&stored.shape, 1);
  priced.access = &stored.pattern;
  priced.execution = &execution;
  const CasePricer pricer(profile, "", CurveKind::average, {{"bicgstab", solver}});
  const std::optional<CasePrice> price = pricer.price(priced);

  PredictionRequest request;
  request.layouts = {Layout{}};
  request.own = {solver.priced()};
  request.schedules = {"bicgstab"};
  request.launches = {LaunchMode::persistent};
  const std::vector<Prediction> predictions =
      predict_matrix(grid.view(), features, profile, request);
  ASSERT_EQ(predictions.size(), 1U);
  ASSERT_TRUE(price && price->interval && predictions.front().interval_seconds);
  EXPECT_DOUBLE_EQ(price->seconds, predictions.front().seconds_per_iteration);
  EXPECT_DOUBLE_EQ(price->interval->low, predictions.front().interval_seconds->low);
  EXPECT_DOUBLE_EQ(price->interval->high, predictions.front().interval_seconds->high);
}

TEST(PricedData, OfAFileHasAForecast) {
  DeviceProfile profile = made_up_profile(1e-6, 10);
  profile.device = "a machine";
  ValidationData data{{{"run on", "card"}}, {measured("vendor"), measured("algorithm1")}};
  data.source = "raw.csv";
  price_data(data, profile, "", CurveKind::average);  // of one of them
  EXPECT_EQ(data.about.at("profile"), "made up");

  data.rows.pop_back();
  try {
    price_data(data, profile, "", CurveKind::average);
    FAIL() << "nothing is forecast";
  } catch (const Error& error) {
    EXPECT_STREQ(error.what(),
                 "raw.csv: profile made up of a machine, by model paper, forecasts no case of what "
                 "was measured on card; give a profile of such a device, or none to see the "
                 "forecasts in the file");
  }

  // What is being measured has none yet.
  data.source.clear();
  price_data(data, profile, "", CurveKind::average);
  EXPECT_EQ(data.rows.front().predicted_seconds, 0);
}

TEST(WorkingSet, CountsTheMatrixAndEveryVectorOnce) {
  // c, r, w, u, x, v_part, t1, t2, t3 and v; b is read before the first iteration only.
  EXPECT_DOUBLE_EQ(priced("algorithm1", made_up_profile(1e-6, 10)).working_set_bytes,
                   8 * 10 * 1000.0 + 12 * 5000.0 + 8 * 1000.0);
}

TEST(Baseline, IsFixedCostsPlusBytesOverBandwidth) {
  const SegmentShape shape = shape_of(1000, 5000);
  const DeviceProfile profile = made_up_profile(1e-6, 10);

  const double seconds =
      baseline_seconds(algorithm1_schedule(), std::span(&shape, 1), profile, Precision::f64);

  // SpMV, CG3, CG4, CG5 and three reductions; 21 vector values an unknown, and SpMV's own.
  const double bytes = 8 * 21 * 1000.0 + 12 * 5000.0 + 8 * 1000.0 + 8 * 2 * 1000.0;
  EXPECT_NEAR(seconds, 7e-6 + bytes / 10e9, 1e-12);
}

TEST(Baseline, SharesTheBusOfThreadGroups) {
  SegmentShape half = shape_of(500, 2500);
  half.total_unknowns = 1000;
  const std::vector<SegmentShape> segments{half, half};
  DeviceProfile profile = made_up_profile(1e-6, 10);
  const double shared = baseline_seconds(algorithm1_schedule(), segments, profile, Precision::f64);

  profile.links.at(2).shared_bus = false;
  const double apart = baseline_seconds(algorithm1_schedule(), segments, profile, Precision::f64);

  // Half of the bytes, and of the gathered vector both halves read all.
  const double bytes = 8 * 21 * 500.0 + 12 * 2500.0 + 8 * 500.0 + 8 * (1000 + 500.0);
  EXPECT_NEAR(shared - apart, bytes / 10e9, 1e-12);
}

}  // namespace
}  // namespace sparsecast
