#include <gtest/gtest.h>

#include <algorithm>
#include <ostream>
#include <string>

#include "core/schedule/iteration_counts.hpp"
#include "core/schedule/method/lower.hpp"
#include "core/schedule/method/method_names.hpp"
#include "core/schedule/shipped/shipped_methods.hpp"

/// @file
/// Solvers as papers and libraries print them: kernels, sums, waits of the host and values that an
/// iteration moves, against `shared/papers/tables/pipelined_*.csv` and `viennacl_kernels.csv`.

namespace sparsecast {

void PrintTo(const IterationCounts& counts, std::ostream* out) {
  *out << counts.kernels << " kernels, " << counts.sums << " sums, " << counts.waits << " waits, "
       << counts.values << " values";
}

namespace {

IterationCounts counts_of(const std::string& name, Execution execution,
                          const NamedNumbers& settings = {}) {
  const Method& method = shipped_method(name);
  return iteration_counts(
      lower(method, parameter_values(method, settings, [](const Expression&) { return 1.0; }),
            execution)
          .schedule);
}

/// What another step of a cycle adds to it, behind `basis` vectors.
IterationCounts step_of_cycle(const std::string& name, Execution execution, double basis) {
  const IterationCounts with = counts_of(name, execution, {{"m", basis}});
  const IterationCounts without = counts_of(name, execution, {{"m", basis - 1}});
  return {with.kernels - without.kernels, with.sums - without.sums, with.waits - without.waits,
          with.values - without.values};
}

/// Steps of an iteration that are kernels as they are written down, sums in their wake included.
int written_kernels(const std::string& name) {
  return static_cast<int>(
      std::ranges::count_if(shipped_method(name).iteration, [](const MethodStep& step) {
        return step.kind == MethodStep::Kind::apply || step.kind == MethodStep::Kind::vector;
      }));
}

TEST(PaperSchedules, StandardConjugateGradientsAreSixKernelsAndTwoWaits) {
  EXPECT_EQ(counts_of("cg-plain", Execution::step_by_step), (IterationCounts{6, 2, 2, 14}));
}

TEST(PaperSchedules, PipelinedConjugateGradientsAreTwoKernelsAsWrittenAndOneWait) {
  EXPECT_EQ(written_kernels("pipelined-cg"), 2);
  EXPECT_EQ(counts_of("pipelined-cg", Execution::step_by_step).waits, 1);
  // A product ends one sum: q.q is a third kernel, and the tenth value.
  const IterationCounts counts = counts_of("pipelined-cg", Execution::fused);
  EXPECT_EQ(counts.kernels, 3);
  EXPECT_EQ(counts.sums, 3);
  EXPECT_EQ(counts.values, 10);
}

TEST(PaperSchedules, ChronopoulosAndGearsAreTwoKernelsAndOneWait) {
  EXPECT_EQ(written_kernels("chronopoulos-gear"), 2);
  EXPECT_EQ(counts_of("chronopoulos-gear", Execution::step_by_step).waits, 1);
  const IterationCounts counts = counts_of("chronopoulos-gear", Execution::fused);
  EXPECT_EQ(counts.kernels, 2);
  EXPECT_EQ(counts.sums, 3);
  EXPECT_EQ(counts.values, 14);
}

TEST(PaperSchedules, ViennaclsBicgstabIsFourKernelsAsWrittenAndWaitsLessThanTheTextbooks) {
  EXPECT_EQ(written_kernels("bicgstab-viennacl"), 4);
  // Two kernels more for the sums that products do not end; and two waits more than ViennaCL's one,
  // for it makes alpha and beta on the device.
  EXPECT_EQ(counts_of("bicgstab-viennacl", Execution::fused), (IterationCounts{6, 7, 3, 20}));
  // The textbook's waits for each of its sums.
  EXPECT_EQ(counts_of("bicgstab", Execution::fused).waits, 4);
}

TEST(PaperSchedules, GramSchmidtByBlas1IsADotProductAndAnAxpyAVector) {
  for (const int n : {4, 9}) {
    const IterationCounts counts = step_of_cycle("gmres-blas1", Execution::step_by_step, n);
    // Beside the 2 n: the product, q.q, w.w and what divides w by its norm.
    EXPECT_EQ(counts.kernels, 2 * n + 4);
    EXPECT_EQ(counts.sums, n + 2);
    // Beside the 5 n: 2, 1, 1 and 2 of these, and 1 of x.
    EXPECT_EQ(counts.values, 5 * n + 7);
  }
}

TEST(PaperSchedules, FusedGramSchmidtReadsTheBasisTwice) {
  for (const int n : {4, 9}) {
    const IterationCounts counts = step_of_cycle("gmres", Execution::fused, n);
    EXPECT_EQ(counts.kernels, 4);
    EXPECT_EQ(counts.sums, n + 2);
    // The paper's 2 n + 3, less the vector whose dot product the product ends; and 2 of the
    // product, 2 of what divides w by its norm, 1 of x.
    EXPECT_EQ(counts.values, 2 * n + 3 - 1 + 5);
  }
}

}  // namespace
}  // namespace sparsecast
