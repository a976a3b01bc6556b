#include "core/cuda/vendor/vendor_spmv.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <random>
#include <string>
#include <vector>

#include "core/base/error.hpp"
#include "core/matrix/generate/generators.hpp"
#include "core/narrow_offsets.hpp"
#include "core/reference_product.hpp"
#include "cuda/gpu_test.hpp"

namespace sparsecast {
namespace {

template <class T>
class VendorSpmvTest : public GpuTest {
 protected:
  /// Largest difference to a product in double, relative to the sum of the magnitudes of a row.
  double error(const CsrMatrix<T>& matrix, VendorAlgorithm algorithm, int block_size) {
    return error(matrix, matrix.view(), algorithm, block_size);
  }
  /// The same of a view of it.
  double error(const CsrMatrix<T>& matrix, const CsrView<T>& view, VendorAlgorithm algorithm,
               int block_size) {
    std::mt19937 random(77);
    const auto input = random_vector<T>(matrix.columns, random);
    VendorSpmv<T> product(0, view, algorithm, block_size);
    product.set_input(input);
    product.run(11);
    std::vector<T> output = poison<T>(matrix.rows);
    product.get_output(output);
    const ReferenceProduct expected = reference_product(matrix, input);
    double largest = 0;
    for (std::size_t row = 0; row < output.size(); ++row) {
      largest =
          std::max(largest, std::abs(output[row] - expected.sums[row]) / expected.magnitudes[row]);
    }
    return largest;
  }
};
using ValueTypes = testing::Types<float, double>;
TYPED_TEST_SUITE(VendorSpmvTest, ValueTypes);

TYPED_TEST(VendorSpmvTest, MultipliesInCsr) {
  using T = TypeParam;
  const CsrMatrix<T> matrix = convert_values<T>(power_law(3001, 9, 2.2, 5).view());
  const double tolerance = sizeof(T) == 4 ? 1e-5 : 1e-14;
  EXPECT_LT(this->error(matrix, VendorAlgorithm::csr_alg1, 1), tolerance);
  EXPECT_LT(this->error(matrix, VendorAlgorithm::csr_alg2, 1), tolerance);
}

TYPED_TEST(VendorSpmvTest, TakesOffsetsOf32Bits) {
  using T = TypeParam;
  const CsrMatrix<T> matrix = convert_values<T>(power_law(3001, 9, 2.2, 6).view());
  const NarrowOffsets<T> narrow(matrix);
  const double tolerance = sizeof(T) == 4 ? 1e-5 : 1e-14;
  EXPECT_LT(this->error(matrix, narrow.view(), VendorAlgorithm::csr_alg2, 1), tolerance);
  EXPECT_LT(this->error(matrix, narrow.view(), VendorAlgorithm::bsr, 3), tolerance);
}

TYPED_TEST(VendorSpmvTest, MultipliesAnInputThatTakesAWhileToCopy) {
  using T = TypeParam;
  const std::int64_t size = full_or_brief(400, 40);
  const CsrMatrix<T> matrix = convert_values<T>(laplacian(5, size, size).view());
  const double tolerance = sizeof(T) == 4 ? 1e-5 : 1e-14;
  EXPECT_LT(this->error(matrix, VendorAlgorithm::csr_alg2, 1), tolerance);
}

TYPED_TEST(VendorSpmvTest, MultipliesInBlocksThatHangOverTheEdge) {
  using T = TypeParam;
  const CsrMatrix<T> matrix = convert_values<T>(laplacian(27, 11, 10, 7).view());  // 770 rows
  const double tolerance = sizeof(T) == 4 ? 1e-5 : 1e-14;
  for (const int block_size : {2, 3, 4, 6, 8}) {
    EXPECT_LT(this->error(matrix, VendorAlgorithm::bsr, block_size), tolerance) << block_size;
    EXPECT_LT(this->error(matrix, VendorAlgorithm::bsrmv, block_size), tolerance) << block_size;
  }
}

TYPED_TEST(VendorSpmvTest, MultipliesInCooAndInSlices) {
  using T = TypeParam;
  const CsrMatrix<T> matrix = convert_values<T>(laplacian(27, 11, 10, 7).view());  // 770 rows
  const double tolerance = sizeof(T) == 4 ? 1e-5 : 1e-14;
  for (const VendorAlgorithm algorithm :
       {VendorAlgorithm::coo_alg1, VendorAlgorithm::coo_alg2, VendorAlgorithm::sell}) {
    EXPECT_LT(this->error(matrix, algorithm, 1), tolerance) << to_string(algorithm);
  }
}

TYPED_TEST(VendorSpmvTest, RefusesBlocksThatAnAlgorithmDoesNotHaveInOneLine) {
  using T = TypeParam;
  const CsrMatrix<T> matrix = convert_values<T>(laplacian(3, 10).view());
  for (const auto& [algorithm, block_size] : {std::pair{VendorAlgorithm::csr_alg1, 2},
                                              {VendorAlgorithm::bsr, 1},
                                              {VendorAlgorithm::coo_alg1, 2},
                                              {VendorAlgorithm::sell, 4},
                                              {VendorAlgorithm::bsrmv, 5}}) {
    try {
      VendorSpmv<T>(0, matrix.view(), algorithm, block_size);
      FAIL() << "accepted " << to_string(algorithm) << ' ' << block_size;
    } catch (const Error& error) {
      EXPECT_EQ(std::string(error.what()).find('\n'), std::string::npos) << error.what();
    }
  }
}

}  // namespace
}  // namespace sparsecast
