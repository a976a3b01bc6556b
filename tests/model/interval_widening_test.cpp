#include "model/interval_widening.hpp"

#include <gtest/gtest.h>

#include <cmath>

namespace sparsecast {
namespace {

TEST(IntervalWidening, GrowsWithWhatIsUnlike) {
  EXPECT_EQ(unlike_widening(1), 1);
  EXPECT_EQ(unlike_widening(0.2), 1);
  EXPECT_NEAR(unlike_widening(0.1), 1.5, 1e-12);
  EXPECT_EQ(unlike_widening(0), 2);
}

TEST(IntervalWidening, GrowsWithSizesThatWereNotMeasured) {
  EXPECT_EQ(size_widening(1e9, 2e9), 1);
  EXPECT_EQ(size_widening(1e9, 0), 1);
  EXPECT_NEAR(size_widening(3e9, 1e9), 1 + std::log(3), 1e-12);
}

}  // namespace
}  // namespace sparsecast
