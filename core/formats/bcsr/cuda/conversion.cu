#include "core/formats/bcsr/cuda/conversion.cuh"

#include <algorithm>
#include <climits>
#include <cub/block/block_scan.cuh>

#include "core/cuda/device/block_sum.cuh"
#include "core/cuda/device/warp.cuh"
#include "core/cuda/formats/row_order.cuh"
#include "core/formats/bcsr/cuda/spmv.cuh"

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
  std::int32_t first_column = 0;  ///< from which stored columns count
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

template <class T>
Pattern pattern_of(const DeviceCsr<T>& matrix) {
  return {static_cast<std::int32_t>(matrix.first_row), matrix.rows, matrix.row_offsets.data(),
          matrix.column_indices.data()};
}

/// The block column of a column, as it is stored.
template <int N>
__device__ std::int32_t block_column(const Pattern& matrix, std::int32_t column) {
  return (column - column % N - matrix.first_column) / N;
}

/// Whether a difference from `narrow_base` does not fit in 16 bits.
__device__ bool is_far(std::int32_t column, std::int64_t row) {
  const std::int64_t difference =
      std::int64_t{column} - narrow_base(static_cast<std::int32_t>(row));
  return difference < SHRT_MIN || difference > SHRT_MAX;
}

/// Of the thread block's rows; all its threads call it. Few blocks are the first to see a longer
/// row, or a far column.
__device__ void report(RowFacts* facts, int row_length, bool far) {
  __shared__ int longest[warps];
  const int of_warp = __reduce_max_sync(whole_warp, row_length);
  if (threadIdx.x % warp_size == 0) longest[threadIdx.x / warp_size] = of_warp;
  const bool any_far = __syncthreads_or(static_cast<int>(far)) != 0;
  if (threadIdx.x != 0) return;
  int of_block = 0;
  for (const int one : longest) of_block = max(of_block, one);
  if (of_block > *const_cast<volatile std::int64_t*>(&facts->longest_row)) {
    atomicMax(reinterpret_cast<long long*>(&facts->longest_row), of_block);
  }
  if (any_far) facts->far_columns = 1;
}

/// Few block rows have their offsets from the thread block that is the last to count: that takes
/// less time than two more kernels.
constexpr std::int64_t few_block_rows = 4096;

/// Whether all others are done; all threads of the block call it.
__device__ bool is_last_block(unsigned long long* done) {
  __shared__ bool is_last;
  __syncthreads();
  if (threadIdx.x == 0) {
    __threadfence();
    is_last = atomicAdd(done, 1ULL) == gridDim.x - 1;
    __threadfence();
  }
  __syncthreads();
  return is_last;
}

/// The sum of all counts before each, and of all, by one thread block.
__device__ void sum_before_in_block(const std::int32_t* counts, std::int64_t rows,
                                    std::int64_t* offsets) {
  using Scan = cub::BlockScan<std::int64_t, threads>;
  __shared__ Scan::TempStorage memory;
  const std::int64_t share = (rows + threads - 1) / threads;
  const std::int64_t first = min(rows, threadIdx.x * share);
  const std::int64_t end = min(rows, first + share);
  std::int64_t sum = 0;
#pragma unroll 8
  for (std::int64_t i = first; i < end; ++i) sum += __ldcg(counts + i);
  Scan(memory).ExclusiveSum(sum, sum);
#pragma unroll 8
  for (std::int64_t i = first; i < end; ++i) {
    offsets[i] = sum;
    sum += __ldcg(counts + i);
  }
  if (threadIdx.x == threads - 1) offsets[rows] = sum;
}

/// The count of the row behind the last is 0. `offsets` is null, or to be found by the block that
/// is the last one `done`.
template <int N>
__global__ void __launch_bounds__(threads)
    count_blocks(Pattern matrix, std::int64_t block_rows, std::int32_t* counts, RowFacts* facts,
                 std::int64_t* offsets, unsigned long long* done) {
  __shared__ unsigned marks[warps][warp_size];
  const int lane = static_cast<int>(threadIdx.x) % warp_size;
  unsigned* mine = marks[threadIdx.x / warp_size];
  const std::int64_t row = group_index<warp_size>();
  Cursor cursor = begin_block_row<N>(matrix, row, lane);
  const auto is_far_at = [&](std::int64_t entry) {
    return is_far(block_column<N>(matrix, matrix.columns[entry]), row);
  };
  const bool far = cursor.at < cursor.end && (is_far_at(cursor.at) || is_far_at(cursor.end - 1));
  int blocks = 0;
  while (mark_window<N>(matrix, cursor, mine, lane) >= 0) {
    blocks += __popc(mine[lane]);
    cursor.at = cursor.next;
  }
  blocks = __reduce_add_sync(whole_warp, blocks);
  if (lane == 0 && row <= block_rows) counts[row] = blocks;
  report(facts, blocks, far);
  if (offsets != nullptr && is_last_block(done)) sum_before_in_block(counts, block_rows, offsets);
}

