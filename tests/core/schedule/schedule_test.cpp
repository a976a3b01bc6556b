#include "core/schedule/schedule.hpp"

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <limits>
#include <string>

#include "core/refusal.hpp"
#include "core/schedule/built_in_solvers.hpp"
#include "core/schedule/cg_schedule.hpp"

namespace sparsecast {
namespace {

std::string message_of(const Schedule& schedule) {
  return refusal_of([&] { check_schedule(schedule); });
}

/// Flops or elements of an iteration as the paper charges it.
double charged(const LinearCount Step::*count, const SegmentShape& shape) {
  double sum = 0;
  for (const Step& step : algorithm1_schedule().iteration) {
    sum += step.charged_per_iteration * evaluate(step.*count, shape);
  }
  return sum;
}

TEST(Schedule, OfAlgorithm1IsConsistent) {
  EXPECT_EQ(message_of(algorithm1_schedule()), "accepted");
}

TEST(Schedule, ChargesTheFlopsOfEquation8) {
  const SegmentShape unknowns{.unknowns = 1000, .total_unknowns = 1000};
  const SegmentShape elements{.elements = 1000};
  EXPECT_DOUBLE_EQ(charged(&Step::flops, unknowns), 15 * 1000);
  EXPECT_DOUBLE_EQ(charged(&Step::flops, elements), 2 * 1000);
}

TEST(Schedule, ChargesTheTransferredElementsOfEquation6) {
  // Table 2: CG2, CG3, CG4, CG5 and three reductions; Table 3: SpMV.
  const SegmentShape unknowns{.unknowns = 1000, .total_unknowns = 1000};
  const SegmentShape elements{.elements = 1000};
  EXPECT_DOUBLE_EQ(charged(&Step::elements, unknowns), (2 + 3 + 9 + 6 + 3 * 1) * 1000);
  EXPECT_DOUBLE_EQ(charged(&Step::elements, elements), 2 * 1000);
}

TEST(Schedule, StatesWhatEveryKernelDoesWithItsVectors) {
  for (const char* name : {"algorithm1", "fused", "vendor"}) {
    const Schedule schedule = built_in(name).schedule;
    for (const Step& step : schedule.iteration) {
      if (step.kind != StepKind::kernel && step.kind != StepKind::reduce) continue;
      EXPECT_EQ(step.accesses.size(), step.vectors.size()) << name << ' ' << step.name;
    }
  }
}

TEST(Schedule, CountsAVectorThatIsHandedOverTwiceAsReadOnce) {
  for (const Step& step : vendor_cg_schedule().iteration) {
    if (step.name != "cublasDot") continue;
    const bool same = step.vectors[0] == step.vectors[1];
    EXPECT_EQ(step.traffic.vector_reads_per_unknown, same ? 1 : 2);
  }
}

TEST(Schedule, RefusesAStepWithFewerAccessesThanVectors) {
  Schedule schedule = algorithm1_schedule();
  for (Step& step : schedule.iteration) {
    if (step.name == "CG3") step.accesses.pop_back();
  }
  EXPECT_EQ(message_of(schedule),
            "schedule 'algorithm1', step 'CG3': not as many accesses as vectors");
}

TEST(Schedule, HasTheFourSynchronisationsOfEquation11) {
  double synchronisations = 0;
  for (const Step& step : algorithm1_schedule().iteration) {
    if (step.kind == StepKind::reduce || step.kind == StepKind::exchange) {
      synchronisations += step.charged_per_iteration;
    }
  }
  EXPECT_EQ(synchronisations, 4);
}

TEST(Schedule, OfTheVendorsLibrariesMovesTwentyOneValuesAnUnknownInTwelveLaunches) {
  const Schedule schedule = vendor_cg_schedule();
  EXPECT_EQ(message_of(schedule), "accepted");
  const SegmentShape shape{
      .unknowns = 10, .total_unknowns = 10, .elements = 64, .blocks = 64, .block_rows = 10};
  BytesByKind bytes;
  int launches = 0;
  for (const Step& step : schedule.iteration) {
    const BytesByKind moved = bytes_moved(step, shape, Precision::f64);
    bytes.values += moved.values;
    bytes.indices += moved.indices;
    bytes.row_pointers += moved.row_pointers;
    bytes.vector_reads += moved.vector_reads;
    bytes.vector_writes += moved.vector_writes;
    launches += step.launches;
  }
  EXPECT_EQ(bytes.values, 64 * 8);
  EXPECT_EQ(bytes.indices, 64 * 4);
  EXPECT_EQ(bytes.row_pointers, 10 * 4);
  EXPECT_EQ(bytes.vector_reads + bytes.vector_writes, 21 * 10 * 8);
  EXPECT_EQ(launches, 12);
}

TEST(Schedule, CountsBytesByKind) {
  const SegmentShape shape{
      .unknowns = 10, .total_unknowns = 30, .elements = 64, .blocks = 4, .block_rows = 3};
  const Schedule schedule = algorithm1_schedule();
  const auto step = [&](const std::string& name) {
    for (const Step& candidate : schedule.iteration) {
      if (candidate.name == name) return candidate;
    }
    return Step{};
  };
  const BytesByKind spmv = bytes_moved(step("SpMV"), shape, Precision::f32);
  EXPECT_EQ(spmv.values, 64 * 4);
  EXPECT_EQ(spmv.indices, 4 * 4);
  EXPECT_EQ(spmv.row_pointers, 3 * 8);
  EXPECT_EQ(spmv.vector_reads, 30 * 4);
  EXPECT_EQ(spmv.vector_writes, 10 * 4);
  const BytesByKind cg4 = bytes_moved(step("CG4"), shape, Precision::f64);
  EXPECT_EQ(cg4.vector_reads, 5 * 10 * 8);
  EXPECT_EQ(cg4.vector_writes, 4 * 10 * 8);
  EXPECT_EQ(cg4.total(), 9 * 10 * 8);
  EXPECT_EQ(bytes_moved(step("Exchange"), shape, Precision::f64).exchanged, 30 * 8);
}

TEST(Schedule, NamesTheStepThatUsesAVectorWhichIsNotDeclared) {
  Schedule schedule = algorithm1_schedule();
  schedule.iteration[2].vectors[0] = 99;
  EXPECT_EQ(message_of(schedule),
            "schedule 'algorithm1', step 'SpMV': a vector that is not declared");
}

TEST(Schedule, NamesTheStepThatUsesAScalarWhichIsNotDeclared) {
  Schedule schedule = algorithm1_schedule();
  schedule.iteration[7].scalars = {-1};
  EXPECT_EQ(message_of(schedule),
            "schedule 'algorithm1', step 'CG4': a scalar that is not declared");
}

TEST(Schedule, ChecksTheScalarsOfGuardsTestsAndAssignments) {
  const Schedule good = algorithm1_schedule();
  for (std::size_t i = 0; i < good.iteration.size(); ++i) {
    Schedule schedule = good;
    Step& step = schedule.iteration[i];
    if (step.guard) step.guard->b = 99;
    if (!step.stop_tests.empty()) step.stop_tests[0].test.a = 99;
    for (ScalarAssignment& assignment : step.assignments) {
      if (operand_count(assignment.operation) > 1) assignment.b = 99;
    }
    const bool changed =
        step.guard || !step.stop_tests.empty() ||
        (!step.assignments.empty() && operand_count(step.assignments[0].operation) > 1);
    EXPECT_EQ(message_of(schedule) == "accepted", !changed) << "step " << i << " " << step.name;
  }
}

TEST(Schedule, RefusesAReductionOfTwoVectors) {
  Schedule schedule = algorithm1_schedule();
  schedule.iteration[4].vectors = {0, 1};
  EXPECT_EQ(message_of(schedule),
            "schedule 'algorithm1', step 'Red': a reduction that is not one vector into one "
            "scalar");
}

TEST(Schedule, RefusesAnExchangeIntoASegment) {
  Schedule schedule = algorithm1_schedule();
  std::swap(schedule.iteration[1].vectors[0], schedule.iteration[1].vectors[1]);
  EXPECT_EQ(message_of(schedule),
            "schedule 'algorithm1', step 'Exchange': an exchange that does not complete a full "
            "vector, from a segment's part or alone");
}

TEST(Schedule, NamesTheSlotThatItDoesNotHave) {
  const Schedule schedule = algorithm1_schedule();
  EXPECT_THROW(vector_slot(schedule, "q"), Error);
  try {
    scalar_slot(schedule, "gamma");
    FAIL();
  } catch (const Error& error) {
    EXPECT_STREQ(error.what(), "schedule 'algorithm1' has no scalar 'gamma'");
  }
}

TEST(Schedule, CarriesOutItsScalarOperations) {
  std::array<double, 4> scalars{6, 3, 0, 7};
  apply({2, ScalarOperation::divide, 0, 1}, scalars);
  EXPECT_EQ(scalars[2], 2);
  apply({2, ScalarOperation::copy, 0, -1}, scalars);
  EXPECT_EQ(scalars[2], 6);
  apply({2, ScalarOperation::minimum, 0, 1}, scalars);
  EXPECT_EQ(scalars[2], 3);
  apply({3, ScalarOperation::count_unless_smaller, 0, 1}, scalars);
  EXPECT_EQ(scalars[3], 8);
  apply({3, ScalarOperation::count_unless_smaller, 1, 0}, scalars);
  EXPECT_EQ(scalars[3], 0);
  scalars[1] = 16;
  apply({2, ScalarOperation::square_root, 1, -1}, scalars);
  EXPECT_EQ(scalars[2], 4);
  scalars = {0, 16, 5, 7};
  apply({2, ScalarOperation::select, 0, 1, 3}, scalars);
  EXPECT_EQ(scalars[2], 7);
}

TEST(Schedule, NoTestHoldsForNan) {
  const std::array<double, 2> scalars{std::numeric_limits<double>::quiet_NaN(), 1};
  EXPECT_FALSE(holds({0, Comparison::less, 1}, scalars));
  EXPECT_FALSE(holds({1, Comparison::less_equal, 0}, scalars));
  EXPECT_FALSE(holds({0, Comparison::less_equal, 0}, scalars));
  EXPECT_TRUE(holds({1, Comparison::less_equal, 1}, scalars));
  EXPECT_FALSE(holds({1, Comparison::less, 1}, scalars));
}

}  // namespace
}  // namespace sparsecast
