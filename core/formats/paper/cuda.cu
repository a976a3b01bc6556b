#include <algorithm>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "core/base/error.hpp"
#include "core/base/stopwatch.hpp"
#include "core/cuda/device/block_sum.cuh"
#include "core/cuda/device/device_array.cuh"
#include "core/cuda/device/device_memory.cuh"
#include "core/cuda/device/warp.cuh"
#include "core/cuda/formats/device_matrix.cuh"
#include "core/cuda/run/run_operations.cuh"
#include "core/formats/bcsr/bcsr.hpp"
#include "core/formats/bcsr/cuda/spmv.cuh"
#include "core/formats/paper/paper_layout.hpp"
#include "core/formats/paper/paper_spmv.hpp"

/// @file
/// The paper's mappings on a GPU. Read-only cached loads take the place of textures.

namespace sparsecast::cuda {
namespace {

/// What the kernel gets of a `PaperMatrix`.
template <class T>
struct PaperProduct {
  PaperStorage storage = PaperStorage::plain;
  int threads_per_block_row = 1;
  int blocks_at_once = 1;
  RowMap map;
  const std::int64_t* offsets = nullptr;
  const std::int32_t* columns = nullptr;
  const T* values = nullptr;
  const T* input = nullptr;
  T* output = nullptr;
};

/// The matrix blocks that a thread takes part in: begin, begin + stride, ... before end.
struct Walk {
  std::int64_t begin = 0;
  std::int64_t end = 0;
  std::int64_t stride = 1;
};

template <class T>
__device__ Walk walk_of(const PaperProduct<T>& a, std::int64_t row, int local_row, int block_rows,
                        int block_in_step) {
  Walk walk;
  walk.stride = a.blocks_at_once;
  if (a.storage == PaperStorage::plain) {
    if (row < a.map.block_rows) {
      walk.begin = a.offsets[row] + block_in_step;
      walk.end = a.offsets[row + 1];
    }
    return walk;
  }
  // All block rows of a thread block are equally long: no thread asks for its own row's length.
  const std::int64_t base = a.offsets[blockIdx.x];
  const std::int64_t length = (a.offsets[blockIdx.x + 1] - base) / block_rows;
  const std::int64_t steps = length / a.blocks_at_once;
  if (a.storage == PaperStorage::reordered) {
    walk.begin = base + std::int64_t{local_row} * a.blocks_at_once + block_in_step;
    walk.stride *= block_rows;
  } else {
    walk.begin = base + local_row * length + block_in_step;
  }
  walk.end = walk.begin + steps * walk.stride;
  return walk;
}

/// Consecutive threads take consecutive elements of a matrix block, one each (8 x 8 blocks shared
/// by one warp: two each), for all blocks of the thread's walk; then the thread's sums are added up
/// over the columns and over the blocks that are worked on at the same time.
template <class T, int N, int per_thread>
__global__ void __launch_bounds__(1024) paper_spmv(Gate gate, PaperProduct<T> a) {
  constexpr int values = N * N;
  constexpr int threads_per_step = values / per_thread;  // of one matrix block
  // Rows of a block that one warp holds, at most.
  constexpr int warp_rows = N < warp_size / N ? N : warp_size / N;
  __shared__ T sums[warp_size * warp_rows];
  if (!enters(gate) || a.map.block_rows == 0) return;

  const int thread = static_cast<int>(threadIdx.x);
  const int group = a.threads_per_block_row;
  const int block_rows = static_cast<int>(blockDim.x) / group;
  const int local_row = thread / group;
  const int in_group = thread % group;
  const int element = in_group % threads_per_step;
  const int j = element % N;
  const std::int64_t row = std::int64_t{blockIdx.x} * block_rows + local_row;

  const Walk walk = walk_of(a, row, local_row, block_rows, in_group / threads_per_step);
  T sum[per_thread] = {};
  for (std::int64_t block = walk.begin; block < walk.end; block += walk.stride) {
    const T x = __ldg(a.input + std::int64_t{__ldg(a.columns + block)} * N + j);
#pragma unroll
    for (int p = 0; p < per_thread; ++p) {
      sum[p] += __ldg(a.values + block * values + p * threads_per_step + element) * x;
    }
  }

  const std::int64_t block_row =
      row < a.map.block_rows && a.map.row_index != nullptr ? a.map.row_index[row] : row;
  const auto write = [&](int i, T value) {
    const std::int64_t output_row = block_row * N + i;
    if (row < a.map.block_rows && output_row < a.map.rows) a.output[output_row] = value;
  };
  const int in_warp = group < warp_size ? group : warp_size;
#pragma unroll
  for (int p = 0; p < per_thread; ++p) {
#pragma unroll
    for (int offset = 1; offset < N; offset *= 2) {
      sum[p] += __shfl_xor_sync(whole_warp, sum[p], offset);
    }
    for (int offset = threads_per_step; offset < in_warp; offset *= 2) {
      sum[p] += __shfl_xor_sync(whole_warp, sum[p], offset);
    }
  }
  if (group <= warp_size) {
    if (j == 0 && in_group < threads_per_step) {
#pragma unroll
      for (int p = 0; p < per_thread; ++p) write(p * (threads_per_step / N) + element / N, sum[p]);
    }
    return;
  }
  if constexpr (per_thread == 1) {
    // Several warps share a block row: warp w of it has rows (w % warps_per_block) * warp_rows on.
    constexpr int warps_per_block = values > warp_size ? values / warp_size : 1;
    const int lane = thread % warp_size;
    if (j == 0 && lane < warp_rows * N) {
      sums[thread / warp_size * warp_rows + lane / N] = sum[0];
    }
    __syncthreads();
    if (in_group < N) {
      const int first = local_row * (group / warp_size) + in_group / warp_rows;
      T total = 0;
      for (int w = 0; w < group / warp_size; w += warps_per_block) {
        total += sums[(first + w) * warp_rows + in_group % warp_rows];
      }
      write(in_group, total);
    }
  }
}

template <class T, int N, int per_thread>
Launch launch_kernel(const Gate& gate, const PaperProduct<T>& product, int threads) {
  const int block_rows = threads / product.threads_per_block_row;
  const std::int64_t blocks =
      std::max<std::int64_t>(1, (product.map.block_rows + block_rows - 1) / block_rows);
  return [=](cudaStream_t stream) {
    paper_spmv<T, N, per_thread>
        <<<static_cast<unsigned>(blocks), static_cast<unsigned>(threads), 0, stream>>>(gate,
                                                                                       product);
    SPARSECAST_CUDA_CHECK(cudaGetLastError());
  };
}

/// A matrix in the memory of a GPU in the paper's storage, and its multiplication.
template <class T>
class PaperMatrix final : public DeviceMatrix<T> {
 public:
  /// Converts on the host. Throws `Error` for threads that there is no kernel for
  /// (`paper_geometry`), and when matrix, padding and what the caller is going to allocate do not
  /// fit in the GPU's memory.
  explicit PaperMatrix(const SegmentSource<T>& source)
      : choice_(paper_choice(source.layout, source.policy.paper)),
        geometry_(paper_geometry(choice_, source.layout.block_size)) {
    const double start = steady_seconds();
    const Layout blocks{"bcsr", source.layout.block_size, source.layout.row_order};
    const BcsrMatrix<T> converted = convert_to_bcsr(source.matrix, source.segment, blocks);
    conversion_seconds_ = steady_seconds() - start;
    const double upload_start = steady_seconds();
    const std::int64_t first = source.segment.begin_row / converted.block_size;
    upload(converted, static_cast<std::int32_t>(first), source.bytes_beside);
    upload_seconds_ = steady_seconds() - upload_start;
  }

