#include "core/formats/paper/paper_spmv.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <random>
#include <string>
#include <vector>

#include "core/base/error.hpp"
#include "core/cuda/cuda_backend.hpp"
#include "core/matrix/generate/generators.hpp"
#include "core/reference_product.hpp"
#include "core/schedule/cg_schedule.hpp"
#include "core/schedule/microbenchmark_schedules.hpp"
#include "cuda/gpu_test.hpp"

namespace sparsecast {
namespace {

std::string name_of(const PaperSpmv& choice, const Layout& layout) {
  return std::string(to_string(choice.mapping)) + ", " + std::string(to_string(choice.storage)) +
         ", T = " + std::to_string(choice.threads_per_block) +
         ", Bx = " + std::to_string(choice.blocks_at_once) + ", " + to_string(layout);
}

Layout paper_layout(int block_size, RowOrder order) {
  Layout layout = block_layout(block_size);
  layout.row_order = order;
  return layout;
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
  void check_product(const CsrMatrix<T>& matrix, const Layout& layout, const PaperSpmv& choice) {
    SCOPED_TRACE(name_of(choice, layout));
    CudaPolicy policy;
    policy.launch_mode = LaunchMode::plain;
    policy.paper_spmv = choice;
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
          check_product(matrix, paper_layout(block_size, order), choice);
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
      this->check_product(matrix, paper_layout(block_size, RowOrder::sorted), {});
    }
  }
}

using CudaPaperCountersTest = GpuTest;

TEST_F(CudaPaperCountersTest, CountPaddingExactly) {
  const auto matrix = power_law(900, 6, 2.2, 3);
  for (const int block_size : {1, 4}) {
    for (const RowOrder order : {RowOrder::natural, RowOrder::sorted}) {
      const Layout layout = paper_layout(block_size, order);
      const auto stored = convert_to_bcsr(matrix.view(), {0, matrix.rows}, layout);
      for (const PaperSpmv& choice : choices(block_size)) {
        SCOPED_TRACE(name_of(choice, layout));
        const auto arranged =
            arrange_as_in_paper(stored, choice.storage, paper_geometry(choice, stored.block_size));
        CudaPolicy policy;
        policy.paper_spmv = choice;
        CudaBackend backend(0, policy);
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

TEST_F(CudaPaperBackendTest, BlocksOfThreeAndSixAreRefusedInOneLine) {
  const auto matrix = laplacian(5, 6, 6);
  CudaPolicy policy;
  policy.paper_spmv = PaperSpmv{};
  CudaBackend backend(0, policy);
  for (const int block_size : {3, 6}) {
    try {
      backend.prepare(single_step_schedule("SpMV"), matrix.view(), block_layout(block_size));
      FAIL() << "prepared " << block_size;
    } catch (const Error& error) {
      const std::string text = error.what();
      EXPECT_NE(text.find("use block size 1, 2, 4 or 8"), std::string::npos) << text;
      EXPECT_EQ(text.find('\n'), std::string::npos) << text;
    }
  }
}

TEST_F(CudaPaperBackendTest, FusedSchedulesAreRefused) {
  CudaPolicy policy;
  policy.paper_spmv = PaperSpmv{};
  CudaBackend backend(0, policy);
  EXPECT_THROW(backend.prepare(fused_cg_schedule(), laplacian(5, 6, 6).view(), block_layout(1)),
               Error);
}

TEST_F(CudaPaperBackendTest, AlgorithmOneRunsWithThePapersProduct) {
  const auto matrix = laplacian(5, 16, 16);
  std::vector<std::vector<double>> solutions;
  for (const bool paper : {false, true}) {
    CudaPolicy policy;
    if (paper) policy.paper_spmv = PaperSpmv{};
    CudaBackend backend(0, policy);
    const auto prepared = backend.prepare(algorithm1_schedule(), matrix.view(), block_layout(4));
    prepared->set_vector("b", std::vector<double>(256, 1));
    prepared->set_vector("c", std::vector<double>(256, 0.5));
    prepared->run_setup();
    EXPECT_EQ(prepared->run(12).iterations, 12);
    solutions.emplace_back(256);
    prepared->get_vector("x", solutions.back());
  }
  for (std::size_t i = 0; i < 256; ++i) EXPECT_NEAR(solutions[1][i], solutions[0][i], 1e-9);
}

}  // namespace
}  // namespace sparsecast
