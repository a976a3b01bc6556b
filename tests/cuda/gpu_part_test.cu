#include <gtest/gtest.h>

#include <set>
#include <string>
#include <vector>

#include "calibrate/measure/measured_device.hpp"
#include "core/cuda/device/current_gpu.cuh"
#include "core/cuda/device/device_array.cuh"
#include "core/cuda/device/stream.cuh"
#include "core/cuda/run/device_run.cuh"
#include "core/matrix/generate/generators.hpp"
#include "core/open_backend.hpp"
#include "core/refusal.hpp"
#include "core/schedule/cg_schedule.hpp"
#include "cuda/cg_system.hpp"
#include "cuda/gpu_test.hpp"

namespace sparsecast {
namespace {

using namespace cuda;

constexpr unsigned blocks = 4096;

/// Which multiprocessor each thread block runs on, for long enough that all are needed.
__global__ void record_multiprocessors(unsigned* found) {
  if (threadIdx.x == 0) asm volatile("mov.u32 %0, %%smid;" : "=r"(found[blockIdx.x]));
  const long long begin = clock64();
  while (clock64() - begin < 20'000) {
  }
}

void launch_record(DeviceArray<unsigned>& found, cudaStream_t stream) {
  record_multiprocessors<<<blocks, 128, 0, stream>>>(found.data());
  SPARSECAST_CUDA_CHECK(cudaGetLastError());
}

/// A stream is waited for, not the device: of a part that waits for no graphs (driver 580).
int count_of(const DeviceArray<unsigned>& found, cudaStream_t stream) {
  SPARSECAST_CUDA_CHECK(cudaStreamSynchronize(stream));
  std::vector<unsigned> all(blocks);
  SPARSECAST_CUDA_CHECK(
      cudaMemcpy(all.data(), found.data(), found.bytes(), cudaMemcpyDeviceToHost));
  return static_cast<int>(std::set(all.begin(), all.end()).size());
}

/// Multiprocessors that kernels of a stream run on.
int used(cudaStream_t stream) {
  auto found = DeviceArray<unsigned>::zeros(blocks);
  SPARSECAST_CUDA_CHECK(cudaDeviceSynchronize());
  launch_record(found, stream);
  return count_of(found, stream);
}

int used_by_graph(cudaStream_t stream) {
  auto found = DeviceArray<unsigned>::zeros(blocks);
  SPARSECAST_CUDA_CHECK(cudaDeviceSynchronize());
  const Graph graph = Graph::capture(stream, [&] { launch_record(found, stream); });
  graph.launch(stream);
  return count_of(found, stream);
}

/// Parts of 16 multiprocessors are there on every generation that has parts.
class GpuPartTest : public GpuTest {
 protected:
  void SetUp() override {
    GpuTest::SetUp();
    if (IsSkipped()) return;
    // That of CUDA 13.0 crashes where a part of a GPU allocates from a pool.
    if (runs_under("initcheck")) GTEST_SKIP() << "initcheck";
    whole_ = list_gpus().devices.front().multiprocessors;
    if (whole_ < 64) GTEST_SKIP() << "a GPU of " << whole_ << " multiprocessors";
  }
  void TearDown() override {
    if (!IsSkipped()) use_gpu(0);
  }

