#include "core/cuda/conversion.cuh"

#include <algorithm>
#include <climits>

#include "core/cuda/block_order.cuh"
#include "core/cuda/block_sum.cuh"
#include "core/cuda/spmv.cuh"

namespace sparsecast::cuda {
namespace {

constexpr int threads = 256;
constexpr int warps = threads / warp_size;

/// Block columns that a warp marks at a time: a bit for each, a word for each lane.
constexpr int window = warp_size * 32;

unsigned blocks_for(std::int64_t items, int per_block) {
  return static_cast<unsigned>(std::max<std::int64_t>(1, (items + per_block - 1) / per_block));
}

/// The thread's place among all warps or groups of `lanes` lanes.
template <int lanes>
__device__ std::int64_t group_index() {
  return (std::int64_t{blockIdx.x} * threads + threadIdx.x) / lanes;
}

struct Pattern {
  std::int64_t rows = 0;
  const std::int64_t* row_offsets = nullptr;
  const std::int32_t* columns = nullptr;
};

/// How far a warp is in the N rows of a block row; lane i knows row i.
struct Cursor {
  std::int64_t at = 0;
  std::int64_t next = 0;  ///< the first entry after the window
  std::int64_t end = 0;
};

template <int N>
__device__ Cursor begin_block_row(const Pattern& matrix, std::int64_t block_row, int lane) {
  Cursor cursor;
  const std::int64_t row = block_row * N + lane;
  if (lane < N && row < matrix.rows) {
    cursor.at = matrix.row_offsets[row];
    cursor.end = matrix.row_offsets[row + 1];
  }
  return cursor;
}

/// Marks the blocks of the next window, which begins with the block row's next block, in
/// `marks[warp_size]`. Returns the window's first block column, or a negative number at the end.
template <int N>
__device__ std::int32_t mark_window(const Pattern& matrix, Cursor& cursor, unsigned* marks,
                                    int lane) {
  std::int32_t base = cursor.at < cursor.end ? matrix.columns[cursor.at] / N : INT_MAX;
  for (int offset = warp_size / 2; offset > 0; offset /= 2) {
    base = min(base, __shfl_xor_sync(whole_warp, base, offset));
  }
  if (base == INT_MAX) return -1;
  marks[lane] = 0;
  __syncwarp();
#pragma unroll
  for (int i = 0; i < N; ++i) {
    std::int64_t at = __shfl_sync(whole_warp, cursor.at, i);
    const std::int64_t end = __shfl_sync(whole_warp, cursor.end, i);
    for (int found = warp_size; found == warp_size;) {
      const std::int64_t entry = at + lane;
      const int place = entry < end ? matrix.columns[entry] / N - base : window;
      if (place < window) atomicOr(marks + place / 32, 1u << place % 32);
      found = __popc(__ballot_sync(whole_warp, place < window));
      at += found;
    }
    if (lane == i) cursor.next = at;
  }
  __syncwarp();
  return base;
}

template <int N>
__global__ void __launch_bounds__(threads)
    count_blocks(Pattern matrix, std::int64_t block_rows, std::int32_t* counts) {
  __shared__ unsigned marks[warps][warp_size];
  const int lane = static_cast<int>(threadIdx.x) % warp_size;
  unsigned* mine = marks[threadIdx.x / warp_size];
  const std::int64_t row = group_index<warp_size>();
  if (row >= block_rows) return;
  Cursor cursor = begin_block_row<N>(matrix, row, lane);
  int blocks = 0;
  while (mark_window<N>(matrix, cursor, mine, lane) >= 0) {
    blocks += __popc(mine[lane]);
    cursor.at = cursor.next;
  }
  for (int offset = warp_size / 2; offset > 0; offset /= 2) {
    blocks += __shfl_xor_sync(whole_warp, blocks, offset);
  }
  if (lane == 0) counts[row] = blocks;
}

/// N = 1: a block is an entry.
__global__ void __launch_bounds__(threads)
    count_entries(Pattern matrix, std::int64_t rows, std::int32_t* counts) {
  const std::int64_t row = group_index<1>();
  if (row < rows) {
    counts[row] = static_cast<std::int32_t>(matrix.row_offsets[row + 1] - matrix.row_offsets[row]);
  }
}

template <class T, int N>
__global__ void __launch_bounds__(threads)
    fill(Pattern matrix, const T* from, std::int64_t block_rows, const std::int64_t* offsets,
         const std::int32_t* row_index, std::int32_t* columns, T* values) {
  __shared__ unsigned marks[warps][warp_size];
  __shared__ int before[warps][warp_size];
  const int lane = static_cast<int>(threadIdx.x) % warp_size;
  const int warp = static_cast<int>(threadIdx.x) / warp_size;
  const std::int64_t stored = group_index<warp_size>();
  if (stored >= block_rows) return;
  Cursor cursor =
      begin_block_row<N>(matrix, row_index != nullptr ? row_index[stored] : stored, lane);
  std::int64_t block = offsets[stored];
  for (std::int32_t base = mark_window<N>(matrix, cursor, marks[warp], lane); base >= 0;
       base = mark_window<N>(matrix, cursor, marks[warp], lane)) {
    unsigned mine = marks[warp][lane];
    int sum = __popc(mine);  // of this lane and those before it
    for (int offset = 1; offset < warp_size; offset *= 2) {
      const int other = __shfl_up_sync(whole_warp, sum, offset);
      if (lane >= offset) sum += other;
    }
    before[warp][lane] = sum - __popc(mine);
    for (std::int64_t to = block + sum - __popc(mine); mine != 0; mine &= mine - 1, ++to) {
      columns[to] = base + 32 * lane + __ffs(static_cast<int>(mine)) - 1;
    }
    __syncwarp();
#pragma unroll
    for (int i = 0; i < N; ++i) {
      const std::int64_t next = __shfl_sync(whole_warp, cursor.next, i);
      for (std::int64_t entry = __shfl_sync(whole_warp, cursor.at, i) + lane; entry < next;
           entry += warp_size) {
        const std::int32_t column = matrix.columns[entry];
        const int place = column / N - base;
        const int word = place / 32;
        const std::int64_t its_block =
            block + before[warp][word] + __popc(marks[warp][word] & ((1u << place % 32) - 1));
        values[place_of_value<T, N>(its_block, i, column % N)] = from[entry];
      }
    }
    block += __shfl_sync(whole_warp, sum, warp_size - 1);
    cursor.at = cursor.next;
    __syncwarp();
  }
}

/// N = 1: a warp copies a row.
template <class T>
__global__ void __launch_bounds__(threads)
    copy_rows(Pattern matrix, const T* from, std::int64_t rows, const std::int64_t* offsets,
              const std::int32_t* row_index, std::int32_t* columns, T* values) {
  const int lane = static_cast<int>(threadIdx.x) % warp_size;
  const std::int64_t stored = group_index<warp_size>();
  if (stored >= rows) return;
  const std::int64_t row = row_index != nullptr ? row_index[stored] : stored;
  const std::int64_t distance = matrix.row_offsets[row] - offsets[stored];
  for (std::int64_t to = offsets[stored] + lane; to < offsets[stored + 1]; to += warp_size) {
    columns[to] = matrix.columns[to + distance];
    values[to] = from[to + distance];
  }
}

template <class Offset>
__global__ void __launch_bounds__(threads)
    copy_each(const std::int64_t* from, std::int64_t count, Offset* to) {
  const std::int64_t i = group_index<1>();
  if (i < count) to[i] = static_cast<Offset>(from[i]);
}

struct StoredRows {
  std::int64_t count = 0;
  const std::int64_t* offsets = nullptr;
};

StoredRows view(const BlockRows& rows) {
  return {rows.count, rows.offsets.data()};
}

__global__ void __launch_bounds__(threads)
    inspect(StoredRows rows, const std::int32_t* columns, std::int64_t longest_short_row,
            RowFacts* facts) {
  const std::int64_t stored = group_index<1>();
  if (stored >= rows.count) return;
  const std::int64_t begin = rows.offsets[stored];
  const std::int64_t end = rows.offsets[stored + 1];
  if (end - begin > longest_short_row) atomicAdd(&facts->long_rows, 1);
  if (begin == end) return;
  const std::int64_t base = narrow_base(static_cast<std::int32_t>(stored));
  if (columns[begin] - base < SHRT_MIN || columns[end - 1] - base > SHRT_MAX) {
    facts->far_columns = 1;
  }
}

constexpr int lanes_of_differences = 8;

__global__ void __launch_bounds__(threads)
    subtract(StoredRows rows, const std::int32_t* columns, std::int16_t* differences) {
  constexpr int lanes = lanes_of_differences;
  const std::int64_t stored = group_index<lanes>();
  if (stored >= rows.count) return;
  const std::int32_t base = narrow_base(static_cast<std::int32_t>(stored));
  const std::int64_t end = rows.offsets[stored + 1];
  for (std::int64_t k = rows.offsets[stored] + threadIdx.x % lanes; k < end; k += lanes) {
    differences[k] = static_cast<std::int16_t>(columns[k] - base);
  }
}

__global__ void __launch_bounds__(threads)
    list_long_rows(StoredRows rows, std::int64_t longest_short_row, int* count, LongRow* list) {
  const std::int64_t stored = group_index<1>();
  if (stored >= rows.count) return;
  const std::int64_t begin = rows.offsets[stored];
  const std::int64_t end = rows.offsets[stored + 1];
  if (end - begin <= longest_short_row) return;
  list[atomicAdd(count, 1)] = {begin, end, stored};
}

template <class Value>
Value fetch(const Value* from) {
  Value value{};
  SPARSECAST_CUDA_CHECK(cudaMemcpy(&value, from, sizeof(value), cudaMemcpyDeviceToHost));
  return value;
}

/// Copies `count` values and fills up with zeros.
template <class Value>
DeviceArray<Value> upload_padded(std::span<const Value> values, std::int64_t size) {
  DeviceArray<Value> array(size);
  if (size == 0) return array;
  SPARSECAST_CUDA_CHECK(
      cudaMemcpy(array.data(), values.data(), values.size_bytes(), cudaMemcpyHostToDevice));
  SPARSECAST_CUDA_CHECK(
      cudaMemset(array.data() + values.size(), 0, array.bytes() - values.size_bytes()));
  return array;
}

}  // namespace

template <class T>
DeviceCsr<T>::DeviceCsr(const CsrView<T>& matrix, std::int64_t padding)
    : rows(matrix.rows),
      columns(matrix.columns),
      nonzeros(matrix.nonzeros()),
      row_offsets(matrix.row_offsets) {
  const std::int64_t size = (nonzeros + padding - 1) / padding * padding;
  column_indices = upload_padded(matrix.column_indices, size);
  values = upload_padded(matrix.values, size);
}

template <class T>
BlockRows find_block_rows(const DeviceCsr<T>& matrix, const Layout& layout) {
  const int n = layout.block_size;
  BlockRows result;
  result.count = (matrix.rows + n - 1) / n;
  const Pattern pattern{matrix.rows, matrix.row_offsets.data(), matrix.column_indices.data()};
  auto counts = DeviceArray<std::int32_t>::zeros(result.count + 1);
  with_block_size(n, [&](auto size) {
    if constexpr (size() == 1) {
      count_entries<<<blocks_for(result.count, threads), threads>>>(pattern, result.count,
                                                                    counts.data());
    } else {
      count_blocks<size()>
          <<<blocks_for(result.count, warps), threads>>>(pattern, result.count, counts.data());
    }
  });
  SPARSECAST_CUDA_CHECK(cudaGetLastError());
  if (layout.row_order == RowOrder::sorted) {
    result.row_index = order_by_falling_count(counts, result.count, result.spent);
  }
  result.offsets = sums_before(counts, result.spent);
  put_aside(result.spent, std::move(counts));
  result.blocks = fetch(result.offsets.data() + result.count);
  return result;
}

std::int64_t interleaved_values(std::int64_t blocks, int block_size) {
  const std::int64_t group = warp_size;
  const std::int64_t items = blocks * items_per_block(block_size);
  return (items + group - 1) / group * group * block_size * block_size /
         items_per_block(block_size);
}

template <class T>
void fill_blocks(const DeviceCsr<T>& matrix, const BlockRows& block_rows, int block_size,
                 std::int32_t* columns, T* values) {
  if (block_rows.count == 0) return;
  const Pattern pattern{matrix.rows, matrix.row_offsets.data(), matrix.column_indices.data()};
  with_block_size(block_size, [&](auto size) {
    constexpr int n = size();
    const auto kernel = [] {
      if constexpr (n == 1) {
        return copy_rows<T>;
      } else {
        return fill<T, n>;
      }
    }();
    kernel<<<blocks_for(block_rows.count, warps), threads>>>(
        pattern, matrix.values.data(), block_rows.count, block_rows.offsets.data(),
        block_rows.row_index.data(), columns, values);
  });
  SPARSECAST_CUDA_CHECK(cudaGetLastError());
}

RowFacts inspect_rows(const BlockRows& block_rows, const std::int32_t* columns,
                      std::int64_t longest_short_row) {
  const auto facts = DeviceArray<RowFacts>::zeros(1);
  inspect<<<blocks_for(block_rows.count, threads), threads>>>(view(block_rows), columns,
                                                              longest_short_row, facts.data());
  SPARSECAST_CUDA_CHECK(cudaGetLastError());
  return fetch(facts.data());
}

void subtract_rows(const BlockRows& block_rows, const std::int32_t* columns,
                   std::int16_t* differences) {
  subtract<<<blocks_for(block_rows.count, threads / lanes_of_differences), threads>>>(
      view(block_rows), columns, differences);
  SPARSECAST_CUDA_CHECK(cudaGetLastError());
}

template <class Offset>
void copy_offsets(const DeviceArray<std::int64_t>& from, Offset* to) {
  copy_each<<<blocks_for(from.size(), threads), threads>>>(from.data(), from.size(), to);
  SPARSECAST_CUDA_CHECK(cudaGetLastError());
}

std::vector<LongRow> find_long_rows(const BlockRows& block_rows, std::int64_t longest_short_row,
                                    int count) {
  std::vector<LongRow> rows(static_cast<std::size_t>(count));
  if (rows.empty()) return rows;
  const auto found = DeviceArray<int>::zeros(1);
  const DeviceArray<LongRow> list(count);
  list_long_rows<<<blocks_for(block_rows.count, threads), threads>>>(
      view(block_rows), longest_short_row, found.data(), list.data());
  SPARSECAST_CUDA_CHECK(cudaGetLastError());
  SPARSECAST_CUDA_CHECK(cudaMemcpy(rows.data(), list.data(), list.bytes(), cudaMemcpyDeviceToHost));
  std::ranges::sort(rows, {}, &LongRow::row);
  return rows;
}

template struct DeviceCsr<float>;
template struct DeviceCsr<double>;
template BlockRows find_block_rows(const DeviceCsr<float>&, const Layout&);
template BlockRows find_block_rows(const DeviceCsr<double>&, const Layout&);
template void fill_blocks(const DeviceCsr<float>&, const BlockRows&, int, std::int32_t*, float*);
template void fill_blocks(const DeviceCsr<double>&, const BlockRows&, int, std::int32_t*, double*);
template void copy_offsets(const DeviceArray<std::int64_t>&, std::uint32_t*);
template void copy_offsets(const DeviceArray<std::int64_t>&, std::uint64_t*);

}  // namespace sparsecast::cuda
