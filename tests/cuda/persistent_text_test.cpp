#include "core/cuda/persistent/persistent_text.cuh"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "core/cuda/compile/compiler.cuh"
#include "core/own_user_cache.hpp"
#include "cuda/planned_schedules.hpp"

// Kernels for all iterations as text, and that NVRTC takes it: needs no GPU.

namespace sparsecast::cuda {
namespace {

bool has_compiler() {
  try {
    return !known_capabilities().empty();
  } catch (const Error&) {
    return false;
  }
}

TEST(PersistentText, OfEveryShippedScheduleIsCompiled) {
  if (!has_compiler()) GTEST_SKIP() << "no NVRTC";
  const testing::OwnUserCache cache;
  const std::vector<std::string> names = planned_names();
  EXPECT_GE(names.size(), 8u);
  int at = 0;
  for (const std::string& name : names) {
    SCOPED_TRACE(name);
    const Schedule schedule = OwnSolver(shipped_method(name), {}).priced().schedule;
    const auto plan = std::get<PersistentPlan>(plan_persistent(schedule));
    // Each in one of its forms, as compiling takes seconds.
    const bool odd = at++ % 2 == 1;
    const PersistentSetting setting{odd ? Precision::f32 : Precision::f64, odd ? 3 : 1, odd};
    EXPECT_FALSE(compile(persistent_text(schedule, plan, setting), 90).empty());
  }
}

TEST(PersistentText, IsCompiledForGpusWithoutClusters) {
  if (!has_compiler()) GTEST_SKIP() << "no NVRTC";
  const testing::OwnUserCache cache;
  const Schedule schedule = OwnSolver(shipped_method("pipelined-cg"), {}).priced().schedule;
  const auto plan = std::get<PersistentPlan>(plan_persistent(schedule));
  EXPECT_FALSE(compile(persistent_text(schedule, plan, {}), 80).empty());
}

}  // namespace
}  // namespace sparsecast::cuda
