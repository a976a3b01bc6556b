#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "core/base/error.hpp"
#include "core/cuda/run/device_run.cuh"
#include "core/cuda/run/prepared_schedule.cuh"
#include "core/cuda/several/device_group.cuh"
#include "core/matrix/generate/generators.hpp"
#include "core/refusal.hpp"
#include "core/schedule/cg_schedule.hpp"
#include "cuda/breakdown.cuh"
#include "cuda/cg_system.hpp"
#include "cuda/gpu_test.hpp"
#include "cuda/multi_gpu_test.hpp"

/// @file
/// What happens to a run on several GPUs when one of them cannot go on.

namespace sparsecast {
namespace {

using namespace cuda;

/// A schedule whose setup is an exchange and the product with sums, whose thread blocks take
/// several groups of rows in turn.
Schedule product_with_sums() {
  Schedule schedule = fused_cg_schedule();
  const auto named = [](std::vector<Step>& steps, std::string_view name) {
    return *std::ranges::find(steps, name, &Step::name);
  };
  schedule.setup = {named(schedule.setup, "Exchange"), named(schedule.iteration, "SpMVDot")};
  return schedule;
}

/// Two devices that are ready to run, each started by hand.
class TwoRuns {
 public:
  TwoRuns(const CsrMatrix<double>& matrix, ExchangeMode exchange, double patience_seconds,
          const Schedule& schedule = fused_cg_schedule())
      : system_(make_system<double>(matrix)),
        matrix_(system_.matrix.view()),
        checked_(schedule, Layout{}, CudaPolicy{}, matrix_.rows, matrix_.columns, true),
        segments_(partition(matrix_, Layout{}, 2, 32)),
        group_(first_gpus(2), possible_exchange(exchange, first_gpus(2)), patience_seconds) {
    std::vector<SegmentHalo> halos;
    if (group_.exchange() == ExchangeMode::halo) halos = find_halos(matrix_, segments_, Layout{});
    if (group_.exchange() == ExchangeMode::staged) {
      staging_ = PinnedArray<double>(system_.b.size());
    }
    std::vector<std::vector<double*>> vectors;
    for (int place = 0; place < 2; ++place) {
      const auto i = static_cast<std::size_t>(place);
      runs_.push_back(std::make_unique<DeviceRun<double>>(
          checked_, MatrixOperators<double>(&matrix_, false), segments_[i], place));
      runs_[i]->memory().set_links(group_.links(place, runs_[i]->memory().state()));
      vectors.push_back(runs_[i]->memory().vectors());
    }
    for (int place = 0; place < 2; ++place) {
      DeviceRun<double>& run = *runs_[static_cast<std::size_t>(place)];
      run.memory().use_device();
      run.prepare(
          &matrix_,
          Exchange<double>(partners_in_process(segments_, halos, place), place, staging_.data()),
          vectors);
    }
  }

  DeviceRun<double>& first() { return *runs_[0]; }
  DeviceGroup& group() { return group_; }

