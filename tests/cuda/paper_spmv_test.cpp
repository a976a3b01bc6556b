#include "core/formats/paper/paper_spmv.hpp"
#include "core/formats/paper/paper_layout.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <random>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/error.hpp"
#include "core/cuda/cuda_backend.hpp"
#include "core/formats/registry.hpp"
#include "core/matrix/generate/generators.hpp"
#include "core/reference_product.hpp"
#include "core/schedule/cg_schedule.hpp"
#include "core/schedule/microbenchmark_schedules.hpp"
#include "cuda/gpu_test.hpp"

namespace sparsecast {
namespace {

std::string name_of(const PaperSpmv& choice, const Layout& layout) {
  return to_string(layout) + ", T = " + std::to_string(choice.threads_per_block) +
         ", Bx = " + std::to_string(choice.blocks_at_once);
}

Layout layout_of(const PaperSpmv& choice, int block_size, RowOrder order) {
  return paper_layout(block_size, order, choice.mapping, choice.storage);
}

CudaPolicy policy_of(const PaperSpmv& choice) {
  CudaPolicy policy;
  policy.paper = {choice.threads_per_block, choice.blocks_at_once};
  return policy;
}

/// Every mapping and storage; multiple block-row mapping with the smallest, a middle and the
/// largest Bx.
std::vector<PaperSpmv> choices(int block_size) {
  std::vector<PaperSpmv> all;
  const int threads = block_size == 2 ? 128 : 256;
  const int most = threads / (block_size * block_size);
  for (const PaperStorage storage :
       {PaperStorage::plain, PaperStorage::padded, PaperStorage::reordered}) {
    all.push_back({PaperMapping::block_row, storage, threads, 1});
    all.push_back({PaperMapping::warp, storage, threads, 1});
    for (const int bx : {1, 2, most}) {
      all.push_back({PaperMapping::multiple_block_rows, storage, threads, bx});
    }
  }
  return all;
}

template <class T>
class CudaPaperSpmvTest : public GpuTest {
 protected:
  void check_product(const CsrMatrix<T>& matrix, int block_size, RowOrder order,
                     const PaperSpmv& choice) {
    const Layout layout = layout_of(choice, block_size, order);
    SCOPED_TRACE(name_of(choice, layout));
    CudaPolicy policy = policy_of(choice);
    policy.launch_mode = LaunchMode::plain;
    CudaBackend backend(0, policy);
    const auto prepared = backend.prepare(single_step_schedule("SpMV"), matrix.view(), layout);
    const auto input = random_vector<T>(matrix.columns, random_);
    prepared->set_vector("v", input);
    prepared->set_vector("u", poison<T>(matrix.rows));
    prepared->run(1);
    std::vector<T> output(static_cast<std::size_t>(matrix.rows));
    prepared->get_vector("u", output);
    constexpr double epsilon = std::numeric_limits<T>::epsilon();
    const ReferenceProduct expected = reference_product(matrix, input);
    for (std::size_t row = 0; row < output.size(); ++row) {
      ASSERT_NEAR(output[row], expected.sums[row], 16 * epsilon * expected.magnitudes[row])
          << "row " << row;
    }
  }

  void check_all_choices(const CsrMatrix<T>& matrix) {
    for (const int block_size : {1, 2, 4, 8}) {
      for (const RowOrder order : {RowOrder::natural, RowOrder::sorted}) {
        for (const PaperSpmv& choice : choices(block_size)) {
          check_product(matrix, block_size, order, choice);
        }
      }
    }
  }

