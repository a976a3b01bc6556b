#include "core/schedule/method/lower.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <iterator>
#include <string>
#include <vector>

#include "core/base/error.hpp"
#include "core/base/files/file_output.hpp"
#include "core/engine/shipped_schedules.hpp"
#include "core/schedule/method/method_json.hpp"
#include "core/schedule/schedule_text.hpp"

namespace sparsecast {
namespace {

Solver lowered(const std::string& name, const NamedNumbers& settings = {},
               Execution execution = Execution::fused) {
  const Method method = shipped_method(name);
  return lower(method, parameter_values(method, settings, [](const Expression&) { return 1.0; }),
               execution);
}

/// What becomes of a method, as fused.txt has it.
std::string fused_text(const std::string& name) {
  const bool restarts = shipped_method(name).roles.contains("restart");
  const Solver made = lowered(name, restarts ? NamedNumbers{{"m", 2}} : NamedNumbers{});
  const ScheduleText text(made.schedule);
  return name + "\nsetup\n" + text.of(made.schedule.setup) + "iteration\n" +
         text.of(made.schedule.iteration) + '\n';
}

TEST(Lower, MakesOfShippedSchedulesWhatItMade) {
  std::string all;
  for (const std::string& name : shipped_names()) all += fused_text(name);
  EXPECT_EQ(all, read_file(std::string(SPARSECAST_SOURCE_DIR) + "/tests/core/data/fused.txt"))
      << all;
}

TEST(Lower, MakesThreeKernelsOfTextbookConjugateGradients) {
  const Solver made = lowered("cg-plain");
  std::vector<double> moved;
  for (const Step& step : made.schedule.iteration) {
    if (step.kind != StepKind::kernel) continue;
    moved.push_back(step.traffic.vector_reads_per_unknown + step.traffic.vector_writes_per_unknown);
  }
  // The product, r with its sum, and p with x, which waits for it.
  ASSERT_EQ(moved.size(), 3u);
  EXPECT_EQ(moved[1], 3);
  EXPECT_EQ(moved[2], 5);
}

TEST(Lower, MakesTheEightCallsOfTheConcurrentNumberCruncherStepByStep) {
  const Solver made = lowered("cnc", {}, Execution::step_by_step);
  std::vector<Step> calls;
  std::ranges::copy_if(made.schedule.iteration, std::back_inserter(calls),
                       [](const Step& step) { return step.kind == StepKind::kernel; });
  EXPECT_EQ(ScheduleText(made.schedule).of(calls),
            "product q = A*d\n"
            "pass d_Ad = dot(d, q)  [2 read, 0 written]\n"
            "pass x = +x +alpha*d  [2 read, 1 written]\n"
            "pass r = +r -alpha*q  [2 read, 1 written]\n"
            "pass s = +M*r  [2 read, 1 written]\n"
            "pass delta = dot(r, s)  [2 read, 0 written]\n"
            "pass d = +beta*d  [1 read, 1 written]\n"
            "pass d = +d +s  [2 read, 1 written]\n");
}

TEST(Lower, KeepsVectorsThatAreMultipliedWholeAndExchangesThem) {
  const Solver made = lowered("cg");
  const auto scope = [&](const char* name) {
    return made.schedule.vectors[static_cast<std::size_t>(vector_slot(made.schedule, name))].scope;
  };
  EXPECT_EQ(scope("p"), VectorScope::full);
  EXPECT_EQ(scope("r"), VectorScope::segment);
  EXPECT_EQ(std::ranges::count(made.schedule.iteration, StepKind::exchange, &Step::kind), 1);
}

TEST(Lower, RefusesNamesOfOurs) {
  Method method = shipped_method("cg-plain");
  method.name = "fused";
  EXPECT_THROW(lower(method, {}, Execution::fused), Error);
}

TEST(Lower, SaysWhichProductsAreByTheTranspose) {
  EXPECT_FALSE(multiplies_by_transpose(lowered("bicgstab").schedule));
  const Schedule schedule = lowered("bicg").schedule;
  EXPECT_TRUE(multiplies_by_transpose(schedule));
  EXPECT_EQ(std::ranges::count(schedule.iteration, true, &Step::transposed), 1);
  EXPECT_EQ(std::ranges::count(schedule.setup, true, &Step::transposed), 0);
}

TEST(Lower, RefusesLoopsThatUnrollToTooMuch) {
  EXPECT_THROW(lowered("gmres", {{"m", 1000}}), Error);
}

}  // namespace
}  // namespace sparsecast
