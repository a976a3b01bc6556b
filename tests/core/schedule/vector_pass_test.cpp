#include "core/schedule/vector_pass.hpp"

#include <gtest/gtest.h>

#include <numeric>
#include <string>
#include <vector>

#include "core/base/error.hpp"
#include "core/schedule/pass_step.hpp"
#include "core/schedule/schedule.hpp"
#include "core/schedule/split_pass.hpp"

namespace sparsecast {
namespace {

using enum VectorAccess;

PassStatement assign(int target, std::vector<PassTerm> terms) {
  return {target, std::move(terms), -1, -1};
}
PassStatement dot(int a, int b) {
  return {-1, {}, a, b};
}

/// x += t*v; r -= t*u; z = c*r; r.z; r.r, of operands v, u, c, x, r, z.
VectorPass residual_pass() {
  return {{assign(3, {{1, -1, 3}, {1, 0, 0}}), assign(4, {{1, -1, 4}, {-1, 0, 1}}),
           assign(5, {{1, -1, 2, 4}}), dot(4, 5), dot(4, 4)}};
}

TEST(VectorPass, KnowsWhatIsReadBeforeItIsAssigned) {
  EXPECT_EQ(pass_accesses(residual_pass(), 6),
            (std::vector{read, read, read, update, update, write}));
  EXPECT_EQ(pass_accesses({{assign(0, {}), assign(1, {{2, -1, 0, 2}})}}, 3),
            (std::vector{write, write, read}));
}

TEST(VectorPass, MakesAStepThatCountsWhatItMovesAndCalculates) {
  const Step step = pass_step(residual_pass(), {5, 4, 3, 2, 1, 0}, {7, 8});
  EXPECT_EQ(step.kind, StepKind::kernel);
  EXPECT_EQ(step.name, "Pass");
  EXPECT_EQ(step.vectors, (std::vector{5, 4, 3, 2, 1, 0}));
  EXPECT_EQ(step.sums, (std::vector{7, 8}));
  EXPECT_EQ(step.accesses, (std::vector{read, read, read, update, update, write}));
  EXPECT_EQ(step.traffic.vector_reads_per_unknown, 5);
  EXPECT_EQ(step.traffic.vector_writes_per_unknown, 3);
  EXPECT_EQ(step.elements.per_unknown, 8);
  EXPECT_EQ(step.flops.per_unknown, 2 + 2 + 1 + 2 + 2);
  EXPECT_EQ(step.launches, 1);
}

/// What is wrong with a pass, "" if nothing is.
std::string fault(const VectorPass& pass, const std::vector<VectorSlot>& operands,
                  std::size_t sums = 0) {
  const std::string what = fault_of(pass, operands, sums).value_or("");
  if (!what.empty()) {
    EXPECT_THROW(pass_step(pass, operands, std::vector<int>(sums)), Error);
  }
  return what;
}

TEST(VectorPass, SaysWhatIsTooMuch) {
  VectorPass pass;
  EXPECT_EQ(fault(pass, {}), "a pass of no statements");
  pass.statements.assign(8, assign(0, {{1, -1, 1}}));
  EXPECT_EQ(fault(pass, {0, 1}), "");
  pass.statements.push_back(pass.statements[0]);
  EXPECT_EQ(fault(pass, {0, 1}), "a pass of 9 statements; at most 8");

  std::vector<PassTerm> nine;
  for (int k = 0; k < 9; ++k) nine.push_back({1, -1, k});
  EXPECT_EQ(fault({{assign(0, nine), assign(0, nine)}}, {0, 1, 2, 3, 4, 5, 6, 7, 8}),
            "a pass of 9 vectors; at most 8");
  EXPECT_EQ(fault({{assign(0, std::vector<PassTerm>(64))}}, {0}), "");
  EXPECT_EQ(fault({{assign(0, std::vector<PassTerm>(65))}}, {0}), "a pass of 65 terms; at most 64");

  pass.statements.assign(4, dot(0, 1));
  EXPECT_EQ(fault(pass, {0, 1}, 4), "");
  pass.statements.push_back(dot(0, 1));
  EXPECT_EQ(fault(pass, {0, 1}, 5), "a pass of 5 dot products; at most 4");
}

std::vector<VectorSlot> first_slots(int count) {
  std::vector<VectorSlot> slots(static_cast<std::size_t>(count));
  std::iota(slots.begin(), slots.end(), 0);
  return slots;
}

/// v0 = v1 - the sum of so many others, and v0.v0.
VectorPass combination_of(int others) {
  std::vector<PassTerm> terms{{1, -1, 1}};
  for (int k = 0; k < others; ++k) terms.push_back({-1, k, 2 + k});
  return {{assign(0, terms), dot(0, 0)}};
}

/// The dot products of so many others with v0, and v0.v0.
VectorPass products_of(int others) {
  VectorPass pass;
  for (int k = 0; k < others; ++k)
    pass.statements.push_back(k % 2 == 0 ? dot(1 + k, 0) : dot(0, 1 + k));
  pass.statements.push_back(dot(0, 0));
  return pass;
}

TEST(VectorPass, TakesManyVectorsInBlocks) {
  EXPECT_TRUE(pass_blocks(combination_of(6), 8).empty());
  const auto terms = pass_blocks(combination_of(7), 9);
  ASSERT_EQ(terms.size(), 1u);
  EXPECT_FALSE(terms[0].of_dots());
  EXPECT_EQ(terms[0].statement, 0);
  // v1 stands there alone, too.
  EXPECT_EQ(terms[0].first_term, 0);
  EXPECT_EQ(terms[0].count, 8);

  EXPECT_TRUE(pass_blocks(products_of(3), 4).empty());
  const auto dots = pass_blocks(products_of(4), 5);
  ASSERT_EQ(dots.size(), 1u);
  EXPECT_EQ(dots[0].with, 0);
  EXPECT_EQ(dots[0].statement, 0);
  EXPECT_EQ(dots[0].count, 4);

  EXPECT_EQ(fault(combination_of(63), first_slots(65), 1), "");
  EXPECT_EQ(fault(combination_of(64), first_slots(66), 1),
            "a pass of 65 vectors in blocks; at most 64");
  EXPECT_EQ(fault(products_of(64), first_slots(65), 65), "");
}

TEST(VectorPass, HasNoBlocksOfWhatItUsesTwice) {
  VectorPass pass = combination_of(7);
  for (int k = 2; k < 9; ++k) pass.statements.push_back(assign(0, {{1, -1, k}, {1, -1, 0}}));
  EXPECT_EQ(fault(pass, first_slots(9), 1), "a pass of 9 vectors; at most 8");
  // Of v2 alone: the others are a block.
  pass.statements.resize(3);
  EXPECT_EQ(pass_blocks(pass, 9).front().first_term, 2);
  EXPECT_EQ(pass_blocks(pass, 9).front().count, 6);
  // Assigned, or multiplied elementwise: not one after the other.
  VectorPass assigned = combination_of(7);
  for (int k = 2; k < 9; ++k)
    assigned.statements[0].terms[static_cast<std::size_t>(k) - 1].times = 1;
  EXPECT_EQ(fault(assigned, first_slots(9), 1), "a pass of 9 vectors; at most 8");
}

TEST(VectorPass, IsSplitWhereKernelsTakeFewVectors) {
  const Step whole = pass_step(combination_of(20), first_slots(22), {3});
  const auto steps = without_blocks(whole);
  EXPECT_EQ(steps.size(), 3u);
  std::size_t read = 0;
  for (const Step& step : steps) {
    EXPECT_LE(step.vectors.size(), 8u);
    EXPECT_TRUE(pass_blocks(*step.pass, static_cast<int>(step.vectors.size())).empty());
    read += step.pass->statements[0].terms.size();
  }
  EXPECT_EQ(read, 21u + 2);
  EXPECT_EQ(steps.back().sums, std::vector{3});

  std::vector<ScalarSlot> sums(10);
  std::iota(sums.begin(), sums.end(), 0);
  Step dots = pass_step(products_of(9), first_slots(10), sums);
  dots.guard = ScalarTest{0, Comparison::less, 1};
  std::vector<ScalarSlot> made;
  for (const Step& step : without_blocks(dots)) {
    made.insert(made.end(), step.sums.begin(), step.sums.end());
    EXPECT_EQ(step.guard, dots.guard);
  }
  EXPECT_EQ(made, sums);
  EXPECT_EQ(without_blocks(pass_step(combination_of(2), first_slots(4), {3})).size(), 1u);
}

TEST(VectorPass, SaysWhatDoesNotFitTogether) {
  EXPECT_EQ(fault({{dot(0, 1)}}, {0, 1}, 2), "a pass of 1 dot products into 2 sums");
  EXPECT_EQ(fault({{dot(0, 2)}}, {0, 1}, 1), "a pass that uses a vector it has not");
  EXPECT_EQ(fault({{dot(0, -1)}}, {0}, 1), "a pass that uses a vector it has not");
  EXPECT_EQ(fault({{assign(0, {{1, -1, 1, -2}})}}, {0, 1}), "a pass that uses a vector it has not");
  EXPECT_EQ(fault({{assign(2, {})}}, {0, 1}), "a pass that uses a vector it has not");
  EXPECT_EQ(fault({{assign(0, {})}}, {0, 1}), "a pass that does not use all its vectors");
  EXPECT_EQ(fault({{assign(0, {{1, -1, 1}})}}, {3, 3}), "a pass that has a vector twice");
  EXPECT_EQ(fault({{{-1, {{1, -1, 0}}, 0, 1}}}, {0, 1}, 1), "a dot product with terms in a pass");
}

class PassInASchedule : public testing::Test {
 protected:
  PassInASchedule() {
    schedule_.name = "passes";
    schedule_.vectors = {{"u"}, {"v"}};
    schedule_.scalars = {{"t"}, {"sum"}};
    schedule_.iteration = {pass_step({{assign(0, {{1, 0, 1}}), dot(0, 1)}}, {0, 1}, {1})};
  }
  std::string message() const {
    try {
      check_schedule(schedule_);
    } catch (const Error& error) {
      return error.what();
    }
    return "";
  }
  Step& step() { return schedule_.iteration[0]; }

