#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <random>
#include <string>
#include <vector>

#include "core/base/error.hpp"
#include "core/cuda/compile/compiler.cuh"
#include "core/cuda/compile/pass_text.cuh"
#include "core/own_user_cache.hpp"
#include "core/random_pass.hpp"

// Texts of kernels, and that NVRTC takes them: needs no GPU.

namespace sparsecast::cuda {
namespace {

using Op = ScalarOperation;

ControlOperation assign(int target, Op operation, int a, int b = -1, int guard = -1) {
  ControlOperation made;
  made.kind = ControlOperation::Kind::assign;
  made.target = static_cast<std::int16_t>(target);
  made.operation = operation;
  made.a = static_cast<std::int16_t>(a);
  made.b = static_cast<std::int16_t>(b);
  if (guard >= 0) made.guard = DeviceTest(ScalarTest{0, Comparison::less, guard});
  return made;
}

int count_of(const std::string& text, const std::string& what) {
  int count = 0;
  for (std::size_t at = text.find(what); at != std::string::npos; at = text.find(what, at + 1)) {
    ++count;
  }
  return count;
}

/// Givens rotations of a column h (slots 100...) by cosines (200...) and sines (300...).
std::vector<ControlOperation> rotations(int count) {
  std::vector<ControlOperation> list;
  for (int i = 0; i < count; ++i) {
    const int h = 100 + i;
    list.push_back(assign(1, Op::multiply, 200 + i, h));
    list.push_back(assign(2, Op::multiply, 300 + i, h + 1));
    list.push_back(assign(3, Op::add, 1, 2));
    list.push_back(assign(1, Op::multiply, 200 + i, h + 1));
    list.push_back(assign(2, Op::multiply, 300 + i, h));
    list.push_back(assign(h + 1, Op::subtract, 1, 2));
    list.push_back(assign(h, Op::copy, 3));
  }
  return list;
}

/// Back substitution with a triangle of so many rows.
std::vector<ControlOperation> substitution(int rows) {
  std::vector<ControlOperation> list;
  for (int i = rows - 1; i >= 0; --i) {
    list.push_back(assign(100 + i, Op::copy, 200 + i));
    for (int l = i + 1; l < rows; ++l) {
      list.push_back(assign(1, Op::multiply, 1000 + i * rows + l, 100 + l));
      list.push_back(assign(100 + i, Op::subtract, 100 + i, 1));
    }
    list.push_back(assign(100 + i, Op::divide, 100 + i, 1000 + i * rows + i));
  }
  return list;
}

TEST(CompileText, GoesAlongArraysOfAnyLengthAlike) {
  const ProgramText nine = program_text(rotations(9));
  const ProgramText twenty = program_text(rotations(20));
  EXPECT_EQ(nine.text, twenty.text);
  EXPECT_EQ(count_of(nine.text, "for ("), 1);
  EXPECT_EQ(nine.numbers[0], 9);
  EXPECT_EQ(twenty.numbers[0], 20);
  // What one round makes the next one reads where it is.
  EXPECT_EQ(count_of(nine.text, "double y5"), 1);
  EXPECT_EQ(nine.slots.size(), 3u + 10 + 9 + 9);
  EXPECT_EQ(program_text(rotations(2)).text.find("for ("), std::string::npos);
}

TEST(CompileText, GoesRoundWhatRepeatsAsItStands) {
  const ProgramText thirty = program_text(substitution(30));
  EXPECT_EQ(count_of(thirty.text, "for ("), 2);
  EXPECT_LT(thirty.text.size(), 6000u);
}

TEST(CompileText, LeavesALoopWhereARoundReadsWhatWasMadeLongBefore) {
  std::vector<ControlOperation> list;
  for (int i = 0; i < 8; ++i) list.push_back(assign(10 + i, Op::add, 5 + i, 300));
  // The last five do not.
  const ProgramText text = program_text(list);
  EXPECT_EQ(count_of(text.text, "scalar_result"), 3 + 1);
  EXPECT_EQ(std::ranges::count(text.numbers, 5), 1);
}

TEST(CompileText, PutsNeighboursUnderOneGuard) {
  const ProgramText text =
      program_text(std::vector{assign(5, Op::copy, 6, -1, 1), assign(7, Op::copy, 5, -1, 1),
                               assign(1, Op::copy, 6, -1, 1), assign(8, Op::copy, 5, -1, 1)});
  // The third changes what the guard reads.
  EXPECT_EQ(count_of(text.text, "if ("), 2);
}

Step pass_of(const VectorPass& pass, int operands) {
  return pass_schedule(pass, operands, scalar_count).iteration[0];
}

TEST(CompileText, HasVectorsOfBlocksInLoopsOnly) {
  std::mt19937 random(1);
  const auto nine = block_passes(random, 9, scalar_count);
  const auto forty = block_passes(random, 40, scalar_count);
  for (const std::size_t k : {0, 1}) {
    const PassText few = pass_text(pass_of(nine[k], 11), Precision::f64, {}, {});
    const PassText many = pass_text(pass_of(forty[k], 42), Precision::f64, {}, {});
    EXPECT_EQ(few.text, many.text);
    ASSERT_EQ(many.blocks.size(), 1u);
    EXPECT_EQ(many.blocks[0].operands.size(), 40u);
    EXPECT_EQ(many.operands, (std::vector{0, 1}));
  }
}

class CompileTest : public ::testing::Test {
 protected:
  void SetUp() override {
    try {
      known_ = known_capabilities();
    } catch (const Error& error) {
      GTEST_SKIP() << error.what();
    }
  }