  int whole_ = 0;
};

TEST_F(GpuPartTest, KernelsRunOnItsMultiprocessorsAlone) {
  for (const int count : {16, 32}) {
    SCOPED_TRACE(count);
    use_gpu({0, count});
    EXPECT_EQ(current_gpu_shape().multiprocessors, count);
    const Stream stream = Stream::create();
    EXPECT_LE(used(stream.get()), count);
    EXPECT_LE(used(nullptr), count) << "the default stream";
    EXPECT_LE(used_by_graph(stream.get()), count);
    use_gpu(0);
    EXPECT_EQ(current_gpu_shape().multiprocessors, whole_);
    EXPECT_GT(used(Stream::create().get()), count);
    EXPECT_LE(used(stream.get()), count) << "a stream stays where it was made";
  }
}

TEST_F(GpuPartTest, SharesCachesAndMemoryWithTheWhole) {
  use_gpu(0);
  const GpuShape whole = current_gpu_shape();
  use_gpu({0, 16});
  const GpuShape part = current_gpu_shape();
  EXPECT_EQ(part.l2_bytes, whole.l2_bytes);
  EXPECT_EQ(part.shared_bytes_per_block, whole.shared_bytes_per_block);
}

TEST_F(GpuPartTest, RunsAScheduleOnItsMultiprocessorsAlone) {
  const auto system = make_system<double>(laplacian(5, 40, 40));
  const CsrView<double> matrix = system.matrix.view();
  const CheckedSchedule<double> checked(fused_cg_schedule(), Layout{}, CudaPolicy{}, matrix.rows,
                                        matrix.columns, true);
  const MatrixOperators<double> operators(&matrix, false);
  DeviceRun<double> run(checked, operators, {0, matrix.rows}, {0, 16});
  use_gpu(0);
  EXPECT_EQ(run.memory().launch_shape().multiprocessors, 16);
  EXPECT_LE(used(run.memory().stream()), 16);
}

TEST_F(GpuPartTest, SolvesAsTheWholeDoes) {
  constexpr double tolerance = 1e-11;
  for (const auto& matrix : {fem_elasticity(1, 6, 3), power_law(3000, 12, 1.9, 5),
                             laplacian(27, 14, 9, 11), laplacian(5, 150, 150)}) {
    const auto system = make_system<double>(matrix);
    for (const char* schedule : cg_schedules) {
      CudaBackend whole(0);
      const auto expected = iterates(whole, system, block_layout(3), schedule, 20);
      for (const LaunchMode mode : {LaunchMode::host, LaunchMode::plain, LaunchMode::graph}) {
        SCOPED_TRACE(std::to_string(matrix.rows) + " rows, " + schedule + ", " +
                     std::string(to_string(mode)));
        CudaBackend part(GpuPart(0, 32), policy_for(mode));
        expect_iterates_near(iterates(part, system, block_layout(3), schedule, 20), expected,
                             tolerance);
      }
    }
  }
}

/// From one thread block, and those of a cluster, to more than a part has multiprocessors.
TEST_F(GpuPartTest, RunsPersistentKernels) {
  constexpr double tolerance = 1e-11;
  for (const std::int64_t side : {8, 40, 60, 150}) {
    const auto system = make_system<double>(laplacian(5, side, side));
    CudaBackend whole(0, policy_for(LaunchMode::graph));
    const auto expected = iterates(whole, system, Layout{}, "fused", 20);
    for (const int count : {16, 32}) {
      SCOPED_TRACE(std::to_string(side) + "^2 rows on " + std::to_string(count));
      CudaBackend part(GpuPart(0, count), policy_for(LaunchMode::persistent));
      expect_iterates_near(iterates(part, system, Layout{}, "fused", 20), expected, tolerance);
    }
  }
}

TEST_F(GpuPartTest, GivesTheSameBitsAgain) {
  const auto system = make_system<double>(laplacian(7, 15, 12, 13));
  std::vector<std::vector<double>> solutions;
  for (int again = 0; again < 3; ++again) {
    CudaBackend part(GpuPart(0, 16));
    const auto prepared = begin_cg(part, system, Layout{}, -1, "fused");
    EXPECT_EQ(prepared->run(60).iterations, 60);
    solutions.push_back(vector_of(*prepared, "x", system.b.size()));
    EXPECT_EQ(solutions.back(), solutions.front());
  }
}

TEST_F(GpuPartTest, IsOpenedByName) {
  EXPECT_TRUE(open_backend("cuda:0/16")->description().ends_with(", cuda:0/16"));
  const std::string all = "cuda:0/" + std::to_string(whole_);
  EXPECT_TRUE(open_backend(all)->description().ends_with(", " + all));
}

TEST_F(GpuPartTest, IsDescribedByTheMultiprocessorsThatItHas) {
  const MeasuredDevice part = measured_gpus({GpuPart(0, 16)});
  const MeasuredDevice whole = measured_gpus({GpuPart(0)});
  ASSERT_TRUE(part.gpu && whole.gpu);
  EXPECT_EQ(part.gpu->multiprocessors, 16);
  EXPECT_EQ(part.gpu->l2_bytes, whole.gpu->l2_bytes);
  EXPECT_EQ(part.origin.environment.at("multiprocessors"), "16");
  EXPECT_EQ(part.origin.device, whole.origin.device);
}

TEST_F(GpuPartTest, IsRefusedWithTheNearestThatThereAre) {
  const std::string too_many = "cuda:0/" + std::to_string(whole_ + 1);
  EXPECT_EQ(refusal_of([&] { open_backend(too_many); }),
            "no device '" + too_many + "'; the nearest parts of this GPU are 'cuda:0/" +
                std::to_string(whole_) + "'");
  const std::string odd = refusal_of([] { open_backend("cuda:0/17"); });
  EXPECT_TRUE(odd.starts_with(
      "no device 'cuda:0/17'; the nearest parts of this GPU are 'cuda:0/16' and 'cuda:0/"))
      << odd;
  EXPECT_EQ(current_gpu_shape().multiprocessors, whole_);
}

}  // namespace
}  // namespace sparsecast