/// N = 1: a block is an entry.
__global__ void __launch_bounds__(threads)
    count_entries(Pattern matrix, std::int64_t rows, std::int32_t* counts, RowFacts* facts) {
  const std::int64_t row = group_index<1>();
  const auto entries =
      row < rows ? static_cast<std::int32_t>(matrix.row_offsets[row + 1] - matrix.row_offsets[row])
                 : 0;
  if (row <= rows) counts[row] = entries;
  report(facts, entries, false);
}

/// `place` is an offset's, and of the block that begins there.
__device__ void store_offset(const StoredPattern& to, std::int64_t place, std::int64_t offset) {
  if (to.offsets32 != nullptr) {
    to.offsets32[place] = static_cast<std::uint32_t>(offset);
  } else {
    to.offsets64[place] = static_cast<std::uint64_t>(offset);
  }
}

__device__ void store_column(const StoredPattern& to, std::int64_t block, std::int32_t column,
                             std::int64_t row) {
  if (to.columns16 != nullptr) {
    to.columns16[block] =
        static_cast<std::int16_t>(column - narrow_base(static_cast<std::int32_t>(row)));
  } else {
    to.columns[block] = column;
  }
}

/// The offset behind the last block row, and columns behind the last block, of which there are
/// fewer than lanes.
__device__ void store_end(const StoredPattern& to, std::int64_t block_rows, std::int64_t blocks,
                          int lane) {
  if (lane == 0) store_offset(to, block_rows, blocks);
  const std::int64_t column = blocks + lane;
  if (column >= to.columns_size) return;
  if (to.columns16 != nullptr) {
    to.columns16[column] = 0;
  } else if (to.columns != nullptr) {
    to.columns[column] = 0;
  }
}

