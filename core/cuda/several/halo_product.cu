#include <algorithm>

#include "core/cuda/device/warp.cuh"
#include "core/cuda/run/run_operations.cuh"
#include "core/cuda/several/halo_product.cuh"
#include "core/cuda/vector/finish_block.cuh"

namespace sparsecast::cuda {
namespace {

constexpr int threads = 256;
/// Of a row: those of meshes have one to nine entries in a halo.
constexpr int lanes = 4;

template <class T>
struct StoredEntries {
  std::int64_t rows = 0;
  const std::int32_t* row = nullptr;
  const std::int64_t* offsets = nullptr;
  const std::int32_t* columns = nullptr;
  const T* values = nullptr;
};

template <class T, bool finishes>
__global__ void __launch_bounds__(threads)
    add_halo_product(Gate gate, const StoredEntries<T> a, const T* input, T* output,
                     const __grid_constant__ BlockFinish finish) {
  if (!enters(gate)) return;
  const std::int64_t thread = std::int64_t{blockIdx.x} * threads + threadIdx.x;
  const std::int64_t place = thread / lanes;
  const bool has_row = place < a.rows;
  T sum = 0;
  if (has_row) {
    const std::int64_t end = __ldg(a.offsets + place + 1);
    for (std::int64_t k = __ldg(a.offsets + place) + thread % lanes; k < end; k += lanes) {
      sum += __ldg(a.values + k) * input[__ldg(a.columns + k)];
    }
  }
#pragma unroll
  for (int offset = lanes / 2; offset > 0; offset /= 2) {
    sum += __shfl_down_sync(whole_warp, sum, offset, lanes);
  }
  double product = 0;
  if (has_row && thread % lanes == 0) {
    const std::int32_t row = __ldg(a.row + place);
    output[row] += sum;
    if constexpr (finishes) product = static_cast<double>(sum) * static_cast<double>(input[row]);
  }
  if constexpr (finishes) finish_in_order<threads>(finish, product);
}

std::int64_t blocks_for(std::int64_t rows) {
  return std::max<std::int64_t>(1, (rows * lanes + threads - 1) / threads);
}

}  // namespace

template <class T>
HaloProduct<T>::HaloProduct(const HaloEntries<T>& entries)
    : rows_(std::span<const std::int32_t>(entries.rows)),
      offsets_(std::span<const std::int64_t>(entries.offsets)),
      columns_(std::span<const std::int32_t>(entries.columns)),
      values_(std::span<const T>(entries.values)),
      partials_(DeviceArray<double>::zeros(ordered_parts<threads>(blocks_for(rows_.size())))) {}

// Without an early launch: it follows a kernel and what was awaited of another stream.
template <class T>
Launch HaloProduct<T>::launch(ProductOperands<T> operands, const Gate& gate) const {
  const StoredEntries<T> stored{rows_.size(), rows_.data(), offsets_.data(), columns_.data(),
                                values_.data()};
  operands.finish.partials = partials_.data();
  const auto kernel =
      operands.finish.active() ? add_halo_product<T, true> : add_halo_product<T, false>;
  return [=](cudaStream_t stream) {
    kernel<<<static_cast<unsigned>(blocks_for(stored.rows)), threads, 0, stream>>>(
        gate, stored, operands.input, operands.output, operands.finish);
    SPARSECAST_CUDA_CHECK(cudaGetLastError());
  };
}

template <class T>
std::int64_t HaloProduct<T>::bytes() const {
  return static_cast<std::int64_t>(rows_.bytes() + offsets_.bytes() + columns_.bytes() +
                                   values_.bytes() + partials_.bytes());
}

template <class T>
BytesByKind HaloProduct<T>::bytes_moved() const {
  BytesByKind moved;
  moved.values = static_cast<double>(values_.bytes());
  moved.indices = static_cast<double>(columns_.bytes());
  moved.row_pointers = static_cast<double>(rows_.bytes() + offsets_.bytes());
  moved.vector_reads = static_cast<double>(rows_.size() * sizeof(T));
  moved.vector_writes = static_cast<double>(rows_.size() * sizeof(T));
  return moved;
}

template class HaloProduct<float>;
template class HaloProduct<double>;

}  // namespace sparsecast::cuda
