#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <vector>

#include "core/cuda/cuda_backend.hpp"
#include "core/formats/conformance.hpp"
#include "core/matrix/generate/generators.hpp"
#include "core/schedule/microbenchmark_schedules.hpp"
#include "cuda/gpu_test.hpp"

namespace sparsecast {
namespace {

template <class T>
class BellGarlandFormatsTest : public GpuTest {};

using ValueTypes = testing::Types<float, double>;
TYPED_TEST_SUITE(BellGarlandFormatsTest, ValueTypes);

/// Rows of all lengths about those of a warp's interval of COO entries, which is 256, and of many
/// intervals; empty ones between and behind them.
template <class T>
CsrMatrix<T> with_long_rows(std::mt19937& random) {
  const std::int32_t columns = 10'000;
  std::vector<std::vector<std::int32_t>> rows;
  const auto add = [&](std::int32_t length) {
    std::vector<std::int32_t> row;
    for (std::int32_t j = 0; j < length; ++j) row.push_back(j);
    rows.push_back(row);
  };
  for (const std::int32_t length :
       {256, 0, 255, 1, 257, 31, 32, 33, 512, 0, 9000, 3, 2304, 10'000}) {
    add(length);
    for (int k = 0; k < 40; ++k) add(k % 5);
  }
  for (int k = 0; k < 300; ++k) add(0);
  return matrix_of<T>(columns, rows, random);
}

TYPED_TEST(BellGarlandFormatsTest, MultiplyRowsThatCrossManyIntervalsWithTheSameBitsTwice) {
  using T = TypeParam;
  std::mt19937 random(7);
  const CsrMatrix<T> matrix = with_long_rows<T>(random);
  const std::vector<T> input = random_vector<T>(matrix.columns, random);
  const ReferenceProduct expected = reference_product(matrix, input);
  const Schedule schedule = single_step_schedule("SpMV");
  for (const std::vector<GpuPart>& devices : one_gpu_alone_and_as(2)) {
    CudaBackend gpu(devices);
    for (const char* name : {"csr-scalar", "csr-vector", "coo", "hyb", "hyb-paper", "pkt"}) {
      SCOPED_TRACE(name);
      const auto prepared = gpu.prepare(schedule, matrix.view(), parse_layout(name));
      const std::vector<T> output = run_step(*prepared, schedule, input, matrix.rows).output;
      for (std::size_t i = 0; i < output.size(); ++i) {
        // Long rows are added up one after another.
        const double tolerance =
            64 * std::numeric_limits<T>::epsilon() * (expected.magnitudes[i] + 1e-30);
        EXPECT_NEAR(static_cast<double>(output[i]), expected.sums[i], tolerance) << "row " << i;
      }
      EXPECT_EQ(run_step(*prepared, schedule, input, matrix.rows).output, output);
    }
  }
}

TYPED_TEST(BellGarlandFormatsTest, LaunchAsManyKernelsAsTheyHaveParts) {
  using T = TypeParam;
  std::mt19937 random(8);
  CudaPolicy policy;
  policy.launch_mode = LaunchMode::plain;
  CudaBackend gpu(0, policy);
  const CsrMatrix<T> grid = convert_values<T>(laplacian(5, 40, 40).view());
  const CsrMatrix<T> long_rows = with_long_rows<T>(random);
  const auto launches = [&](const CsrMatrix<T>& matrix, const char* layout, const char* step) {
    const auto prepared =
        gpu.prepare(single_step_schedule(step), matrix.view(), parse_layout(layout));
    prepared->run(10);
    EXPECT_EQ(prepared->counters().kernels, 10);
    return prepared->counters().launches;
  };
  for (const char* layout : {"ell", "csr-scalar", "csr-vector"}) {
    EXPECT_EQ(launches(grid, layout, "SpMV"), 10) << layout;
    EXPECT_EQ(launches(grid, layout, "SpMVDot"), 10) << layout;
  }
  EXPECT_EQ(launches(grid, "coo", "SpMV"), 30);
  EXPECT_EQ(launches(grid, "coo", "SpMVDot"), 40);
  EXPECT_EQ(launches(grid, "hyb-paper", "SpMV"), 10) << "COO is empty";
  EXPECT_EQ(launches(grid, "hyb-paper", "SpMVDot"), 20);
  EXPECT_EQ(launches(long_rows, "hyb-paper", "SpMV"), 30);
  EXPECT_EQ(launches(grid, "pkt", "SpMV"), 10) << "a packet, and nothing outside";
  EXPECT_EQ(launches(grid, "pkt", "SpMVDot"), 20);
  EXPECT_EQ(launches(grid, "pkt-500", "SpMV"), 30);
}

}  // namespace
}  // namespace sparsecast