  std::vector<Launch> multiply_launches(const ProductOperands<T>& operands,
                                        const Gate& gate) const override {
    PaperProduct<T> product;
    product.storage = choice_.storage;
    product.threads_per_block_row = geometry_.threads_per_block_row;
    product.blocks_at_once = geometry_.blocks_at_once;
    product.map = {static_cast<std::int64_t>(shape_.unknowns),
                   static_cast<std::int64_t>(shape_.block_rows), row_index_.data()};
    product.offsets = offsets_.data();
    product.columns = columns_.data();
    product.values = values_.data();
    product.input = operands.input;
    product.output = operands.output;
    const int threads = geometry_.threads_per_block;
    switch (block_size_) {
      case 1:
        return {launch_kernel<T, 1, 1>(gate, product, threads)};
      case 2:
        return {launch_kernel<T, 2, 1>(gate, product, threads)};
      case 4:
        return {launch_kernel<T, 4, 1>(gate, product, threads)};
      default:
        return {geometry_.steps_per_block == 1 ? launch_kernel<T, 8, 1>(gate, product, threads)
                                               : launch_kernel<T, 8, 2>(gate, product, threads)};
    }
  }
  bool sums() const override { return false; }
  bool waits_for_halos() const override { return false; }
  std::int64_t most_dot_parts(std::int64_t most_blocks) const override { return most_blocks; }

