#pragma once

#include <cstdint>

#include "core/cuda/device/warp.cuh"
#include "core/cuda/several/halo_operations.cuh"
#include "core/formats/bcsr/cuda/spmv_storage.cuh"

/// @file
/// How thread blocks multiply the short rows, in one of two ways:
/// - small blocks, large matrices: a warp takes a chunk of rows as one stream of blocks, 32 at a
///   time, so that every load is whole and aligned;
/// - otherwise: `lanes` threads share a stored row.
/// Each returns the thread's part of input . output if `dot` is not null: the input there.

namespace sparsecast::cuda {
namespace {

template <class Storage>
using RowSums = typename Storage::Value[Storage::row_sums];

/// Adds up over groups of `lanes` lanes; afterwards the first lane for each share of a block row
/// has the sums of its rows.
template <class Storage, int lanes>
__device__ void add_lanes(RowSums<Storage>& sums) {
#pragma unroll
  for (int offset = lanes / 2; offset >= Storage::lanes_per_block; offset /= 2) {
#pragma unroll
    for (int i = 0; i < Storage::row_sums; ++i) {
      sums[i] += __shfl_xor_sync(whole_warp, sums[i], offset);
    }
  }
}

template <class Storage>
__device__ double write_rows(const RowSums<Storage>& sums, const RowMap& map,
                             std::int64_t stored_row, int share, const typename Storage::Value* dot,
                             typename Storage::Value* output) {
  const std::int64_t first =
      std::int64_t{map.natural(stored_row)} * Storage::block_size + share * Storage::row_sums;
  double product = 0;
#pragma unroll
  for (int i = 0; i < Storage::row_sums; ++i) {
    if (first + i >= map.rows) continue;
    output[first + i] = sums[i];
    if (dot != nullptr) {
      product += static_cast<double>(sums[i]) * static_cast<double>(__ldg(dot + first + i));
    }
  }
  return product;
}

template <class Storage, int lanes>
constexpr int threads_of = spmv_threads(Storage::block_size, lanes);

/// The groups of rows of a thread block: `first`, and every `step`-th below `end`.
struct Groups {
  std::int64_t first = 0;
  std::int64_t end = 0;
  std::int64_t step = 0;
};

__device__ inline Groups groups_of_block(const Spread& spread, int block) {
  Groups groups{block, spread.groups, spread.abreast};
  if (spread.span < spread.groups) {
    const int span = block / static_cast<int>(spread.abreast);
    groups.first = span * spread.span + (block - span * spread.abreast);
    groups.end = min(spread.groups, (span + 1) * spread.span);
  }
  return groups;
}

/// A row that a thread works on.
template <class Offset>
struct RowRange {
  std::int32_t row = -1;  ///< stored; negative: none
  Offset begin = 0;
  Offset end = 0;
  bool outside = false;  ///< looks up what other devices store

