#include "core/formats/sell/cuda/conversion.cuh"

#include <algorithm>
#include <limits>

#include "core/cuda/device/check.cuh"
#include "core/cuda/device/warp.cuh"
#include "core/cuda/formats/row_order.cuh"

namespace sparsecast::cuda {
namespace {

constexpr int conversion_threads = 256;
constexpr std::int32_t none = std::numeric_limits<std::int32_t>::max();

unsigned blocks_for(std::int64_t threads) {
  return static_cast<unsigned>(
      std::max<std::int64_t>(1, (threads + conversion_threads - 1) / conversion_threads));
}

/// The pattern of a segment, with columns of the whole matrix.
struct SegmentRows {
  std::int64_t rows = 0;
  std::int64_t columns = 0;  ///< of the matrix
  const std::int64_t* row_offsets = nullptr;
  const std::int32_t* column_indices = nullptr;
  const std::int32_t* row_index = nullptr;  ///< null: natural order
};

__device__ std::int32_t warp_min(std::int32_t value) {
#if __CUDA_ARCH__ >= 800
  return __reduce_min_sync(whole_warp, value);
#else
  for (int offset = warp_size / 2; offset > 0; offset /= 2) {
    value = min(value, __shfl_xor_sync(whole_warp, value, offset));
  }
  return value;
#endif
}

__device__ std::int32_t warp_max(std::int32_t value) {
  return -warp_min(-value);
}

/// A lane's rows of a slice: entry lane + 32 v of its groups is of its v-th.
template <int height>
class RowsOfLane {
 public:
  static constexpr int rows = sell_rows_of_lane(height);
  /// Entries of a row in a group.
  static constexpr int together = sell_group(height) / height;

  __device__ RowsOfLane(const SegmentRows& matrix, std::int64_t slice, int lane)
      : columns_(matrix.column_indices), lane_(lane) {
#pragma unroll
    for (int v = 0; v < rows; ++v) {
      const std::int64_t stored = slice * height + (lane + v * warp_size) % height;
      if (stored >= matrix.rows) continue;
      const std::int64_t row = matrix.row_index != nullptr ? matrix.row_index[stored] : stored;
      begins_[v] = matrix.row_offsets[row];
      lengths_[v] = static_cast<std::int32_t>(matrix.row_offsets[row + 1] - begins_[v]);
    }
  }

  /// Of the slice.
  __device__ std::int32_t longest() const {
    std::int32_t longest = 0;
#pragma unroll
    for (int v = 0; v < rows; ++v) longest = max(longest, lengths_[v]);
    return warp_max(longest);
  }

  /// The entry of row v in a group that is filled in order.
  __device__ std::int32_t in_order(std::int32_t group) const {
    return group * together + lane_ / height;
  }
  __device__ bool has(int v, std::int32_t k) const {
    return k < lengths_[v];
  }
  __device__ std::int64_t place(int v, std::int32_t k) const {
    return begins_[v] + k;
  }
  __device__ std::int32_t column(int v, std::int32_t k) const {
    return columns_[begins_[v] + k];
  }

  /// The least column of a group that is filled in order, and the most.
  __device__ std::int32_t least_column(std::int32_t group) const {
    std::int32_t least = none;
#pragma unroll
    for (int v = 0; v < rows; ++v) {
      if (has(v, in_order(group))) least = min(least, column(v, in_order(group)));
    }
    return warp_min(least);
  }
  __device__ std::int32_t most_column(std::int32_t group) const {
    std::int32_t most = 0;
#pragma unroll
    for (int v = 0; v < rows; ++v) {
      if (has(v, in_order(group))) most = max(most, column(v, in_order(group)));
    }
    return warp_max(most);
  }

  /// Goes to the next diagonal that an entry of the slice lies on and returns its column of row 0;
  /// `none` behind the last. From then on `here` says which entry of row v lies on it, -1 none.
  __device__ std::int32_t next_diagonal() {
    std::int32_t columns[rows];
    std::int32_t first = none;
#pragma unroll
    for (int v = 0; v < rows; ++v) {
      columns[v] = has(v, next_[v]) ? column(v, next_[v]) - lane_ - v * warp_size : none;
      first = min(first, columns[v]);
    }
    first = warp_min(first);
#pragma unroll
    for (int v = 0; v < rows; ++v) {
      const bool is_here = columns[v] == first && first != none;
      here_[v] = is_here ? next_[v]++ : -1;
    }
    return first;
  }
  __device__ std::int32_t here(int v) const {
    return here_[v];
  }

