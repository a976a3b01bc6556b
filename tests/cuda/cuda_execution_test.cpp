#include "core/analysis/cuda_execution.hpp"

#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include "core/analysis/features.hpp"
#include "core/analysis/persistent_execution.hpp"
#include "core/cuda/cuda_backend.hpp"
#include "core/cuda/device/current_gpu.cuh"
#include "core/formats/bcsr/cuda/device_bcsr.cuh"
#include "core/formats/paper/paper_layout.hpp"
#include "core/matrix/generate/generators.hpp"
#include "core/schedule/cg_schedule.hpp"
#include "cuda/gpu_test.hpp"

namespace sparsecast {
namespace {

/// Matrices that storage and launches differ for.
template <class T>
std::vector<std::pair<std::string, CsrMatrix<T>>> matrices() {
  std::vector<std::pair<std::string, CsrMatrix<T>>> all;
  const auto add = [&](const char* name, const CsrMatrix<double>& matrix) {
    all.emplace_back(name, convert_values<T>(matrix.view()));
  };
  add("grid", laplacian(5, 30, 31));
  add("cube", laplacian(27, 9, 8, 7));
  add("finite elements", fem_elasticity(1, 4, 1));
  add("power law", power_law(1500, 9, 2.1, 3));
  add("dense", dense(300, 1));
  add("random", random_csr<double>(700, 700, 30, 2));
  add("far columns", random_csr<double>(50, 120'000, 10, 3));
  add("columns at the edge of 16 bits", random_csr<double>(40, 32'768, 500, 4));
  return all;
}

std::vector<CudaPolicy> policies() {
  std::vector<CudaPolicy> all(5);
  all[1].narrow_columns = false;
  all[2].lanes_per_row = 4;
  all[2].values_per_long_piece = 64;
  all[3].lanes_per_row = 32;  // streams of small blocks
  all[4].most_values_with_32_bit_offsets = 1000;
  return all;
}

template <class T>
class CudaExecutionTest : public GpuTest {};
using ValueTypes = testing::Types<float, double>;
TYPED_TEST_SUITE(CudaExecutionTest, ValueTypes);

bool same(const SegmentShape& a, const SegmentShape& b) {
  return a.unknowns == b.unknowns && a.total_unknowns == b.total_unknowns &&
         a.elements == b.elements && a.blocks == b.blocks && a.block_rows == b.block_rows &&
         a.index_bytes == b.index_bytes;
}

TYPED_TEST(CudaExecutionTest, IsKnownOnTheHostBeforeAMatrixIsUploaded) {
  using T = TypeParam;
  const GpuShape gpu = cuda::current_gpu_shape();
  for (const auto& [name, matrix] : matrices<T>()) {
    const MatrixFeatures features = compute_features<T>(matrix);
    const MatrixAccess access = compute_access<T>(matrix);
    const std::vector<CudaPolicy> all = policies();
    for (std::size_t p = 0; p < static_cast<std::size_t>(full_or_brief(std::ssize(all), 1)); ++p) {
      for (const int n : block_sizes) {
        for (const RowOrder order : {RowOrder::natural, RowOrder::sorted}) {
          const Layout layout{block_layout(n).format, n, order};
          const cuda::DeviceBcsr<T> stored(matrix.view(), layout, all[p]);
          const SegmentShape shape = cuda_shape(matrix.view(), features, access, layout, all[p]);
          const SpmvExecution execution = spmv_execution(shape, block_layout(n), precision_of<T>(),
                                                         gpu, all[p], access.row_lengths(n));
          SCOPED_TRACE(testing::Message() << name << ", " << to_string(layout) << ", policy " << p);
          EXPECT_TRUE(same(stored.shape(), shape)) << shape.index_bytes;
          EXPECT_TRUE(stored.execution() == execution)
              << stored.execution().pieces << " pieces, expected " << execution.pieces;
        }
      }
    }
  }
}

TYPED_TEST(CudaExecutionTest, PreparedSchedulesHaveTheShapesThatTheHostExpects) {
  using T = TypeParam;
  const CsrMatrix<T> matrix = convert_values<T>(power_law(600, 9, 2.1, 3).view());
  const MatrixFeatures features = compute_features<T>(matrix);
  const MatrixAccess access = compute_access<T>(matrix);
  std::vector<CudaPolicy> all(2);
  all[1].paper.threads_per_block = 128;
  for (const CudaPolicy& policy : all) {
    CudaBackend backend(0, policy);
    for (const int n : {1, 2, 8}) {
      for (const RowOrder order : {RowOrder::natural, RowOrder::sorted}) {
        for (const Layout& layout :
             {Layout{block_layout(n).format, n, order},
              paper_layout(n, order, PaperMapping::multiple_block_rows, PaperStorage::reordered),
              paper_layout(n, order, PaperMapping::warp, PaperStorage::padded),
              paper_layout(n, order, PaperMapping::block_row, PaperStorage::plain)}) {
          const auto prepared = backend.prepare(algorithm1_schedule(), matrix.view(), layout);
          ASSERT_EQ(prepared->segments().size(), 1u);
          EXPECT_TRUE(same(prepared->segments()[0],
                           cuda_shape(matrix.view(), features, access, layout, policy)))
              << to_string(layout);
        }
      }
    }
  }
}

TYPED_TEST(CudaExecutionTest, TheBackEndTakesAPersistentKernelWhereTheHostExpectsIt) {
  using T = TypeParam;
  const GpuShape gpu = cuda::current_gpu_shape();
  std::vector<CsrMatrix<double>> all;
  all.push_back(laplacian(5, 40, 40));
  all.push_back(fem_elasticity(1, 5, 1));
  all.push_back(power_law(3000, 9, 2.1, 3));
  all.push_back(laplacian(27, full_or_brief(60, 12), full_or_brief(60, 12), 12));
  // Segments of many rows do not fit.
  all.push_back(laplacian(3, full_or_brief(8'000'000, 1000)));
  int kernels = 0;
  for (const CsrMatrix<double>& values : all) {
    const CsrMatrix<T> matrix = convert_values<T>(values.view());
    for (const int n : {1, 3, 4}) {
      for (const double turnover : {0.33, 0.0}) {
        if (matrix.rows > 1'000'000 && (n != 1 || turnover == 0)) continue;
        if (full_or_brief(1, 0) == 0 && (n != 1 || turnover == 0)) continue;
        CudaPolicy policy;
        policy.launch_mode = LaunchMode::automatic;
        policy.persistent_l2_turnover = turnover;
        const PersistentExecution expected = persistent_execution(
            matrix.view().pattern(), block_layout(n), precision_of<T>(), gpu, policy);
        CudaBackend backend(0, policy);
        const auto prepared = backend.prepare(fused_cg_schedule(), matrix.view(), block_layout(n));
        std::vector<T> ones(static_cast<std::size_t>(matrix.rows), T{1});
        prepared->set_vector("b", ones);
        prepared->set_vector("c", std::vector<T>(ones.size(), static_cast<T>(0.2)));
        prepared->run_setup();
        const std::int64_t before = prepared->counters().launches;
        prepared->run(2);
        const bool is_one_kernel = prepared->counters().launches - before == 1;
        EXPECT_EQ(is_one_kernel, expected.chosen) << matrix.rows << " rows, N = " << n;
        kernels += is_one_kernel ? 1 : 0;
        if (matrix.rows > 1'000'000) {
          EXPECT_FALSE(expected.fits);
        }
      }
    }
  }
  EXPECT_GT(kernels, 0);
}

}  // namespace
}  // namespace sparsecast
