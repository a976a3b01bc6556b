#include <algorithm>
#include <cstdint>
#include <limits>
#include <memory>
#include <string>
#include <vector>

#include "core/base/error.hpp"
#include "core/base/stopwatch.hpp"
#include "core/cuda/device/current_gpu.cuh"
#include "core/cuda/device/warp.cuh"
#include "core/cuda/formats/device_matrix.cuh"
#include "core/cuda/formats/uploaded_segment.cuh"
#include "core/cuda/vector/finish_block.cuh"
#include "core/formats/dia/dia.hpp"
#include "core/formats/dia/geometry.hpp"
#include "core/formats/dia/kernel.cuh"
#include "core/formats/uncached/uncached.hpp"

/// @file
/// DIA on a GPU: the conversion from CSR, and products.

namespace sparsecast::cuda {
namespace {

constexpr int conversion_threads = 256;

unsigned blocks_for(std::int64_t items) {
  return static_cast<unsigned>(
      std::max<std::int64_t>(1, (items + conversion_threads - 1) / conversion_threads));
}

/// The pattern of a segment, with columns of the whole matrix.
struct SegmentRows {
  std::int64_t rows = 0;
  const std::int64_t* row_offsets = nullptr;
  const std::int32_t* columns = nullptr;

  /// Diagonals have places from 0 on: that of the last row's first column is the first.
  __device__ std::int64_t place(std::int64_t row, std::int32_t column) const {
    return column - row + rows - 1;
  }
};

/// Marks the places of all diagonals that have an entry, so many lanes a row.
__global__ void __launch_bounds__(conversion_threads)
    mark_diagonals(const SegmentRows matrix, int lanes, std::int32_t* marks) {
  const std::int64_t thread = std::int64_t{blockIdx.x} * conversion_threads + threadIdx.x;
  const std::int64_t row = thread / lanes;
  if (row >= matrix.rows) return;
  for (std::int64_t k = matrix.row_offsets[row] + thread % lanes; k < matrix.row_offsets[row + 1];
       k += lanes) {
    std::int32_t* mark = marks + matrix.place(row, matrix.columns[k]);
    if (*mark == 0) *mark = 1;
  }
}

/// Lists the marked places in any order, as far as there is room; counts all.
__global__ void __launch_bounds__(conversion_threads)
    list_marks(const std::int32_t* marks, std::int64_t places, std::int64_t* listed, int room,
               int* count) {
  const std::int64_t place = std::int64_t{blockIdx.x} * conversion_threads + threadIdx.x;
  if (place >= places || marks[place] == 0) return;
  const int index = atomicAdd(count, 1);
  if (index < room) listed[index] = place;
}

/// Marks become the diagonals' numbers.
__global__ void __launch_bounds__(conversion_threads)
    number_marks(std::int32_t* marks, const std::int64_t* places, int diagonals) {
  const int k = static_cast<int>(blockIdx.x) * conversion_threads + static_cast<int>(threadIdx.x);
  if (k < diagonals) marks[places[k]] = k;
}

constexpr int fill_threads = 128;
/// Entries that a thread block brings to shared memory, if all of its rows have no more.
template <class T>
constexpr int most_staged = 3 * (16 << 10) / static_cast<int>(sizeof(T) + sizeof(std::int32_t));

/// A thread a row, so that neighbours write next to each other; read together, where rows are not
/// too long.
template <class T>
__global__ void __launch_bounds__(fill_threads)
    fill_diagonals(const SegmentRows matrix, const T* entries, const std::int32_t* numbers,
                   std::int64_t stride, T* values) {
  __shared__ T staged_entries[most_staged<T>];
  __shared__ std::int32_t staged_columns[most_staged<T>];
  const std::int64_t first_row = std::int64_t{blockIdx.x} * fill_threads;
  const std::int64_t row = first_row + threadIdx.x;
  const std::int64_t first = matrix.row_offsets[first_row];
  const std::int64_t count = matrix.row_offsets[min(first_row + fill_threads, matrix.rows)] - first;
  const std::int32_t* columns = matrix.columns + first;
  entries += first;
  if (count <= most_staged<T>) {
    for (auto k = static_cast<int>(threadIdx.x); k < count; k += fill_threads) {
      staged_columns[k] = columns[k];
      staged_entries[k] = entries[k];
    }
    columns = staged_columns;
    entries = staged_entries;
    __syncthreads();
  }
  if (row >= matrix.rows) return;
  const std::int64_t end = matrix.row_offsets[row + 1] - first;
  for (std::int64_t k = matrix.row_offsets[row] - first; k < end; ++k) {
    values[numbers[matrix.place(row, columns[k])] * stride + row] = entries[k];
  }
}

template <class T>
class DeviceDia final : public DeviceMatrix<T> {
 public:
  explicit DeviceDia(const SegmentSource<T>& source) : past_l1_(loads_past_l1(source.layout)) {
    const UploadedSegment<T> uploaded = upload_segment(source);
    upload_seconds_ = uploaded.seconds;
    const double conversion_start = steady_seconds();
    convert(uploaded.matrix);
    SPARSECAST_CUDA_CHECK(cudaDeviceSynchronize());
    conversion_seconds_ = steady_seconds() - conversion_start;
  }