 private:
  const std::int32_t* columns_;
  int lane_;
  std::int64_t begins_[rows] = {};
  std::int32_t lengths_[rows] = {};
  std::int32_t next_[rows] = {};
  std::int32_t here_[rows] = {};
};

/// Groups of each slice and units of its columns, behind the slice's place; a warp each.
template <int height>
__global__ void __launch_bounds__(conversion_threads)
    plan_slices(const SegmentRows matrix, std::int64_t slices, std::uint32_t* groups,
                std::uint32_t* units) {
  const std::int64_t slice =
      (std::int64_t{blockIdx.x} * conversion_threads + threadIdx.x) / warp_size;
  if (slice >= slices) return;
  const int lane = static_cast<int>(threadIdx.x) % warp_size;
  RowsOfLane<height> rows(matrix, slice, lane);
  const std::int32_t steps = rows.longest();
  constexpr int together = RowsOfLane<height>::together;
  std::int32_t count = (steps + together - 1) / together;
  int bytes = 1;
  for (std::int32_t group = 0; group < count; ++group) {
    const std::int32_t reach = rows.most_column(group) - rows.least_column(group);
    bytes = max(bytes, sell_column_bytes(static_cast<std::uint32_t>(reach)));
  }
  if (together == 1 && matrix.row_index == nullptr) {
    std::int32_t diagonals = 0;
    bool pays = true;
    while (pays) {
      const std::int32_t first = rows.next_diagonal();
      if (first == none) break;
      ++diagonals;
      // Each lane looks up a column that there is.
      pays = sell_pays_as_diagonals(diagonals, steps, bytes) && first >= 0 &&
             std::int64_t{first} + height <= matrix.columns;
    }
    if (pays) {
      count = diagonals;
      bytes = 0;
    }
  }
  if (lane == 0) {
    groups[slice + 1] = static_cast<std::uint32_t>(count);
    units[slice + 1] = static_cast<std::uint32_t>(count * bytes);
  }
}

/// Where slices begin and what is written.
template <class T>
struct SellTarget {
  std::int32_t first_row = 0;
  std::int64_t slices = 0;
  const std::uint32_t* group_begins = nullptr;
  const std::uint32_t* column_begins = nullptr;
  std::int32_t* bases = nullptr;
  std::uint8_t* columns = nullptr;
  T* values = nullptr;
};

__device__ void store_column(std::uint8_t* columns, int bytes, std::int64_t entry,
                             std::uint32_t difference) {
  if (bytes == 1) {
    columns[entry] = static_cast<std::uint8_t>(difference);
  } else if (bytes == 2) {
    reinterpret_cast<std::uint16_t*>(columns)[entry] = static_cast<std::uint16_t>(difference);
  } else {
    reinterpret_cast<std::uint32_t*>(columns)[entry] = difference;
  }
}

/// Bases, columns and values of all groups, padding too; a warp a slice.
template <class T, int height>
__global__ void __launch_bounds__(conversion_threads)
    fill_slices(const SegmentRows matrix, const T* entries, const SellTarget<T> to) {
  constexpr int size = sell_group(height);
  const std::int64_t slice =
      (std::int64_t{blockIdx.x} * conversion_threads + threadIdx.x) / warp_size;
  if (slice >= to.slices) return;
  const int lane = static_cast<int>(threadIdx.x) % warp_size;
  RowsOfLane<height> rows(matrix, slice, lane);
  const std::int64_t first_group = to.group_begins[slice];
  const auto groups = static_cast<std::int32_t>(to.group_begins[slice + 1] - first_group);
  if (groups == 0) return;
  const std::int64_t first_unit = to.column_begins[slice];
  const auto bytes = static_cast<int>((to.column_begins[slice + 1] - first_unit) / groups);
  std::uint8_t* const columns = to.columns + first_unit * size;
  for (std::int32_t group = 0; group < groups; ++group) {
    const std::int32_t base = bytes == 0 ? rows.next_diagonal() : rows.least_column(group);
    if (lane == 0) to.bases[first_group + group] = base - to.first_row;
#pragma unroll
    for (int v = 0; v < RowsOfLane<height>::rows; ++v) {
      const std::int32_t k = bytes == 0 ? rows.here(v) : rows.in_order(group);
      const bool has_entry = k >= 0 && rows.has(v, k);
      const std::int64_t entry = std::int64_t{group} * size + lane + v * warp_size;
      to.values[first_group * size + entry] = has_entry ? entries[rows.place(v, k)] : T{0};
      if (bytes == 0) continue;
      store_column(columns, bytes, entry,
                   has_entry ? static_cast<std::uint32_t>(rows.column(v, k) - base) : 0);
    }
  }
}

__global__ void __launch_bounds__(conversion_threads)
    row_lengths(const std::int64_t* row_offsets, std::int64_t rows, std::int32_t* lengths) {
  const std::int64_t row = std::int64_t{blockIdx.x} * conversion_threads + threadIdx.x;
  if (row < rows) {
    lengths[row] = static_cast<std::int32_t>(row_offsets[row + 1] - row_offsets[row]);
  }
}

template <class T>
DeviceArray<std::int32_t> order_rows(const DeviceCsr<T>& matrix, const Layout& layout) {
  if (layout.row_order == RowOrder::natural || matrix.rows == 0) return {};
  DeviceArray<std::int32_t> lengths(matrix.rows, MemoryKind::pooled);
  row_lengths<<<blocks_for(matrix.rows), conversion_threads>>>(matrix.row_offsets.data(),
                                                               matrix.rows, lengths.data());
  SPARSECAST_CUDA_CHECK(cudaGetLastError());
  return layout.sorting_window > 0 ? order_in_windows(lengths, matrix.rows, layout.sorting_window)
                                   : order_by_falling_count(lengths, matrix.rows);
}

template <class T, int height>
DeviceSellArrays<T> make_sell_of_height(const DeviceCsr<T>& matrix, const Layout& layout) {
  constexpr std::int64_t size = sell_group(height);
  const std::int64_t slices = (matrix.rows + height - 1) / height;
  const unsigned blocks = blocks_for(slices * warp_size);
  DeviceSellArrays<T> to;
  to.row_index = order_rows(matrix, layout);
  const SegmentRows source{matrix.rows, matrix.columns, matrix.row_offsets.data(),
                           matrix.column_indices.data(), to.row_index.data()};
  to.group_begins = DeviceArray<std::uint32_t>::zeros(slices + 1, MemoryKind::pooled);
  to.column_begins = DeviceArray<std::uint32_t>::zeros(slices + 1, MemoryKind::pooled);
  if (slices > 0) {
    plan_slices<height><<<blocks, conversion_threads>>>(source, slices, to.group_begins.data(),
                                                        to.column_begins.data());
    SPARSECAST_CUDA_CHECK(cudaGetLastError());
  }
  const std::int64_t groups = sum_up(to.group_begins);
  const std::int64_t units = sum_up(to.column_begins);
  require_sell_fits(layout, matrix.nonzeros, groups);
  to.bases = DeviceArray<std::int32_t>(groups, MemoryKind::pooled);
  to.columns = DeviceArray<std::uint8_t>(units * size, MemoryKind::pooled);
  to.values = DeviceArray<T>(groups * size, MemoryKind::pooled);
  if (groups > 0) {
    const SellTarget<T> target{static_cast<std::int32_t>(matrix.first_row),
                               slices,
                               to.group_begins.data(),
                               to.column_begins.data(),
                               to.bases.data(),
                               to.columns.data(),
                               to.values.data()};
    fill_slices<T, height><<<blocks, conversion_threads>>>(source, matrix.values.data(), target);
    SPARSECAST_CUDA_CHECK(cudaGetLastError());
  }
  SPARSECAST_CUDA_CHECK(cudaDeviceSynchronize());
  return to;
}

}  // namespace

template <class T>
DeviceSellArrays<T> make_sell(const DeviceCsr<T>& matrix, const Layout& layout) {
  return with_slice_height(layout.slice_height, [&](auto height) {
    return make_sell_of_height<T, height()>(matrix, layout);
  });
}

template DeviceSellArrays<float> make_sell(const DeviceCsr<float>&, const Layout&);
template DeviceSellArrays<double> make_sell(const DeviceCsr<double>&, const Layout&);

std::int64_t sell_conversion_bytes(std::int64_t rows, const Layout& layout) {
  // Lengths, their order and what sorting works with; what sums work with is little.
  constexpr std::int64_t sums = 1 << 16;
  return sums + (layout.row_order == RowOrder::sorted ? rows * 48 : 0);
}

}  // namespace sparsecast::cuda
