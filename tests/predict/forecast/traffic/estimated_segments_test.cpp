#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "predict/forecast/traffic/traffic_case.hpp"

namespace sparsecast {
namespace {

const GpuShape gpu{132, 50'000'000, 232'448};

std::vector<SegmentWork> segments_of(const MatrixNumbers& numbers, int devices,
                                     ExchangeMode mode = ExchangeMode::halo) {
  return estimated_segments(numbers, Layout{}, devices, Precision::f64, gpu, mode);
}

double received(const SegmentWork& one) {
  double values = 0;
  for (const Neighbour& neighbour : one.neighbours) values += neighbour.received;
  return values;
}

std::vector<int> devices_of(const std::vector<Neighbour>& neighbours) {
  std::vector<int> devices;
  for (const Neighbour& one : neighbours) devices.push_back(one.device);
  return devices;
}

TEST(EstimatedSegments, OfAGridHaveOneNeighbourOnEachSide) {
  // A plane has 10 000 unknowns.
  const MatrixNumbers box{1e6, 27e6, 1, {}};
  for (const ExchangeMode mode : {ExchangeMode::halo, ExchangeMode::nccl}) {
    const auto all = segments_of(box, 4, mode);
    ASSERT_EQ(all.size(), 4U);
    EXPECT_EQ(devices_of(all[0].neighbours), std::vector{1});
    EXPECT_EQ(devices_of(all[1].neighbours), (std::vector{0, 2}));
    EXPECT_EQ(devices_of(all[3].neighbours), std::vector{2});
    EXPECT_NEAR(received(all[1]), all[1].received, 1e-6);
    EXPECT_NEAR(received(all[0]), all[0].received / 2, 1e-6);
    EXPECT_NEAR(all[1].received, 20'000, 1);
  }
  const auto two = segments_of(box, 2);
  EXPECT_NEAR(received(two[0]), two[0].received, 1e-6);
}

TEST(EstimatedSegments, ThinnerThanAPlaneReachBeyondTheNext) {
  // Planes of 10 000 unknowns on devices of 4000.
  const auto all = segments_of({1e6, 27e6, 1, {}}, 250);
  EXPECT_EQ(devices_of(all[100].neighbours), (std::vector{97, 98, 99, 101, 102, 103}));
  EXPECT_NEAR(all[100].neighbours[0].received, 2000, 1);
  EXPECT_NEAR(all[100].neighbours[1].received, 4000, 1);
  EXPECT_NEAR(received(all[100]), all[100].received, 1e-6);
  EXPECT_EQ(devices_of(all[249].neighbours), (std::vector{246, 247, 248}));
}

TEST(EstimatedSegments, ExchangeAsMuchBothWays) {
  const auto all = segments_of({1e6, 27e6, 1, {}}, 250);
  for (std::size_t device = 0; device < all.size(); ++device) {
    for (const Neighbour& one : all[device].neighbours) {
      bool found = false;
      for (const Neighbour& back : all[static_cast<std::size_t>(one.device)].neighbours) {
        if (back.device != static_cast<int>(device)) continue;
        found = true;
        EXPECT_EQ(back.sent, one.received);
        EXPECT_EQ(back.received, one.sent);
      }
      EXPECT_TRUE(found);
    }
  }
}

TEST(EstimatedSegments, OfScatteredColumnsHaveAllOthersForNeighbours) {
  RowNumbers scattered;
  scattered.deviation = 20;
  scattered.mean_distance = 33'000;
  scattered.neighbours = 0;
  scattered.similarity = 0;
  const auto all = segments_of({1e5, 2e6, 1, scattered}, 5);
  EXPECT_EQ(all[2].neighbours.size(), 4U);
  for (const SegmentWork& one : all) EXPECT_LE(received(one), one.received + 1e-6);
}

TEST(EstimatedSegments, HaveNoNeighboursWhereWholePartsAreExchanged) {
  for (const ExchangeMode mode : {ExchangeMode::peer, ExchangeMode::staged}) {
    for (const SegmentWork& one : segments_of({1e6, 27e6, 1, {}}, 3, mode)) {
      EXPECT_TRUE(one.neighbours.empty());
    }
  }
}

}  // namespace
}  // namespace sparsecast
