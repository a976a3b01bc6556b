#include "calibrate/measure/matrix_supply.hpp"

#include <gtest/gtest.h>

#include <vector>

#include "core/base/error.hpp"
#include "core/matrix/generate/generators.hpp"

namespace sparsecast {
namespace {

MatrixRecipe grid(std::int64_t size) {
  return {"grid " + std::to_string(size), 3.0 * static_cast<double>(size),
          [size](int threads) { return laplacian(3, size, 1, 1, threads); }};
}

TEST(ThreadedMatrixSupply, SaysEveryTimeThatAMatrixCannotBeMadeAndGoesOnWithTheNext) {
  MatrixRecipe broken = grid(20);
  broken.generate = [](int) -> CsrMatrix<double> { throw Error("no such matrix"); };
  const std::vector<MatrixRecipe> recipes{grid(10), broken, grid(30)};
  for (const int generators : {0, 2}) {
    SupplyOptions options;
    options.generators_ahead = generators;
    options.most_bytes_ahead = 1e9;
    int completed = 0;
    MatrixSupply supply(recipes, {2, 1, 0}, options, [&](int index, SuppliedMatrix& matrix) {
      if (index == 2) completed += matrix.f64.rows == 30 ? 1 : 0;
    });
    EXPECT_EQ(supply.get(2).f64.rows, 30);
    EXPECT_EQ(supply.get(2).f32.rows, 30);
    EXPECT_EQ(completed, 1);
    EXPECT_THROW(supply.get(1), Error);
    EXPECT_THROW(supply.get(1), Error);
    EXPECT_EQ(supply.get(0).f64.rows, 10);
  }
}

}  // namespace
}  // namespace sparsecast
