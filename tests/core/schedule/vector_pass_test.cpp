#include "core/schedule/vector_pass.hpp"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "core/base/error.hpp"
#include "core/schedule/pass_step.hpp"
#include "core/schedule/schedule.hpp"

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
  EXPECT_EQ(fault({{assign(0, nine)}}, {0, 1, 2, 3, 4, 5, 6, 7, 8}),
            "a pass of 9 vectors; at most 8");
  EXPECT_EQ(fault({{assign(0, std::vector<PassTerm>(64))}}, {0}), "");
  EXPECT_EQ(fault({{assign(0, std::vector<PassTerm>(65))}}, {0}), "a pass of 65 terms; at most 64");

  pass.statements.assign(4, dot(0, 1));
  EXPECT_EQ(fault(pass, {0, 1}, 4), "");
  pass.statements.push_back(dot(0, 1));
  EXPECT_EQ(fault(pass, {0, 1}, 5), "a pass of 5 dot products; at most 4");
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
