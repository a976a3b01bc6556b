#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <limits>
#include <utility>
#include <vector>

#include "core/cuda/run/run_state.cuh"
#include "core/formats/bcsr/cuda/device_bcsr.cuh"
#include "cuda/gpu_test.hpp"

namespace sparsecast {
namespace {

constexpr std::int64_t rows = 4'400'000;
constexpr std::int64_t length = 500;
constexpr std::int64_t elements = rows * length;
static_assert(elements > std::int64_t{1} << 31);

__device__ std::int32_t column_of(std::int64_t row, std::int64_t j) {
  return static_cast<std::int32_t>(row * 977 % (rows - 3 * length) + 3 * j);
}

__device__ float value_of(std::int64_t row, std::int64_t j) {
  return static_cast<float>(row % 5 + 1) + 0.25f * static_cast<float>((row + j) % 7);
}

__global__ void generate(std::int64_t* offsets, std::int32_t* columns, float* values) {
  const std::int64_t row = blockIdx.x;
  if (threadIdx.x == 0) offsets[row] = row * length;
  for (std::int64_t j = threadIdx.x; j < length && row < rows; j += blockDim.x) {
    columns[row * length + j] = column_of(row, j);
    values[row * length + j] = value_of(row, j);
  }
}

/// Products and the sums of their magnitudes, in double.
__global__ void multiply(const float* input, double* sums, double* magnitudes) {
  const std::int64_t row = std::int64_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (row >= rows) return;
  double sum = 0;
  double magnitude = 0;
  for (std::int64_t j = 0; j < length; ++j) {
    const double product = static_cast<double>(value_of(row, j)) * input[column_of(row, j)];
    sum += product;
    magnitude += fabs(product);
  }
  sums[row] = sum;
  magnitudes[row] = magnitude;
}

template <class T>
std::vector<T> download(const cuda::DeviceArray<T>& array) {
  std::vector<T> values(static_cast<std::size_t>(array.size()));
  SPARSECAST_CUDA_CHECK(
      cudaMemcpy(values.data(), array.data(), array.bytes(), cudaMemcpyDeviceToHost));
  return values;
}

using CudaLargeMatrixTest = GpuTest;

TEST_F(CudaLargeMatrixTest, MoreThanTwoBillionElementsMultiply) {
  if (full_or_brief(1, 0) == 0) GTEST_SKIP() << "too long under a sanitizer";
  const CudaPolicy policy;
  std::size_t free = 0;
  std::size_t total = 0;
  SPARSECAST_CUDA_CHECK(cudaMemGetInfo(&free, &total));
  const std::int64_t needed =
      cuda::DeviceBcsr<float>::bytes_bound(rows, elements, elements, block_layout(1), policy) +
      rows * 24;
  if (static_cast<std::int64_t>(free) < needed) {
    GTEST_SKIP() << "needs " << 1e-9 * static_cast<double>(needed) << " GB of GPU memory, "
                 << 1e-9 * static_cast<double>(free) << " are free";
  }
  cuda::DeviceCsr<float> csr;
  csr.rows = csr.columns = rows;
  csr.nonzeros = elements;
  csr.row_offsets = cuda::DeviceArray<std::int64_t>(rows + 1);
  csr.column_indices = cuda::DeviceArray<std::int32_t>(elements);
  csr.values = cuda::DeviceArray<float>(elements);
  generate<<<rows + 1, 128>>>(csr.row_offsets.data(), csr.column_indices.data(), csr.values.data());
  SPARSECAST_CUDA_CHECK(cudaGetLastError());
  const cuda::DeviceBcsr<float> matrix(std::move(csr), block_layout(1), policy);
  EXPECT_EQ(matrix.bytes_read().row_pointers, rows * 8.0);

  std::mt19937 random(31);
  const auto host_input = random_vector<float>(rows + 8, random);
  const cuda::DeviceArray<float> input{std::span<const float>(host_input)};
  const auto poisoned = poison<float>(rows);
  const cuda::DeviceArray<float> output{std::span<const float>(poisoned)};
  const auto state = cuda::DeviceArray<cuda::RunState>::zeros(1);
  cuda::Gate gate;
  gate.state = state.data();
  matrix.multiply_launches({input.data(), output.data(), {}, {}, 0}, gate).front()(nullptr);
  const cuda::DeviceArray<double> sums(rows);
  const cuda::DeviceArray<double> magnitudes(rows);
  multiply<<<(rows + 255) / 256, 256>>>(input.data(), sums.data(), magnitudes.data());
  SPARSECAST_CUDA_CHECK(cudaGetLastError());
  const auto actual = download(output);
  const auto expected = download(sums);
  const auto sizes = download(magnitudes);
  constexpr double epsilon = std::numeric_limits<float>::epsilon();
  for (std::size_t row = 0; row < actual.size(); ++row) {
    ASSERT_NEAR(actual[row], expected[row], 16 * epsilon * sizes[row]) << row;
  }
}

}  // namespace
}  // namespace sparsecast
