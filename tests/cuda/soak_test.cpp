#include <gtest/gtest.h>

#include <array>
#include <cstdint>
#include <cstdlib>
#include <fstream>
#include <memory>
#include <string>
#include <vector>

#include "core/cuda/cuda_backend.hpp"
#include "core/cuda/device/gpu_devices.hpp"
#include "core/matrix/generate/generators.hpp"
#include "cuda/cg_system.hpp"
#include "cuda/multi_gpu_test.hpp"

namespace sparsecast {
namespace {

/// As many as SPARSECAST_SOAK_SOLVES says: 10 000 take minutes.
int soak_solves() {
  const char* asked = std::getenv("SPARSECAST_SOAK_SOLVES");
  return asked != nullptr ? std::atoi(asked) : static_cast<int>(full_or_brief(120, 12));
}

/// Of this process, on the host.
std::int64_t resident_bytes() {
  std::int64_t pages = 0;
  std::int64_t resident = 0;
  std::ifstream("/proc/self/statm") >> pages >> resident;
  return 4096 * resident;
}

class SoakTest : public GpuTest {};

TEST_F(SoakTest, ManyShortSolvesOnChangingNumbersOfGpusLeaveNoMemoryBehind) {
  const auto system = make_system<double>(laplacian(5, 24, 24));
  const auto count = static_cast<int>(list_gpus().devices.size());
  std::vector<std::vector<GpuPart>> groups;
  for (int size = 1; size <= count; size *= 2) groups.push_back(first_gpus(size));
  std::vector<CudaPolicy> policies{policy_for(LaunchMode::host), policy_for(LaunchMode::plain)};
  for (const ExchangeMode mode : {ExchangeMode::staged, ExchangeMode::peer, ExchangeMode::halo}) {
    policies.push_back(policy_for(LaunchMode::graph));
    policies.back().exchange = mode;
  }
  const std::size_t kinds = groups.size() * policies.size() * cg_schedules.size();
  const auto solve = [&](std::size_t k) {
    CudaBackend backend(groups[k % groups.size()], policies[k / groups.size() % policies.size()]);
    const char* schedule = cg_schedules[k % kinds / (groups.size() * policies.size())];
    const auto prepared = begin_cg(backend, system, Layout{}, -1, schedule);
    prepared->run(10);
    return vector_of(*prepared, "x", system.b.size());
  };
  std::vector<std::vector<double>> expected;
  for (std::size_t k = 0; k < kinds; ++k) expected.push_back(solve(k));
  // What the driver and the pools of memory keep for good is there after a few of every kind.
  for (std::size_t k = 0; k < 2 * kinds; ++k) solve(k);
  const std::vector<std::int64_t> device_before = free_memory();
  const std::int64_t host_before = resident_bytes();

  for (std::size_t k = 0; k < static_cast<std::size_t>(soak_solves()); ++k) {
    ASSERT_EQ(solve(k), expected[k % kinds]) << "solve " << k;
  }

  EXPECT_EQ(free_memory(), device_before);
  constexpr std::int64_t noise = 16 << 20;
  EXPECT_LT(resident_bytes(), host_before + noise);
}

}  // namespace
}  // namespace sparsecast
