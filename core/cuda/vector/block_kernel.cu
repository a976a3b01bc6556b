#include "core/cuda/vector/block_kernel.cuh"

#include <algorithm>

#include "core/cuda/device/early_launch.cuh"
#include "core/cuda/run/run_operations.cuh"
#include "core/cuda/vector/finish_block.cuh"
#include "core/schedule/diagonal_blocks.hpp"

namespace sparsecast::cuda {
namespace {

constexpr int threads = 256;

template <class T, int N>
struct Operands {
  const T* columns[N];  ///< of the inverse blocks
  const T* input;
  T* output;
};

/// Rows that a thread has under way: so many bytes of the blocks are to come from memory at a time.
template <class T, int N>
constexpr int rows_at_once = std::max(1, 64 / static_cast<int>(sizeof(T)) / N);

/// A thread takes rows `threads` apart, so that a warp loads neighbours of every vector; what they
/// need of the input are the same few values, which the first-level cache has.
template <class T, int N, bool with_sum>
__global__ void __launch_bounds__(threads)
    multiply_blocks(Gate gate, const __grid_constant__ Operands<T, N> operands,
                    const __grid_constant__ BlockFinish finish, int into_block, std::int64_t size) {
  constexpr int rows = rows_at_once<T, N>;
  wait_for_kernel_before();
  if (!enters(gate)) return;
  if constexpr (!with_sum) {
    if (finish.active() && last_block(finish.tickets)) end_kernel<threads>(finish);
  }
  double sums[1] = {};
  const std::int64_t stride = std::int64_t{gridDim.x} * threads * rows;
  for (std::int64_t first = std::int64_t{blockIdx.x} * threads * rows + threadIdx.x; first < size;
       first += stride) {
    T values[rows][N];
    T inputs[rows][N];
    T own[rows];  // of the input; to select it among the others' takes local memory
#pragma unroll
    for (int r = 0; r < rows; ++r) {
      const std::int64_t row = first + r * threads;
      const bool is_row = row < size;
      const std::int64_t begin = row - (into_block + row) % N;
      own[r] = with_sum && is_row ? operands.input[row] : T{0};
#pragma unroll
      for (int k = 0; k < N; ++k) {
        const std::int64_t column = begin + k;
        const bool is_column = is_row && column >= 0 && column < size;
        values[r][k] = is_row ? operands.columns[k][row] : T{0};
        inputs[r][k] = is_column ? operands.input[column] : T{0};
      }
    }
#pragma unroll
    for (int r = 0; r < rows; ++r) {
      const std::int64_t row = first + r * threads;
      if (row >= size) continue;
      T total = 0;
#pragma unroll
      for (int k = 0; k < N; ++k) total += values[r][k] * inputs[r][k];
      operands.output[row] = total;
      if constexpr (with_sum) sums[0] += static_cast<double>(own[r]) * static_cast<double>(total);
    }
  }
  if constexpr (with_sum) {
    if (finish.active()) finish_block<threads>(finish, sums);
  }
}

template <class T, int N, bool with_sum>
Launch launch_of(std::span<T* const> vectors, std::int64_t first_row, std::int64_t size,
                 const Gate& gate, const BlockFinish& finish, const LaunchShape& shape) {
  Operands<T, N> operands;
  std::copy_n(vectors.begin(), N, operands.columns);
  operands.input = vectors[N];
  operands.output = vectors[N + 1];
  const auto kernel = multiply_blocks<T, N, with_sum>;
  const std::int64_t rows = threads * rows_at_once<T, N>;
  const std::int64_t parts = std::max<std::int64_t>(1, (size + rows - 1) / rows);
  const bool streams = !with_sum && shape.streams<T>(N * size);
  const std::int64_t blocks =
      streams ? parts
              : std::min({parts, resident_blocks(kernel, threads), shape.most_finishing_blocks()});
  BlockFinish complete = finish;
  complete.parts = blocks;
  const auto into_block = static_cast<int>(first_row % N);
  return [=](cudaStream_t stream) {
    launch_early(kernel, static_cast<unsigned>(blocks), threads, stream, gate, operands, complete,
                 into_block, size);
  };
}

template <class T, int N>
Launch launch_of_size(const Step& step, std::span<T* const> vectors, std::int64_t first_row,
                      std::int64_t size, const Gate& gate, const BlockFinish& finish,
                      const LaunchShape& shape) {
  if constexpr (N < largest_diagonal_block) {
    if (block_rows_of(step) > N) {
      return launch_of_size<T, N + 1>(step, vectors, first_row, size, gate, finish, shape);
    }
  }
  const auto make = step.sums.empty() ? launch_of<T, N, false> : launch_of<T, N, true>;
  return make(vectors, first_row, size, gate, finish, shape);
}

}  // namespace

template <class T>
Launch block_launch(const Step& step, std::span<T* const> vectors, std::int64_t first_row,
                    std::int64_t size, const Gate& gate, const BlockFinish& finish,
                    const LaunchShape& shape) {
  return launch_of_size<T, 1>(step, vectors, first_row, size, gate, finish, shape);
}

template Launch block_launch(const Step&, std::span<float* const>, std::int64_t, std::int64_t,
                             const Gate&, const BlockFinish&, const LaunchShape&);
template Launch block_launch(const Step&, std::span<double* const>, std::int64_t, std::int64_t,
                             const Gate&, const BlockFinish&, const LaunchShape&);

}  // namespace sparsecast::cuda