  std::vector<Launch> multiply_launches(const ProductOperands<T>& operands,
                                        const Gate& gate) const override {
    switch (kernel_) {
      case DiaKernel::wide:
        return {wide_launch<DiaWide>(operands, gate)};
      case DiaKernel::many_diagonals:
        return {wide_launch<DiaManyDiagonals>(operands, gate)};
      case DiaKernel::few_rows:
        return {launch<DiaFewRows, false>(operands, gate)};
      case DiaKernel::few_rows_many_diagonals:
        break;
    }
    return {launch<DiaFewRowsManyDiagonals, false>(operands, gate)};
  }
  bool sums() const override { return !past_l1_; }
  bool waits_for_halos() const override { return true; }
  std::int64_t most_dot_parts(std::int64_t most_blocks) const override {
    return past_l1_ ? most_blocks : ordered_parts<dia_threads>(blocks());
  }

  const SegmentShape& shape() const override { return shape_; }
  std::int64_t bytes() const override {
    return value_bytes() + static_cast<std::int64_t>(offsets_.bytes());
  }
  BytesByKind bytes_read() const override {
    BytesByKind bytes;
    bytes.values = static_cast<double>(value_bytes());
    return bytes;
  }
  double upload_seconds() const override { return upload_seconds_; }
  double conversion_seconds() const override { return conversion_seconds_; }

 private:
  void convert(const DeviceCsr<T>& matrix) {
    const std::int64_t first_row = matrix.first_row;
    const std::int64_t rows = matrix.rows;
    const std::int64_t places = rows == 0 ? 0 : matrix.columns + rows;
    const SegmentRows source{rows, matrix.row_offsets.data(), matrix.column_indices.data()};
    auto marks = DeviceArray<std::int32_t>::zeros(places, MemoryKind::pooled);
    const auto room = static_cast<int>(std::min(places, most_diagonals(rows, matrix.nonzeros)));
    DeviceArray<std::int64_t> listed(room, MemoryKind::pooled);
    auto count = DeviceArray<int>::zeros(1, MemoryKind::pooled);
    if (places > 0) {
      // Few, where rows are short: there are many, and each thread block takes its time.
      constexpr std::int64_t long_row = 64;
      const int lanes = matrix.nonzeros > long_row * rows ? warp_size : 4;
      mark_diagonals<<<blocks_for(rows * lanes), conversion_threads>>>(source, lanes, marks.data());
      SPARSECAST_CUDA_CHECK(cudaGetLastError());
      list_marks<<<blocks_for(places), conversion_threads>>>(marks.data(), places, listed.data(),
                                                             room, count.data());
      SPARSECAST_CUDA_CHECK(cudaGetLastError());
    }
    int diagonals = 0;
    SPARSECAST_CUDA_CHECK(
        cudaMemcpy(&diagonals, count.data(), sizeof(diagonals), cudaMemcpyDeviceToHost));
    require_dia_fits(rows, matrix.nonzeros, diagonals);
    std::vector<std::int64_t> found(static_cast<std::size_t>(diagonals));
    if (diagonals > 0) {
      SPARSECAST_CUDA_CHECK(cudaMemcpy(found.data(), listed.data(),
                                       found.size() * sizeof(std::int64_t),
                                       cudaMemcpyDeviceToHost));
    }
    std::ranges::sort(found);
    storage_.diagonals = diagonals;
    storage_.stride = dia_stride(rows);
    storage_.rows = static_cast<std::int32_t>(rows);
    storage_.least = static_cast<std::int32_t>(-first_row);
    storage_.columns = static_cast<std::int32_t>(matrix.columns);
    std::vector<std::int32_t> offsets;
    for (const std::int64_t place : found) {
      offsets.push_back(static_cast<std::int32_t>(place - (first_row + rows - 1)));
    }
    std::copy_n(offsets.begin(), std::min(diagonals, DiaStorage<T>::near_offsets), storage_.near);
    if (diagonals > 0) {
      const std::int64_t beyond = matrix.columns - first_row;
      const auto row_of = [rows](std::int64_t row) {
        return static_cast<std::int32_t>(std::clamp<std::int64_t>(row, 0, rows));
      };
      storage_.first_inner = row_of(storage_.least - std::int64_t{offsets.front()});
      storage_.end_inner = row_of(beyond - offsets.back());
    }
    offsets_ =
        DeviceArray<std::int32_t>(std::span<const std::int32_t>(offsets), MemoryKind::pooled);
    values_ = DeviceArray<T>::zeros(diagonals * storage_.stride + DiaStorage<T>::room_behind,
                                    MemoryKind::pooled);
    if (diagonals > 0) {
      const DeviceArray<std::int64_t> sorted(std::span<const std::int64_t>(found),
                                             MemoryKind::pooled);
      number_marks<<<blocks_for(diagonals), conversion_threads>>>(marks.data(), sorted.data(),
                                                                  diagonals);
      SPARSECAST_CUDA_CHECK(cudaGetLastError());
      const auto blocks = static_cast<unsigned>((rows + fill_threads - 1) / fill_threads);
      fill_diagonals<<<blocks, fill_threads>>>(source, matrix.values.data(), marks.data(),
                                               storage_.stride, values_.data());
      SPARSECAST_CUDA_CHECK(cudaGetLastError());
      SPARSECAST_CUDA_CHECK(cudaDeviceSynchronize());
    }
    storage_.values = values_.data();
    storage_.offsets = offsets_.data();
    shape_ = dia_shape(static_cast<double>(rows), static_cast<double>(matrix.columns), diagonals);
    const GpuShape gpu = current_gpu_shape();
    kernel_ = dia_kernel(shape_, precision_of<T>(), gpu);
    execution_ = dia_execution(shape_, precision_of<T>(), gpu);
    passes_ = value_bytes() > gpu.l2_bytes;
  }

