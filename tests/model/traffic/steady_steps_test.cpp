#include "model/traffic/steady_steps.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <string_view>

#include "core/schedule/cg_schedule.hpp"
#include "core/schedule/microbenchmark_schedules.hpp"

namespace sparsecast {
namespace {

constexpr double unknowns = 1000;
constexpr double vector_bytes = 8 * unknowns;

SegmentShape shape() {
  return {.unknowns = unknowns,
          .total_unknowns = unknowns,
          .elements = 5000,
          .blocks = 5000,
          .block_rows = unknowns};
}
/// Values, 4-byte columns and 8-byte offsets.
constexpr double matrix_bytes = 5000 * 8 + 5000 * 4 + unknowns * 8;

int arrays(const std::vector<ArrayTraffic>& all) {
  int count = 0;
  for (const ArrayTraffic& each : all) count += each.arrays;
  return count;
}

const StepTraffic& of(const std::vector<StepTraffic>& all, const Schedule& schedule,
                      std::string_view name) {
  return *std::ranges::find_if(
      all, [&](const StepTraffic& each) { return schedule.iteration[each.step].name == name; });
}

TEST(StepTraffic, OfAKernelAloneIsAllTouchedAgainAfterAll) {
  const Schedule schedule = single_step_schedule("CG4");
  const auto traffic = steady_traffic(schedule, shape(), Precision::f64);
  ASSERT_EQ(traffic.size(), 1u);
  EXPECT_EQ(arrays(traffic[0].reads), 5);
  EXPECT_EQ(arrays(traffic[0].writes), 4);
  for (const ArrayTraffic& read : traffic[0].reads) {
    EXPECT_EQ(read.bytes, vector_bytes);
    EXPECT_EQ(read.reuse_distance, 7 * vector_bytes);  // its seven vectors
  }
}

TEST(StepTraffic, SkipsStepsWithGuardsAndScalars) {
  const Schedule schedule = algorithm1_schedule();
  for (const StepTraffic& each : steady_traffic(schedule, shape(), Precision::f64)) {
    const Step& step = schedule.iteration[each.step];
    EXPECT_FALSE(step.guard);
    EXPECT_TRUE(step.kind == StepKind::kernel || step.kind == StepKind::reduce) << step.name;
  }
}

TEST(StepTraffic, SaysHowFarBackAVectorWasTouched) {
  // SpMVDot: matrix, v, u. CGResidual: u, c, z. CGDirection: z, v, x.
  const Schedule schedule = fused_cg_schedule();
  const auto traffic = steady_traffic(schedule, shape(), Precision::f64);
  ASSERT_EQ(traffic.size(), 3u);
  const StepTraffic& residual = of(traffic, schedule, "CGResidual");
  // u was written by the product: half of matrix and v behind it, half of c and z before it, u.
  EXPECT_DOUBLE_EQ(residual.reads[0].reuse_distance,
                   (matrix_bytes + vector_bytes) / 2 + 2 * vector_bytes / 2 + vector_bytes);
  // c was touched an iteration ago: all else that an iteration touches lies between.
  EXPECT_DOUBLE_EQ(residual.reads[1].reuse_distance, matrix_bytes + 5 * vector_bytes);
  const StepTraffic& product = of(traffic, schedule, "SpMVDot");
  EXPECT_EQ(product.gathered.bytes, vector_bytes);
  // v: from CGDirection, which touches z and x besides.
  EXPECT_DOUBLE_EQ(product.gathered.reuse_distance,
                   2 * vector_bytes / 2 + (matrix_bytes + vector_bytes) / 2 + vector_bytes);
  ASSERT_EQ(product.reads.size(), 1u);
  EXPECT_EQ(product.reads[0].bytes, matrix_bytes);
}

TEST(StepTraffic, SaysHowSoonAWrittenVectorIsTouchedNext) {
  const Schedule schedule = fused_cg_schedule();
  const auto traffic = steady_traffic(schedule, shape(), Precision::f64);
  const StepTraffic& product = of(traffic, schedule, "SpMVDot");
  ASSERT_EQ(product.writes.size(), 1u);
  EXPECT_DOUBLE_EQ(product.writes[0].reuse_distance,
                   of(traffic, schedule, "CGResidual").reads[0].reuse_distance);
}

TEST(StepTraffic, ReadsAVectorOnceThatIsHandedOverTwice) {
  const Schedule schedule = vendor_cg_schedule();
  for (const StepTraffic& each : steady_traffic(schedule, shape(), Precision::f32)) {
    const Step& step = schedule.iteration[each.step];
    if (step.name != "cublasDot" || step.vectors[0] != step.vectors[1]) continue;
    EXPECT_EQ(arrays(each.reads), 1);
  }
}

TEST(StepTraffic, CountsVectorsTogetherThatAreTouchedAlike) {
  const Schedule schedule = single_step_schedule("CG4");
  const auto traffic = steady_traffic(schedule, shape(), Precision::f64);
  for (const auto* all : {&traffic[0].reads, &traffic[0].writes}) {
    for (std::size_t i = 1; i < all->size(); ++i) {
      EXPECT_NE((*all)[i].updated, (*all)[i - 1].updated) << i;
    }
  }
}

TEST(StepTraffic, OfPassesIsOfTheirOwnPartOfAFullVectorAndOfProductsOfAllOfIt) {
  const Schedule schedule = fused_cg_schedule();
  SegmentShape part = shape();
  part.total_unknowns = 9 * unknowns;
  int products = 0;
  for (const StepTraffic& step : steady_traffic(schedule, part, Precision::f64)) {
    const bool multiplies = step.gathered.bytes > 0;
    if (multiplies) {
      ++products;
      EXPECT_EQ(step.gathered.bytes, 9 * vector_bytes);
    }
    for (const auto* arrays : {&step.reads, &step.writes}) {
      for (const ArrayTraffic& array : *arrays) {
        if (multiplies && &array == &step.reads.back()) continue;  // the matrix
        EXPECT_EQ(array.bytes, vector_bytes) << schedule.iteration[step.step].name;
      }
    }
  }
  EXPECT_EQ(products, 1);
}

}  // namespace
}  // namespace sparsecast
