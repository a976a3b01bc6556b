#include "core/cuda/several/host_meeting.cuh"

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <thread>
#include <vector>

#include "core/cuda/device/device_array.cuh"
#include "cuda/gpu_test.hpp"

namespace sparsecast::cuda {
namespace {

/// Three devices, one of which owns nothing.
const std::vector<Segment> segments{{0, 32}, {32, 32}, {32, 50}};

/// Calls `body(place)` on a thread for each device.
template <class Body>
void on_every_place(const Body& body) {
  std::vector<std::thread> threads;
  for (int place = 0; place < static_cast<int>(segments.size()); ++place) {
    threads.emplace_back([&body, place] { body(place); });
  }
  for (std::thread& thread : threads) thread.join();
}

class HostMeetingTest : public GpuTest {};

TEST_F(HostMeetingTest, AddsUpInTheOrderOfTheDevicesTheSameForAll) {
  ThreadMeeting meeting(segments, sizeof(double));
  const std::vector<double> first{1e16, 1.0, -1e16};
  std::vector<std::vector<double>> got(3);
  on_every_place([&](int place) {
    for (int round = 0; round < 100; ++round) {
      std::vector<double> sums{first[static_cast<std::size_t>(place)] + 0 * round,
                               static_cast<double>(place + round)};
      if (meeting.add_up(place, sums)) got[static_cast<std::size_t>(place)] = sums;
    }
  });
  const double in_order = (1e16 + 1.0) - 1e16;
  for (const auto& sums : got) EXPECT_EQ(sums, (std::vector<double>{in_order, 0 + 1 + 2 + 3 * 99}));
}

/// On one GPU, which stands for three.
TEST_F(HostMeetingTest, CompletesAVectorOnEveryDeviceAgainAndAgain) {
  ThreadMeeting meeting(segments, sizeof(float));
  constexpr int rounds = 20;
  const auto value = [](int round, std::int64_t row) {
    return static_cast<float>(1000 * round + row + 1);
  };
  std::vector<std::vector<std::vector<float>>> got(3, std::vector<std::vector<float>>(rounds));
  on_every_place([&](int place) {
    const Stream stream = Stream::create();
    const Segment& own = segments[static_cast<std::size_t>(place)];
    DeviceArray<float> whole{std::span<const float>(poison<float>(50))};
    SPARSECAST_CUDA_CHECK(cudaDeviceSynchronize());  // the poison went through another stream
    for (int round = 0; round < rounds; ++round) {
      std::vector<float> part;
      for (std::int64_t row = own.begin_row; row < own.end_row; ++row) {
        part.push_back(value(round, row));
      }
      SPARSECAST_CUDA_CHECK(cudaMemcpyAsync(whole.data() + own.begin_row, part.data(),
                                            part.size() * sizeof(float), cudaMemcpyHostToDevice,
                                            stream.get()));
      ASSERT_TRUE(
          meeting.exchange(place, whole.data() + own.begin_row, whole.data(), stream.get()));
      std::vector<float> values(50);
      SPARSECAST_CUDA_CHECK(cudaMemcpyAsync(values.data(), whole.data(), 50 * sizeof(float),
                                            cudaMemcpyDeviceToHost, stream.get()));
      SPARSECAST_CUDA_CHECK(cudaStreamSynchronize(stream.get()));
      got[static_cast<std::size_t>(place)][static_cast<std::size_t>(round)] = values;
    }
  });
  for (const auto& of_device : got) {
    for (int round = 0; round < rounds; ++round) {
      const auto& values = of_device[static_cast<std::size_t>(round)];
      ASSERT_EQ(values.size(), 50u);
      for (std::int64_t row = 0; row < 50; ++row) {
        ASSERT_EQ(values[static_cast<std::size_t>(row)], value(round, row)) << round << ' ' << row;
      }
    }
  }
}

TEST_F(HostMeetingTest, EndsEveryWaitOnceItIsStopped) {
  ThreadMeeting meeting(segments, sizeof(double));
  std::atomic<int> ended = 0;
  on_every_place([&](int place) {
    if (place == 1) {
      std::this_thread::sleep_for(std::chrono::milliseconds(20));
      meeting.stop();
    } else {
      std::vector<double> sums{1.0};
      if (!meeting.add_up(place, sums)) ++ended;
    }
    if (!meeting.wait()) ++ended;
  });
  EXPECT_EQ(ended, 2 + 3);
}

}  // namespace
}  // namespace sparsecast::cuda
