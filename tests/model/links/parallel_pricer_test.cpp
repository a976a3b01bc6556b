#include "model/links/parallel_pricer.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "core/base/error.hpp"
#include "core/schedule/cg_schedule.hpp"
#include "model/traffic/traffic_example.hpp"

namespace sparsecast {
namespace {

LinkCosts example_link() {
  LinkCosts link;
  link.sum_seconds = {3e-6, 1e-7};
  link.exchanges[ExchangeMode::halo] = {{4e-6, 1e-7}, {300, 3}, {0.5, 0.1}};
  link.exchanges[ExchangeMode::staged] = {{2e-5, 1e-6}, {50, 1}, {0, 0.1}};
  return link;
}

/// One of two segments of five entries a row.
SegmentWork example_work(std::int64_t unknowns, double exchanged) {
  const TrafficCase one = example_case(unknowns);
  SegmentWork work{one.shape, one.pattern, one.execution.product, one.geometry};
  work.shape.total_unknowns = 2 * one.shape.unknowns;
  work.received = exchanged;
  work.sent = exchanged;
  work.interior_rows = one.shape.unknowns - exchanged;
  return work;
}

TrafficPrice price(const std::vector<SegmentWork>& segments, const LinkCosts& link,
                   ExchangeMode mode = ExchangeMode::halo,
                   const Schedule& schedule = fused_cg_schedule()) {
  const PricedSchedule priced(schedule);
  const ParallelPricer pricer(priced, segments, example_gpu(), Precision::f64, {}, mode);
  return pricer.price(example_parameters(), pricer.costs(link));
}

TrafficPrice price_alone(const SegmentWork& work) {
  TrafficCase one{{}, work.shape, work.pattern, {work.product, {}}, work.geometry, {}};
  one.shape.total_unknowns = work.shape.unknowns + work.received;
  const Schedule schedule = fused_cg_schedule();
  return TrafficPricer(schedule, LaunchMode::graph, one, example_gpu(), Precision::f64)
      .price(example_parameters());
}

TEST(ParallelPrice, TwoEqualSegmentsCostOneOfThemTheExchangeAndTwoSums) {
  const SegmentWork work = example_work(1'000'000, 0);
  const TrafficPrice both = price({work, work}, example_link());
  EXPECT_DOUBLE_EQ(both.exchange_seconds, 4e-6);
  EXPECT_DOUBLE_EQ(both.device_sum_seconds, 2 * 3e-6);
  EXPECT_DOUBLE_EQ(both.seconds, price_alone(work).seconds + 4e-6 + 2 * 3e-6);
  EXPECT_EQ(both.steps.size(), 3U);
}

TEST(ParallelPrice, ThePartsAddUpToTheWhole) {
  const TrafficPrice both =
      price({example_work(700'000, 9000), example_work(500'000, 9000)}, example_link());
  double sum = both.launch_seconds + both.exchange_seconds + both.device_sum_seconds;
  for (const StepPrice& step : both.steps) sum += step.seconds;
  EXPECT_NEAR(both.seconds, sum, 1e-15);
}

TEST(ParallelPrice, HoldsWhatIterationsLikeTheSlowestSegmentsTookMore) {
  const SegmentWork large = example_work(700'000, 9000);
  const SegmentWork small = example_work(500'000, 9000);
  const Schedule schedule = fused_cg_schedule();
  const PricedSchedule priced(schedule);
  const ParallelPricer pricer(priced, {small, large}, example_gpu(), Precision::f64, {},
                              ExchangeMode::halo);
  TrafficParameters parameters = example_parameters();
  const TrafficPrice terms = pricer.price(parameters, pricer.costs(example_link()));
  TrafficCase one{{}, large.shape, large.pattern, {large.product, {}}, large.geometry, {}};
  one.shape.total_unknowns = large.shape.unknowns + large.received;
  const TrafficPricer alone(schedule, LaunchMode::graph, one, example_gpu(), Precision::f64);
  Residual like_it;
  like_it.mean = alone.iteration_traits(parameters).value();
  like_it.range.assign(like_it.mean.size(), 1e-3);
  like_it.points = {{Traits(like_it.mean.size()), 0.1}};
  parameters.residuals["iterations"] = like_it;
  const TrafficPrice more = pricer.price(parameters, pricer.costs(example_link()));
  EXPECT_NEAR(more.residual_seconds, alone.price(parameters).residual_seconds, 1e-15);
  EXPECT_GT(more.residual_seconds, 0);
  // All but what the small one or the links take.
  EXPECT_NEAR(more.seconds - terms.seconds, more.residual_seconds, 0.05 * more.residual_seconds);
}

TEST(ParallelPrice, EveryProductWaitsForTheExchangeInFrontOfIt) {
  const SegmentWork work = example_work(100'000, 30'000);
  const auto exchange_seconds = [&](const Schedule& schedule) {
    return price({work, work}, example_link(), ExchangeMode::halo, schedule).exchange_seconds;
  };
  Schedule schedule = fused_cg_schedule();
  const auto exchange = std::ranges::find(schedule.iteration, StepKind::exchange, &Step::kind);
  const Step again = *exchange;
  Step product = exchange[1];
  ASSERT_GT(product.traffic.values_per_element, 0);
  const double one = exchange_seconds(schedule);
  // What has come once is there for a second product.
  schedule.iteration.push_back(product);
  EXPECT_DOUBLE_EQ(exchange_seconds(schedule), one);
  schedule.iteration.insert(schedule.iteration.end() - 1, again);
  EXPECT_DOUBLE_EQ(exchange_seconds(schedule), 2 * one);
  // The transpose hides nothing: half of the first's product did.
  schedule.iteration.back().transposed = true;
  EXPECT_GT(exchange_seconds(schedule), 2.01 * one);
  // One that stands at the end is for the product at the beginning.
  schedule = fused_cg_schedule();
  // Not std::ranges::rotate, which Clang 14 does not take.
  std::rotate(schedule.iteration.begin(),
              std::ranges::find(schedule.iteration, StepKind::exchange, &Step::kind) + 1,
              schedule.iteration.end());
  ASSERT_EQ(schedule.iteration.back().kind, StepKind::exchange);
  EXPECT_DOUBLE_EQ(exchange_seconds(schedule), one);
}

TEST(ParallelPrice, TheSlowestSegmentCounts) {
  const SegmentWork large = example_work(1'000'000, 0);
  const SegmentWork small = example_work(1000, 0);
  const LinkCosts link = example_link();
  EXPECT_DOUBLE_EQ(price({large, small}, link).seconds, price({large, large}, link).seconds);
  EXPECT_DOUBLE_EQ(price({small, large}, link).seconds, price({large, large}, link).seconds);
}

TEST(ParallelPrice, BetweenSumsAnotherSegmentMayBeTheSlowest) {
  SegmentWork many_rows = example_work(1'000'000, 0);
  SegmentWork many_entries = example_work(300'000, 0);
  many_entries.shape.elements = many_entries.shape.blocks = 4e7;
  const LinkCosts link = example_link();
  const TrafficPrice both = price({many_rows, many_entries}, link);
  EXPECT_GT(both.seconds, price({many_rows, many_rows}, link).seconds);
  EXPECT_GT(both.seconds, price({many_entries, many_entries}, link).seconds);
}

TEST(ParallelPrice, TheLargerOfReceivedAndSentTakesItsTimeOnTheLink) {
  SegmentWork work = example_work(1'000'000, 0);
  work.interior_rows = 0;
  LinkCosts link = example_link();
  const double without = price({work, work}, link).exchange_seconds;
  SegmentWork sender = work;
  sender.sent = 3e6;
  sender.received = 1e6;
  const TrafficPrice both = price({sender, work}, link);
  EXPECT_NEAR(both.exchange_seconds - without, 8 * 3e6 / 300e9, 1e-12);
}

TEST(ParallelPrice, InteriorRowsHideAsMuchAsTheirProductTakes) {
  SegmentWork work = example_work(1'000'000, 100'000);
  work.interior_rows = 500'000;
  LinkCosts link = example_link();
  link.exchanges[ExchangeMode::halo].gbps.value = 1;  // far slower than the product
  const TrafficPrice both = price({work, work}, link);
  EXPECT_NEAR(both.hidden_seconds, 0.5 * 0.5 * both.steps.front().seconds, 1e-12);
  EXPECT_NEAR(both.exchange_seconds, 4e-6 + 8e5 / 1e9 - both.hidden_seconds, 1e-12);
  link.exchanges[ExchangeMode::halo].gbps.value = 1e6;
  EXPECT_NEAR(price({work, work}, link).exchange_seconds, 4e-6, 1e-12);
}

TEST(ParallelPrice, WhatADeviceSendsAndReceivesStagedPassesItsBusInTurn) {
  const SegmentWork work = example_work(1'000'000, 1'000'000);
  const TrafficPrice both = price({work, work}, example_link(), ExchangeMode::staged);
  EXPECT_NEAR(both.exchange_seconds, 2e-5 + 8.0 * 2e6 / 50e9, 1e-12);
}

TEST(ParallelPrice, Algorithm1HasThreeSums) {
  const SegmentWork work = example_work(100'000, 0);
  const TrafficPrice both =
      price({work, work}, example_link(), ExchangeMode::halo, algorithm1_schedule());
  EXPECT_DOUBLE_EQ(both.device_sum_seconds, 3 * 3e-6);
}

TEST(ParallelPrice, AnExchangeThatTheLinkDoesNotKnowIsRefused) {
  const SegmentWork work = example_work(1000, 10);
  EXPECT_THROW(price({work, work}, example_link(), ExchangeMode::peer), Error);
}

}  // namespace
}  // namespace sparsecast
