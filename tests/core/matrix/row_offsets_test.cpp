#include "core/matrix/row_offsets.hpp"

#include <gtest/gtest.h>

#include <array>
#include <concepts>
#include <cstdint>
#include <span>
#include <vector>

#include "core/base/buffer.hpp"

namespace sparsecast {
namespace {

template <class Number>
void expect_offsets_of(const std::vector<Number>& numbers) {
  const RowOffsets offsets = numbers;
  ASSERT_EQ(offsets.size(), numbers.size());
  EXPECT_EQ(offsets.front(), numbers.front());
  EXPECT_EQ(offsets.back(), numbers.back());
  for (std::size_t k = 0; k < numbers.size(); ++k) {
    EXPECT_EQ(offsets[static_cast<std::int64_t>(k)], numbers[k]);
  }
  EXPECT_EQ(offsets.copy(), Buffer<std::int64_t>(numbers.begin(), numbers.end()));

  const RowOffsets part = offsets.subspan(1, 2);
  EXPECT_EQ(part.size(), 2U);
  EXPECT_EQ(part.front(), numbers[1]);
  EXPECT_EQ(part.copy(), Buffer<std::int64_t>(numbers.begin() + 1, numbers.begin() + 3));
}

TEST(RowOffsets, AreThoseOfTheCallerInBothWidths) {
  expect_offsets_of(std::vector<std::int64_t>{0, 3, 3, 5'000'000'000});
  expect_offsets_of(std::vector<std::int32_t>{0, 3, 3, 2147483647});
}

TEST(RowOffsets, AreNoCopy) {
  std::vector<std::int64_t> wide{0, 1, 2};
  std::vector<std::int32_t> narrow{0, 1, 2};
  const RowOffsets of_wide = wide;
  const RowOffsets of_narrow = narrow;
  EXPECT_EQ(of_wide.wide().data(), wide.data());
  EXPECT_EQ(of_wide.wide().size(), wide.size());
  EXPECT_TRUE(of_wide.narrow().empty());
  EXPECT_EQ(of_narrow.narrow().data(), narrow.data());
  EXPECT_EQ(of_narrow.narrow().size(), narrow.size());
  EXPECT_TRUE(of_narrow.wide().empty());

  narrow[1] = 7;
  EXPECT_EQ(of_narrow[1], 7);
  EXPECT_EQ(of_narrow.subspan(1, 1).narrow().data(), narrow.data() + 1);
}

TEST(RowOffsets, AreNoneUntilTheyAreGiven) {
  EXPECT_EQ(RowOffsets().size(), 0U);
  EXPECT_TRUE(RowOffsets().copy().empty());
  EXPECT_TRUE(RowOffsets().wide().empty());
  EXPECT_TRUE(RowOffsets().narrow().empty());
}

TEST(RowOffsets, AreMadeOfWhateverHoldsNumbersOfTheseWidths) {
  static_assert(std::convertible_to<Buffer<std::int64_t>, RowOffsets>);
  static_assert(std::convertible_to<std::array<std::int32_t, 3>, RowOffsets>);
  static_assert(std::convertible_to<std::span<const std::int32_t>, RowOffsets>);
  static_assert(std::convertible_to<std::span<std::int64_t>, RowOffsets>);
  static_assert(!std::convertible_to<std::vector<std::uint32_t>, RowOffsets>);
  static_assert(!std::convertible_to<std::vector<std::int16_t>, RowOffsets>);
  static_assert(!std::convertible_to<std::vector<double>, RowOffsets>);
  const std::int32_t plain[] = {0, 4};
  EXPECT_EQ(RowOffsets(plain).back(), 4);
}

}  // namespace
}  // namespace sparsecast