template <class T, int N>
__global__ void __launch_bounds__(threads)
    fill(Pattern matrix, const T* from, std::int64_t block_rows, const std::int64_t* offsets,
         const std::int32_t* row_index, StoredPattern to, T* values) {
  __shared__ unsigned marks[warps][warp_size];
  __shared__ int before[warps][warp_size];
  const int lane = static_cast<int>(threadIdx.x) % warp_size;
  const int warp = static_cast<int>(threadIdx.x) / warp_size;
  const std::int64_t stored = group_index<warp_size>();
  if (stored > block_rows) return;
  std::int64_t block = offsets[stored];
  if (stored == block_rows) {
    store_end(to, block_rows, block, lane);
    return;
  }
  if (lane == 0) store_offset(to, stored, block);
  Cursor cursor =
      begin_block_row<N>(matrix, row_index != nullptr ? row_index[stored] : stored, lane);
  for (std::int32_t base = mark_window<N>(matrix, cursor, marks[warp], lane); base >= 0;
       base = mark_window<N>(matrix, cursor, marks[warp], lane)) {
    unsigned mine = marks[warp][lane];
    int sum = __popc(mine);  // of this lane and those before it
    for (int offset = 1; offset < warp_size; offset *= 2) {
      const int other = __shfl_up_sync(whole_warp, sum, offset);
      if (lane >= offset) sum += other;
    }
    before[warp][lane] = sum - __popc(mine);
    for (std::int64_t at = block + sum - __popc(mine); mine != 0; mine &= mine - 1, ++at) {
      store_column(to, at,
                   base + 32 * lane + __ffs(static_cast<int>(mine)) - 1 - matrix.first_column / N,
                   stored);
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
              const std::int32_t* row_index, StoredPattern to, T* values) {
  const int lane = static_cast<int>(threadIdx.x) % warp_size;
  const std::int64_t stored = group_index<warp_size>();
  if (stored > rows) return;
  const std::int64_t begin = offsets[stored];
  if (stored == rows) {
    store_end(to, rows, begin, lane);
    return;
  }
  if (lane == 0) store_offset(to, stored, begin);
  const std::int64_t row = row_index != nullptr ? row_index[stored] : stored;
  const std::int64_t distance = matrix.row_offsets[row] - begin;
  for (std::int64_t at = begin + lane; at < offsets[stored + 1]; at += warp_size) {
    store_column(to, at, matrix.columns[at + distance] - matrix.first_column, stored);
    values[at] = from[at + distance];
  }
}

constexpr int lanes_of_kept_row = 8;
constexpr int kept_rows_of_block = threads / lanes_of_kept_row;

/// Longer rows are left to the whole thread block.
constexpr std::int64_t longest_row_by_lanes = 32 * lanes_of_kept_row;

/// Narrows every `step`th column from `first` on. Returns whether one is far, and ends there: then
/// no narrow column will be kept.
__device__ bool narrow_columns(const Pattern& matrix, const StoredPattern& to, std::int64_t row,
                               std::int64_t first, std::int64_t end, int step) {
  for (std::int64_t k = first; k < end; k += step) {
    const std::int32_t column = matrix.columns[k];
    if (is_far(column, row)) return true;
    store_column(to, k, column, row);
  }
  return false;
}

/// Of a segment that keeps its columns.
__global__ void __launch_bounds__(threads)
    count_from_first_row(std::int32_t* columns, std::int64_t count, std::int32_t first_row) {
  const std::int64_t k = group_index<1>();
  if (k < count) columns[k] -= first_row;
}

__global__ void __launch_bounds__(threads) keep(Pattern matrix, StoredPattern to, RowFacts* facts) {
  constexpr int lanes = lanes_of_kept_row;
  __shared__ bool is_long[kept_rows_of_block];
  const std::int64_t row = group_index<lanes>();
  const int lane = static_cast<int>(threadIdx.x) % lanes;
  std::int64_t begin = 0;
  std::int64_t end = 0;
  bool far = false;
  if (row < matrix.rows) {
    begin = matrix.row_offsets[row];
    end = matrix.row_offsets[row + 1];
    if (lane == 0) store_offset(to, row, begin);
  } else if (row == matrix.rows) {
    store_end(to, row, matrix.row_offsets[row], lane);
  }
  if (to.columns16 != nullptr) {
    const bool by_block = end - begin > longest_row_by_lanes;
    if (!by_block) far = narrow_columns(matrix, to, row, begin + lane, end, lanes);
    if (lane == 0) is_long[threadIdx.x / lanes] = by_block;
    if (__syncthreads_or(static_cast<int>(by_block)) != 0) {
      const std::int64_t first_row = std::int64_t{blockIdx.x} * kept_rows_of_block;
      for (int i = 0; i < kept_rows_of_block; ++i) {
        if (!is_long[i]) continue;
        const std::int64_t* const offset = matrix.row_offsets + first_row + i;
        far |=
            narrow_columns(matrix, to, first_row + i, offset[0] + threadIdx.x, offset[1], threads);
      }
    }
  }
  report(facts, static_cast<int>(end - begin), far);
}

/// `list[0].row` counts those that follow.
__global__ void __launch_bounds__(threads)
    list_long_rows(const std::int64_t* offsets, std::int64_t rows, std::int64_t longest_short_row,
                   LongRow* list) {
  const std::int64_t row = group_index<1>();
  if (row >= rows) return;
  const std::int64_t begin = offsets[row];
  const std::int64_t end = offsets[row + 1];
  if (end - begin <= longest_short_row) return;
  const auto place = atomicAdd(reinterpret_cast<unsigned long long*>(&list->row), 1ULL);
  list[1 + place] = {begin, end, row};
}

template <class Value>
Value fetch(const Value* from) {
  Value value{};
  SPARSECAST_CUDA_CHECK(cudaMemcpy(&value, from, sizeof(value), cudaMemcpyDeviceToHost));
  return value;
}

}  // namespace

template <class T>
BlockRows find_block_rows(const DeviceCsr<T>& matrix, const Layout& layout) {
  const int n = layout.block_size;
  BlockRows result;
  result.count = (matrix.rows + n - 1) / n;
  const Pattern pattern = pattern_of(matrix);
  // One copy fetches the end of the last row and what follows it.
  constexpr std::int64_t words = sizeof(RowFacts) / sizeof(std::int64_t);
  result.offsets = DeviceArray<std::int64_t>(result.count + words + 1, MemoryKind::pooled);
  std::int64_t* const end = result.offsets.data() + result.count;
  auto* facts = reinterpret_cast<RowFacts*>(end);
  auto* done = reinterpret_cast<unsigned long long*>(end + words);
  SPARSECAST_CUDA_CHECK(cudaMemsetAsync(end, 0, (words + 1) * sizeof(std::int64_t)));
  DeviceArray<std::int32_t> counts(result.count + 1, MemoryKind::pooled);
  const bool few = n > 1 && result.count <= few_block_rows && layout.row_order == RowOrder::natural;
  with_block_size(n, [&](auto size) {
    if constexpr (size() == 1) {
      count_entries<<<blocks_for(counts.size(), threads), threads>>>(pattern, result.count,
                                                                     counts.data(), facts);
    } else {
      count_blocks<size()><<<blocks_for(counts.size(), warps), threads>>>(
          pattern, result.count, counts.data(), facts, few ? result.offsets.data() : nullptr, done);
    }
  });
  SPARSECAST_CUDA_CHECK(cudaGetLastError());
  if (layout.row_order == RowOrder::sorted) {
    result.row_index = order_by_falling_count(counts, result.count);
  }
  if (!few) sum_before(counts, result.offsets.data());
  result.facts = fetch(facts);
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
                 const StoredPattern& to, T* values) {
  const Pattern pattern = pattern_of(matrix);
  with_block_size(block_size, [&](auto size) {
    constexpr int n = size();
    const auto kernel = [] {
      if constexpr (n == 1) {
        return copy_rows<T>;
      } else {
        return fill<T, n>;
      }
    }();
    kernel<<<blocks_for(block_rows.count + 1, warps), threads>>>(
        pattern, matrix.values.data(), block_rows.count, block_rows.offsets.data(),
        block_rows.row_index.data(), to, values);
  });
  SPARSECAST_CUDA_CHECK(cudaGetLastError());
}

template <class T>
RowFacts keep_rows(const DeviceCsr<T>& matrix, const StoredPattern& to) {
  const auto facts = DeviceArray<RowFacts>::zeros(1, MemoryKind::pooled);
  if (to.columns != nullptr) {
    count_from_first_row<<<blocks_for(matrix.nonzeros, threads), threads>>>(
        to.columns, matrix.nonzeros, static_cast<std::int32_t>(matrix.first_row));
  }
  const Pattern pattern = pattern_of(matrix);
  keep<<<blocks_for(matrix.rows + 1, kept_rows_of_block), threads>>>(pattern, to, facts.data());
  SPARSECAST_CUDA_CHECK(cudaGetLastError());
  RowFacts result = fetch(facts.data());
  result.blocks = matrix.nonzeros;
  return result;
}

std::vector<LongRow> find_long_rows(const DeviceArray<std::int64_t>& offsets, std::int64_t rows,
                                    std::int64_t blocks, std::int64_t longest_short_row) {
  constexpr std::int64_t few = 256;  // as many as are fetched at once, mostly all
  const std::int64_t most = blocks / (longest_short_row + 1);
  const DeviceArray<LongRow> list(most + 1, MemoryKind::pooled);
  std::vector<LongRow> found(static_cast<std::size_t>(std::min(most, few) + 1));
  SPARSECAST_CUDA_CHECK(cudaMemset(list.data(), 0, found.size() * sizeof(LongRow)));
  list_long_rows<<<blocks_for(rows, threads), threads>>>(offsets.data(), rows, longest_short_row,
                                                         list.data());
  SPARSECAST_CUDA_CHECK(cudaGetLastError());
  const auto fetch_list = [&] {
    SPARSECAST_CUDA_CHECK(cudaMemcpy(found.data(), list.data(), found.size() * sizeof(LongRow),
                                     cudaMemcpyDeviceToHost));
  };
  fetch_list();
  const auto fetched = found.size();
  found.resize(static_cast<std::size_t>(found[0].row + 1));
  if (found.size() > fetched) fetch_list();
  found.erase(found.begin());
  std::ranges::sort(found, {}, &LongRow::row);
  return found;
}

template BlockRows find_block_rows(const DeviceCsr<float>&, const Layout&);
template BlockRows find_block_rows(const DeviceCsr<double>&, const Layout&);
template void fill_blocks(const DeviceCsr<float>&, const BlockRows&, int, const StoredPattern&,
                          float*);
template void fill_blocks(const DeviceCsr<double>&, const BlockRows&, int, const StoredPattern&,
                          double*);
template RowFacts keep_rows(const DeviceCsr<float>&, const StoredPattern&);
template RowFacts keep_rows(const DeviceCsr<double>&, const StoredPattern&);

}  // namespace sparsecast::cuda
