#include "predict/validation_run.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "core/cg_schedule.hpp"
#include "core/error.hpp"
#include "core/generators.hpp"
#include "predict/baseline.hpp"

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
    for (const char* name :
         {"CG1", "CG2", "CG3", "CG4", "CG5", "Red", "SpMV/csr", "SpMV/bcsr2", "SpMV/bcsr4"}) {
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

ValidationMatrix laplacian_input() {
  return {"laplacian", laplacian(5, 20, 20), false};
}

/// A monitor that collects; the back ends live in it.
struct Collector {
  std::map<int, std::unique_ptr<Backend>> backends;
  std::vector<ValidationRow> rows;
  std::vector<std::string> skipped;
  std::size_t stop_after = 1000;

  ValidationMonitor monitor() {
    return {[this](int devices) -> Backend& {
              auto& backend = backends[devices];
              if (!backend) backend = open_backend(devices == 1 ? "cpu" : "cpu:0,cpu:1", 2);
              return *backend;
            },
            [this](const std::string&) { return rows.size() < stop_after; },
            [this](const ValidationRow& row) { rows.push_back(row); },
            [this](const std::string& what) { skipped.push_back(what); }};
  }
};

TEST(ThreadedValidationRun, MeasuresEveryCaseBesideItsPrediction) {
  Collector collector;
  ValidationRequest request;
  request.blocks = {1, 2};
  request.devices = {1, 2};
  request.precisions = {Precision::f32, Precision::f64};
  request.seconds_per_case = 0.01;

  const bool complete =
      validate_matrix(laplacian_input(), made_up_profile(1e-6, 10), request, collector.monitor());

  EXPECT_TRUE(complete);
  ASSERT_EQ(collector.rows.size(), 8u);
  for (const ValidationRow& row : collector.rows) {
    EXPECT_EQ(row.unknowns, 400);
    EXPECT_FALSE(row.surrogate_values);
    EXPECT_GT(row.measured_seconds, 0);
    EXPECT_GT(row.predicted_seconds, 0);
    EXPECT_GT(row.baseline_seconds, 0);
    EXPECT_GE(row.rounds, 5);
  }
}

TEST(ThreadedValidationRun, StopsWhenItIsTold) {
  Collector collector;
  collector.stop_after = 1;
  ValidationRequest request;
  request.blocks = {1, 2, 4};
  request.seconds_per_case = 0.01;

  EXPECT_FALSE(
      validate_matrix(laplacian_input(), made_up_profile(1e-6, 10), request, collector.monitor()));
  EXPECT_EQ(collector.rows.size(), 1u);
}

TEST(ThreadedValidationRun, ReplacesTheValuesOfAnIndefiniteMatrix) {
  ValidationMatrix input = laplacian_input();
  for (double& value : input.matrix.values) {
    if (value < 0) value *= 100;
  }
  Collector collector;
  ValidationRequest request;
  request.blocks = {1};
  request.seconds_per_case = 0.01;

  validate_matrix(input, made_up_profile(1e-6, 10), request, collector.monitor());

  ASSERT_EQ(collector.rows.size(), 1u);
  EXPECT_TRUE(collector.rows[0].surrogate_values);
  EXPECT_EQ(collector.rows[0].nonzeros, input.matrix.nonzeros());
}

TEST(ThreadedValidationRun, KeepsThePatternKeyWhenUnknownsAreRenumbered) {
  Collector collector;
  ValidationRequest request;
  request.blocks = {2};
  request.renumberings = {"none", "random"};
  request.seconds_per_case = 0.01;

  validate_matrix(laplacian_input(), made_up_profile(1e-6, 10), request, collector.monitor());

  ASSERT_EQ(collector.rows.size(), 2u);
  EXPECT_EQ(collector.rows[0].pattern, collector.rows[1].pattern);
  EXPECT_LT(collector.rows[0].block_elements, collector.rows[1].block_elements);
}

TEST(ThreadedValidationRun, RefusesAMatrixThatIsNotSquare) {
  ValidationMatrix input = laplacian_input();
  input.matrix.columns += 1;
  Collector collector;

  EXPECT_THROW(validate_matrix(input, made_up_profile(1e-6, 10), {}, collector.monitor()), Error);
}

TEST(WorkingSet, CountsTheMatrixAndEveryVectorOnce) {
  SegmentShape shape;
  shape.unknowns = shape.total_unknowns = 1000;
  shape.elements = 5000;
  shape.blocks = 5000;
  shape.block_rows = 1000;

  // c, r, w, u, x, v_part, t1, t2, t3 and v; b is read before the first iteration only.
  const double expected = 8 * 10 * 1000.0 + 12 * 5000.0 + 8 * 1001.0;
  EXPECT_DOUBLE_EQ(working_set_bytes(algorithm1_schedule(), std::span(&shape, 1), Precision::f64),
                   expected);
}

TEST(PatternKey, DependsOnThePatternOnly) {
  CsrMatrix<double> matrix = laplacian(5, 7, 9);
  const std::string key = pattern_key(matrix);
  matrix.values[3] = 17;
  EXPECT_EQ(pattern_key(matrix), key);

  EXPECT_NE(pattern_key(laplacian(5, 9, 7)), key);
}

TEST(Baseline, IsFixedCostsPlusBytesOverBandwidth) {
  SegmentShape shape;
  shape.unknowns = shape.total_unknowns = 1000;
  shape.elements = 5000;
  shape.blocks = 5000;
  shape.block_rows = 1000;
  const DeviceProfile profile = made_up_profile(1e-6, 10);

  const double seconds =
      baseline_seconds(algorithm1_schedule(), std::span(&shape, 1), profile, Precision::f64);

  // SpMV, CG3, CG4, CG5 and three reductions; 21 vector values an unknown, and SpMV's own.
  const double bytes = 8 * 21 * 1000.0 + 12 * 5000.0 + 8 * 1000.0 + 8 * 2 * 1000.0;
  EXPECT_NEAR(seconds, 7e-6 + bytes / 10e9, 1e-12);
}

TEST(Baseline, SharesTheBusOfThreadGroups) {
  SegmentShape half;
  half.unknowns = 500;
  half.total_unknowns = 1000;
  half.elements = 2500;
  half.blocks = 2500;
  half.block_rows = 500;
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
