#include "core/formats/uncached/uncached.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "core/formats/registry.hpp"
#include "core/matrix/generate/generators.hpp"

namespace sparsecast {
namespace {

TEST(Uncached, StoresWhatTheLayoutWithinDoes) {
  const CsrMatrix<double> matrix = laplacian(5, 30, 30);
  PatternNumbers numbers;
  numbers.rows = static_cast<double>(matrix.rows);
  numbers.columns = static_cast<double>(matrix.columns);
  numbers.nonzeros = static_cast<double>(matrix.nonzeros());
  const Segment all{0, matrix.rows};
  for (const Layout& layout : formats().back()->layouts()) {
    SCOPED_TRACE(to_string(layout));
    ASSERT_TRUE(loads_past_l1(layout));
    const Layout within = cached_layout(layout);
    EXPECT_EQ(to_string(layout), "uncached-" + to_string(within));
    EXPECT_FALSE(loads_past_l1(within));
    const Format& format = format_of(layout);
    const Format& format_within = format_of(within);
    const auto counts = format.count(matrix.view().pattern(), all, layout, 1, {});
    EXPECT_EQ(counts, format_within.count == nullptr
                          ? decltype(counts){}
                          : format_within.count(matrix.view().pattern(), all, within, 1, {}));
    numbers.counts = counts;
    EXPECT_EQ(format.shape(numbers, layout).elements,
              format_within.shape(numbers, within).elements);
    EXPECT_EQ(format.refusal(numbers, layout), "");
    EXPECT_EQ(format.weights(matrix.view().pattern(), layout),
              format_within.weights(matrix.view().pattern(), within));
  }
}

TEST(Uncached, RefusesWhatTheLayoutWithinDoes) {
  PatternNumbers numbers;
  numbers.rows = 1e6;
  numbers.columns = 1e6;
  numbers.nonzeros = 2e6;
  numbers.counts = {{"diagonals", 5e5}};
  const Layout dia = parse_layout("uncached-dia");
  EXPECT_NE(format_of(dia).refusal(numbers, dia), "");
}

TEST(Uncached, IsForGpusAndForComparisons) {
  const Layout layout = parse_layout("uncached-ell");
  EXPECT_FALSE(has_cpu_products(layout));
  EXPECT_EQ(std::ranges::count(usual_layouts(), layout), 0);
}

}  // namespace
}  // namespace sparsecast
