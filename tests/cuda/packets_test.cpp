#include <gtest/gtest.h>

#include <limits>
#include <random>
#include <vector>

#include "core/cuda/cuda_backend.hpp"
#include "core/formats/conformance.hpp"
#include "core/formats/pkt/pkt.hpp"
#include "core/matrix/generate/generators.hpp"
#include "core/matrix/renumber.hpp"
#include "core/schedule/microbenchmark_schedules.hpp"
#include "cuda/gpu_test.hpp"

namespace sparsecast {
namespace {

template <class T>
class PacketsTest : public GpuTest {
 protected:
  /// The output of a product, which is compared with the reference.
  std::vector<T> multiply(Backend& gpu, const CsrMatrix<T>& matrix, const Layout& layout,
                          const std::vector<T>& input) {
    const Schedule schedule = single_step_schedule("SpMV");
    const auto prepared = gpu.prepare(schedule, matrix.view(), layout);
    const std::vector<T> output = run_step(*prepared, schedule, input, matrix.rows).output;
    const ReferenceProduct expected = reference_product(matrix, input);
    for (std::size_t i = 0; i < output.size(); ++i) {
      const double tolerance =
          64 * std::numeric_limits<T>::epsilon() * (expected.magnitudes[i] + 1e-30);
      EXPECT_NEAR(static_cast<double>(output[i]), expected.sums[i], tolerance) << "row " << i;
    }
    EXPECT_EQ(run_step(*prepared, schedule, input, matrix.rows).output, output);
    return output;
  }
};

using ValueTypes = testing::Types<float, double>;
TYPED_TEST_SUITE(PacketsTest, ValueTypes);

TYPED_TEST(PacketsTest, MultiplyManyPacketsWithTheSameBitsTwice) {
  using T = TypeParam;
  std::mt19937 random(5);
  const CsrMatrix<double> matrices[] = {fem_elasticity(1, 12, 1), power_law(6000, 6, 2.5, 1),
                                        laplacian(5, 80, 80)};
  for (const CsrMatrix<double>& given : matrices) {
    const CsrMatrix<T> matrix = convert_values<T>(given.view());
    const std::vector<T> input = random_vector<T>(matrix.columns, random);
    for (const std::vector<GpuPart>& devices : one_gpu_alone_and_as(2)) {
      CudaBackend gpu(devices);
      for (const char* layout : {"pkt", "pkt-1000", "pkt-500", "pkt-given"}) {
        SCOPED_TRACE(testing::Message()
                     << layout << ", " << matrix.rows << " rows, " << devices.size() << " devices");
        this->multiply(gpu, matrix, parse_layout(layout), input);
      }
    }
  }
}

TYPED_TEST(PacketsTest, OfARenumberedMatrixGiveTheRenumberedProduct) {
  using T = TypeParam;
  std::mt19937 random(6);
  const CsrMatrix<T> matrix = convert_values<T>(fem_elasticity(1, 14, 2).view());
  const Layout clustered = parse_layout("pkt");
  const Permutation order =
      packet_clusters(matrix.view().pattern(), {0, matrix.rows}, clustered).order;
  const CsrMatrix<T> renumbered = renumber<T>(matrix.view(), order);
  const std::vector<T> input = random_vector<T>(matrix.columns, random);
  std::vector<T> renumbered_input;
  for (const std::int32_t row : order) renumbered_input.push_back(input[row]);
  CudaBackend gpu(0);
  this->multiply(gpu, matrix, clustered, input);
  const std::vector<T> output =
      this->multiply(gpu, renumbered, parse_layout("pkt-given"), renumbered_input);
  const ReferenceProduct expected = reference_product(matrix, input);
  for (std::size_t place = 0; place < order.size(); ++place) {
    const std::int32_t row = order[place];
    const double tolerance =
        64 * std::numeric_limits<T>::epsilon() * (expected.magnitudes[row] + 1e-30);
    EXPECT_NEAR(static_cast<double>(output[place]), expected.sums[row], tolerance) << row;
  }
}

}  // namespace
}  // namespace sparsecast