  Schedule schedule_;
};

TEST_F(PassInASchedule, IsCheckedWithTheSchedule) {
  EXPECT_EQ(message(), "");
  step().pass->statements[0].terms[0].scalar = 2;
  EXPECT_EQ(message(), "schedule 'passes', step 'Pass': a scalar that is not declared");
  step().pass->statements[0].terms[0].scalar = -2;
  EXPECT_EQ(message(), "schedule 'passes', step 'Pass': a scalar that is not declared");
  step().pass->statements[0].terms[0].scalar = -1;
  step().pass->statements[1].b = 2;
  EXPECT_EQ(message(), "schedule 'passes', step 'Pass': a pass that uses a vector it has not");
}

TEST_F(PassInASchedule, HasTheAccessesThatTheStepStates) {
  step().accesses = {write, write};
  EXPECT_EQ(message(), "schedule 'passes', step 'Pass': accesses that are not those of its pass");
  step().accesses.clear();
  EXPECT_EQ(message(), "");
}

TEST_F(PassInASchedule, GoesWithTheKernelOfItsName) {
  step().name = "Copy";
  EXPECT_EQ(message(), "schedule 'passes', step 'Copy': a pass in a step that is no kernel 'Pass'");
  step().name = "Pass";
  step().pass.reset();
  EXPECT_EQ(message(), "schedule 'passes', step 'Pass': a pass that is not there");
}

}  // namespace
}  // namespace sparsecast
