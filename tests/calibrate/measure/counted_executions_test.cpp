#include "calibrate/measure/counted_executions.hpp"

#include <gtest/gtest.h>

#include "core/analysis/cuda_execution.hpp"
#include "core/analysis/persistent_execution.hpp"
#include "core/base/error.hpp"
#include "core/cuda/cuda_backend.hpp"
#include "core/matrix/generate/generators.hpp"

namespace sparsecast {
namespace {

constexpr GpuShape gpu{132, 60 << 20, 227 << 10};

class CountedExecutionsTest : public testing::Test {
 protected:
  void count(const CountedExecutions::Case& one) {
    executions_.count(one, matrix_.view(), features_, access_, gpu, 1);
  }
  std::string counted(const CountedExecutions::Case& one) const {
    return to_text(executions_.at(one));
  }
  std::string expected(const CountedExecutions::Case& one) const {
    std::optional<PersistentNeeds> needs;
    if (one.with_persistent) needs.emplace();
    return to_text(gpu_execution(matrix_.view(), access_,
                                 cuda_shape(matrix_.view(), features_, access_, one.layout, {}),
                                 one.layout, one.precision, gpu, {}, needs));
  }

  CsrMatrix<double> matrix_ = power_law(3000, 8, 2.1, 1);
  MatrixFeatures features_ = compute_features<double>(matrix_);
  MatrixAccess access_ = compute_access<double>(matrix_);
  CountedExecutions executions_;
};

TEST_F(CountedExecutionsTest, AreThoseOfEachCase) {
  for (const int n : {1, 3}) {
    for (const Precision precision : {Precision::f32, Precision::f64}) {
      for (const bool with_persistent : {false, true}) {
        const CountedExecutions::Case one{block_layout(n), precision, with_persistent};
        count(one);
        EXPECT_EQ(counted(one), expected(one)) << n << ' ' << to_string(precision);
      }
    }
  }
  const CountedExecutions::Case first{block_layout(1), Precision::f32, false};
  EXPECT_EQ(counted(first), expected(first)) << "later ones left it";
}

TEST_F(CountedExecutionsTest, ThrowWhereTheyAreAskedForWhatTheirCountingThrew) {
  CountedExecutions::Case unknown;
  unknown.layout = {"bcsr", 5, RowOrder::natural};
  EXPECT_NO_THROW(count(unknown));
  EXPECT_THROW(counted(unknown), Error);
}

}  // namespace
}  // namespace sparsecast
