#include "core/schedule/carried_exchange.hpp"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "core/schedule/cg_schedule.hpp"
#include "core/schedule/method/lower.hpp"
#include "core/schedule/method/method_names.hpp"
#include "core/schedule/pass_step.hpp"
#include "core/schedule/shipped/shipped_methods.hpp"
#include "core/schedule/steps.hpp"

namespace sparsecast {
namespace {

Schedule shipped(const std::string& name) {
  const Method& method = shipped_method(name);
  return lower(method, parameter_values(method, {}, [](const Expression&) { return 1.0; }),
               Execution::fused)
      .schedule;
}

/// r = r - alpha*q with r.r; beta; p = r + beta*p; exchange p; q = A*p. Vectors r, q, p; scalars
/// alpha, r.r, beta.
std::vector<Step> small_iteration() {
  return {pass_step({{{0, {{1, -1, 0}, {-1, 0, 1}}, -1, -1}, {-1, {}, 0, 0}}}, {0, 1}, {1}),
          scalar_step({{2, ScalarOperation::copy, 1}}),
          pass_step({{{1, {{1, -1, 0}, {1, 2, 1}}, -1, -1}}}, {0, 2}), exchange_step(2),
          product_step(2, 1)};
}

TEST(CarriedExchange, OfADirectionTravelsWithTheSumOfItsResidual) {
  const std::vector<CarriedExchange> found = carried_exchanges(small_iteration());
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(found[0].sums, 0U);
  EXPECT_EQ(found[0].assigns, 2U);
  EXPECT_EQ(found[0].exchange, 3U);
  EXPECT_EQ(found[0].carried, 0);
}

TEST(CarriedExchange, IsFoundAroundTheEndOfTheIteration) {
  const Schedule schedule = fused_cg_schedule();
  const std::vector<CarriedExchange> found = carried_exchanges(schedule.iteration);
  ASSERT_EQ(found.size(), 1U);
  EXPECT_GT(found[0].assigns, found[0].exchange);
  EXPECT_EQ(found[0].carried, vector_slot(schedule, "z"));
  EXPECT_EQ(schedule.iteration[found[0].sums].name, "CGResidual");
  EXPECT_EQ(schedule.iteration[found[0].assigns].name, "CGDirection");
}

TEST(CarriedExchange, IsOfShippedSolversWhoseDirectionIsMadeOfOneVectorWithASum) {
  EXPECT_EQ(carried_exchanges(shipped("cg").iteration).size(), 1U);
  // Directions of two other vectors, or of one that comes without a sum.
  for (const char* solver : {"bicgstab", "chebyshev"}) {
    EXPECT_TRUE(carried_exchanges(shipped(solver).iteration).empty()) << solver;
  }
}

TEST(CarriedExchange, IsNotOfWhatRanksCannotMakeThemselves) {
  const auto none = [](const std::vector<Step>& iteration) {
    return carried_exchanges(iteration).empty();
  };
  std::vector<Step> without_sum = small_iteration();
  without_sum[0] = pass_step({{{0, {{1, -1, 0}, {-1, 0, 1}}, -1, -1}}}, {0, 1});
  EXPECT_TRUE(none(without_sum));
  std::vector<Step> of_three = small_iteration();
  of_three[2] = pass_step({{{1, {{1, -1, 0}, {1, 2, 1}, {1, -1, 2}}, -1, -1}}}, {0, 2, 1});
  EXPECT_TRUE(none(of_three));
  std::vector<Step> times = small_iteration();  // the other vector's halo would be needed, too
  times[2] = pass_step({{{1, {{1, -1, 0, 2}, {1, 2, 1}}, -1, -1}}}, {0, 2, 1});
  EXPECT_TRUE(none(times));
  std::vector<Step> guarded = small_iteration();
  guarded[2].guard = ScalarTest{2, Comparison::less, 1};
  EXPECT_TRUE(none(guarded));
  std::vector<Step> kernel_between = small_iteration();
  kernel_between.insert(kernel_between.begin() + 1, pass_step({{{0, {}, -1, -1}}}, {0}));
  EXPECT_TRUE(none(kernel_between));
  std::vector<Step> changed_again = small_iteration();  // behind the product, without an exchange
  changed_again.push_back(pass_step({{{0, {{2, -1, 0}}, -1, -1}}}, {2}));
  EXPECT_TRUE(none(changed_again));
  std::vector<Step> source_changes = small_iteration();
  source_changes[2] = pass_step({{{0, {{2, -1, 0}}, -1, -1}, {1, {{1, -1, 0}}, -1, -1}}}, {0, 2});
  EXPECT_TRUE(none(source_changes));
}

}  // namespace
}  // namespace sparsecast