  std::vector<int> known_;
  testing::OwnUserCache cache_;  ///< nothing that was compiled before
};

TEST_F(CompileTest, TakesPassesForEveryGeneration) {
  std::mt19937 random(3);
  int compiled = 0;
  for (const int capability : {80, 90, 120}) {
    if (std::ranges::find(known_, capability) == known_.end()) continue;
    for (const VectorPass& pass : block_passes(random, 12, scalar_count)) {
      const PassText text = pass_text(pass_of(pass, 14), Precision::f32, rotations(5), {true, -1});
      EXPECT_GT(compile(text.text, capability).size(), 1000u);
      ++compiled;
    }
  }
  EXPECT_GT(compiled, 0);
}

TEST_F(CompileTest, TakesPassesThatSendWhatTheyAssign) {
  // x = x + s0*p, p = z + s1*p
  const VectorPass pass{
      {{0, {{1, -1, 0, -1}, {1, 0, 1, -1}}, -1, -1}, {1, {{1, -1, 2, -1}, {1, 1, 1, -1}}, -1, -1}}};
  for (const Precision precision : {Precision::f32, Precision::f64}) {
    const PassText text = pass_text(pass_of(pass, 3), precision, rotations(2), {true, 1});
    EXPECT_NE(text.text.find("sent = 1;"), std::string::npos) << text.text;
    EXPECT_GT(compile(text.text, known_.back()).size(), 1000u);
  }
}

TEST_F(CompileTest, KeepsWhatItCompiled) {
  const PassText text = pass_text(Step{}, Precision::f64, substitution(6), {});
  const std::string code = compile(text.text, known_.back());
  const auto kept = cache_.kernels();
  EXPECT_EQ(std::distance(std::filesystem::directory_iterator(kept), {}), 1);
  EXPECT_EQ(compile(text.text, known_.back()), code);
  EXPECT_EQ(std::distance(std::filesystem::directory_iterator(kept), {}), 1);
}

TEST_F(CompileTest, SaysInOneLineWhatIsRefused) {
  try {
    compile("extern \"C\" __global__ void sparsecast_pass() { nothing(); }", known_.back());
    FAIL();
  } catch (const Error& error) {
    const std::string what = error.what();
    EXPECT_NE(what.find("NVRTC refuses a kernel"), std::string::npos) << what;
    EXPECT_NE(what.find("nothing"), std::string::npos) << what;
    EXPECT_EQ(what.find('\n'), std::string::npos) << what;
  }
}

}  // namespace
}  // namespace sparsecast::cuda
