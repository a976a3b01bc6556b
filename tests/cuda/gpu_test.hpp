#pragma once

#include <gtest/gtest.h>

#include <cstdint>
#include <cstdlib>
#include <random>
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