 private:
  System<double> system_;
  CsrView<double> matrix_;
  CheckedSchedule<double> checked_;
  std::vector<Segment> segments_;
  DeviceGroup group_;
  PinnedArray<double> staging_;
  std::vector<std::unique_ptr<DeviceRun<double>>> runs_;
};

class MultiGpuFailureTest : public MultiGpuTest {
 protected:
  static constexpr std::array modes{ExchangeMode::staged, ExchangeMode::peer, ExchangeMode::halo};
};

TEST_F(MultiGpuFailureTest, NamesTheGpuThatDoesNotAnswer) {
  for (const ExchangeMode mode : modes) {
    TwoRuns two(laplacian(5, 30, 20), mode, 0.05);
    const auto result = two.first().run_setup();
    EXPECT_EQ(result.ended, ended_without(1)) << to_string(mode);
    EXPECT_EQ(refusal_of([&] { two.group().require_answers(result.ended); }),
              "cuda:1 did not answer the other devices for 0.05 s; see whether it still works "
              "(sparsecast devices), or leave it out");
  }
}

/// Every row looks up the other segment, and a thread block has several groups of them: were each
/// to begin a patience of its own, the product with sums would end after several.
TEST_F(MultiGpuFailureTest, OnePatienceIsEnoughForAllRows) {
  using Clock = std::chrono::steady_clock;
  constexpr double patience_seconds = 1;
  const std::int64_t rows = full_or_brief(1'000'000, 2000);
  for (const ExchangeMode mode : modes) {
    for (const Schedule& schedule : {fused_cg_schedule(), product_with_sums()}) {
      TwoRuns two(laplacian(5, rows, 2), mode, patience_seconds, schedule);
      const auto start = Clock::now();
      EXPECT_EQ(two.first().run_setup().ended, ended_without(1)) << to_string(mode);
      EXPECT_LT(Clock::now() - start, std::chrono::duration<double>(3.5 * patience_seconds));
    }
  }
}

TEST_F(MultiGpuFailureTest, TheHostEndsAWaitForAnother) {
  using Clock = std::chrono::steady_clock;
  for (const ExchangeMode mode : modes) {
    TwoRuns two(laplacian(5, 30, 20), mode, 100);
    std::jthread later([&] {
      std::this_thread::sleep_for(std::chrono::milliseconds(50));
      two.group().stop();
    });
    const auto start = Clock::now();
    EXPECT_EQ(two.first().run_setup().ended, ended_by_host) << to_string(mode);
    EXPECT_LT(Clock::now() - start, std::chrono::seconds(50));
    EXPECT_EQ(refusal_of([&] { two.group().require_answers(ended_by_host); }), "accepted");
  }
}

TEST_F(MultiGpuFailureTest, NamesTheGpuWithoutRoom) {
  constexpr std::int64_t left = 80 << 20;
  SPARSECAST_CUDA_CHECK(cudaSetDevice(1));
  const DeviceArray<char> hog(usable_memory() - left);
  const auto system = make_system<double>(laplacian(27, 70, 70, 70));
  CudaBackend backend(first_gpus(2));
  const std::string message = refusal_of(
      [&] { backend.prepare(fused_cg_schedule(), system.matrix.view(), block_layout(1)); });
  EXPECT_TRUE(message.starts_with("cuda:1: schedule 'fused' in layout")) << message;
  EXPECT_NE(message.find("are free on cuda:1"), std::string::npos) << message;
  SPARSECAST_CUDA_CHECK(cudaSetDevice(0));
}

/// Runs on both while the second one breaks down; exits with 1 when that is said as it should be.
void lose_the_second(const std::vector<GpuPart>& devices, LaunchMode mode) {
  const auto system = make_system<double>(laplacian(5, 60, 60));
  CudaBackend backend(devices, policy_for(mode));
  const auto prepared = begin_cg(backend, system, block_layout(1), -1, "fused");
  std::jthread breaking([] {
    std::this_thread::sleep_for(std::chrono::milliseconds(100));
    cudaSetDevice(1);
    cudaStream_t stream = nullptr;
    cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking);
    launch_breakdown(stream);
  });
  const std::string message = refusal_of([&] { prepared->run(std::int64_t{1} << 40); });
  const std::string again = refusal_of([&] { prepared->run(1); });
  std::fprintf(stderr, "%s\n%s\n", message.c_str(), again.c_str());
  const bool names_it = message.substr(0, message.find(": ")).find("cuda:1") != std::string::npos;
  std::_Exit(names_it && again.find("prepare it again") != std::string::npos ? 1 : 2);
}

TEST_F(MultiGpuFailureTest, ALostGpuEndsTheRunOnAll) {
  // Of a GPU that broke down no tool gives its host back: two of them waited for five minutes.
  if (!sanitizer_tool().empty()) GTEST_SKIP() << "a GPU that breaks down";
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  for (const LaunchMode mode : {LaunchMode::graph, LaunchMode::host}) {
    EXPECT_EXIT(lose_the_second(gpus(), mode), testing::ExitedWithCode(1), "cuda:1")
        << to_string(mode);
  }
}

}  // namespace
}  // namespace sparsecast
