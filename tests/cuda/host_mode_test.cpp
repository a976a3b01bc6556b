#include <gtest/gtest.h>

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "core/cpu/cpu_backend.hpp"
#include "core/formats/registry.hpp"
#include "core/matrix/generate/generators.hpp"
#include "core/schedule/microbenchmark_schedules.hpp"
#include "cuda/cg_system.hpp"

/// @file
/// Several GPUs with the host in charge. One GPU stands for several where a machine has only one:
/// no kernel waits for another device.

namespace sparsecast {
namespace {

class HostModeTest : public GpuTest {
 protected:
  void SetUp() override {
    GpuTest::SetUp();
    if (!several_devices_may_run()) GTEST_SKIP() << "several devices in one process";
  }
  /// So many devices, on all GPUs that there are in turn.
  static std::vector<GpuPart> devices(int count) {
    const auto gpus = static_cast<int>(list_gpus().devices.size());
    std::vector<GpuPart> all;
    for (int device = 0; device < count; ++device) all.push_back(device % gpus);
    return all;
  }
  static CudaBackend host_mode(int count) {
    return CudaBackend(devices(count), policy_for(LaunchMode::host));
  }
};

template <class T>
void expect_iterates_of_the_cpu(CudaBackend& gpus, const CsrMatrix<double>& matrix,
                                const Layout& layout, const char* schedule) {
  const auto system = make_system<T>(matrix);
  CpuBackend cpu(1, 1);
  const auto expected = begin_cg(cpu, system, layout, -1, schedule);
  const auto actual = begin_cg(gpus, system, layout, -1, schedule);
  const double tolerance = std::is_same_v<T, float> ? 2e-4 : 1e-11;
  for (std::int64_t iteration = 0; iteration < full_or_brief(20, 3); ++iteration) {
    expected->run(1);
    actual->run(1);
    ASSERT_LT(relative_difference(vector_of(*actual, "x", system.b.size()),
                                  vector_of(*expected, "x", system.b.size())),
              tolerance)
        << schedule << ", " << to_string(layout) << ", iteration " << iteration + 1;
  }
}

TEST_F(HostModeTest, FirstTwentyIteratesAreThoseOfOneDevice) {
  const CsrMatrix<double> matrix = fem_elasticity(1, full_or_brief(6, 3), 3);
  for (const int count : {2, 3, 4}) {
    SCOPED_TRACE(count);
    CudaBackend gpus = host_mode(count);
    for (const char* schedule : cg_schedules) {
      expect_iterates_of_the_cpu<double>(gpus, matrix, Layout{}, schedule);
      expect_iterates_of_the_cpu<float>(gpus, matrix, parse_layout("bcsr3-sorted"), schedule);
    }
  }
}

TEST_F(HostModeTest, DevicesWithoutRowsTakePart) {
  CudaBackend gpus = host_mode(4);
  for (const char* schedule : cg_schedules) {
    expect_iterates_of_the_cpu<double>(gpus, laplacian(5, 7, 7), block_layout(4), schedule);
    expect_iterates_of_the_cpu<double>(gpus, laplacian(5, 5, 5), Layout{}, schedule);
  }
}

TEST_F(HostModeTest, GivesTheSameBitsInEveryRun) {
  const auto system = make_system<double>(laplacian(5, 40, 31));
  CudaBackend gpus = host_mode(3);
  std::vector<double> first;
  for (int repeat = 0; repeat < 3; ++repeat) {
    const auto prepared = begin_cg(gpus, system, Layout{});
    prepared->run(full_or_brief(30, 5));
    const auto x = vector_of(*prepared, "x", system.b.size());
    if (repeat == 0) first = x;
    EXPECT_EQ(x, first);
  }
}

TEST_F(HostModeTest, EndsWithTheIterationThatOneDeviceEndsWith) {
  const auto system = make_system<double>(laplacian(5, 30, 30));
  CpuBackend cpu(1, 1);
  const RunReport expected = begin_cg(cpu, system, Layout{}, 1e-12, "fused")->run(1000);
  CudaBackend gpus = host_mode(2);
  const RunReport actual = begin_cg(gpus, system, Layout{}, 1e-12, "fused")->run(1000);
  EXPECT_EQ(actual.outcome, Outcome::converged);
  EXPECT_EQ(actual.outcome, expected.outcome);
  EXPECT_NEAR(static_cast<double>(actual.iterations), static_cast<double>(expected.iterations), 1);
}

TEST_F(HostModeTest, CountsWhatTheScheduleSays) {
  const auto system = make_system<double>(laplacian(5, 40, 40));
  CpuBackend cpu(3, 1);
  CudaBackend gpus = host_mode(3);
  for (const char* schedule : cg_schedules) {
    const auto on_cpu = begin_cg(cpu, system, Layout{}, -1, schedule);
    const auto on_gpus = begin_cg(gpus, system, Layout{}, -1, schedule);
    on_cpu->run(7);
    on_gpus->run(7);
    const RunCounters expected = on_cpu->counters();
    const RunCounters actual = on_gpus->counters();
    EXPECT_EQ(actual.iterations, expected.iterations);
    EXPECT_EQ(actual.kernels, expected.kernels);
    EXPECT_EQ(actual.reductions, expected.reductions);
    EXPECT_EQ(actual.exchanges, expected.exchanges);
    EXPECT_EQ(actual.barriers, expected.barriers);
    EXPECT_EQ(actual.exchanged_values, expected.exchanged_values);
    EXPECT_EQ(actual.bytes.vector_reads, expected.bytes.vector_reads);
    EXPECT_EQ(actual.bytes.vector_writes, expected.bytes.vector_writes);
    EXPECT_GT(actual.host_waits, 0);
  }
}

TEST_F(HostModeTest, AddsUpSumsThatAreKnownAtTheEndOverAllDevices) {
  constexpr std::int64_t unknowns = 1000;
  CudaBackend gpus = host_mode(3);
  const auto prepared = gpus.prepare_vectors_f64(load_schedule(1, false), unknowns);
  std::vector<double> values;
  for (std::int64_t i = 0; i < unknowns; ++i) values.push_back(static_cast<double>(i + 1));
  prepared->set_vector("load1", values);
  for (int call = 0; call < 2; ++call) {
    prepared->run(2);
    EXPECT_EQ(prepared->scalar("sum"), unknowns * (unknowns + 1) / 2);
  }
}

TEST_F(HostModeTest, ExchangesAndBarriersRunAlone) {
  constexpr std::int64_t unknowns = 300;
  CudaBackend gpus = host_mode(3);
  const auto exchanging = gpus.prepare_vectors_f32(exchange_schedule(), unknowns);
  exchanging->run(2);
  EXPECT_EQ(exchanging->counters().exchanged_values, 2 * 3 * unknowns);
  const auto meeting = gpus.prepare_vectors_f32(barrier_schedule(), unknowns);
  meeting->run(100);
  EXPECT_EQ(meeting->counters().barriers, 100);
}

}  // namespace
}  // namespace sparsecast
