#include "core/cpu/machine.hpp"

#include <gtest/gtest.h>

#include "core/base/threads/thread_team.hpp"
#include "core/cpu/cpu_kernels.hpp"
#include "core/cpu/instruction_sets.hpp"

namespace sparsecast {
namespace {

TEST(Machine, DescribesTheProcessorItRunsOn) {
  const CpuDescription cpu = describe_cpu();
  EXPECT_FALSE(cpu.name.empty());
  EXPECT_EQ(cpu.threads, available_threads());
  EXPECT_EQ(cpu.instruction_set, instruction_sets().back());
  EXPECT_GT(cpu.memory_bytes, 0);
  EXPECT_GT(cpu.available_bytes, 0);
  EXPECT_LE(cpu.available_bytes, cpu.memory_bytes);
  EXPECT_GE(cpu.l2_bytes, 0);
  EXPECT_GE(cpu.l3_bytes, 0);
}

TEST(Machine, DatesItsEnvironmentInUtc) {
  const Environment environment = describe_environment();
  EXPECT_FALSE(environment.operating_system.empty());
  EXPECT_FALSE(environment.compiler.empty());
  EXPECT_FALSE(environment.program_version.empty());
  ASSERT_EQ(environment.date.size(), std::string("2000-01-01T00:00:00Z").size());
  EXPECT_EQ(environment.date[10], 'T');
  EXPECT_EQ(environment.date.back(), 'Z');
}

}  // namespace
}  // namespace sparsecast
