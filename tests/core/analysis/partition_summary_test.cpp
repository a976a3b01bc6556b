#include "core/analysis/partition_summary.hpp"

#include <gtest/gtest.h>

#include "core/analysis/partition_json.hpp"
#include "core/base/error.hpp"
#include "core/formats/registry.hpp"
#include "core/matrix/generate/generators.hpp"

namespace sparsecast {
namespace {

TEST(PartitionSummary, CountsWhatEachDeviceStoresInEveryLayout) {
  const CsrMatrix<double> grid = laplacian(5, 64, 64);
  for (const Layout& layout : all_layouts()) {
    const PartitionSummary summary = summarize_partition(grid, 2, layout);
    EXPECT_EQ(summary.layout, layout);
    for (const std::int64_t stored : summary.stored_elements) {
      EXPECT_GE(stored, grid.nonzeros() / 2 - 64) << to_string(layout);
      if (layout.format == "dia") {
        EXPECT_EQ(stored, 5 * 2048);
      }
    }
  }
  EXPECT_EQ(summarize_partition(grid, 2, {}).stored_elements[0], grid.nonzeros() / 2);
  EXPECT_THROW(summarize_partition(grid, 2, {"bcsr", 5, RowOrder::natural}), Error);
}

TEST(PartitionSummary, CountsNeighboursAndTheirLargestPart) {
  const PartitionSummary summary = summarize_partition(laplacian(5, 32, 40), 4, {});
  EXPECT_EQ(summary.neighbour_counts(), (std::vector<std::int64_t>{1, 2, 2, 1}));
  EXPECT_EQ(summary.largest_messages(), (std::vector<std::int64_t>{32, 32, 32, 32}));
  EXPECT_EQ(summarize_partition(laplacian(5, 32, 40), 1, {}).largest_messages(),
            std::vector<std::int64_t>{0});
}

TEST(PartitionSummary, NamesTheLayout) {
  const CsrMatrix<double> line = laplacian(3, 100);
  const std::string text = to_json(summarize_partition(line, 2, block_layout(2))).text();
  EXPECT_NE(text.find("\"layout\":\"bcsr2\""), std::string::npos) << text;
}

}  // namespace
}  // namespace sparsecast
