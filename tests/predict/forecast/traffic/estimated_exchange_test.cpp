#include "predict/forecast/traffic/estimated_exchange.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <set>

#include "core/analysis/estimated_access.hpp"

namespace sparsecast {
namespace {

/// A 7-point grid of 100^3.
MatrixNumbers grid() {
  MatrixNumbers numbers{1e6, 6.94e6, 1, {}};
  numbers.of_rows.mean_distance = 2885;
  numbers.of_rows.neighbours = 0.86;
  return numbers;
}

EstimatedExchange compact(int devices) {
  return estimate_exchange(grid(), devices, ExchangeMode::nccl, Parts::compact);
}

double received(const std::vector<Neighbour>& neighbours) {
  double values = 0;
  for (const Neighbour& each : neighbours) values += each.received;
  return values;
}

TEST(EstimatedExchange, WhatOneSendsTheOtherReceives) {
  for (const Parts parts : {Parts::consecutive, Parts::compact}) {
    for (const int devices : {2, 3, 7, 8, 64, 100}) {
      const auto exchange = estimate_exchange(grid(), devices, ExchangeMode::nccl, parts);
      ASSERT_EQ(exchange.neighbours.size(), static_cast<std::size_t>(devices));
      for (int device = 0; device < devices; ++device) {
        std::set<int> seen;
        for (const Neighbour& each : exchange.neighbours[static_cast<std::size_t>(device)]) {
          ASSERT_GE(each.device, 0);
          ASSERT_LT(each.device, devices);
          EXPECT_NE(each.device, device);
          EXPECT_TRUE(seen.insert(each.device).second);
          const auto& back = exchange.neighbours[static_cast<std::size_t>(each.device)];
          const auto mine = std::ranges::find(back, device, &Neighbour::device);
          ASSERT_NE(mine, back.end());
          EXPECT_DOUBLE_EQ(mine->received, each.sent);
        }
      }
    }
  }
}

TEST(EstimatedExchange, TheMostThatADeviceReceivesIsTheHalo) {
  for (const Parts parts : {Parts::consecutive, Parts::compact}) {
    const auto exchange = estimate_exchange(grid(), 64, ExchangeMode::nccl, parts);
    double most = 0;
    for (const auto& of_device : exchange.neighbours) most = std::max(most, received(of_device));
    EXPECT_NEAR(most, exchange.halo, 1e-9 * exchange.halo);
    EXPECT_EQ(exchange.received, exchange.halo);
  }
  EXPECT_EQ(compact(64).halo, estimate_compact_halo(grid(), 64));
}

TEST(EstimatedExchange, CompactPartsOfThreeDimensionsHaveSixFacesAndNearNumbers) {
  const EstimatedExchange exchange = compact(512);
  std::size_t most = 0;
  for (std::size_t device = 0; device < 512; ++device) {
    const auto& of_device = exchange.neighbours[device];
    most = std::max(most, of_device.size());
    EXPECT_LE(std::ranges::count_if(of_device, [](const Neighbour& each) { return each.sent > 0; }),
              6);
    // Eight in a row are a cube: three faces of each lie within.
    const auto inside = std::ranges::count_if(of_device, [&](const Neighbour& each) {
      return each.sent > 0 && each.device / 8 == static_cast<int>(device) / 8;
    });
    EXPECT_EQ(inside, 3);
  }
  EXPECT_EQ(most, 26U);
}

TEST(EstimatedExchange, CompactPartsExchangeLessThanRowsAsTheyCome) {
  for (const int devices : {16, 128, 1024}) {
    EXPECT_LT(compact(devices).halo,
              estimate_exchange(grid(), devices, ExchangeMode::nccl, Parts::consecutive).halo);
  }
}

TEST(EstimatedExchange, AScatteredMatrixHasNeighboursWithoutPlace) {
  MatrixNumbers scattered{1e6, 2e7, 1, {}};
  scattered.of_rows.mean_distance = 333'333;
  scattered.of_rows.neighbours = 0;
  scattered.of_rows.similarity = 0;
  const auto exchange = estimate_exchange(scattered, 64, ExchangeMode::nccl, Parts::compact);
  for (const auto& of_device : exchange.neighbours) {
    EXPECT_GT(of_device.size(), 55U);
    EXPECT_NEAR(received(of_device), exchange.halo, 1e-6 * exchange.halo);
  }
}

TEST(EstimatedExchange, WholeVectorsHaveNoNeighbours) {
  const auto exchange = estimate_exchange(grid(), 4, ExchangeMode::staged, Parts::consecutive);
  EXPECT_EQ(exchange.sent, 250'000);
  EXPECT_EQ(exchange.received, 750'000);
  for (const auto& of_device : exchange.neighbours) EXPECT_TRUE(of_device.empty());
}

}  // namespace
}  // namespace sparsecast
