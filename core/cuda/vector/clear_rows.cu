#include "core/cuda/vector/clear_rows.cuh"

#include <algorithm>

#include "core/cuda/device/early_launch.cuh"
#include "core/cuda/run/run_operations.cuh"

namespace sparsecast::cuda {
namespace {

constexpr int clearing_threads = 256;

template <class T>
__global__ void __launch_bounds__(clearing_threads)
    clear_rows(Gate gate, T* output, std::int64_t rows) {
  wait_for_kernel_before();
  if (!enters(gate)) return;
  const std::int64_t row = std::int64_t{blockIdx.x} * clearing_threads + threadIdx.x;
  if (row < rows) output[row] = 0;
}

}  // namespace

template <class T>
Launch clear_rows_launch(T* output, std::int64_t rows, const Gate& gate) {
  const std::int64_t blocks =
      std::max<std::int64_t>(1, (rows + clearing_threads - 1) / clearing_threads);
  return [=](cudaStream_t stream) {
    launch_early(clear_rows<T>, static_cast<unsigned>(blocks), clearing_threads, stream, gate,
                 output, rows);
  };
}

template Launch clear_rows_launch(float*, std::int64_t, const Gate&);
template Launch clear_rows_launch(double*, std::int64_t, const Gate&);

}  // namespace sparsecast::cuda