  std::int64_t value_bytes() const {
    return storage_.diagonals * storage_.stride * static_cast<std::int64_t>(sizeof(T));
  }
  std::int64_t blocks() const { return std::max<std::int64_t>(1, execution_.blocks); }

  template <class Shape>
  Launch wide_launch(const ProductOperands<T>& operands, const Gate& gate) const {
    return passes_ ? launch<Shape, true>(operands, gate) : launch<Shape, false>(operands, gate);
  }
  template <class Shape, bool passes>
  Launch launch(const ProductOperands<T>& operands, const Gate& gate) const {
    const bool is_short = values_.size() <= std::numeric_limits<std::uint32_t>::max();
    return is_short ? launch_indexed<Shape, std::uint32_t, passes>(operands, gate)
                    : launch_indexed<Shape, std::int64_t, passes>(operands, gate);
  }
  template <class Shape, class Index, bool passes>
  Launch launch_indexed(const ProductOperands<T>& operands, const Gate& gate) const {
    const auto launch = [&](auto* kernel) -> Launch {
      return [=, storage = storage_, blocks = blocks()](cudaStream_t stream) {
        launch_early(kernel, static_cast<unsigned>(blocks), dia_threads, stream, gate, storage,
                     operands.input, operands.output, operands.halo, operands.finish);
      };
    };
    if (past_l1_) return launch(multiply_dia<T, Shape, Index, passes, false, true>);
    return operands.finish.active() ? launch(multiply_dia<T, Shape, Index, passes, true, false>)
                                    : launch(multiply_dia<T, Shape, Index, passes, false, false>);
  }

  bool past_l1_;
  DiaStorage<T> storage_;
  DeviceArray<T> values_;
  DeviceArray<std::int32_t> offsets_;
  SegmentShape shape_;
  SpmvExecution execution_;
  DiaKernel kernel_ = DiaKernel::few_rows;
  bool passes_ = false;  ///< values are more than the L2 cache holds
  double upload_seconds_ = 0;
  double conversion_seconds_ = 0;
};

template <class T>
std::int64_t bytes_bound(const SegmentSource<T>& source, bool counted) {
  const auto value_bytes = static_cast<std::int64_t>(sizeof(T));
  const std::int64_t rows = source.segment.rows();
  const std::int64_t nonzeros = source.segment.nonzeros(source.matrix.row_offsets);
  const std::int64_t marks = (source.matrix.columns + rows) * 4;
  const std::int64_t diagonals =
      counted ? std::ssize(occupied_diagonals(source.matrix.pattern(), source.segment))
              : most_diagonals(rows, nonzeros);
  const std::int64_t stored =
      diagonals * (dia_stride(rows) * value_bytes + 4) + DiaStorage<T>::room_behind * value_bytes;
  const std::int64_t parts =
      ordered_parts<dia_threads>(rows / dia_threads + 1) * std::int64_t{sizeof(double)};
  return UploadedSegment<T>::bytes_of(source) + marks + stored + parts;
}

template <class T>
const CudaFormat<T> entry{bytes_bound<T>,
                          [](const SegmentSource<T>& source) -> std::unique_ptr<DeviceMatrix<T>> {
                            return std::make_unique<DeviceDia<T>>(source);
                          }};

}  // namespace

template <class T>
const CudaFormat<T>& dia_cuda_format() {
  return entry<T>;
}
template const CudaFormat<float>& dia_cuda_format();
template const CudaFormat<double>& dia_cuda_format();

}  // namespace sparsecast::cuda
