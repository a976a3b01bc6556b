#include "core/workload/access_pattern.hpp"

#include <gtest/gtest.h>

#include <string>

#include "core/analysis/matrix_access.hpp"
#include "core/base/error.hpp"
#include "core/matrix/generate/generators.hpp"

namespace sparsecast {
namespace {

TEST(AccessPattern, IsTheSameAfterAWayThroughText) {
  for (const Precision precision : {Precision::f32, Precision::f64}) {
    AccessPattern pattern =
        compute_access<double>(power_law(3000, 7, 2.1, 5)).pattern(Layout{}, precision);
    pattern.sector_lookups[7] = 1.0 / 3.0;
    pattern.warp_steps[2] = 123456789012345678.0;
    EXPECT_EQ(parse_access_pattern(to_text(pattern)), pattern);
  }
  EXPECT_EQ(parse_access_pattern(to_text(AccessPattern{})), AccessPattern{});
}

TEST(AccessPattern, IsWrittenAsTheHeaderSays) {
  AccessPattern pattern;
  pattern.sector_lookups[0] = 123;
  pattern.sector_lookups[5] = 44;
  pattern.warp_steps = {12, 3, 2, 2, 2, 2};
  pattern.longest_row = 7;
  pattern.row_deviation = 0.5;
  pattern.bandwidth = 99;
  EXPECT_EQ(to_text(pattern), "0:123;5:44|12;3;2;2;2;2|7|0.5|99");
}

TEST(AccessPattern, OfAnotherFormIsRefused) {
  for (const std::string text :
       {"", "0:1", "0:1|1;2;3;4;5|1|2|3", "34:1|1;2;3;4;5;6|1|2|3", "0:1|1;2;3;4;5;6|1|2|3 ",
        "0:1;|1;2;3;4;5;6|1|2|3", "0:1|1;2;3;4;5;6|-1|2|3", "0:1|1;2;3;4;5;6|nan|2|3",
        "0.5:1|1;2;3;4;5;6|1|2|3", "0:1|1;2;3;4;5;6|1|inf|3", "1,2"}) {
    EXPECT_THROW(parse_access_pattern(text), Error) << text;
  }
}

TEST(DistinctSectors, LieBetweenThoseOfNeighbouringPowersOfTwo) {
  const AccessPattern pattern =
      compute_access<double>(laplacian(5, 60, 60)).pattern(Layout{}, Precision::f64);
  EXPECT_LT(distinct_sectors(pattern, 64), distinct_sectors(pattern, 32));
  EXPECT_NEAR(distinct_sectors(pattern, 32 * 1.4142135623730951),
              (distinct_sectors(pattern, 32) + distinct_sectors(pattern, 64)) / 2, 1e-6);
  EXPECT_EQ(distinct_sectors(pattern, 0), distinct_sectors(pattern, 1));
  EXPECT_EQ(distinct_sectors(pattern, 1e30), 900);
}

}  // namespace
}  // namespace sparsecast
