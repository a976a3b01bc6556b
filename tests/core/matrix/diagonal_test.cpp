#include "core/matrix/diagonal.hpp"

#include <gtest/gtest.h>

namespace sparsecast {
namespace {

TEST(Diagonal, IsZeroWhereThereIsNoEntry) {
  const std::vector<std::int64_t> row_offsets{0, 2, 2, 4, 5};
  const std::vector<std::int32_t> columns{0, 3, 1, 2, 0};
  const std::vector<float> values{1.5f, 2, 3, -4, 5};

  EXPECT_EQ(diagonal(CsrView<float>{4, 4, row_offsets, columns, values}),
            (std::vector<double>{1.5, 0, -4, 0}));
}

}  // namespace
}  // namespace sparsecast
