#include "core/engine/iteration_counter.hpp"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "core/cpu/cpu_backend.hpp"
#include "core/engine/solve.hpp"
#include "core/engine/solve_method.hpp"
#include "core/matrix/generate/generators.hpp"
#include "core/refusal.hpp"
#include "core/schedule/method/preconditioner.hpp"
#include "core/schedule/shipped/shipped_methods.hpp"

namespace sparsecast {
namespace {

/// A grid's Laplacian of 900 unknowns, b of ones.
class IterationCounts : public ::testing::Test {
 protected:
  IterationCounts()
      : matrix_(laplacian(5, 30, 30)),
        backend_(1, 1, {}),
        counter_(backend_, matrix_.view(), std::vector<double>(900, 1), "ones") {}

  CsrMatrix<double> matrix_;
  CpuBackend backend_;
  IterationCounter counter_;
};

TEST_F(IterationCounts, AreThoseOfASolve) {
  const IterationCount count = counter_.count({}).count;
  std::vector<double> x(900, 0);
  const SolveResult solved = solve(backend_, matrix_.view(), std::vector<double>(900, 1), x, {});
  EXPECT_EQ(count.solver, "fused");
  EXPECT_EQ(count.outcome, Outcome::converged);
  EXPECT_EQ(count.iterations, solved.iterations);
  EXPECT_EQ(count.amount, static_cast<double>(solved.iterations));
  EXPECT_EQ(count.runs, 4);
  EXPECT_EQ(count.converged, 4);
  EXPECT_LE(count.fewest, count.amount);
  EXPECT_DOUBLE_EQ(count.expected(), (count.fewest + count.most) / 2);
  EXPECT_GE(count.most, count.amount);
  EXPECT_TRUE(count.is_stable());
  EXPECT_LE(count.relative_residual, 2e-8);
}

TEST_F(IterationCounts, AreTheSameWhoeverCountsThem) {
  const IterationCount once = counter_.count({}).count;
  const IterationCount again = counter_.count({}).count;
  EXPECT_EQ(to_json(once).text(), to_json(again).text());
}

TEST_F(IterationCounts, AreOfSolvesThatTellTheirParts) {
  const Method blocks =
      with_preconditioner(shipped_method("cg"), parse_preconditioner("block-jacobi3"));
  const IterationCount count = counter_.count({&blocks}).count;
  EXPECT_TRUE(count.solves());
  std::vector<double> x(900, 0);
  const SolveResult solved = solve_by_method<double>(backend_, blocks, {}, matrix_.view(),
                                                     std::vector<double>(900, 1), x, {});
  EXPECT_GT(solved.preconditioner_seconds, 0);
  EXPECT_GT(solved.start_seconds, 0);
  EXPECT_GT(solved.upload_seconds, 0);
  EXPECT_DOUBLE_EQ(solved.solution_seconds(), solved.conversion_seconds + solved.upload_seconds +
                                                  solved.preconditioner_seconds +
                                                  solved.start_seconds + solved.iteration_seconds +
                                                  solved.finish_seconds);
}

TEST_F(IterationCounts, TakeTheLastCycleByItsShare) {
  const Method method = shipped_method("gmres");
  CountedRun run{&method, {{"m", 40}}};
  const IterationCount count = counter_.count(run).count;
  ASSERT_TRUE(count.solves());
  ASSERT_TRUE(count.cycle_steps.has_value());
  EXPECT_GE(*count.cycle_steps, 1);
  EXPECT_LE(*count.cycle_steps, 40);
  EXPECT_EQ(count.amount, static_cast<double>(count.iterations) - 1 +
                              static_cast<double>(*count.cycle_steps) / 40);
  // Of a cycle as long as it takes the steps are all of the Krylov space that is needed.
  run.settings["m"] = 120;
  const IterationCount whole = counter_.count(run).count;
  EXPECT_EQ(whole.iterations, 1);
  EXPECT_LT(whole.amount, 0.9);
  EXPECT_NEAR(whole.amount * 120, static_cast<double>(*whole.cycle_steps), 1e-9);
}

TEST_F(IterationCounts, AreMoreToASmallerTolerance) {
  CountedRun run;
  run.tolerance = 1e-3;
  const IterationCount coarse = counter_.count(run).count;
  run.tolerance = 1e-10;
  EXPECT_GT(counter_.count(run).count.iterations, coarse.iterations);
}

TEST_F(IterationCounts, InSinglePrecisionStagnateWhereThatEnds) {
  CountedRun run;
  run.precision = Precision::f32;
  run.tolerance = 1e-4;
  EXPECT_TRUE(counter_.count(run).count.solves());
  run.tolerance = 1e-12;
  const IterationCount beyond = counter_.count(run).count;
  EXPECT_FALSE(beyond.solves());
  EXPECT_FALSE(beyond.is_stable());
  EXPECT_EQ(beyond.runs, 1);
  EXPECT_EQ(beyond.fewest, 0);
  EXPECT_GT(beyond.relative_residual, 1e-12);
}

TEST_F(IterationCounts, EndWhereTheyAreToldTo) {
  CountedRun run;
  run.max_iterations = 5;
  const IterationCount cut = counter_.count(run).count;
  EXPECT_EQ(cut.outcome, Outcome::iteration_limit);
  EXPECT_EQ(cut.iterations, 5);
  EXPECT_EQ(cut.expected(), 5);
  EXPECT_FALSE(cut.out_of_time);

  run.max_iterations = 0;
  run.most_seconds = 0;
  const IterationCount late = counter_.count(run).count;
  EXPECT_EQ(late.outcome, Outcome::iteration_limit);
  EXPECT_TRUE(late.out_of_time);
  EXPECT_EQ(cut.outcome_name(), "iteration limit");
  EXPECT_EQ(late.outcome_name(), "out of time");
  const std::string text = to_json(late).text();
  EXPECT_NE(text.find("\"out of time\""), std::string::npos) << text;
  const JsonTree tree = parse_json_tree(text, "count", "a count");
  const IterationCount again = read_iteration_count(JsonPlace(tree, "count"));
  EXPECT_EQ(again.outcome, Outcome::iteration_limit);
  EXPECT_TRUE(again.out_of_time);

  run.most_seconds = 60;
  int asked = 0;
  run.keep_going = [&](const SolveProgress&) { return ++asked < 1; };
  const IterationCount stopped = counter_.count(run).count;
  EXPECT_EQ(stopped.outcome, Outcome::iteration_limit);
  EXPECT_EQ(stopped.runs, 1);
}

TEST_F(IterationCounts, ReadBackAsTheyAreWritten) {
  const Method method = shipped_method("gmres");
  CountedRun run{&method, {{"m", 7}}};
  run.precision = Precision::f32;
  run.tolerance = 1e-3;
  const std::string text = to_json(counter_.count(run).count).text();
  const JsonTree tree = parse_json_tree(text, "c.json", "a count");
  EXPECT_EQ(to_json(read_iteration_count(JsonPlace(tree, "c.json"))).text(), text);
}

TEST_F(IterationCounts, ThatContradictThemselvesAreRefused) {
  IterationCount count = counter_.count({}).count;
  count.fewest = count.amount + 1;
  const std::string text = to_json(count).text();
  const std::string source = "c.json";
  const JsonTree tree = parse_json_tree(text, source, "a count");
  EXPECT_NE(refusal_of([&] { read_iteration_count(JsonPlace(tree, source)); }).find("contradict"),
            std::string::npos);
}

TEST(IterationCount, IsUnstableWhereRoundingMovesIt) {
  IterationCount count;
  count.outcome = Outcome::converged;
  count.amount = 100;
  count.fewest = 95;
  count.most = 104;
  count.runs = count.converged = 4;
  EXPECT_TRUE(count.is_stable());
  EXPECT_EQ(count.text(), "100 (95 to 104)");
  count.most = 106;
  EXPECT_FALSE(count.is_stable());
  count.most = 104;
  count.converged = 3;
  EXPECT_FALSE(count.is_stable());
  EXPECT_FALSE(count.solves());
  count.runs = count.converged = 1;
  EXPECT_TRUE(count.solves());
  EXPECT_FALSE(count.is_stable());
}

}  // namespace
}  // namespace sparsecast
