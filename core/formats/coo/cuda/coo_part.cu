#include "core/formats/coo/cuda/coo_part.cuh"

#include <algorithm>

#include "core/cuda/device/early_launch.cuh"
#include "core/cuda/device/launch_bounds.cuh"
#include "core/cuda/device/warp.cuh"
#include "core/cuda/formats/input_load.cuh"
#include "core/cuda/formats/row_order.cuh"
#include "core/cuda/run/run_operations.cuh"
#include "core/formats/coo/geometry.hpp"

/// @file
/// The product of COO by segmented reduction (Bell and Garland 2008, section 4.4 and Figure 24), by
/// shuffles in place of shared memory. A warp walks an interval of entries, 32 at a time, and adds
/// up rows; it adds to the output what belongs to a row that ends before the interval's last entry,
/// and leaves the sum in the row of that entry as the interval's carry. A row ends so in one
/// interval at most: no two warps write the same value. A second kernel adds the carries, of which
/// those of a row that crosses intervals follow each other.

namespace sparsecast::cuda {
namespace {

constexpr int steps_at_once = coo_steps_at_once;
constexpr std::int64_t entries_of_interval = coo_entries_of_interval;

std::int64_t intervals_of(std::int64_t entries) {
  return (entries + entries_of_interval - 1) / entries_of_interval;
}

/// Thread blocks with a warp, or a thread, for each item.
unsigned blocks_for(std::int64_t items, int threads_each) {
  return static_cast<unsigned>(
      std::max<std::int64_t>(1, (items * threads_each + coo_threads - 1) / coo_threads));
}

__device__ std::int64_t thread_of_grid() {
  return std::int64_t{blockIdx.x} * coo_threads + threadIdx.x;
}

/// The row behind the last has none.
__global__ void __launch_bounds__(coo_threads)
    count_entries(const std::int64_t* row_offsets, std::int64_t rows, std::int64_t skipped,
                  std::int32_t* counts) {
  const std::int64_t row = thread_of_grid();
  if (row > rows) return;
  const std::int64_t length = row < rows ? row_offsets[row + 1] - row_offsets[row] : 0;
  counts[row] = static_cast<std::int32_t>(max(length - skipped, std::int64_t{0}));
}

/// Entries of CSR with columns of the whole matrix, and where those of each row go.
template <class T>
struct CsrSource {
  std::int64_t rows = 0;
  std::int32_t first_row = 0;
  std::int64_t skipped = 0;
  const std::int64_t* row_offsets = nullptr;
  const std::int32_t* columns = nullptr;
  const T* values = nullptr;
  const std::int64_t* places = nullptr;
};

/// A warp a row.
template <class T>
__global__ void __launch_bounds__(coo_threads)
    fill_coo(const CsrSource<T> from, const CooStorage<T> to) {
  const std::int64_t row = thread_of_grid() / warp_size;
  if (row >= from.rows) return;
  const std::int64_t first = from.row_offsets[row] + from.skipped;
  const std::int64_t end = from.places[row + 1];
  const std::int64_t begin = from.places[row];
  for (std::int64_t place = begin + threadIdx.x % warp_size; place < end; place += warp_size) {
    const std::int64_t entry = first + place - begin;
    to.rows[place] = static_cast<std::int32_t>(row);
    to.columns[place] = from.columns[entry] - from.first_row;
    to.values[place] = from.values[entry];
  }
}

/// The sum of a row that a warp has not seen the end of, known to all lanes.
template <class T>
struct OpenRow {
  std::int32_t row = -1;  ///< negative: none
  T sum = 0;
};

/// Adds the products of 32 neighbouring entries, one a lane; what belongs to rows that end among
/// them goes to the output.
template <class T>
__device__ void add_step(std::int32_t row, T product, OpenRow<T>& open, T* output) {
  const int lane = static_cast<int>(threadIdx.x) % warp_size;
  if (lane == 0) {
    if (row == open.row) {
      product += open.sum;
    } else if (open.row >= 0) {
      output[open.row] += open.sum;
    }
  }
  // Each lane gets the sum from its row's first lane to itself.
#pragma unroll
  for (int offset = 1; offset < warp_size; offset *= 2) {
    const std::int32_t other_row = __shfl_up_sync(whole_warp, row, offset);
    const T other = __shfl_up_sync(whole_warp, product, offset);
    if (lane >= offset && other_row == row) product += other;
  }
  const std::int32_t next_row = __shfl_down_sync(whole_warp, row, 1);
  if (lane < warp_size - 1 && next_row != row) output[row] += product;
  open.row = __shfl_sync(whole_warp, row, warp_size - 1);
  open.sum = __shfl_sync(whole_warp, product, warp_size - 1);
}

template <class T, bool past_l1>
__global__ void __launch_bounds__(coo_threads, resident_blocks_of(coo_threads, coo_resident_blocks))
    add_intervals(Gate gate, const CooStorage<T> a, const T* input, T* output) {
  wait_for_kernel_before();
  if (!enters(gate)) return;
  const std::int64_t interval = thread_of_grid() / warp_size;
  if (interval >= a.intervals) return;
  const int lane = static_cast<int>(threadIdx.x) % warp_size;
  const std::int64_t begin = interval * entries_of_interval;
  const std::int64_t end = min(begin + entries_of_interval, a.entries);
  OpenRow<T> open;
  for (std::int64_t first = begin; first < end; first += steps_at_once * warp_size) {
    std::int32_t row[steps_at_once];
    std::int32_t column[steps_at_once];
    T value[steps_at_once];
#pragma unroll
    for (int u = 0; u < steps_at_once; ++u) {
      // Lanes behind the last entry take part in its row, with nothing.
      const std::int64_t entry = min(first + u * warp_size + lane, end - 1);
      row[u] = __ldg(a.rows + entry);
      column[u] = __ldg(a.columns + entry);
      value[u] = __ldg(a.values + entry);
    }
    T product[steps_at_once];
#pragma unroll
    for (int u = 0; u < steps_at_once; ++u) {
      const bool is_there = first + u * warp_size + lane < end;
      product[u] = is_there ? value[u] * load_input<past_l1>(input + column[u]) : T{0};
    }
#pragma unroll
    for (int u = 0; u < steps_at_once; ++u) {
      if (first + u * warp_size < end) add_step(row[u], product[u], open, output);
    }
  }
  if (lane == 0) a.carries[interval] = open.sum;
}

/// A thread a carry: that of the first carry of a row adds them all. Rows of many carries are left
/// to its warp.
template <class T>
__global__ void __launch_bounds__(coo_threads)
    add_carries(Gate gate, const CooStorage<T> a, T* output) {
  constexpr int most_by_thread = 8;
  wait_for_kernel_before();
  if (!enters(gate)) return;
  const std::int64_t carry = thread_of_grid();
  const auto row_of = [&](std::int64_t interval) {
    return __ldg(a.rows + min((interval + 1) * entries_of_interval, a.entries) - 1);
  };
  const std::int32_t row = carry < a.intervals ? row_of(carry) : -1;
  const bool is_first = row >= 0 && (carry == 0 || row_of(carry - 1) != row);
  const bool by_warp =
      is_first && carry + most_by_thread < a.intervals && row_of(carry + most_by_thread) == row;
  if (is_first && !by_warp) {
    T sum = 0;
    for (std::int64_t k = carry; k < a.intervals && row_of(k) == row; ++k) sum += a.carries[k];
    output[row] += sum;
  }
  const int lane = static_cast<int>(threadIdx.x) % warp_size;
  for (unsigned left = __ballot_sync(whole_warp, by_warp); left != 0; left &= left - 1) {
    const int owner = __ffs(static_cast<int>(left)) - 1;
    const std::int32_t long_row = __shfl_sync(whole_warp, row, owner);
    T sum = 0;
    // The lane's place behind the row's first carry, which is that of lane `owner`.
    for (std::int64_t k = carry + owner; k < a.intervals && row_of(k) == long_row; k += warp_size) {
      sum += a.carries[k];
    }
#pragma unroll
    for (int offset = warp_size / 2; offset > 0; offset /= 2) {
      sum += __shfl_down_sync(whole_warp, sum, offset);
    }
    if (lane == 0) output[long_row] += sum;
  }
}

}  // namespace

template <class T>
CooPart<T>::CooPart(const DeviceCsr<T>& matrix, std::int64_t skipped, std::int64_t entries,
                    bool past_l1)
    : past_l1_(past_l1),
      rows_(entries),
      columns_(entries),
      values_(entries),
      carries_(intervals_of(entries)) {
  storage_ = {entries,         intervals_of(entries), rows_.data(),
              columns_.data(), values_.data(),        carries_.data()};
  if (entries == 0) return;
  DeviceArray<std::int64_t> places;
  if (skipped > 0) {
    DeviceArray<std::int32_t> counts(matrix.rows + 1, MemoryKind::pooled);
    count_entries<<<blocks_for(counts.size(), 1), coo_threads>>>(
        matrix.row_offsets.data(), matrix.rows, skipped, counts.data());
    SPARSECAST_CUDA_CHECK(cudaGetLastError());
    places = DeviceArray<std::int64_t>(matrix.rows + 1, MemoryKind::pooled);
    sum_before(counts, places.data());
  }
  const CsrSource<T> source{matrix.rows,
                            static_cast<std::int32_t>(matrix.first_row),
                            skipped,
                            matrix.row_offsets.data(),
                            matrix.column_indices.data(),
                            matrix.values.data(),
                            skipped > 0 ? places.data() : matrix.row_offsets.data()};
  fill_coo<<<blocks_for(matrix.rows, warp_size), coo_threads>>>(source, storage_);
  SPARSECAST_CUDA_CHECK(cudaGetLastError());
}

template <class T>
std::vector<Launch> CooPart<T>::add_launches(const ProductOperands<T>& operands, Gate gate) const {
  if (storage_.entries == 0) return {};
  gate.runs = nullptr;
  auto* const kernel = past_l1_ ? add_intervals<T, true> : add_intervals<T, false>;
  return {[=, storage = storage_](cudaStream_t stream) {
            launch_early(kernel, blocks_for(storage.intervals, warp_size), coo_threads, stream,
                         gate, storage, operands.input, operands.output);
          },
          [=, storage = storage_](cudaStream_t stream) {
            launch_early(add_carries<T>, blocks_for(storage.intervals, 1), coo_threads, stream,
                         gate, storage, operands.output);
          }};
}

template <class T>
BytesByKind CooPart<T>::bytes_read() const {
  BytesByKind bytes;
  bytes.values = static_cast<double>(values_.bytes());
  bytes.indices = static_cast<double>(rows_.bytes() + columns_.bytes());
  return bytes;
}

template <class T>
std::int64_t CooPart<T>::bytes_bound(std::int64_t rows, std::int64_t skipped,
                                     std::int64_t entries) {
  // Counts, where they begin, and what adding them up works with.
  const std::int64_t beside = skipped > 0 ? (rows + 1) * (4 + 8 + 8) : 0;
  return entries * std::int64_t{2 * sizeof(std::int32_t) + sizeof(T)} +
         intervals_of(entries) * std::int64_t{sizeof(T)} + beside;
}

template class CooPart<float>;
template class CooPart<double>;

}  // namespace sparsecast::cuda
