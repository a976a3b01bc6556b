#include "core/schedule/built_in_solvers.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "core/refusal.hpp"

namespace sparsecast {
namespace {

TEST(BuiltInSolvers, AreFoundByTheirNames) {
  for (const char* name : {"algorithm1", "fused", "vendor"}) {
    EXPECT_EQ(built_in(name).name(), name);
    ASSERT_NE(find_built_in(name), nullptr);
  }
  EXPECT_EQ(find_built_in("petsc"), nullptr);
  EXPECT_EQ(refusal_of([] { built_in("petsc"); }),
            "unknown schedule 'petsc'; expected fused, algorithm1 or vendor");
}

TEST(BuiltInSolvers, HaveTheSlotsThatTheySayTheyHave) {
  for (const Solver& solver : built_in_solvers()) {
    const Schedule& schedule = solver.schedule;
    EXPECT_NO_THROW(vector_slot(schedule, solver.slots.solution)) << solver.name();
    EXPECT_NO_THROW(vector_slot(schedule, solver.slots.right_hand_side)) << solver.name();
    EXPECT_NO_THROW(scalar_slot(schedule, solver.slots.residual)) << solver.name();
    for (const SolverSlots::Diagonal& diagonal : solver.slots.diagonals) {
      EXPECT_NO_THROW(vector_slot(schedule, diagonal.vector)) << solver.name();
    }
  }
}

TEST(BuiltInSolvers, AreOursOrAVendors) {
  const auto calls_a_library = [](const Step& step) {
    return step.name.starts_with("cublas") || step.name.starts_with("cusparse");
  };
  for (const Solver& solver : built_in_solvers()) {
    EXPECT_EQ(std::ranges::any_of(solver.schedule.iteration, calls_a_library), solver.vendor);
    EXPECT_EQ(is_vendor(solver.name()), solver.vendor);
    EXPECT_EQ(is_ours(solver.name()), !solver.vendor);
  }
  EXPECT_FALSE(is_ours("petsc"));
  EXPECT_FALSE(is_vendor("petsc"));
}

}  // namespace
}  // namespace sparsecast
