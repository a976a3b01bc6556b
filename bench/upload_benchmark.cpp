// Copies from the host's memory to cuda:0: by the driver, of memory that is not pinned, and as
// matrices are uploaded (core/cuda/device/host_copy.cuh).
//
//   upload_benchmark
//
// Each size is copied 15 times by both, in turn: out of 2 GB, no part of which the host's caches
// hold any more, and again and again out of the same memory. Prints the medians in GB/s, the range
// of the middle half, and the ratio of the medians.
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <exception>
#include <functional>
#include <utility>
#include <vector>

#include "core/base/buffer.hpp"
#include "core/base/stopwatch.hpp"
#include "core/base/threads/thread_team.hpp"
#include "core/cpu/machine.hpp"
#include "core/cuda/device/device_array.cuh"
#include "core/cuda/device/gpu_devices.hpp"

namespace sparsecast {
namespace {

constexpr std::size_t host_bytes = std::size_t{2} << 30;
constexpr int rounds = 15;

struct Rates {
  std::vector<double> gbps;

  double at(double quantile) const {
    std::vector<double> sorted = gbps;
    std::ranges::sort(sorted);
    return sorted[static_cast<std::size_t>(quantile * static_cast<double>(sorted.size() - 1))];
  }
};

double seconds_of(const std::function<void()>& copy) {
  const double start = steady_seconds();
  copy();
  SPARSECAST_CUDA_CHECK(cudaDeviceSynchronize());
  return steady_seconds() - start;
}

void print_line(std::size_t bytes, const char* host, const Buffer<std::byte>& memory,
                const cuda::DeviceArray<std::byte>& to, bool cold) {
  Rates by_driver;
  Rates ours;
  std::size_t place = 0;
  const auto next = [&] {
    const std::byte* const from = memory.data() + place;
    if (cold) place = (place + bytes) % (host_bytes - bytes + 1);
    return from;
  };
  for (int round = 0; round < rounds; ++round) {
    const double copied = seconds_of([&] {
      SPARSECAST_CUDA_CHECK(cudaMemcpy(to.data(), next(), bytes, cudaMemcpyHostToDevice));
    });
    const double uploaded = seconds_of([&] { cuda::copy_to_device(to.data(), next(), bytes); });
    by_driver.gbps.push_back(1e-9 * static_cast<double>(bytes) / copied);
    ours.gbps.push_back(1e-9 * static_cast<double>(bytes) / uploaded);
  }
  std::printf("%10.2f  %-6s  %6.2f (%5.2f to %5.2f)  %6.2f (%5.2f to %5.2f)  %6.2f\n",
              1e-6 * static_cast<double>(bytes), host, by_driver.at(0.5), by_driver.at(0.25),
              by_driver.at(0.75), ours.at(0.5), ours.at(0.25), ours.at(0.75),
              ours.at(0.5) / by_driver.at(0.5));
}

void run() {
  const GpuList gpus = list_gpus();
  if (gpus.devices.empty()) {
    std::puts(gpus.absence.c_str());
    return;
  }
  Buffer<std::byte> memory(host_bytes);
  parallel_for(static_cast<std::int64_t>(host_bytes), 1 << 20,
               [&](std::int64_t begin, std::int64_t end) {
                 for (std::int64_t k = begin; k < end; ++k) {
                   memory[static_cast<std::size_t>(k)] = static_cast<std::byte>(1 + k % 255);
                 }
               });
  constexpr std::size_t largest = std::size_t{512} << 20;
  const cuda::DeviceArray<std::byte> to(largest);
  cuda::prepare_copies();
  std::printf("%s; %d threads\n", gpus.devices.front().name.c_str(), available_threads());
  std::puts("        MB  host    driver, GB/s              uploads, GB/s             ratio");
  for (std::size_t bytes = 256 << 10; bytes <= largest; bytes *= 4) {
    print_line(bytes, "memory", memory, to, true);
    print_line(bytes, "cached", memory, to, false);
  }
}

}  // namespace
}  // namespace sparsecast

int main() {
  try {
    sparsecast::run();
  } catch (const std::exception& error) {
    std::fprintf(stderr, "upload_benchmark: %s\n", error.what());
    return 1;
  }
  return 0;
}
