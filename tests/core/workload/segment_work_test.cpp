#include "core/workload/segment_work.hpp"

#include <gtest/gtest.h>

#include "core/base/error.hpp"

namespace sparsecast {
namespace {

TEST(SegmentWork, TextKeepsEveryNumber) {
  std::vector<SegmentWork> segments(2);
  segments[0].shape = {100.5, 201, 1001, 502, 53, 2};
  segments[0].pattern.sector_lookups[3] = 17;
  segments[0].pattern.longest_row = 9;
  segments[0].product.lanes = 8;
  segments[0].product.pieces = 3;
  segments[0].received = 11;
  segments[0].sent = 1.0 / 3;
  segments[0].interior_rows = 64;
  segments[1].shape.unknowns = 7;
  const std::string text = to_text(segments);
  EXPECT_EQ(text.find(','), std::string::npos);
  const std::vector<SegmentWork> read = parse_segment_work(text);
  ASSERT_EQ(read.size(), 2U);
  EXPECT_EQ(to_text(read), text);
  EXPECT_EQ(read[0].shape.index_bytes, 2);
  EXPECT_EQ(read[0].sent, 1.0 / 3);
  EXPECT_EQ(read[0].interior_rows, 64);
  EXPECT_EQ(read[0].pattern, segments[0].pattern);
  EXPECT_EQ(read[0].product, segments[0].product);
  EXPECT_EQ(read[1].shape.unknowns, 7);
}

TEST(SegmentWork, TextKeepsThatNoRowOffsetsAreStored) {
  std::vector<SegmentWork> segments(2);
  segments[0].shape = {64, 64, 192, 192, 64, 0, 0};
  segments[1].shape = {64, 64, 192, 192, 64, 4, 8};
  const std::string text = to_text(segments);
  EXPECT_TRUE(text.starts_with("64:64:192:192:64:0/0:")) << text;
  const std::vector<SegmentWork> read = parse_segment_work(text);
  EXPECT_EQ(read[0].shape.index_bytes, 0);
  EXPECT_EQ(read[0].shape.offset_bytes, 0);
  EXPECT_EQ(read[1].shape.offset_bytes, 8);
  EXPECT_THROW(parse_segment_work("64:64:192:192:64:0/x" + text.substr(20)), Error);
}

TEST(SegmentWork, TextKeepsNeighbours) {
  std::vector<SegmentWork> segments(2);
  const std::string without = to_text(segments);
  segments[1].neighbours = {{0, 1.0 / 3, 17}, {12, 0, 5}};
  const std::string text = to_text(segments);
  EXPECT_GT(text.size(), without.size());
  EXPECT_EQ(text.find(','), std::string::npos);
  const std::vector<SegmentWork> read = parse_segment_work(text);
  ASSERT_EQ(read.size(), 2U);
  EXPECT_TRUE(read[0].neighbours.empty());
  EXPECT_EQ(read[1].neighbours, segments[1].neighbours);
  EXPECT_EQ(to_text(read), text);
}

TEST(SegmentWork, DamagedTextIsRefused) {
  std::vector<SegmentWork> segments(1);
  const std::string text = to_text(segments);
  for (const char* neighbours : {"@1:2", "@x:2:3", "@-1:2:3"}) {
    EXPECT_THROW(parse_segment_work(text + neighbours), Error) << neighbours;
  }
  EXPECT_THROW(parse_segment_work("1:2:x:" + text), Error);
  EXPECT_THROW(parse_segment_work("5:" + text), Error);
  EXPECT_THROW(parse_segment_work(text.substr(0, text.size() / 2)), Error);
}

}  // namespace
}  // namespace sparsecast
