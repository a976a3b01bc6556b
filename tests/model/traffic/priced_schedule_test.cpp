#include "model/traffic/priced_schedule.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "core/schedule/cg_schedule.hpp"
#include "core/schedule/method/lower.hpp"
#include "core/schedule/method/method_names.hpp"
#include "core/schedule/shipped/shipped_methods.hpp"
#include "model/working_set.hpp"

namespace sparsecast {
namespace {

Schedule step_by_step_gmres() {
  const Method& method = shipped_method("gmres");
  return lower(method, parameter_values(method, {{"m", 12}}, {}), Execution::step_by_step).schedule;
}

SegmentShape shape() {
  return {.unknowns = 1000,
          .total_unknowns = 2000,
          .elements = 5000,
          .blocks = 5000,
          .block_rows = 1000};
}

TEST(PricedSchedule, HasOneKernelOfThoseThatCostTheSame) {
  const Schedule schedule = step_by_step_gmres();
  const PricedSchedule priced(schedule);
  const auto steps = priced.steady().steps();
  ASSERT_EQ(priced.kernel_of_step().size(), steps.size());
  EXPECT_LT(priced.kernels().size(), steps.size());
  const SteadySizes sizes = priced.steady().sizes(shape(), Precision::f64, 8);
  for (std::size_t i = 0; i < steps.size(); ++i) {
    const PricedSchedule::Kernel& kernel = priced.kernels()[priced.kernel_of_step()[i]];
    const Step& step = schedule.iteration[steps[i].step];
    EXPECT_EQ(kernel.step->name, step.name);
    EXPECT_EQ(kernel.sums, !step.sums.empty());
    const StepTraffic expected = priced.steady().traffic(steps[i], sizes);
    const StepTraffic moved = priced.steady().traffic(kernel.touched, sizes);
    EXPECT_EQ(moved.bytes.total(), expected.bytes.total());
    ASSERT_EQ(moved.reads.size(), expected.reads.size());
    for (std::size_t k = 0; k < moved.reads.size(); ++k) {
      EXPECT_EQ(moved.reads[k].reuse_distance, expected.reads[k].reuse_distance);
      EXPECT_EQ(moved.reads[k].arrays, expected.reads[k].arrays);
    }
  }
}

TEST(PricedSchedule, KeepsApartWhatDiffers) {
  const Schedule schedule = fused_cg_schedule();
  EXPECT_EQ(PricedSchedule(schedule).kernels().size(), 3U);
}

TEST(PricedSchedule, CountsTheOperationsOfAllSteps) {
  const Schedule schedule = step_by_step_gmres();
  double flops = 0;
  for (const Step& step : schedule.iteration) flops += evaluate(step.flops, shape());
  EXPECT_EQ(PricedSchedule(schedule).flops(shape()), flops);
}

}  // namespace
}  // namespace sparsecast