  std::mt19937 random_{2012};
};

using ValueTypes = testing::Types<float, double>;
TYPED_TEST_SUITE(CudaPaperSpmvTest, ValueTypes);

TYPED_TEST(CudaPaperSpmvTest, EveryMappingAndStorageMultipliesOddSizes) {
  this->check_all_choices(random_csr<TypeParam>(307, 301, 11, 5));
}

TYPED_TEST(CudaPaperSpmvTest, EveryMappingAndStorageMultipliesEmptyRowsAndALongOne) {
  CsrMatrix<TypeParam> matrix;
  matrix.rows = 45;
  matrix.columns = 700;
  matrix.row_offsets.push_back(0);
  for (int row = 0; row < 45; ++row) {
    const int count = row == 30 ? 700 : row % 7 == 3 ? 2 : 0;
    for (int j = 0; j < count; ++j) {
      matrix.column_indices.push_back(static_cast<std::int32_t>(j * (700 / count)));
      matrix.values.push_back(static_cast<TypeParam>(random_value(this->random_)));
    }
    matrix.row_offsets.push_back(matrix.row_offsets.back() + count);
  }
  this->check_all_choices(matrix);
}

TYPED_TEST(CudaPaperSpmvTest, MultipliesTheSmallestMatrices) {
  for (const std::int64_t size : {1, 2, 7, 9}) {
    const auto matrix = random_csr<TypeParam>(size, size, 2, static_cast<unsigned>(size));
    for (const int block_size : {1, 8}) {
      this->check_product(matrix, block_size, RowOrder::sorted, {});
    }
  }
}

using CudaPaperCountersTest = GpuTest;

TEST_F(CudaPaperCountersTest, CountPaddingExactly) {
  const auto matrix = power_law(900, 6, 2.2, 3);
  for (const int block_size : {1, 4}) {
    for (const RowOrder order : {RowOrder::natural, RowOrder::sorted}) {
      Layout blocks = block_layout(block_size);
      blocks.row_order = order;
      const auto stored = convert_to_bcsr(matrix.view(), {0, matrix.rows}, blocks);
      for (const PaperSpmv& choice : choices(block_size)) {
        const Layout layout = layout_of(choice, block_size, order);
        SCOPED_TRACE(name_of(choice, layout));
        const auto arranged =
            arrange_as_in_paper(stored, choice.storage, paper_geometry(choice, stored.block_size));
        CudaBackend backend(0, policy_of(choice));
        const auto prepared = backend.prepare(single_step_schedule("SpMV"), matrix.view(), layout);
        const SegmentShape shape = prepared->segments().at(0);
        EXPECT_EQ(shape.elements, static_cast<double>(arranged.values.size()));
        EXPECT_EQ(shape.blocks, static_cast<double>(arranged.block_columns.size()));
        prepared->run(3);
        const BytesByKind bytes = prepared->counters().bytes;
        EXPECT_EQ(bytes.values, 3 * 8 * shape.elements);
        EXPECT_EQ(bytes.indices, 3 * 4 * shape.blocks);
        EXPECT_EQ(bytes.row_pointers,
                  3.0 * static_cast<double>(arranged.offsets.size() * sizeof(std::int64_t) +
                                            stored.row_index.size() * sizeof(std::int32_t)));
      }
    }
  }
}

using CudaPaperBackendTest = GpuTest;

const Layout best4 =
    paper_layout(4, RowOrder::natural, PaperMapping::multiple_block_rows, PaperStorage::reordered);

TEST_F(CudaPaperBackendTest, ThreadsThatThereIsNoKernelForAreRefusedInOneLine) {
  CudaPolicy policy;
  policy.paper.blocks_at_once = 32;
  CudaBackend backend(0, policy);
  try {
    backend.prepare(single_step_schedule("SpMV"), laplacian(5, 6, 6).view(), best4);
    FAIL() << "prepared";
  } catch (const Error& error) {
    const std::string text = error.what();
    EXPECT_NE(text.find("at most 16 for block size 4"), std::string::npos) << text;
    EXPECT_EQ(text.find('\n'), std::string::npos) << text;
  }
}

TEST_F(CudaPaperBackendTest, PersistentKernelsAreRefusedAndNeverChosen) {
  const auto matrix = laplacian(5, 6, 6);
  for (const std::string_view name : {"paper", "paper4", "dia"}) {
    const Layout layout = parse_layout(name);
    CudaPolicy policy;
    policy.launch_mode = LaunchMode::persistent;
    CudaBackend must(0, policy);
    EXPECT_THROW(must.prepare(fused_cg_schedule(), matrix.view(), layout), Error) << name;
    policy.launch_mode = LaunchMode::automatic;
    CudaBackend may(0, policy);
    const auto prepared = may.prepare(fused_cg_schedule(), matrix.view(), layout);
    prepared->set_vector("b", std::vector<double>(36, 1));
    prepared->set_vector("c", std::vector<double>(36, 0.5));
    prepared->run_setup();
    const std::int64_t before = prepared->counters().launches;
    prepared->run(2);
    EXPECT_GT(prepared->counters().launches - before, 1) << name;
  }
}

TEST_F(CudaPaperBackendTest, SchedulesRunWithThePapersProduct) {
  const auto matrix = laplacian(5, 16, 16);
  for (const Schedule& schedule : {algorithm1_schedule(), fused_cg_schedule()}) {
    for (const LaunchMode mode : {LaunchMode::graph, LaunchMode::plain, LaunchMode::host}) {
      SCOPED_TRACE(schedule.name + ", " + std::string(to_string(mode)));
      std::vector<std::vector<double>> solutions;
      for (const Layout& layout : {block_layout(4), best4}) {
        CudaPolicy policy;
        policy.launch_mode = mode;
        CudaBackend backend(0, policy);
        const auto prepared = backend.prepare(schedule, matrix.view(), layout);
        prepared->set_vector("b", std::vector<double>(256, 1));
        prepared->set_vector("c", std::vector<double>(256, 0.5));
        prepared->run_setup();
        EXPECT_EQ(prepared->run(12).iterations, 12);
        solutions.emplace_back(256);
        prepared->get_vector("x", solutions.back());
      }
      for (std::size_t i = 0; i < 256; ++i) EXPECT_NEAR(solutions[1][i], solutions[0][i], 1e-9);
    }
  }
}

TEST_F(CudaPaperBackendTest, ASumIsALaunchMore) {
  const auto matrix = laplacian(5, 16, 16);
  CudaPolicy policy;
  policy.launch_mode = LaunchMode::plain;
  CudaBackend backend(0, policy);
  const auto launches = [&](const char* step, const Layout& layout) {
    const auto prepared = backend.prepare(single_step_schedule(step), matrix.view(), layout);
    prepared->run(10);
    const RunCounters counters = prepared->counters();
    EXPECT_EQ(counters.submitted_launches, counters.launches + 1) << "a run begins with one";
    return counters.launches;
  };
  EXPECT_EQ(launches("SpMV", best4), 10);
  EXPECT_EQ(launches("SpMVDot", best4), 20);
  EXPECT_EQ(launches("SpMVDot", block_layout(4)), 10);
}

}  // namespace
}  // namespace sparsecast
