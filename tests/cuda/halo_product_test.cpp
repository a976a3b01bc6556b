#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <cstdint>
#include <limits>
#include <random>
#include <vector>

#include "core/cuda/run/run_state.cuh"
#include "core/cuda/several/halo_product.cuh"
#include "core/random_part.hpp"
#include "cuda/fetch.hpp"
#include "cuda/gpu_test.hpp"

namespace sparsecast {
namespace {

template <class T>
class HaloProductTest : public GpuTest {};

using ValueTypes = testing::Types<float, double>;
TYPED_TEST_SUITE(HaloProductTest, ValueTypes);

/// Own rows among halos on both sides; twice, for what one launch leaves to the next.
TYPED_TEST(HaloProductTest, AddsWhatRowsMultiplyTheirHaloByAndSumsIt) {
  using T = TypeParam;
  // Many blocks add up in groups.
  for (const auto& [before, own, after] :
       {std::array<std::int64_t, 3>{9, 70, 5}, {0, 1000, 300}, {40'000, 50'000, 0}}) {
    const std::int64_t numbers = before + own + after;
    const Segment rows{before, before + own};
    const auto matrix = random_part<T>(numbers, rows, 6, static_cast<unsigned>(own));
    const HaloEntries<T> entries = split_at_halo(matrix.view(), rows).halo;
    ASSERT_FALSE(entries.rows.empty());
    std::mt19937 random(3);
    const std::vector<T> input = random_vector<T>(numbers, random);
    const std::vector<T> first = random_vector<T>(own, random);
    std::vector<double> expected(first.begin(), first.end());
    double sum = 0;
    double scale = 0;
    for (std::size_t i = 0; i < entries.rows.size(); ++i) {
      const auto row = static_cast<std::size_t>(entries.rows[i]);
      for (auto k = static_cast<std::size_t>(entries.offsets[i]);
           k < static_cast<std::size_t>(entries.offsets[i + 1]); ++k) {
        const auto at = static_cast<std::size_t>(before + entries.columns[k]);
        const double added = static_cast<double>(entries.values[k]) * input[at];
        expected[row] += added;
        sum += added * input[static_cast<std::size_t>(before) + row];
        scale += std::abs(added * input[static_cast<std::size_t>(before) + row]);
      }
    }
    const cuda::HaloProduct<T> product(entries);
    EXPECT_GT(product.bytes_moved().values, 0);
    EXPECT_GT(product.bytes(), static_cast<std::int64_t>(product.bytes_moved().values));
    const cuda::DeviceArray<T> x{std::span<const T>(input)};
    const auto state = cuda::DeviceArray<cuda::RunState>::zeros(1);
    const auto tickets = cuda::DeviceArray<std::int32_t>::zeros(1);
    const std::vector<double> unknown(2, std::numeric_limits<double>::quiet_NaN());
    const double tolerance = 40 * static_cast<double>(std::numeric_limits<T>::epsilon());
    for (const bool sums : {true, true, false}) {
      SCOPED_TRACE(sums);
      const cuda::DeviceArray<T> y{std::span<const T>(first)};
      const cuda::DeviceArray<double> scalars{std::span<const double>(unknown)};
      cuda::ProductOperands<T> operands;
      operands.input = x.data() + before;
      operands.output = y.data();
      if (sums) {
        operands.finish.memory.state = state.data();
        operands.finish.memory.scalars = scalars.data();
        operands.finish.tickets = tickets.data();
        operands.finish.slots[0] = 1;
      }
      product.launch(operands, {state.data(), scalars.data(), nullptr, {}})(nullptr);
      SPARSECAST_CUDA_CHECK(cudaDeviceSynchronize());
      const Buffer<T> actual = fetch(y);
      for (std::size_t i = 0; i < actual.size(); ++i) {
        ASSERT_NEAR(actual[i], expected[i], 10 * tolerance) << i;
      }
      const Buffer<double> results = fetch(scalars);
      EXPECT_TRUE(std::isnan(results[0]));
      EXPECT_EQ(std::isnan(results[1]), !sums);
      EXPECT_NEAR(sums ? results[1] : sum, sum, tolerance * scale);
    }
  }
}

TYPED_TEST(HaloProductTest, DoesNothingBehindAClosedGate) {
  using T = TypeParam;
  const Segment rows{0, 30};
  const cuda::HaloProduct<T> product(
      split_at_halo(random_part<T>(50, rows, 6, 5).view(), rows).halo);
  std::mt19937 random(6);
  const std::vector<T> values = random_vector<T>(50, random);
  const cuda::DeviceArray<T> x{std::span<const T>(values)};
  const cuda::DeviceArray<T> y{std::span<const T>(values)};
  const std::vector<cuda::RunState> ended{{.ended = 1}};
  const cuda::DeviceArray<cuda::RunState> state{std::span<const cuda::RunState>(ended)};
  cuda::ProductOperands<T> operands;
  operands.input = x.data();
  operands.output = y.data();
  product.launch(operands, {state.data(), nullptr, nullptr, {}})(nullptr);
  SPARSECAST_CUDA_CHECK(cudaDeviceSynchronize());
  EXPECT_EQ(fetch(y), Buffer<T>(values.begin(), values.end()));
}

}  // namespace
}  // namespace sparsecast
