#include <gtest/gtest.h>

#include <cstdint>
#include <random>
#include <string>
#include <vector>

#include "core/cuda/cuda_backend.hpp"
#include "core/formats/conformance.hpp"
#include "core/formats/registry.hpp"
#include "core/matrix/generate/generators.hpp"
#include "core/refusal.hpp"
#include "core/schedule/cg_schedule.hpp"
#include "core/schedule/microbenchmark_schedules.hpp"
#include "cuda/gpu_test.hpp"

namespace sparsecast {
namespace {

using CusparseFormatTest = GpuTest;

/// Of all its layouts.
std::vector<std::string> cusparse_names() {
  std::vector<std::string> names;
  for (const Layout& layout : all_layouts()) {
    if (layout.format == "cusparse") names.push_back(to_string(layout));
  }
  return names;
}

TEST_F(CusparseFormatTest, SchedulesRunWithTheLibrarysProduct) {
  const auto matrix = laplacian(5, 17, 15);  // blocks hang over the last row
  const std::int64_t rows = matrix.rows;
  const auto size = static_cast<std::size_t>(rows);
  for (const Schedule& schedule : {algorithm1_schedule(), fused_cg_schedule()}) {
    for (const LaunchMode mode : {LaunchMode::graph, LaunchMode::plain, LaunchMode::host}) {
      const auto solve = [&](const Layout& layout) {
        CudaPolicy policy;
        policy.launch_mode = mode;
        CudaBackend backend(0, policy);
        const auto prepared = backend.prepare(schedule, matrix.view(), layout);
        prepared->set_vector("b", std::vector<double>(size, 1));
        prepared->set_vector("c", std::vector<double>(size, 0.5));
        prepared->run_setup();
        EXPECT_EQ(prepared->run(12).iterations, 12);
        std::vector<double> solution(size);
        prepared->get_vector("x", solution);
        return solution;
      };
      const std::vector<double> expected = solve(Layout{});
      for (const std::string& name : cusparse_names()) {
        SCOPED_TRACE(schedule.name + ", " + std::string(to_string(mode)) + ", " + name);
        const std::vector<double> solution = solve(parse_layout(name));
        for (std::size_t i = 0; i < size; ++i) EXPECT_NEAR(solution[i], expected[i], 1e-9);
      }
    }
  }
}

TEST_F(CusparseFormatTest, AKernelChoosesInFrontAndASumFollows) {
  const auto matrix = laplacian(5, 16, 16);
  CudaPolicy policy;
  policy.launch_mode = LaunchMode::plain;
  CudaBackend backend(0, policy);
  for (const std::string& name : cusparse_names()) {
    SCOPED_TRACE(name);
    for (const bool sums : {false, true}) {
      const auto prepared = backend.prepare(single_step_schedule(sums ? "SpMVDot" : "SpMV"),
                                            matrix.view(), parse_layout(name));
      prepared->run(10);
      const RunCounters counters = prepared->counters();
      EXPECT_EQ(counters.kernels, 10);
      EXPECT_EQ(counters.launches, sums ? 30 : 20);
      EXPECT_EQ(counters.submitted_launches, counters.launches + 1) << "a run begins with one";
    }
  }
}

TEST_F(CusparseFormatTest, DeterministicAlgorithmsGiveTheSameBitsTwice) {
  const CsrMatrix<float> matrix = convert_values<float>(power_law(20'001, 9, 2.2, 8).view());
  std::mt19937 random(9);
  const std::vector<float> input = random_vector<float>(matrix.columns, random);
  const ReferenceProduct expected = reference_product(matrix, input);
  const Schedule schedule = single_step_schedule("SpMV");
  CudaBackend backend(0);
  for (const char* name : {"cusparse-alg2", "cusparse-coo-alg2"}) {
    SCOPED_TRACE(name);
    const auto prepared = backend.prepare(schedule, matrix.view(), parse_layout(name));
    const std::vector<float> output = run_step(*prepared, schedule, input, matrix.rows).output;
    for (std::size_t i = 0; i < output.size(); ++i) {
      EXPECT_NEAR(output[i], expected.sums[i], 1e-5 * expected.magnitudes[i]) << "row " << i;
    }
    EXPECT_EQ(run_step(*prepared, schedule, input, matrix.rows).output, output);
  }
}

TEST_F(CusparseFormatTest, SlicesOfUnequalRowsAreRefusedInOneLine) {
  // One row in 32 has 1000 entries, the others one.
  CsrMatrix<double> matrix;
  matrix.rows = matrix.columns = 64 * 1024;
  matrix.row_offsets.push_back(0);
  for (std::int64_t row = 0; row < matrix.rows; ++row) {
    const std::int32_t entries = row % 32 == 0 ? 1000 : 1;
    for (std::int32_t j = 0; j < entries; ++j) matrix.column_indices.push_back(j);
    matrix.row_offsets.push_back(std::ssize(matrix.column_indices));
  }
  matrix.values.assign(matrix.column_indices.size(), 1);
  CudaBackend backend(0);
  const std::string why = refusal_of([&] {
    backend.prepare(single_step_schedule("SpMV"), matrix.view(), parse_layout("cusparse-sell"));
  });
  EXPECT_TRUE(why.starts_with("layout cusparse-sell: slices of 32 rows")) << why;
  EXPECT_EQ(why.find('\n'), std::string::npos);
}

}  // namespace
}  // namespace sparsecast
