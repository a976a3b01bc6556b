#include "predict/counting/solvers_to_count.hpp"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "core/refusal.hpp"
#include "core/schedule/shipped/shipped_methods.hpp"

namespace sparsecast {
namespace {

SolversToCount solvers(const std::vector<std::string>& own, const std::vector<std::string>& ours) {
  SolversToCount all;
  for (const std::string& name : own) all.own.push_back({shipped_method(name)});
  all.ours = ours;
  return all;
}

TEST(SolversToCount, AreOnlyThoseThatTheMatrixIsFor) {
  SolversToCount all = solvers({"cg", "gmres", "minres"}, {"fused"});
  EXPECT_EQ(leave_out_symmetric("box.mtx", all, {}),
            "box.mtx is not symmetric: left out, as they cannot solve with it: fused, cg, minres");
  ASSERT_EQ(all.own.size(), 1u);
  EXPECT_EQ(all.own.front().method.name, "gmres");
  EXPECT_TRUE(all.ours.empty());
  EXPECT_EQ(leave_out_symmetric("box.mtx", all, {}), "");
}

TEST(SolversToCount, AreRefusedWhereNoneIsLeft) {
  SolversToCount all = solvers({}, {"fused"});
  EXPECT_EQ(
      refusal_of([&] { leave_out_symmetric("box.mtx", all, {.all_solvers = "solver=\"all\""}); }),
      "box.mtx is not symmetric: fused cannot solve with it; use solver=\"all\"");
}

TEST(SolversToCount, GetWhatElseTheirTimeIsMadeOf) {
  const SolversToCount all = solvers({"gmres"}, {"fused"});
  std::vector<IterationCount> counts(2);
  counts[0].solver = "fused";
  counts[1].solver = "gmres";
  const std::vector<CountedSolver> counted = counted_solvers(counts, all);
  ASSERT_EQ(counted.size(), 2u);
  EXPECT_FALSE(counted[0].own.has_value());
  ASSERT_TRUE(counted[1].own.has_value());
  EXPECT_EQ(counted[1].own->name(), "gmres");
}

}  // namespace
}  // namespace sparsecast
