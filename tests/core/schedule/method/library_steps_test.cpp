#include "core/schedule/method/library_steps.hpp"

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <string>

#include "core/refusal.hpp"
#include "core/schedule/method/lower.hpp"
#include "core/schedule/method/method_names.hpp"
#include "core/schedule/method/preconditioner.hpp"
#include "core/schedule/shipped/shipped_methods.hpp"

namespace sparsecast {
namespace {

Solver called(const Method& method, const NamedNumbers& settings = {}) {
  return lower(method, parameter_values(method, settings, [](const Expression&) { return 1.0; }),
               Execution::library);
}

/// The calls and waits of an iteration: names, vectors read and written; "wait".
std::string calls_of(const Solver& solver) {
  std::string text;
  for (const Step& step : solver.schedule.iteration) {
    if (step.kind == StepKind::barrier) text += "wait\n";
    if (step.kind != StepKind::kernel) continue;
    text += step.name;
    if (step.traffic.values_per_element == 0 && !step.vectors.empty()) {
      text += ' ' + std::to_string(std::lround(step.traffic.vector_reads_per_unknown)) + ' ' +
              std::to_string(std::lround(step.traffic.vector_writes_per_unknown));
    }
    text += '\n';
  }
  return text;
}

TEST(LibrarySteps, AreTheCallsOfCuPysCg) {
  EXPECT_EQ(calls_of(called(shipped_method("cupy-cg"))),
            "cublasDot 1 0\n"  // r.z, of one vector
            "Scalars\n"        // beta
            "Pass 1 1\n"       // beta*p
            "Pass 2 1\n"       // p
            "cusparseSpMV\n"
            "cublasDot 2 0\n"  // p.q
            "Scalars\n"        // alpha
            "Pass 1 1\n"       // alpha*p
            "Pass 2 1\n"       // x
            "Pass 1 1\n"       // alpha*q
            "Pass 2 1\n"       // r
            "cublasDot 1 0\n"  // nrm2
            "Scalars\n"        // the test
            "wait\n");
}

TEST(LibrarySteps, MultiplyByCuPysPreconditionerInACallOfItsOwn) {
  const Method method = with_preconditioner(shipped_method("cupy-cg"), Preconditioner::jacobi);
  const std::string calls = calls_of(called(method));
  EXPECT_EQ(calls.find("Pass 2 1\ncublasDot 2 0\nScalars\n"), 0u) << calls;
}

TEST(LibrarySteps, AreTheCallsOfCuPysGmres) {
  EXPECT_EQ(calls_of(called(shipped_method("cupy-gmres"), {{"m", 3}})),
            "Pass 1 1\n"  // v
            "Pass 1 1\n"  // into V
            "cusparseSpMV\ncublasDot 2 0\nPass 2 1\ncublasDot 1 0\nPass 1 1\nPass 1 1\n"
            "cusparseSpMV\nPass 3 0\nPass 3 1\ncublasDot 1 0\nPass 1 1\nPass 1 1\n"
            "cusparseSpMV\nPass 4 0\nPass 4 1\ncublasDot 1 0\n"
            "wait\n"      // for H
            "Pass 3 1\n"  // V y
            "Pass 2 1\n"  // x
            "cusparseSpMV\nPass 2 1\ncublasDot 1 0\n"
            "Scalars\nwait\n");
}

TEST(LibrarySteps, WaitForEachSumOfPETScs) {
  EXPECT_EQ(calls_of(called(shipped_method("petsc-cg"))),
            "cublasAxpy 1 1\n"  // scal and axpy: AYPX
            "cublasAxpy 2 1\n"
            "cusparseSpMV\n"
            "cublasDot 2 0\nwait\n"
            "cublasAxpy 2 1\n"
            "cublasAxpy 2 1\n"
            "cublasDot 1 0\nwait\n"
            "Pass 2 1\n"
            "cublasDot 2 0\nwait\n");
}

TEST(LibrarySteps, DivideWithinGinkgosKernelsAndWaitForItsCriterionTwice) {
  EXPECT_EQ(calls_of(called(shipped_method("ginkgo-cg"))),
            "Pass 2 1\n"  // step_1
            "cusparseSpMV\n"
            "cublasDot 2 0\n"
            "Pass 4 2\n"  // step_2
            "Pass 2 1\n"  // Jacobi
            "cublasDot 2 0\n"
            "cublasDot 1 0\n"
            "Scalars\nScalars\nwait\nwait\n");
}

/// Of an iteration: kernels, waits, and values an unknown beside the products'.
std::array<long, 3> counts_of(const Solver& solver) {
  std::array<long, 3> counts{};
  for (const Step& step : solver.schedule.iteration) {
    counts[0] += step.kind == StepKind::kernel ? 1 : 0;
    counts[1] += step.kind == StepKind::barrier ? 1 : 0;
    if (step.kind != StepKind::kernel || step.traffic.values_per_element > 0) continue;
    counts[2] +=
        std::lround(step.traffic.vector_reads_per_unknown + step.traffic.vector_writes_per_unknown);
  }
  return counts;
}

TEST(LibrarySteps, AreAsManyAsTheDocumentationSays) {
  using Counts = std::array<long, 3>;
  const Method& cg = shipped_method("cupy-cg");
  EXPECT_EQ(counts_of(called(cg)), (Counts{13, 1, 19}));
  EXPECT_EQ(counts_of(called(with_preconditioner(cg, Preconditioner::jacobi))),
            (Counts{14, 1, 23}));
  EXPECT_EQ(counts_of(called(shipped_method("cupy-gmres"), {{"m", 30}})), (Counts{186, 2, 1208}));
  EXPECT_EQ(counts_of(called(shipped_method("petsc-cg"))), (Counts{9, 3, 19}));
  EXPECT_EQ(counts_of(called(shipped_method("ginkgo-cg"))), (Counts{9, 2, 17}));
}

TEST(LibrarySteps, AreOfMethodsThatALibraryCarriesOut) {
  EXPECT_EQ(refusal_of([] { called(shipped_method("cg")); }),
            "schedule 'cg' has no 'execution', which says whose calls it is");
  EXPECT_EQ(called(shipped_method("cupy-cg")).library, shipped_method("cupy-cg").execution);
}

TEST(LibrarySteps, AreNotWhatRunsHere) {
  const Method& method = shipped_method("cupy-cg");
  EXPECT_FALSE(lower(method, {}, Execution::fused).library);
}

}  // namespace
}  // namespace sparsecast