  __device__ void drop_if_longer_than(std::int64_t longest) {
    if (end - begin > static_cast<Offset>(longest)) *this = {};
  }
};

/// The thread's row of a group.
template <class Storage, int lanes>
__device__ RowRange<typename Storage::OffsetType> row_of_group(const Storage& a, const RowMap& map,
                                                               const HaloWait& halo,
                                                               std::int64_t group) {
  RowRange<typename Storage::OffsetType> range;
  // There are fewer than 2^31 rows, so that this stays below 2^32.
  const unsigned row =
      static_cast<unsigned>(group) * (threads_of<Storage, lanes> / lanes) + threadIdx.x / lanes;
  if (row < static_cast<unsigned>(map.block_rows)) {
    range.row = static_cast<std::int32_t>(row);
    range.begin = __ldg(a.offsets + row);
    range.end = __ldg(a.offsets + row + 1);
    if (halo.outside != nullptr) range.outside = concerns(halo, map.natural(range.row));
  }
  return range;
}

/// Bitwise or over the warp.
__device__ inline unsigned warp_or(unsigned bits) {
#if __CUDA_ARCH__ >= 800
  return __reduce_or_sync(whole_warp, bits);
#else
  for (int offset = warp_size / 2; offset > 0; offset /= 2) {
    bits |= __shfl_xor_sync(whole_warp, bits, offset);
  }
  return bits;
#endif
}

/// Adds blocks [begin, end) of a warp's chunk of rows, the first of which is (stored) row
/// `chunk`, to the sums of the lanes that own their rows: `mine` is this lane's.
template <class Storage>
__device__ void add_stream(const Storage& a, std::int64_t chunk,
                           const RowRange<typename Storage::OffsetType>& mine,
                           typename Storage::OffsetType begin, typename Storage::OffsetType end,
                           const typename Storage::Value* input, RowSums<Storage>& sums) {
  using T = typename Storage::Value;
  using Offset = typename Storage::OffsetType;
  constexpr int n = Storage::block_size;
  /// Groups of 32 blocks that are loaded before the first is used.
  constexpr int bytes = n * n * static_cast<int>(sizeof(T));
  constexpr int at_once = bytes > 16 && bytes <= 36 ? 4 : 2;
  const int lane = static_cast<int>(threadIdx.x) % warp_size;
  const std::int32_t row = static_cast<std::int32_t>(chunk);
#pragma unroll 1
  for (Offset first = begin / warp_size * warp_size; first < end; first += at_once * warp_size) {
    typename Storage::Part parts[at_once];
#pragma unroll
    for (int u = 0; u < at_once; ++u) {
      const Offset block = first + u * warp_size + lane;
      if (block >= begin && block < end) a.template load_part<false>(parts[u], block, row);
    }
#pragma unroll
    for (int u = 0; u < at_once; ++u) {
      const Offset block = first + u * warp_size + lane;
      if (block >= begin && block < end) a.load_input(parts[u], input);
    }
#pragma unroll
    for (int u = 0; u < at_once; ++u) {
      const Offset group = first + u * warp_size;
      if (group >= end) break;
      T products[n] = {};
      Storage::add(products, parts[u]);
      // Each lane gets the sum from itself to the end of its row, or of the group.
      const Offset start = mine.begin - group;
      const unsigned starts = warp_or(start < warp_size ? 1u << start : 0u);
      const unsigned later = lane == warp_size - 1 ? 0u : starts >> (lane + 1);
      const int rest = later != 0 ? __ffs(static_cast<int>(later)) - 1 : warp_size - 1 - lane;
#pragma unroll
      for (int offset = 1; offset < warp_size; offset *= 2) {
#pragma unroll
        for (int i = 0; i < n; ++i) {
          const T other = __shfl_down_sync(whole_warp, products[i], offset);
          if (offset <= rest) products[i] += other;
        }
      }
      const bool here = mine.begin < mine.end && mine.begin < group + warp_size && mine.end > group;
      const int from = mine.begin > group ? static_cast<int>(start) % warp_size : 0;
#pragma unroll
      for (int i = 0; i < n; ++i) {
        const T sum = __shfl_sync(whole_warp, products[i], from);
        if (here) sums[i] += sum;
      }
    }
  }
}

/// A warp takes `together` rows, at most 32, lane i owns the i-th.
template <class Storage>
__device__ double multiply_streams(const Storage& a, const RowMap& map, const HaloWait& halo,
                                   std::int64_t longest_short_row, int together,
                                   const Groups& groups, const typename Storage::Value* input,
                                   const typename Storage::Value* dot,
                                   typename Storage::Value* output) {
  using Offset = typename Storage::OffsetType;
  constexpr int warps = threads_of<Storage, warp_size> / warp_size;
  const int lane = static_cast<int>(threadIdx.x) % warp_size;
  const int warp = static_cast<int>(threadIdx.x) / warp_size;
  double product = 0;
  for (std::int64_t group = groups.first; group < groups.end; group += groups.step) {
    const std::int64_t chunk = (group * warps + warp) * together;
    if (chunk >= map.block_rows) break;
    const int rows = static_cast<int>(min(map.block_rows - chunk, std::int64_t{together}));
    // Lanes without a row have one of no blocks at the end.
    const std::int64_t row = chunk + min(lane, rows);
    RowRange<Offset> mine{static_cast<std::int32_t>(row), __ldg(a.offsets + row), 0};
    mine.end = lane < rows ? __ldg(a.offsets + row + 1) : mine.begin;
    const bool is_long = static_cast<std::int64_t>(mine.end - mine.begin) > longest_short_row;
    const unsigned long_rows = __ballot_sync(whole_warp, is_long);
    if (halo.outside != nullptr) {
      await_input(halo, lane < rows && concerns(halo, map.natural(row)));
    }
    RowSums<Storage> sums{};
    for (int from = 0; from < rows;) {
      const unsigned later = long_rows >> from;
      const int to = later != 0 ? from + __ffs(static_cast<int>(later)) - 1 : rows;
      if (to > from) {
        const Offset begin = __shfl_sync(whole_warp, mine.begin, from);
        const Offset end = __shfl_sync(whole_warp, mine.end, to - 1);
        add_stream(a, chunk, mine, begin, end, input, sums);
      }
      from = to + 1;
    }
    if (lane < rows && !is_long) product += write_rows<Storage>(sums, map, row, 0, dot, output);
  }
  return product;
}

/// `range` is the thread's row of the first group. With `one_group` there are no further ones.
template <class Storage, int lanes, bool one_group>
__device__ double multiply_rows(const Storage& a, const RowMap& map, const HaloWait& halo,
                                std::int64_t longest_short_row, const Groups& groups,
                                RowRange<typename Storage::OffsetType> range,
                                const typename Storage::Value* input,
                                const typename Storage::Value* dot,
                                typename Storage::Value* output) {
  const int lane = static_cast<int>(threadIdx.x) % lanes;
  double product = 0;
  for (std::int64_t group = groups.first;;) {
    range.drop_if_longer_than(longest_short_row);
    RowSums<Storage> sums{};
    if (halo.outside != nullptr) await_input(halo, range.outside);
    if (range.row >= 0) {
      a.template accumulate<lanes>(sums, range.begin, range.end, lane, range.row, input);
    }
    add_lanes<Storage, lanes>(sums);
    if (range.row >= 0 && lane < Storage::lanes_per_block) {
      product += write_rows<Storage>(sums, map, range.row, lane, dot, output);
    }
    if constexpr (one_group) return product;
    group += groups.step;
    if (group >= groups.end) return product;
    range = row_of_group<Storage, lanes>(a, map, halo, group);
  }
}

}  // namespace
}  // namespace sparsecast::cuda
