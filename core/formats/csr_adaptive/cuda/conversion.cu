#include "core/formats/csr_adaptive/cuda/conversion.cuh"

#include <algorithm>
#include <limits>
#include <span>
#include <utility>

#include "core/cuda/device/check.cuh"
#include "core/cuda/device/warp.cuh"
#include "core/cuda/formats/row_order.cuh"

namespace sparsecast::cuda {
namespace {

constexpr int conversion_threads = 128;
constexpr std::int32_t no_column = std::numeric_limits<std::int32_t>::max();

unsigned blocks_for(std::int64_t threads) {
  return static_cast<unsigned>(
      std::max<std::int64_t>(1, (threads + conversion_threads - 1) / conversion_threads));
}

constexpr int cut_threads = 512;

/// The rows that are cut together, in shared memory.
struct Cut {
  std::int64_t offsets[rows_cut_together + 1];
  std::uint16_t ends[rows_cut_together];  ///< of the row block that would begin with each row
};
static_assert(rows_cut_together <= std::numeric_limits<std::uint16_t>::max());
static_assert(sizeof(Cut) <= 48 << 10, "what a thread block has unasked");

/// Calls `visit(block)` for the row blocks of a cut, one after the other, by the first thread of
/// the thread block. All threads find out where those that begin with their rows would end.
template <class Visit>
__device__ void cut_rows(const std::int64_t* row_offsets, std::int64_t all_rows,
                         const Visit& visit) {
  __shared__ Cut cut;
  const std::int64_t first_row = std::int64_t{blockIdx.x} * rows_cut_together;
  const auto rows = static_cast<int>(min(all_rows - first_row, std::int64_t{rows_cut_together}));
  for (int row = static_cast<int>(threadIdx.x); row <= rows; row += cut_threads) {
    cut.offsets[row] = row_offsets[first_row + row];
  }
  __syncthreads();
  for (int row = static_cast<int>(threadIdx.x); row < rows; row += cut_threads) {
    cut.ends[row] = static_cast<std::uint16_t>(row_block_end(cut.offsets, row, rows));
  }
  __syncthreads();
  if (threadIdx.x != 0) return;
  for (int row = 0; row < rows; row = cut.ends[row]) {
    bool more = false;
    std::int32_t pieces = 0;
    do {
      RowBlock block = row_block_of(cut.offsets, row_offsets[0], row, cut.ends[row], pieces++);
      more = block.more_pieces;
      block.first_row += static_cast<std::int32_t>(first_row);
      visit(block);
    } while (more);
  }
}

/// The row blocks of each cut, behind its place; a thread block each.
__global__ void __launch_bounds__(cut_threads)
    count_blocks(const std::int64_t* offsets, std::int64_t rows, std::uint32_t* counts) {
  std::uint32_t count = 0;
  cut_rows(offsets, rows, [&](const RowBlock&) { ++count; });
  if (threadIdx.x == 0) counts[blockIdx.x + 1] = count;
}

__global__ void __launch_bounds__(cut_threads)
    cut_blocks(const std::int64_t* offsets, std::int64_t rows, const std::uint32_t* first_block,
               RowBlock* blocks) {
  RowBlock* to = blocks + first_block[blockIdx.x];
  cut_rows(offsets, rows, [&](const RowBlock& block) { *to++ = block; });
}

/// Where columns count from, the bytes that they take, and where rows end; units of columns behind
/// each block's place. A warp a row block.
__global__ void __launch_bounds__(conversion_threads)
    measure_columns(const std::int64_t* offsets, const std::int32_t* columns,
                    std::int32_t first_row, std::int64_t count, RowBlock* blocks,
                    std::uint16_t* row_ends, std::uint32_t* units) {
  const std::int64_t b = (std::int64_t{blockIdx.x} * conversion_threads + threadIdx.x) / warp_size;
  if (b >= count) return;
  const int lane = static_cast<int>(threadIdx.x) % warp_size;
  RowBlock block = blocks[b];
  std::int32_t least = no_column;
  std::int32_t most = 0;
  for (int k = lane; k < block.entries; k += warp_size) {
    const std::int32_t column = columns[block.first_entry + k];
    least = min(least, column);
    most = max(most, column);
  }
#pragma unroll
  for (int offset = warp_size / 2; offset > 0; offset /= 2) {
    least = min(least, __shfl_xor_sync(whole_warp, least, offset));
    most = max(most, __shfl_xor_sync(whole_warp, most, offset));
  }
  if (block.entries > 0) {
    block.base = least - first_row;
    block.column_bytes = row_block_column_bytes(static_cast<std::uint32_t>(most - least));
  }
  for (int r = lane; r < block.rows; r += warp_size) {
    const std::int64_t row = std::int64_t{block.first_row} + r;
    row_ends[row] =
        block.is_piece()
            ? std::uint16_t{0}
            : static_cast<std::uint16_t>(offsets[row + 1] - block.first_entry + block.lead());
  }
  __syncwarp();
  if (lane == 0) {
    blocks[b].base = block.base;
    blocks[b].column_bytes = block.column_bytes;
    units[b + 1] = block.column_units();
  }
}

template <class Column>
__device__ void store_columns(const RowBlock& block, std::int32_t first_row,
                              const std::int32_t* columns, std::uint8_t* to) {
  const int lane = static_cast<int>(threadIdx.x) % warp_size;
  const int loaded = block.lead() + block.entries;
  const int stored =
      static_cast<int>(block.column_units()) * column_unit_bytes / static_cast<int>(sizeof(Column));
  for (int k = lane; k < stored; k += warp_size) {
    const bool is_entry = k >= block.lead() && k < loaded;
    reinterpret_cast<Column*>(to)[k] =
        is_entry ? static_cast<Column>(columns[block.first_entry + k - block.lead()] - first_row -
                                       block.base)
                 : Column{0};
  }
}

/// A warp a row block.
__global__ void __launch_bounds__(conversion_threads)
    fill_columns(const std::int32_t* columns, std::int32_t first_row, std::int64_t count,
                 const std::uint32_t* first_unit, RowBlock* blocks, std::uint8_t* to) {
  const std::int64_t b = (std::int64_t{blockIdx.x} * conversion_threads + threadIdx.x) / warp_size;
  if (b >= count) return;
  const RowBlock block = blocks[b];
  const std::uint32_t unit = first_unit[b];
  if (threadIdx.x % warp_size == 0) blocks[b].first_column_unit = unit;
  to += std::int64_t{unit} * column_unit_bytes;
  if (block.column_bytes == 2) {
    store_columns<std::uint16_t>(block, first_row, columns, to);
  } else {
    store_columns<std::uint32_t>(block, first_row, columns, to);
  }
}

}  // namespace

template <class T>
DeviceAdaptiveArrays<T> make_adaptive(DeviceCsr<T>&& matrix) {
  const std::int64_t* const offsets = matrix.row_offsets.data();
  const std::int32_t* const columns = matrix.column_indices.data();
  const auto first_row = static_cast<std::int32_t>(matrix.first_row);
  const std::int64_t cuts = (matrix.rows + rows_cut_together - 1) / rows_cut_together;
  DeviceAdaptiveArrays<T> to;
  to.values = std::move(matrix.values);
  to.row_ends = DeviceArray<std::uint16_t>(matrix.rows, MemoryKind::pooled);
  if (cuts == 0) {
    const RowBlock of_none;
    to.blocks = DeviceArray<RowBlock>(std::span(&of_none, 1), MemoryKind::pooled);
    return to;
  }
  auto first_block = DeviceArray<std::uint32_t>::zeros(cuts + 1, MemoryKind::pooled);
  count_blocks<<<static_cast<unsigned>(cuts), cut_threads>>>(offsets, matrix.rows,
                                                             first_block.data());
  SPARSECAST_CUDA_CHECK(cudaGetLastError());
  const std::int64_t count = sum_up(first_block);
  to.blocks = DeviceArray<RowBlock>(count, MemoryKind::pooled);
  cut_blocks<<<static_cast<unsigned>(cuts), cut_threads>>>(offsets, matrix.rows, first_block.data(),
                                                           to.blocks.data());
  SPARSECAST_CUDA_CHECK(cudaGetLastError());
  auto first_unit = DeviceArray<std::uint32_t>::zeros(count + 1, MemoryKind::pooled);
  const unsigned warps = blocks_for(count * warp_size);
  measure_columns<<<warps, conversion_threads>>>(
      offsets, columns, first_row, count, to.blocks.data(), to.row_ends.data(), first_unit.data());
  SPARSECAST_CUDA_CHECK(cudaGetLastError());
  to.columns =
      DeviceArray<std::uint8_t>(sum_up(first_unit) * column_unit_bytes, MemoryKind::pooled);
  fill_columns<<<warps, conversion_threads>>>(columns, first_row, count, first_unit.data(),
                                              to.blocks.data(), to.columns.data());
  SPARSECAST_CUDA_CHECK(cudaGetLastError());
  SPARSECAST_CUDA_CHECK(cudaDeviceSynchronize());
  return to;
}

template DeviceAdaptiveArrays<float> make_adaptive(DeviceCsr<float>&&);
template DeviceAdaptiveArrays<double> make_adaptive(DeviceCsr<double>&&);

}  // namespace sparsecast::cuda
