#pragma once

#include <gtest/gtest.h>

#include <cstdint>
#include <cstdlib>
#include <random>
#include <string_view>
#include <vector>

#include "core/cuda/device/gpu_devices.hpp"
#include "core/random_csr.hpp"

namespace sparsecast {

/// Tests that need a GPU are skipped where there is none.
class GpuTest : public testing::Test {
 protected:
  void SetUp() override {
    static const GpuList gpus = list_gpus();
    if (gpus.devices.empty()) GTEST_SKIP() << gpus.absence;
  }
};

/// A size of a test: `full`, or `brief` where SPARSECAST_BRIEF_TESTS is set. Under a sanitizer a
/// launch takes milliseconds; `scripts/gpu_check` sets it there.
inline std::int64_t full_or_brief(std::int64_t full, std::int64_t brief) {
  static const bool is_brief = std::getenv("SPARSECAST_BRIEF_TESTS") != nullptr;
  return is_brief ? brief : full;
}

/// Whether kernels of one GPU may wait for each other: not in brief tests, since a sanitizer may
/// run them one after the other.
inline bool kernels_may_wait_for_each_other() {
  return full_or_brief(1, 0) == 1;
}

/// The tool of compute-sanitizer that the tests run under, as `scripts/gpu_check` says; empty:
/// none.
inline std::string_view sanitizer_tool() {
  static const char* const named = std::getenv("SPARSECAST_SANITIZER");
  return named != nullptr ? named : "";
}

/// Whether the tests run under this one.
inline bool runs_under(std::string_view tool) {
  return sanitizer_tool() == tool;
}

/// Whether one process may run several devices, each with a host thread of its own: racecheck of
/// CUDA 13.0 locks up in the driver where two threads launch at once.
inline bool several_devices_may_run() {
  return !runs_under("racecheck");
}

/// The first GPU alone and, where several devices may run, as so many of them.
inline std::vector<std::vector<GpuPart>> one_gpu_alone_and_as(int devices) {
  std::vector<std::vector<GpuPart>> all{{GpuPart{0}}};
  if (several_devices_may_run()) {
    all.emplace_back(static_cast<std::size_t>(devices), GpuPart{0});
  }
  return all;
}

template <class T>
std::vector<T> random_vector(std::int64_t size, std::mt19937& random) {
  std::vector<T> values;
  for (std::int64_t i = 0; i < size; ++i) values.push_back(static_cast<T>(random_value(random)));
  return values;
}

/// What an output holds before a kernel that must write all of it.
template <class T>
std::vector<T> poison(std::int64_t size) {
  return std::vector<T>(static_cast<std::size_t>(size), static_cast<T>(12345));
}

}  // namespace sparsecast