  const SegmentShape& shape() const override { return shape_; }
  std::int64_t bytes() const override {
    return static_cast<std::int64_t>(offsets_.bytes() + columns_.bytes() + values_.bytes() +
                                     row_index_.bytes());
  }
  BytesByKind bytes_read() const override {
    BytesByKind bytes;
    bytes.values = shape_.elements * sizeof(T);
    bytes.indices = shape_.blocks * sizeof(std::int32_t);
    bytes.row_pointers = static_cast<double>(offsets_.bytes() + row_index_.bytes());
    return bytes;
  }
  double upload_seconds() const override { return upload_seconds_; }
  double conversion_seconds() const override { return conversion_seconds_; }

 private:
  /// `first`: of the segment's block rows, from which its columns are counted.
  void upload(const BcsrMatrix<T>& matrix, std::int32_t first, std::int64_t bytes_beside) {
    block_size_ = matrix.block_size;
    const std::int64_t blocks =
        choice_.storage == PaperStorage::plain
            ? matrix.blocks()
            : paper_thread_block_offsets(matrix.block_offsets, geometry_).back();
    shape_.unknowns = static_cast<double>(matrix.rows);
    shape_.total_unknowns = static_cast<double>(matrix.columns);
    shape_.blocks = static_cast<double>(blocks);
    shape_.elements = shape_.blocks * block_size_ * block_size_;
    shape_.block_rows = static_cast<double>(matrix.block_rows);

    int device = 0;
    SPARSECAST_CUDA_CHECK(cudaGetDevice(&device));
    const std::int64_t block_bytes =
        static_cast<std::int64_t>(sizeof(T)) * block_size_ * block_size_ + 4;
    require_memory_for("the paper's " + std::string(to_string(choice_.mapping)) + " mapping with " +
                           std::string(to_string(choice_.storage)) + " storage",
                       blocks * block_bytes + (matrix.block_rows + 1) * 12 + bytes_beside, device,
                       "sort the block rows, or use plain storage");
    PaperArrangement<T> arranged = arrange_as_in_paper(matrix, choice_.storage, geometry_);
    // Of padding, too: its columns are gathered, and are columns of the whole matrix until here.
    for (std::int32_t& column : arranged.block_columns) column -= first;
    offsets_ = DeviceArray<std::int64_t>(std::span<const std::int64_t>(arranged.offsets));
    columns_ = DeviceArray<std::int32_t>(std::span<const std::int32_t>(arranged.block_columns));
    values_ = DeviceArray<T>(std::span<const T>(arranged.values));
    row_index_ = DeviceArray<std::int32_t>(std::span<const std::int32_t>(matrix.row_index));
  }

  PaperSpmv choice_;
  PaperGeometry geometry_;
  int block_size_ = 1;
  SegmentShape shape_;
  DeviceArray<std::int64_t> offsets_;
  DeviceArray<std::int32_t> columns_;
  DeviceArray<T> values_;
  DeviceArray<std::int32_t> row_index_;
  double upload_seconds_ = 0;
  double conversion_seconds_ = 0;
};

/// Of memory the conversion sees to itself: what padding takes is known when it is done.
template <class T>
const CudaFormat<T> entry{[](const SegmentSource<T>&, bool) { return std::int64_t{0}; },
                          [](const SegmentSource<T>& source) -> std::unique_ptr<DeviceMatrix<T>> {
                            return std::make_unique<PaperMatrix<T>>(source);
                          }};

}  // namespace

template <class T>
const CudaFormat<T>& paper_cuda_format() {
  return entry<T>;
}
template const CudaFormat<float>& paper_cuda_format();
template const CudaFormat<double>& paper_cuda_format();

}  // namespace sparsecast::cuda
