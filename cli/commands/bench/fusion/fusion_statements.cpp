#include "cli/commands/bench/fusion/fusion_statements.hpp"

#include <algorithm>
#include <iterator>
#include <string>

#include "cli/commands/bench/fusion/fusion_rules.hpp"

namespace sparsecast::cli {

const std::vector<FusionStatement>& fusion_statements() {
  using enum JudgedOn;
  static const std::vector<FusionStatement> all{
      {{"P1", "2",
        "pipelined CG takes two kernels and one transfer to the host an iteration, the textbook's "
        "six and two",
        "2; 1",
        "the schedules of pipelined-cg and six-kernels have as many, and on a GPU iterations that "
        "the host launches run so",
        any},
       two_kernels_and_one_wait},
      {{"P2", "3", "pipelined CG is up to twice as fast as the textbook's", "2",
        "an iteration of pipelined-cg is 1.8 times as fast or more as one of six-kernels at its "
        "best size of 10^3 to 10^7 unknowns, launched by the host, f64",
        gpus},
       pipelined_is_twice_as_fast},
      {{"P3", "Figure 1", "the gain is particularly pronounced below 10^5 unknowns", "10^5",
        "at 10^3 unknowns the gain of pipelined-cg over six-kernels is 1.3 times or more, and it "
        "falls below that between 10^4.5 and 10^5.5, launched by the host, f64",
        gpus},
       small_systems_gain},
      {{"P4", "2", "with fused dot products the bandwidth for the basis is about doubled",
        "2 (1.96 by values moved)",
        "50 dot products with vectors of 10^6 values take 1.8 times as long or more one a pass as "
        "in the best of larger passes, by graph, f64",
        gpus},
       fused_dots_double_bandwidth},
      {{"P5", "3", "Gram-Schmidt becomes almost twice as fast", "2",
        "a step of gmres is 1.8 times as fast or more as one of gmres-blas1 with 50 vectors of "
        "10^6 values, by graph, f64",
        gpus},
       gram_schmidt_is_twice_as_fast},
      {{"P6", "1", "without a preconditioner solvers can compete for medium sizes", "no number",
        "the faster of six-kernels and pipelined-cg takes at most 1.1 times as long to 1e-8 as "
        "fused with Jacobi's, the median of the systems of 10^4 to 10^6 unknowns",
        any},
       unpreconditioned_competes},
      {{"P7", "2", "the recurrence for beta does no harm (it is not discussed)", "no number",
        "every system that six-kernels solves to 1e-8 is solved by pipelined-cg, in at most 1.05 "
        "times as many iterations",
        any},
       recurrence_is_harmless}};
  return all;
}

std::vector<Judgement> judge_fusion(std::span<const FusionMeasurement> all) {
  const JudgedDevices devices = judged_devices(all);
  std::vector<Judgement> judgements;
  for (const FusionStatement& statement : fusion_statements()) {
    const auto judge = [&](const std::string& device) {
      return statement.judge(FusionResults(all, device, Precision::f64));
    };
    std::ranges::move(judge_on_devices(statement, devices, judge), std::back_inserter(judgements));
  }
  return judgements;
}

}  // namespace sparsecast::cli
