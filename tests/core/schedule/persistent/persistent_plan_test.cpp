#include "core/schedule/persistent/persistent_plan.hpp"

#include <gtest/gtest.h>

#include <map>
#include <string>
#include <variant>

#include "core/base/error.hpp"
#include "core/engine/own_solver.hpp"
#include "core/schedule/built_in_solvers.hpp"
#include "core/schedule/method/method_json.hpp"
#include "core/schedule/shipped/shipped_methods.hpp"

namespace sparsecast {
namespace {

using Plan = std::variant<PersistentPlan, std::string>;

Schedule lowered(const Method& method) {
  return OwnSolver(method, {}).priced().schedule;
}

Plan plan_of(const std::string& name) {
  return plan_persistent(lowered(shipped_method(name)));
}

const PersistentPlan& the_plan(const Plan& plan) {
  if (const auto* why = std::get_if<std::string>(&plan)) throw Error("no plan: " + *why);
  return std::get<PersistentPlan>(plan);
}

/// The only vector of the plan that fulfils something.
template <class Test>
std::string names(const Schedule& schedule, const PersistentPlan& plan, const Test& test) {
  std::string all;
  for (const PlannedVector& vector : plan.vectors) {
    if (vector.slot < 0 || !test(vector)) continue;
    all += (all.empty() ? "" : " ") + schedule.vectors[static_cast<std::size_t>(vector.slot)].name;
  }
  return all;
}

TEST(PersistentPlan, OfFusedConjugateGradientsIsWhatPredictionsTakeUnasked) {
  const Plan plan = plan_persistent(fused_cg().schedule);
  EXPECT_EQ(the_plan(plan).needs(), PersistentNeeds{});
}

TEST(PersistentPlan, SendsTheResidualOfConjugateGradientsAndComputesTheDirection) {
  const Schedule schedule = lowered(shipped_method("cg"));
  const Plan made = plan_persistent(schedule);
  const PersistentPlan& plan = the_plan(made);
  EXPECT_EQ(names(schedule, plan, [](const auto& vector) { return vector.published >= 0; }), "z");
  EXPECT_EQ(names(schedule, plan, [](const auto& vector) { return vector.window >= 0; }), "p");
  EXPECT_EQ(plan.kept_halos, 0);
}

TEST(PersistentPlan, SendsTheProductOfPipelinedConjugateGradients) {
  const Schedule schedule = lowered(shipped_method("pipelined-cg"));
  const Plan made = plan_persistent(schedule);
  const PersistentPlan& plan = the_plan(made);
  EXPECT_EQ(names(schedule, plan, [](const auto& vector) { return vector.published >= 0; }), "q");
  EXPECT_EQ(names(schedule, plan, [](const auto& vector) { return vector.kept_halo >= 0; }), "r");
}

TEST(PersistentPlan, WaitsForTheSumsOfAnIterationAsOftenAsTheMethodNeedsThem) {
  const std::map<std::string, int> waits{
      {"cg", 2},           {"pipelined-cg", 1},    {"chronopoulos-gear", 1},
      {"pipelined-gv", 1}, {"bicgstab", 4},        {"bicgstab-viennacl", 3},
      {"minres", 2},       {"steepest-descent", 2}};
  for (const auto& [name, count] : waits) {
    const Plan plan = plan_of(name);
    EXPECT_EQ(the_plan(plan).needs().waits, count) << name;
  }
}

TEST(PersistentPlan, MovesXWhileSumsAreWaitedFor) {
  for (const std::string name : {"cg", "bicgstab"}) {
    const Schedule schedule = lowered(shipped_method(name));
    const Plan made = plan_persistent(schedule);
    const PersistentPlan& plan = the_plan(made);
    int moved = 0;
    for (const PlannedItem& item : plan.items) {
      for (const PlannedStatement& each : item.statements) {
        if (!each.later && !each.sooner) continue;
        const auto slot = plan.vectors[static_cast<std::size_t>(each.statement.target)].slot;
        EXPECT_EQ(schedule.vectors[static_cast<std::size_t>(slot)].name, "x") << name;
        ++moved;
      }
    }
    EXPECT_EQ(moved, 1) << name;
  }
}

/// An iteration's x, r, p by steps that the caller gives behind a first product q = A p.
std::string fault_of_iteration(const std::string& steps) {
  const Method method = read_method(
      R"json({
    "schema": 1, "name": "mine", "description": "of a test", "needs": "square",
    "operators": {"A": "matrix", "At": "transpose"},
    "vectors": ["x", "b", "r", "p", "q"], "scalars": ["rr", "pq"],
    "roles": {"solution": "x", "right_hand_side": "b", "residual": "r", "residual_square": "rr"},
    "setup": [{"apply": "q = A*x"}, {"vector": ["r = b - q", "p = r", "rr = dot(r, r)"]}],
    "iteration": [)json" +
          steps + R"json(, {"check": ["sqrt(rr) <= residual_limit : converged"]}]})json",
      "mine.json");
  const Plan plan = plan_persistent(lowered(method));
  const auto* const why = std::get_if<std::string>(&plan);
  return why != nullptr ? *why : "";
}

TEST(PersistentPlan, SaysWhyThereIsNone) {
  EXPECT_EQ(
      fault_of_iteration(R"json({"apply": "q = A*p"}, {"vector": ["r = r - 0.1*q", "x = x + 0.1*p",
      "p = r", "rr = dot(r, r)"]})json"),
      "");
  EXPECT_EQ(fault_of_iteration(R"json({"apply": "q = At*p"}, {"vector": ["r = r - 0.1*q", "p = r",
      "rr = dot(r, r)"]})json"),
            "it multiplies by the transpose");
  EXPECT_EQ(
      fault_of_iteration(R"json({"apply": "q = A*p"}, {"vector": ["r = r - 0.1*q", "p = r"]})json"),
      "no iteration of it waits for a sum");
  EXPECT_EQ(fault_of_iteration(R"json({"apply": "q = A*p"}, {"vector": ["r = r - 0.1*q",
      "rr = dot(r, r)"]}, {"vector": ["p = r"], "when": "rr > 1"})json"),
            "the matrix multiplies what a step assigns that does not always run");
}

TEST(PersistentPlan, IsNotThereForCyclesOfGmres) {
  const Plan plan = plan_of("gmres");
  EXPECT_TRUE(std::holds_alternative<std::string>(plan));
}

}  // namespace
}  // namespace sparsecast
