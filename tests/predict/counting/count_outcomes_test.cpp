#include "predict/counting/count_outcomes.hpp"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "core/refusal.hpp"

namespace sparsecast {
namespace {

IterationCount counted(const std::string& solver, int runs, int converged, double most) {
  IterationCount count;
  count.solver = solver;
  count.outcome = Outcome::converged;
  count.iterations = 100;
  count.amount = count.fewest = 100;
  count.most = most;
  count.runs = runs;
  count.converged = converged;
  return count;
}

TEST(CountOutcomes, AreWarnedOfWhereAnotherDeviceMayHaveOthers) {
  const std::vector<IterationCount> counts{counted("cg", 4, 4, 101), counted("bicg", 4, 3, 110),
                                           counted("cgs", 1, 1, 100), counted("qmr", 4, 4, 150)};
  EXPECT_EQ(warnings_of_counts("box.mtx", counts, {.seconds = "count_seconds"}),
            (std::vector<std::string>{
                "box.mtx: iterations of bicg in f64 depend on rounding: 3 of 4 right-hand sides "
                "converged; left out",
                "box.mtx: iterations of cgs in f64: no time was left to see how rounding moves "
                "them; raise count_seconds",
                "box.mtx: iterations of qmr in f64 depend on rounding: 100 (100 to 150); another "
                "device may take others"}));
}

TEST(CountOutcomes, SayWhyNoneSolves) {
  std::vector<IterationCount> counts{counted("cg", 4, 2, 100), counted("bicg", 1, 0, 0)};
  counts.back().outcome = Outcome::iteration_limit;
  EXPECT_EQ(why_none_solves(counts, {}),
            "no solver converged (cg in f64: converged for 2 of 4, bicg in f64: iteration limit); "
            "allow more iterations, a larger tolerance, or another solver");
  counts.back().out_of_time = true;
  EXPECT_EQ(refusal_of([&] { require_one_solves("box.mtx", counts, {}); }),
            "box.mtx: no solver converged (cg in f64: converged for 2 of 4, bicg in f64: out of "
            "time); allow more time (--count-seconds), a larger tolerance, or another solver");
  counts.push_back(counted("gmres", 4, 4, 101));
  EXPECT_EQ(why_none_solves(counts, {}), "");
  EXPECT_EQ(refusal_of([&] { require_one_solves("box.mtx", counts, {}); }), "accepted");
}

}  // namespace
}  // namespace sparsecast
