#include "predict/validation/data/validation_row.hpp"

#include <gtest/gtest.h>

#include "predict/validation/validation_cases.hpp"

namespace sparsecast {
namespace {

TEST(ValidationRow, CountsRawFlopsOfAllBlockElementsAndEffectiveOnesOfNonzeros) {
  const ValidationRow made = row("a", 2, 1e-3, 1e-3);

  EXPECT_DOUBLE_EQ(raw_gflops(made, 1e-3), (2 * 8000 + 15 * 1000) / 1e-3 / 1e9);
  EXPECT_DOUBLE_EQ(effective_gflops(made, 1e-3), (2 * 5000 + 15 * 1000) / 1e-3 / 1e9);
}

TEST(ValidationRow, CountsFlopsOfAProductAlone) {
  ValidationRow made = row("a", 2, 1e-3, 1e-3);
  made.schedule = product_alone;

  EXPECT_DOUBLE_EQ(raw_gflops(made, 1e-3), 2 * 8000 / 1e-3 / 1e9);
}

}  // namespace
}  // namespace sparsecast
