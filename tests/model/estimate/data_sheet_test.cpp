#include "model/estimate/data_sheet.hpp"

#include <gtest/gtest.h>

#include <set>
#include <utility>

#include "core/refusal.hpp"

namespace sparsecast {
namespace {

TEST(DataSheets, HaveEveryNumberAndASource) {
  std::set<std::string> names;
  std::set<std::string> devices;
  for (const DataSheet& each : data_sheets()) {
    EXPECT_TRUE(names.insert(each.name).second) << each.name;
    EXPECT_TRUE(devices.insert(each.device).second) << each.device;
    EXPECT_GT(each.multiprocessors, 0) << each.name;
    EXPECT_GT(each.clock_mhz, 1000) << each.name;
    EXPECT_GT(each.bandwidth_gbps, 100) << each.name;
    EXPECT_GE(each.l2_mb, 40) << each.name;
    EXPECT_GE(each.memory_gb, 40) << each.name;
    EXPECT_GT(each.link_gbps, 0) << each.name;
    EXPECT_GT(each.shared_bytes_per_block, 48 * 1024) << each.name;
    EXPECT_GT(each.source.size(), 40u) << each.name;
  }
}

TEST(DataSheets, AreFoundByNameAndByDevice) {
  EXPECT_EQ(data_sheet("h100-pcie").multiprocessors, 114);
  ASSERT_NE(find_data_sheet_of("NVIDIA H200"), nullptr);
  EXPECT_EQ(find_data_sheet_of("NVIDIA H200")->name, "h200");
  EXPECT_EQ(find_data_sheet_of("NVIDIA Unheard"), nullptr);
}

TEST(DataSheets, SayWhichNameWasProbablyMeant) {
  EXPECT_EQ(refusal_of([] { data_sheet("h100-pice"); }),
            "no data sheet of 'h100-pice'; did you mean 'h100-pcie'?");
  EXPECT_NE(refusal_of([] { data_sheet("unheard-of"); }).find("known are a100-pcie-40gb"),
            std::string::npos);
}

TEST(DataSheets, KnowWhichGpusHaveClusters) {
  EXPECT_FALSE(has_clusters(data_sheet("a100-sxm-40gb")));
  EXPECT_FALSE(has_clusters(data_sheet("l40s")));
  EXPECT_TRUE(has_clusters(data_sheet("gh200")));
  EXPECT_TRUE(has_clusters(data_sheet("b200")));
}

TEST(DataSheets, KnowOfWhichGpuAPartIs) {
  DataSheet part = data_sheet("h100-sxm");
  part.multiprocessors = 32;
  EXPECT_EQ(multiprocessors_of_whole(part), 132);
  DataSheet instance = part;  // of which a share of the cache is
  instance.l2_mb = 12.5;
  EXPECT_EQ(multiprocessors_of_whole(instance), 32);
  DataSheet unknown = part;
  unknown.device.clear();
  EXPECT_EQ(multiprocessors_of_whole(unknown), 32);
}

TEST(DataSheets, StreamWhatMemoryDeliversOrFewMultiprocessorsTake) {
  for (const DataSheet& sheet : data_sheets()) {
    EXPECT_EQ(streamed_gbps(sheet), sheet.bandwidth_gbps) << sheet.name;
  }
  // What was measured on parts of an H100; all of it streams 3080 GB/s.
  DataSheet part = data_sheet("h100-sxm");
  for (const auto& [multiprocessors, measured] :
       {std::pair{8, 1080.0}, {16, 2150.0}, {32, 3070.0}, {64, 3120.0}}) {
    part.multiprocessors = multiprocessors;
    EXPECT_NEAR(streamed_gbps(part) * 3080 / 3350, measured, 0.1 * measured) << multiprocessors;
  }
}

}  // namespace
}  // namespace sparsecast
