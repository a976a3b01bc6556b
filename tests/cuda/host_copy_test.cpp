#include "core/cuda/device/host_copy.cuh"

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstring>
#include <mutex>
#include <random>
#include <thread>
#include <utility>
#include <vector>

#include "core/base/buffer.hpp"
#include "core/base/error.hpp"
#include "core/cuda/device/current_gpu.cuh"
#include "core/cuda/device/device_array.cuh"
#include "core/refusal.hpp"
#include "cuda/fetch.hpp"
#include "cuda/gpu_test.hpp"
#include "cuda/multi_gpu_test.hpp"

namespace sparsecast {
namespace {

using CudaHostCopyTest = GpuTest;
using CudaHostCopySeveralTest = MultiGpuTest;

constexpr std::int64_t mebibyte = 1 << 20;

/// Around the sizes of pieces, and where copies change from one way to the other.
constexpr std::int64_t sizes[]{1,
                               4095,
                               mebibyte - 1,
                               mebibyte,
                               mebibyte + 1,
                               3 * mebibyte / 2,
                               3 * mebibyte / 2 + 7,
                               40 * mebibyte + 63};

Buffer<std::uint8_t> random_bytes(std::int64_t size, std::uint32_t seed) {
  std::mt19937 random(seed);
  Buffer<std::uint8_t> bytes(static_cast<std::size_t>(size));
  for (std::uint8_t& each : bytes) each = static_cast<std::uint8_t>(1 + random() % 255);
  return bytes;
}

/// With as many bytes before and behind as a copy that goes too far would write.
constexpr std::int64_t margin = 256;

cuda::DeviceArray<std::uint8_t> poisoned(std::int64_t size) {
  cuda::DeviceArray<std::uint8_t> array(size + 2 * margin);
  SPARSECAST_CUDA_CHECK(cudaMemset(array.data(), 0, array.bytes()));
  return array;
}

void expect_copied(const cuda::DeviceArray<std::uint8_t>& array,
                   const Buffer<std::uint8_t>& expected) {
  const Buffer<std::uint8_t> found = fetch(array);
  const auto begin = found.begin() + margin;
  const auto end = found.end() - margin;
  EXPECT_TRUE(std::equal(begin, end, expected.begin(), expected.end()));
  EXPECT_EQ(std::count(found.begin(), begin, 0), margin);
  EXPECT_EQ(std::count(end, found.end(), 0), margin);
}

TEST_F(CudaHostCopyTest, CopiesAllBytesAndNoOthers) {
  for (const std::int64_t size : sizes) {
    SCOPED_TRACE(size);
    const Buffer<std::uint8_t> bytes = random_bytes(size, 1);
    const cuda::DeviceArray<std::uint8_t> array = poisoned(size);
    cuda::copy_to_device(array.data() + margin, bytes.data(), bytes.size());
    expect_copied(array, bytes);
  }
}

TEST_F(CudaHostCopyTest, HasEachByteWrittenOnce) {
  for (const std::int64_t size : sizes) {
    SCOPED_TRACE(size);
    const Buffer<std::uint8_t> bytes = random_bytes(size, 2);
    const cuda::DeviceArray<std::uint8_t> array = poisoned(size);
    std::mutex mutex;
    std::vector<std::pair<std::size_t, std::size_t>> pieces;
    cuda::write_to_device(array.data() + margin, bytes.size(),
                          [&](std::size_t first, std::span<std::byte> piece) {
                            std::memcpy(piece.data(), bytes.data() + first, piece.size());
                            const std::scoped_lock lock(mutex);
                            pieces.emplace_back(first, first + piece.size());
                          });
    expect_copied(array, bytes);
    std::ranges::sort(pieces);
    std::size_t end = 0;
    for (const auto& [first, behind] : pieces) {
      EXPECT_EQ(first, end);
      EXPECT_EQ(first % 64, 0U);
      end = behind;
    }
    EXPECT_EQ(end, bytes.size());
  }
}

TEST_F(CudaHostCopyTest, ComesAfterWhatTheDefaultStreamHasBegun) {
  const std::int64_t size = 64 * mebibyte;
  const Buffer<std::uint8_t> bytes = random_bytes(size, 3);
  const cuda::DeviceArray<std::uint8_t> array = poisoned(size);
  for (int i = 0; i < 20; ++i) {
    SPARSECAST_CUDA_CHECK(cudaMemsetAsync(array.data(), 0, array.bytes()));
  }
  cuda::copy_to_device(array.data() + margin, bytes.data(), bytes.size());
  expect_copied(array, bytes);
}

TEST_F(CudaHostCopyTest, CopiesOfSeveralThreadsDoNotMeet) {
  const std::int64_t size = 5 * mebibyte + 24;
  constexpr int threads = 4;
  std::vector<Buffer<std::uint8_t>> bytes;
  std::vector<cuda::DeviceArray<std::uint8_t>> arrays;
  for (int t = 0; t < threads; ++t) {
    bytes.push_back(random_bytes(size, static_cast<std::uint32_t>(10 + t)));
    arrays.push_back(poisoned(size));
  }
  SPARSECAST_CUDA_CHECK(cudaDeviceSynchronize());
  std::vector<std::thread> running;
  for (std::size_t t = 0; t < threads; ++t) {
    running.emplace_back([&, t] {
      for (int i = 0; i < 5; ++i) {
        cuda::copy_to_device(arrays[t].data() + margin, bytes[t].data(), bytes[t].size());
      }
    });
  }
  for (std::thread& each : running) each.join();
  for (std::size_t t = 0; t < threads; ++t) expect_copied(arrays[t], bytes[t]);
}

TEST_F(CudaHostCopyTest, GoesOnAfterBytesThatCouldNotBeMade) {
  const std::int64_t size = 20 * mebibyte;
  const cuda::DeviceArray<std::uint8_t> array = poisoned(size);
  const auto to = array.data() + margin;
  EXPECT_EQ(refusal_of([&] {
              cuda::write_to_device(to, static_cast<std::size_t>(size),
                                    [](std::size_t first, std::span<std::byte> /*piece*/) {
                                      if (first > 0) throw Error("no more bytes");
                                    });
            }),
            "no more bytes");
  const Buffer<std::uint8_t> bytes = random_bytes(size, 4);
  cuda::copy_to_device(to, bytes.data(), bytes.size());
  expect_copied(array, bytes);
}

TEST_F(CudaHostCopySeveralTest, CopiesToTheCurrentDeviceOfEachThread) {
  const std::int64_t size = 9 * mebibyte + 8;
  const int devices = static_cast<int>(gpus().size());
  std::vector<std::thread> running;
  std::atomic<int> right = 0;
  for (int device = 0; device < devices; ++device) {
    running.emplace_back([&, device] {
      SPARSECAST_CUDA_CHECK(cudaSetDevice(device));
      const Buffer<std::uint8_t> bytes = random_bytes(size, static_cast<std::uint32_t>(device));
      const cuda::DeviceArray<std::uint8_t> array = poisoned(size);
      for (int i = 0; i < 5; ++i) {
        cuda::copy_to_device(array.data() + margin, bytes.data(), bytes.size());
      }
      const Buffer<std::uint8_t> found = fetch(array);
      right += std::equal(bytes.begin(), bytes.end(), found.begin() + margin) &&
                       cuda::current_device() == device
                   ? 1
                   : 0;
    });
  }
  for (std::thread& each : running) each.join();
  EXPECT_EQ(right, devices);
}

}  // namespace
}  // namespace sparsecast
