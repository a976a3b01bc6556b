#include "model/interval_key.hpp"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "core/schedule/cg_schedule.hpp"
#include "core/schedule/microbenchmark_schedules.hpp"

namespace sparsecast {
namespace {

using Keys = std::vector<std::string>;

TEST(IntervalKeys, TellKernelsLaunchesAndSizesApart) {
  const Schedule cg = fused_cg_schedule();
  EXPECT_EQ(interval_keys(cg, LaunchMode::graph, {}, 1e6), Keys{"iteration/0"});
  EXPECT_EQ(interval_keys(cg, LaunchMode::graph, {}, 1e9), Keys{"iteration/3"});
  EXPECT_EQ(interval_keys(cg, LaunchMode::persistent, {}, 1e7), Keys{"persistent/1"});
  EXPECT_EQ(interval_keys(cg, std::nullopt, {}, 1e7), Keys{"iteration/1"});
  EXPECT_EQ(interval_keys(single_step_schedule("SpMV"), LaunchMode::graph, {}, 1e7),
            Keys{"step/1"});
}

TEST(IntervalKeys, FallBackOnWhatIsLessParticular) {
  const Schedule cg = fused_cg_schedule();
  EXPECT_EQ(interval_keys(cg, LaunchMode::host, {}, 1e6), (Keys{"host/0", "iteration/0"}));
  EXPECT_EQ(interval_keys(cg, LaunchMode::graph, {.format = "dia"}, 1e6),
            (Keys{"iteration-dia/0", "step-dia", "iteration/0"}));
  EXPECT_EQ(interval_keys(single_step_schedule("SpMV"), LaunchMode::graph, {.format = "dia"}, 1e6),
            (Keys{"step-dia/0", "step-dia", "step/0"}));
}

TEST(IntervalKeys, AreOfAKind) {
  EXPECT_EQ(interval_kind("step-dia/3"), "step");
  EXPECT_EQ(interval_kind("persistent/0"), "persistent");
}

}  // namespace
}  // namespace sparsecast
