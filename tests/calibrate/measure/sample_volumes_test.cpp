#include "calibrate/measure/sample_volumes.hpp"

#include <gtest/gtest.h>

#include <string_view>

#include "calibrate/fit/shipped_samples.hpp"
#include "core/formats/dia/dia.hpp"
#include "core/formats/registry.hpp"
#include "core/formats/sell/sell.hpp"

namespace sparsecast {
namespace {

SegmentShape of_rows(double rows, double offset_bytes) {
  SegmentShape shape;
  shape.unknowns = rows;
  shape.elements = 5 * rows;
  shape.blocks = 5 * rows;
  shape.block_rows = rows;
  shape.index_bytes = 2;
  shape.offset_bytes = offset_bytes;
  return shape;
}

TEST(SampleVolumes, WholeOfOneSegmentStoresWhatTheSegmentDoes) {
  for (const double bytes : {0.0, 0.25, 4.25, 8.0}) {
    const SegmentShape whole = whole_of({of_rows(1000, bytes)});
    EXPECT_EQ(whole.offset_bytes, bytes);
    EXPECT_EQ(whole.index_bytes, 2);
    EXPECT_EQ(whole.elements, 5000);
    EXPECT_EQ(whole.total_unknowns, 1000);
  }
}

TEST(SampleVolumes, WholeOfSegmentsStoresWhatTheyDoTogether) {
  EXPECT_DOUBLE_EQ(whole_of({of_rows(300, 4), of_rows(100, 0)}).offset_bytes, 3);
  EXPECT_EQ(whole_of({of_rows(300, 8), of_rows(100, 8), of_rows(0, 8)}).offset_bytes, 8);
}

/// What samples of formats say is stored by row is what forecasts reckon with.
TEST(SampleVolumes, ShippedSamplesSayWhatTheirFormatStoresByRow) {
  for (const char* name : {"nvidia-h200", "nvidia-h100"}) {
    int diagonal = 0;
    int sliced = 0;
    for (const Sample& sample : some_samples(7, name).samples) {
      if (sample.devices != 1) continue;
      const double rows = sample.shape.unknowns;
      if (sample.layout == "dia") {
        ++diagonal;
        EXPECT_EQ(sample.shape.offset_bytes, dia_shape(rows, rows, 5).offset_bytes);
      } else if (std::string_view(sample.layout).starts_with("sell")) {
        ++sliced;
        const SegmentShape shape = sell_shape(rows, rows, {}, parse_layout(sample.layout));
        EXPECT_DOUBLE_EQ(sample.shape.offset_bytes, shape.offset_bytes) << sample.matrix;
      }
    }
    EXPECT_GT(diagonal, 20);
    EXPECT_GT(sliced, 20);
  }
}

}  // namespace
}  // namespace sparsecast
