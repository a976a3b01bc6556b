#include "predict/predict_matrix.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <set>
#include <utility>

#include "core/analysis/partition.hpp"
#include "core/base/error.hpp"
#include "core/formats/bcsr/bcsr.hpp"
#include "core/random_csr.hpp"
#include "core/schedule/cg_schedule.hpp"
#include "predict/predict_numbers.hpp"
#include "predict/prediction_json.hpp"
#include "predict/profile_limits.hpp"

namespace sparsecast {
namespace {

constexpr std::int64_t matrix_rows = 1003;  // no multiple of any block size
constexpr unsigned seed = 20240517;

CsrMatrix<double> random_matrix() {
  return random_csr<double>(matrix_rows, matrix_rows, 12, seed);
}

/// A GPU with CSR, 2 x 2 and 4 x 4 blocks; the more a layout stores at once, the faster.
DeviceProfile gpu_profile() {
  DeviceProfile profile;
  profile.name = "gpu";
  profile.kind = DeviceProfile::Kind::gpu;
  const auto curve = [](double nu) {
    return KernelCurve{{16, 1.4427, nu}, {16, 1.4427, 1.25 * nu}, {}};
  };
  PrecisionProfile precision;
  for (const char* key : {"CG2", "CG3", "CG4", "CG5", "Red"}) precision.curves[key] = curve(90);
  precision.curves["SpMV/csr"] = curve(10);
  precision.curves["SpMV/bcsr2"] = curve(60);
  precision.curves["SpMV/bcsr4"] = curve(100);
  precision.intervals["bcsr2"] = {0.9, 1.2, 30};
  precision.conversion["csr"] = {0, 1e-9, 2e-9, 0};
  precision.conversion["bcsr2"] = {0, 4e-9, 3e-9, 0};
  profile.precisions[Precision::f64] = precision;
  Link link;
  link.exchange = curve(20);
  link.sync_seconds = 2e-6;
  profile.links[2] = link;
  profile.links[3] = link;
  profile.upload_gbps = 16;
  profile.memory_bytes = 1'000'000'000;
  return profile;
}

std::vector<Prediction> predict(const CsrMatrix<double>& matrix, const DeviceProfile& profile,
                                const PredictionRequest& request) {
  return predict_matrix(matrix.view(), compute_features(matrix.view()), profile, request);
}

/// Non-empty N x N blocks with rows in [begin, end), counted without any of the library's code.
double count_blocks_plainly(const CsrMatrix<double>& matrix, std::int64_t begin, std::int64_t end,
                            int block_size) {
  std::set<std::pair<std::int64_t, std::int64_t>> blocks;
  for (std::int64_t row = begin; row < end; ++row) {
    const auto r = static_cast<std::size_t>(row);
    for (auto k = matrix.row_offsets[r]; k < matrix.row_offsets[r + 1]; ++k) {
      blocks.emplace(row / block_size,
                     matrix.column_indices[static_cast<std::size_t>(k)] / block_size);
    }
  }
  return static_cast<double>(blocks.size());
}

TEST(Prediction, PricesTheMatrixsOwnBlocks) {
  const CsrMatrix<double> matrix = random_matrix();
  PredictionRequest request;
  request.layouts = {block_layout(4)};
  const auto predictions = predict(matrix, gpu_profile(), request);

  ASSERT_EQ(predictions.size(), 1u);
  const double blocks = count_blocks_plainly(matrix, 0, matrix_rows, 4);
  const IterationTime expected = price_iteration(
      algorithm1_schedule(), equal_segments(matrix_rows, 16 * blocks, block_layout(4), 1),
      gpu_profile(), Precision::f64, "bcsr4", CurveKind::average);
  EXPECT_NEAR(predictions[0].seconds_per_iteration, expected.seconds, 1e-15);
  const double raw_flops = 2 * 16 * blocks + 15 * matrix_rows;
  const double flops = 2.0 * static_cast<double>(matrix.nonzeros()) + 15 * matrix_rows;
  EXPECT_NEAR(predictions[0].raw_gflops, raw_flops / expected.seconds / 1e9, 1e-9);
  EXPECT_NEAR(predictions[0].effective_gflops.value(), flops / expected.seconds / 1e9, 1e-9);
}

TEST(Prediction, PricesTheSlowestSegmentOfTheRealPartition) {
  const CsrMatrix<double> matrix = random_matrix();
  for (const int block : {1, 2}) {
    PredictionRequest request;
    request.layouts = {block_layout(block)};
    request.devices = {3};
    const auto predictions = predict(matrix, gpu_profile(), request);

    std::vector<SegmentShape> shapes;
    for (const Segment& segment : partition(matrix.view(), block_layout(block), 3)) {
      SegmentShape shape;
      shape.unknowns = static_cast<double>(segment.rows());
      shape.total_unknowns = matrix_rows;
      shape.blocks = count_blocks_plainly(matrix, segment.begin_row, segment.end_row, block);
      shape.elements = shape.blocks * block * block;
      shapes.push_back(shape);
    }
    const IterationTime expected =
        price_iteration(algorithm1_schedule(), shapes, gpu_profile(), Precision::f64,
                        to_string(block_layout(block)), CurveKind::average);
    EXPECT_NEAR(predictions.at(0).seconds_per_iteration, expected.seconds, 1e-15) << block;
    EXPECT_EQ(predictions.at(0).devices, 3);
  }
}

TEST(Prediction, CoversEveryBlockSizeOfTheProfileAndEveryNumberOfDevices) {
  PredictionRequest request;
  request.devices = {1, 2};
  const auto predictions = predict(random_matrix(), gpu_profile(), request);
  std::vector<std::pair<int, int>> found;
  for (const Prediction& prediction : predictions) {
    found.emplace_back(prediction.layout.block_size, prediction.devices);
  }
  const std::vector<std::pair<int, int>> expected{{1, 1}, {1, 2}, {2, 1}, {2, 2}, {4, 1}, {4, 2}};
  EXPECT_EQ(found, expected);
}

TEST(Prediction, ComparesWithOneDeviceEvenWhereNobodyAskedForIt) {
  PredictionRequest request;
  request.devices = {2};
  const Prediction two = predict_numbers(1e5, 3e6, block_layout(4), gpu_profile(), request).at(0);
  request.devices = {1};
  const Prediction one = predict_numbers(1e5, 3e6, block_layout(4), gpu_profile(), request).at(0);
  EXPECT_NEAR(two.speedup.value(), one.seconds_per_iteration / two.seconds_per_iteration, 1e-12);
  EXPECT_EQ(one.speedup, 1);
}

TEST(Prediction, FromNumbersIsThePriceOfEqualSegments) {
  PredictionRequest request;
  request.devices = {2};
  request.curve = CurveKind::maximum;
  const Prediction prediction =
      predict_numbers(1e5, 3e6, block_layout(2), gpu_profile(), request).at(0);
  const IterationTime expected =
      price_iteration(algorithm1_schedule(), equal_segments(1e5, 3e6, block_layout(2), 2),
                      gpu_profile(), Precision::f64, "bcsr2", CurveKind::maximum);
  EXPECT_DOUBLE_EQ(prediction.seconds_per_iteration, expected.seconds);
  EXPECT_DOUBLE_EQ(prediction.parts.exchange, expected.parts.exchange);
}

TEST(Prediction, FromNumbersKnowsNoEffectivePerformanceOfBlocks) {
  const PredictionRequest request;
  EXPECT_FALSE(
      predict_numbers(1e5, 3e6, block_layout(2), gpu_profile(), request)[0].effective_gflops);
  const Prediction csr = predict_numbers(1e5, 3e6, {}, gpu_profile(), request).at(0);
  EXPECT_DOUBLE_EQ(csr.effective_gflops.value(), csr.raw_gflops);
}

TEST(Prediction, SaysWhereItLiesOutsideItsOwnInterval) {
  DeviceProfile profile = gpu_profile();
  EXPECT_EQ(bias_warning(profile, Precision::f64, block_layout(2), 1), "");
  profile.precisions[Precision::f64].intervals["bcsr2"] = {1.2, 1.5, 40};
  const Prediction low = predict_numbers(1e5, 3e6, block_layout(2), profile, {}).at(0);
  ASSERT_EQ(low.warnings.size(), 1u);
  EXPECT_NE(low.warnings.front().find("measured 1.2 to 1.5 times what it forecasts"),
            std::string::npos)
      << low.warnings.front();
  EXPECT_TRUE(predict_numbers(1e5, 3e6, {}, profile, {})[0].warnings.empty());
}

TEST(Prediction, TellsWhatThePaperModelIsOffByBesideItsTime) {
  DeviceProfile profile = gpu_profile();
  const double seconds =
      predict_numbers(1e5, 3e6, block_layout(2), profile, {})[0].seconds_per_iteration;
  profile.precisions[Precision::f64].intervals["bcsr2"] = {0.9, 1.5, 40, 1.12};
  PredictionRequest request;
  const Prediction average = predict_numbers(1e5, 3e6, block_layout(2), profile, request).at(0);
  EXPECT_EQ(average.seconds_per_iteration, seconds);
  EXPECT_EQ(average.measured_over_predicted, 1.12);
  EXPECT_NE(to_json(average).text().find(R"("measured_over_predicted":1.12,)"), std::string::npos)
      << to_json(average).text();
  request.curve = CurveKind::maximum;  // a best case: it is nobody's expectation
  const Prediction maximum = predict_numbers(1e5, 3e6, block_layout(2), profile, request).at(0);
  EXPECT_FALSE(maximum.measured_over_predicted);
  EXPECT_FALSE(maximum.interval_seconds);
}

TEST(Prediction, HasAnIntervalWhereTheProfileKnowsOne) {
  const PredictionRequest request;
  const Prediction known = predict_numbers(1e5, 3e6, block_layout(2), gpu_profile(), request).at(0);
  ASSERT_TRUE(known.interval_seconds.has_value());
  EXPECT_DOUBLE_EQ(known.interval_seconds->low, 0.9 * known.seconds_per_iteration);
  EXPECT_DOUBLE_EQ(known.interval_seconds->high, 1.2 * known.seconds_per_iteration);
  EXPECT_FALSE(
      predict_numbers(1e5, 3e6, block_layout(4), gpu_profile(), request)[0].interval_seconds);
}

TEST(Prediction, CountsTheBytesThatALayoutReallyHas) {
  const CsrMatrix<double> matrix = random_matrix();
  for (const int block : {1, 2, 4}) {
    PredictionRequest request;
    request.layouts = {block_layout(block)};
    const auto stored = convert_to_bcsr(matrix.view(), {0, matrix_rows}, block_layout(block));
    // Ten vectors by segment and a full one: x, b, c, r, w, u, v_part, t1, t2, t3 and v.
    EXPECT_EQ(predict(matrix, gpu_profile(), request).at(0).bytes_per_device,
              stored.bytes() + 11 * 8 * matrix_rows)
        << block;
  }
}

TEST(Prediction, SaysWhetherTheMatrixFits) {
  DeviceProfile profile = gpu_profile();
  const PredictionRequest request;
  const Prediction prediction = predict_numbers(1e5, 3e6, block_layout(2), profile, request).at(0);
  EXPECT_EQ(prediction.fits, true);
  profile.memory_bytes = prediction.bytes_per_device - 1;
  EXPECT_EQ(predict_numbers(1e5, 3e6, block_layout(2), profile, request)[0].fits, false);
  profile.memory_bytes = 0;
  EXPECT_FALSE(predict_numbers(1e5, 3e6, block_layout(2), profile, request)[0].fits.has_value());
}

TEST(Prediction, AddsSetupToAWholeSolve) {
  const CsrMatrix<double> matrix = random_matrix();
  PredictionRequest request;
  request.layouts = {block_layout(2)};
  request.iterations = 500;
  const Prediction prediction = predict(matrix, gpu_profile(), request).at(0);
  const double elements = 4 * count_blocks_plainly(matrix, 0, matrix_rows, 2);
  // CSR, which the GPU converts, and two vectors at least.
  const double csr =
      12.0 * static_cast<double>(matrix.nonzeros()) + 8.0 * static_cast<double>(matrix_rows + 1);
  const auto vectors = static_cast<double>(2 + algorithm1().slots.diagonals.size());
  const double bytes = csr + vectors * 8 * static_cast<double>(matrix_rows);
  const double conversion = 4e-9 * static_cast<double>(matrix.nonzeros()) + 3e-9 * elements;
  EXPECT_NEAR(prediction.conversion_seconds.value(), conversion, 1e-15);
  EXPECT_NEAR(prediction.upload_seconds.value(), bytes / 16e9, 1e-15);
  EXPECT_NEAR(prediction.total_seconds.value(),
              conversion + bytes / 16e9 + 500 * prediction.seconds_per_iteration, 1e-12);
}

TEST(Prediction, PaysAfterTheFirstIterationsAtWhichTheTotalIsNoLongerDearer) {
  PredictionRequest request;
  request.iterations = 1;
  const auto predictions = predict(random_matrix(), gpu_profile(), request);
  const Prediction& csr = predictions.at(0);
  const Prediction& blocks = predictions.at(1);
  ASSERT_LT(blocks.seconds_per_iteration, csr.seconds_per_iteration);
  ASSERT_TRUE(blocks.pays_after_iterations.has_value());
  const double n = *blocks.pays_after_iterations;
  EXPECT_GT(n, 0);
  const auto total = [](const Prediction& prediction, double iterations) {
    return *prediction.conversion_seconds + *prediction.upload_seconds +
           iterations * prediction.seconds_per_iteration;
  };
  EXPECT_LE(total(blocks, n), total(csr, n) * (1 + 1e-12));
  EXPECT_GT(total(blocks, n - 1), total(csr, n - 1));
  EXPECT_FALSE(csr.pays_after_iterations.has_value());
  // 4 x 4 blocks: the profile does not know what conversion costs.
  EXPECT_FALSE(predictions.at(2).total_seconds.has_value());
  EXPECT_FALSE(predictions.at(2).pays_after_iterations.has_value());
}

TEST(Prediction, NeverPaysWhereALayoutIsSlowerAndDearer) {
  DeviceProfile profile = gpu_profile();
  profile.precisions[Precision::f64].curves["SpMV/bcsr2"].average.nu = 1;
  PredictionRequest request;
  request.layouts = {block_layout(2)};
  request.iterations = 10;
  const Prediction prediction = predict(random_matrix(), profile, request).at(0);
  EXPECT_TRUE(std::isinf(prediction.pays_after_iterations.value()));
}

TEST(Prediction, OfACpuUploadsNothing) {
  DeviceProfile profile = gpu_profile();
  profile.kind = DeviceProfile::Kind::cpu;
  profile.upload_gbps.reset();
  PredictionRequest request;
  request.layouts = {block_layout(2)};
  request.iterations = 10;
  EXPECT_EQ(predict(random_matrix(), profile, request).at(0).upload_seconds, 0);
}

TEST(Prediction, RefusesAMatrixThatIsNotSquare) {
  const CsrMatrix<double> matrix = random_csr<double>(40, 41, 3, seed);
  EXPECT_THROW(predict(matrix, gpu_profile(), {}), Error);
}

TEST(Prediction, RefusesNumbersThatNoMatrixHas) {
  const PredictionRequest request;
  EXPECT_THROW(predict_numbers(100, 10001, {}, gpu_profile(), request), Error);
  EXPECT_NO_THROW(predict_numbers(100, 10000, {}, gpu_profile(), request));
  EXPECT_NO_THROW(predict_numbers(101, 104 * 104, block_layout(4), gpu_profile(), request));
  EXPECT_THROW(predict_numbers(100, 99, {}, gpu_profile(), request), Error);
  EXPECT_THROW(predict_numbers(100, 399, block_layout(4), gpu_profile(), request), Error);
  EXPECT_NO_THROW(predict_numbers(100, 400, block_layout(4), gpu_profile(), request));
  EXPECT_THROW(predict_numbers(0, 10, {}, gpu_profile(), request), Error);
  EXPECT_THROW(predict_numbers(10, std::nan(""), {}, gpu_profile(), request), Error);
}

TEST(Prediction, RefusesWhatTheProfileDoesNotHave) {
  PredictionRequest request;
  request.layouts = {block_layout(8)};
  EXPECT_THROW(predict(random_matrix(), gpu_profile(), request), Error);
  request.layouts = {};
  request.precision = Precision::f32;
  EXPECT_THROW(predict(random_matrix(), gpu_profile(), request), Error);
}

}  // namespace
}  // namespace sparsecast
