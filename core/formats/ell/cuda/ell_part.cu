#include "core/formats/ell/cuda/ell_part.cuh"

#include <algorithm>

#include "core/cuda/device/early_launch.cuh"
#include "core/cuda/device/launch_bounds.cuh"
#include "core/cuda/formats/input_load.cuh"
#include "core/cuda/run/run_operations.cuh"
#include "core/cuda/several/halo_operations.cuh"
#include "core/cuda/vector/finish_block.cuh"
#include "core/formats/ell/ell.hpp"
#include "core/formats/ell/geometry.hpp"

namespace sparsecast::cuda {
namespace {

constexpr int entries_at_once = ell_entries_at_once;

std::int64_t blocks_for(std::int64_t rows) {
  return std::max<std::int64_t>(1, (rows + ell_threads - 1) / ell_threads);
}

__device__ std::int64_t row_of_thread() {
  return std::int64_t{blockIdx.x} * ell_threads + threadIdx.x;
}

/// The rows to convert, with columns of the whole matrix.
template <class T>
struct CsrSource {
  std::int32_t first_row = 0;
  std::int32_t last_column = 0;
  const std::int64_t* row_offsets = nullptr;
  const std::int32_t* columns = nullptr;
  const T* values = nullptr;
};

/// A thread a row, so that neighbours write next to each other.
template <class T>
__global__ void __launch_bounds__(ell_threads) fill_ell(const CsrSource<T> from, EllStorage<T> to) {
  const std::int64_t row = row_of_thread();
  if (row >= to.rows) return;
  const std::int64_t begin = from.row_offsets[row];
  const std::int64_t end = from.row_offsets[row + 1];
  auto column =
      static_cast<std::int32_t>(min(row + from.first_row, std::int64_t{from.last_column}));
  for (std::int64_t k = 0; k < to.width; ++k) {
    const std::int64_t entry = begin + k;
    if (entry < end) column = from.columns[entry];
    to.columns[k * to.stride + row] = column - from.first_row;
    to.values[k * to.stride + row] = entry < end ? from.values[entry] : T{0};
  }
}

template <bool past_l1, class T>
__device__ T multiply_row(const EllStorage<T>& a, std::int64_t row, const T* input) {
  const T* values = a.values + row;
  const std::int32_t* columns = a.columns + row;
  T sum = 0;
  for (std::int64_t left = a.width; left > 0; left -= entries_at_once) {
    T value[entries_at_once];
    std::int32_t column[entries_at_once];
#pragma unroll
    for (int u = 0; u < entries_at_once; ++u) {
      value[u] = u < left ? __ldg(values + u * a.stride) : T{0};
      column[u] = u < left ? __ldg(columns + u * a.stride) : 0;
    }
    T gathered[entries_at_once];
#pragma unroll
    for (int u = 0; u < entries_at_once; ++u) {
      gathered[u] = value[u] != 0 ? load_input<past_l1>(input + column[u]) : T{0};
    }
#pragma unroll
    for (int u = 0; u < entries_at_once; ++u) sum += value[u] * gathered[u];
    values += entries_at_once * a.stride;
    columns += entries_at_once * a.stride;
  }
  return sum;
}

template <class T, bool finishes, bool past_l1>
__global__ void __launch_bounds__(ell_threads,
                                  resident_blocks_of(ell_threads,
                                                     finishes ? ell_resident_blocks_with_sums
                                                              : ell_resident_blocks))
    multiply_ell(Gate gate, const EllStorage<T> a, const T* input, T* output,
                 const __grid_constant__ HaloWait halo,
                 const __grid_constant__ BlockFinish finish) {
  wait_for_kernel_before();
  if (!enters(gate)) return;
  const std::int64_t row = row_of_thread();
  const bool has_row = row < a.rows;
  if (halo.outside != nullptr) {
    await_input(halo, has_row && concerns(halo, static_cast<std::int32_t>(row)));
  }
  double product = 0;
  if (has_row) {
    const T sum = multiply_row<past_l1>(a, row, input);
    output[row] = sum;
    if constexpr (finishes) product = static_cast<double>(sum) * static_cast<double>(input[row]);
  }
  if constexpr (finishes) finish_in_order<ell_threads>(finish, product);
}

}  // namespace

template <class T>
EllPart<T>::EllPart(const DeviceCsr<T>& matrix, std::int64_t width, bool past_l1)
    : past_l1_(past_l1) {
  storage_.rows = matrix.rows;
  storage_.width = width;
  storage_.stride = ell_stride(matrix.rows);
  columns_ = DeviceArray<std::int32_t>::zeros(width * storage_.stride);
  values_ = DeviceArray<T>::zeros(width * storage_.stride);
  storage_.columns = columns_.data();
  storage_.values = values_.data();
  if (values_.size() == 0) return;
  const CsrSource<T> source{
      static_cast<std::int32_t>(matrix.first_row), static_cast<std::int32_t>(matrix.columns - 1),
      matrix.row_offsets.data(), matrix.column_indices.data(), matrix.values.data()};
  fill_ell<<<static_cast<unsigned>(blocks_for(matrix.rows)), ell_threads>>>(source, storage_);
  SPARSECAST_CUDA_CHECK(cudaGetLastError());
}

template <class T>
Launch EllPart<T>::launch(const ProductOperands<T>& operands, const Gate& gate) const {
  const auto launch = [&](auto* kernel) -> Launch {
    return [=, storage = storage_](cudaStream_t stream) {
      launch_early(kernel, static_cast<unsigned>(blocks_for(storage.rows)), ell_threads, stream,
                   gate, storage, operands.input, operands.output, operands.halo, operands.finish);
    };
  };
  if (past_l1_) return launch(multiply_ell<T, false, true>);
  return operands.finish.active() ? launch(multiply_ell<T, true, false>)
                                  : launch(multiply_ell<T, false, false>);
}

template <class T>
std::int64_t EllPart<T>::dot_parts(std::int64_t rows) {
  return ordered_parts<ell_threads>(blocks_for(rows));
}

template <class T>
BytesByKind EllPart<T>::bytes_read() const {
  BytesByKind bytes;
  bytes.values = static_cast<double>(values_.bytes());
  bytes.indices = static_cast<double>(columns_.bytes());
  return bytes;
}

template <class T>
std::int64_t EllPart<T>::bytes_of(std::int64_t rows, std::int64_t width) {
  return width * ell_stride(rows) * std::int64_t{sizeof(T) + sizeof(std::int32_t)};
}

template class EllPart<float>;
template class EllPart<double>;

}  // namespace sparsecast::cuda
