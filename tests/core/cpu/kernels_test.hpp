#pragma once

#include <gtest/gtest.h>

#include <cstdint>
#include <limits>
#include <random>
#include <string>
#include <vector>

#include "core/cpu/instruction_sets.hpp"
#include "core/random_csr.hpp"

namespace sparsecast {

constexpr double poison = 12345.0;

template <class T>
constexpr double tolerance = 16 * static_cast<double>(std::numeric_limits<T>::epsilon());

/// What tests of kernels that are compiled for each instruction set share. `of(k)`: the kernels of
/// the one with this place, null where the build has none.
template <class T, class Kernels, const Kernels* (*of)(std::size_t)>
class KernelsTest : public testing::Test {
 protected:
  std::vector<T> random_vector(std::int64_t size, std::int64_t padding = 0) {
    std::vector<T> values(static_cast<std::size_t>(size + padding), T{0});
    for (std::int64_t i = 0; i < size; ++i) {
      values[static_cast<std::size_t>(i)] = static_cast<T>(random_value(random_));
    }
    return values;
  }

  template <class Check>
  static void for_each_instruction_set(const Check& check) {
    for (std::size_t k = 0; k < instruction_sets().size(); ++k) {
      SCOPED_TRACE(std::string(instruction_sets()[k]));
      const Kernels* kernels = of(k);
      if (kernels != nullptr) check(*kernels);
    }
  }

  static void expect_close(T actual, double expected, double magnitude) {
    EXPECT_NEAR(static_cast<double>(actual), expected, tolerance<T> * magnitude);
  }

  std::mt19937 random_{2012};
};

}  // namespace sparsecast
