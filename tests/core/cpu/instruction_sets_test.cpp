#include "core/cpu/instruction_sets.hpp"

#include <gtest/gtest.h>

#include <cstddef>
#include <string>

#include "core/base/error.hpp"

namespace sparsecast {
namespace {

// Limits hold for the whole process: `bench --instructions` is tested as a program of its own.
TEST(InstructionSets, KnowTheNamesOfTheirLimits) {
  const std::string best(instruction_sets().back());
  const std::size_t count = instruction_sets().size();
  EXPECT_THROW(limit_instruction_sets("sse3"), Error);
  EXPECT_THROW(limit_instruction_sets(""), Error);
  if (count > 1) limit_instruction_sets(best);
  EXPECT_EQ(instruction_sets().size(), count);
  EXPECT_EQ(instruction_sets().back(), best);
}

}  // namespace
}  // namespace sparsecast
