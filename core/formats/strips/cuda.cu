#include <algorithm>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "core/base/stopwatch.hpp"
#include "core/cuda/device/device_array.cuh"
#include "core/cuda/device/early_launch.cuh"
#include "core/cuda/device/pack.cuh"
#include "core/cuda/formats/device_matrix.cuh"
#include "core/cuda/run/run_operations.cuh"
#include "core/cuda/several/halo_operations.cuh"
#include "core/cuda/vector/finish_block.cuh"
#include "core/formats/bcsr/bcsr.hpp"
#include "core/formats/strips/strips.hpp"

/// @file
/// Products of strips on a GPU, a thread a block row (sections 2.2.3 and 2.3.4). Read-only cached
/// loads take the place of textures.

namespace sparsecast::cuda {
namespace {

constexpr int strip_threads = 256;

/// Four neighbouring values: what a strip has of a block, or the vector for one. In f32 one load,
/// in f64 two.
template <class T>
struct FourValues {
  static constexpr int packs = strip_values / Pack<T>::size;
  Pack<T> pack[packs];

  __device__ T operator[](int k) const { return pack[k / Pack<T>::size].values[k % Pack<T>::size]; }
};

/// What a kernel gets of a `StripMatrix`; block columns count from the segment's first row.
template <class T>
struct Strips {
  std::int64_t rows = 0;
  std::int64_t block_rows = 0;
  std::int64_t blocks = 0;
  const std::uint32_t* offsets = nullptr;
  const std::int32_t* columns = nullptr;
  const T* values = nullptr;
};

/// Four values that no kernel writes.
__device__ FourValues<float> load_stored(const float* from) {
  const float4 loaded = __ldg(reinterpret_cast<const float4*>(from));
  return {{{{loaded.x, loaded.y, loaded.z, loaded.w}}}};
}
__device__ FourValues<double> load_stored(const double* from) {
  const double2 low = __ldg(reinterpret_cast<const double2*>(from));
  const double2 high = __ldg(reinterpret_cast<const double2*>(from) + 1);
  return {{{{low.x, low.y}}, {{high.x, high.y}}}};
}

/// Four of the multiplied vector: others may have stored them since this kernel began.
template <class T>
__device__ FourValues<T> load_input(const T* from) {
  FourValues<T> loaded;
#pragma unroll
  for (int k = 0; k < FourValues<T>::packs; ++k) {
    loaded.pack[k] = reinterpret_cast<const Pack<T>*>(from)[k];
  }
  return loaded;
}

/// The blocks of a block row.
struct BlockRange {
  std::uint32_t begin = 0;
  std::uint32_t end = 0;
};
template <StripContent content, class T>
__device__ BlockRange blocks_of(const Strips<T>& a, std::int64_t block_row) {
  if constexpr (content == StripContent::rows) {
    const uint2 both = __ldg(reinterpret_cast<const uint2*>(a.offsets) + block_row);
    return {both.x, both.y};
  } else {
    return {__ldg(a.offsets + block_row), __ldg(a.offsets + block_row + 1)};
  }
}

template <class T, StripContent content>
__device__ void add_block(const Strips<T>& a, std::int64_t block, const T* input,
                          T (&sums)[strip_block_size]) {
  FourValues<T> strips[strip_count];
#pragma unroll
  for (int s = 0; s < strip_count; ++s) {
    strips[s] = load_stored(a.values + (s * a.blocks + block) * strip_values);
  }
  const std::int64_t column = __ldg(a.columns + block);
  const FourValues<T> x = load_input(input + column * strip_block_size);
#pragma unroll
  for (int i = 0; i < strip_block_size; ++i) {
#pragma unroll
    for (int j = 0; j < strip_block_size; ++j) {
      const StripPlace place = strip_place(content, i, j);
      sums[i] += strips[place.strip][place.value] * x[j];
    }
  }
}

/// Writes the rows of a block row that there are. Returns their part of input . output if that is
/// asked for.
template <bool finishes, class T>
__device__ double write_block_row(const T (&sums)[strip_block_size], std::int64_t first,
                                  std::int64_t rows, const T* input, T* output) {
  if (first + strip_block_size <= rows) {
    FourValues<T> together;
#pragma unroll
    for (int i = 0; i < strip_block_size; ++i) {
      together.pack[i / Pack<T>::size].values[i % Pack<T>::size] = sums[i];
    }
#pragma unroll
    for (int k = 0; k < FourValues<T>::packs; ++k) {
      reinterpret_cast<Pack<T>*>(output + first)[k] = together.pack[k];
    }
  } else {
#pragma unroll
    for (int i = 0; i < strip_block_size; ++i) {
      if (first + i < rows) output[first + i] = sums[i];
    }
  }
  double product = 0;
  if constexpr (finishes) {
#pragma unroll
    for (int i = 0; i < strip_block_size; ++i) {
      if (first + i < rows) {
        product += static_cast<double>(sums[i]) * static_cast<double>(input[first + i]);
      }
    }
  }
  return product;
}

template <class T, StripContent content, bool finishes>
__global__ void __launch_bounds__(strip_threads)
    multiply_strips(Gate gate, const Strips<T> a, const T* input, T* output,
                    const __grid_constant__ HaloWait halo,
                    const __grid_constant__ BlockFinish finish) {
  const std::int64_t block_row = std::int64_t{blockIdx.x} * strip_threads + threadIdx.x;
  const bool has_row = block_row < a.block_rows;
  // No kernel writes the matrix.
  const BlockRange range = has_row ? blocks_of<content>(a, block_row) : BlockRange{};
  wait_for_kernel_before();
  if (!enters(gate)) return;
  if (halo.outside != nullptr) {
    await_input(halo, has_row && concerns(halo, static_cast<std::int32_t>(block_row)));
  }
  T sums[strip_block_size] = {};
  for (std::uint32_t block = range.begin; block < range.end; ++block) {
    add_block<T, content>(a, block, input, sums);
  }
  double product = 0;
  if (has_row) {
    product = write_block_row<finishes>(sums, block_row * strip_block_size, a.rows, input, output);
  }
  if constexpr (finishes) finish_in_order<strip_threads>(finish, product);
}

std::int64_t blocks_for(std::int64_t block_rows) {
  return std::max<std::int64_t>(1, (block_rows + strip_threads - 1) / strip_threads);
}

template <class T>
class DeviceStrips final : public DeviceMatrix<T> {
 public:
  explicit DeviceStrips(const SegmentSource<T>& source) : content_(strip_content(source.layout)) {
    const double start = steady_seconds();
    StripMatrix<T> strips = convert_to_strips(source.matrix, source.segment, content_);
    const auto first_block_row =
        static_cast<std::int32_t>(source.segment.begin_row / strip_block_size);
    for (std::int32_t& column : strips.block_columns) column -= first_block_row;
    conversion_seconds_ = steady_seconds() - start;
    offsets_ = DeviceArray<std::uint32_t>(std::span<const std::uint32_t>(strips.offsets));
    columns_ = DeviceArray<std::int32_t>(std::span<const std::int32_t>(strips.block_columns));
    values_ = DeviceArray<T>(std::span<const T>(strips.values));
    SPARSECAST_CUDA_CHECK(cudaDeviceSynchronize());
    upload_seconds_ = steady_seconds() - start - conversion_seconds_;
    storage_ = {strips.rows,     strips.block_rows, strips.blocks(),
                offsets_.data(), columns_.data(),   values_.data()};
    shape_ = strip_shape(static_cast<double>(strips.rows), static_cast<double>(strips.columns),
                         static_cast<double>(strips.blocks()), content_);
  }

  std::vector<Launch> multiply_launches(const ProductOperands<T>& operands,
                                        const Gate& gate) const override {
    return {content_ == StripContent::rows ? launch<StripContent::rows>(operands, gate)
                                           : launch<StripContent::quads>(operands, gate)};
  }
  bool sums() const override { return true; }
  bool waits_for_halos() const override { return true; }
  std::int64_t most_dot_parts(std::int64_t) const override {
    return ordered_parts<strip_threads>(blocks_for(storage_.block_rows));
  }

  const SegmentShape& shape() const override { return shape_; }
  std::int64_t bytes() const override {
    return static_cast<std::int64_t>(offsets_.bytes() + columns_.bytes() + values_.bytes());
  }
  BytesByKind bytes_read() const override {
    BytesByKind bytes;
    bytes.values = static_cast<double>(values_.bytes());
    bytes.indices = static_cast<double>(columns_.bytes());
    bytes.row_pointers = shape_.block_rows * shape_.offset_bytes;
    return bytes;
  }
  double upload_seconds() const override { return upload_seconds_; }
  double conversion_seconds() const override { return conversion_seconds_; }

 private:
  template <StripContent content>
  Launch launch(const ProductOperands<T>& operands, const Gate& gate) const {
    const auto launch = [&](auto* kernel) -> Launch {
      return [=, storage = storage_](cudaStream_t stream) {
        launch_early(kernel, static_cast<unsigned>(blocks_for(storage.block_rows)), strip_threads,
                     stream, gate, storage, operands.input, operands.output, operands.halo,
                     operands.finish);
      };
    };
    return operands.finish.active() ? launch(multiply_strips<T, content, true>)
                                    : launch(multiply_strips<T, content, false>);
  }

  StripContent content_;
  Strips<T> storage_;
  DeviceArray<std::uint32_t> offsets_;
  DeviceArray<std::int32_t> columns_;
  DeviceArray<T> values_;
  SegmentShape shape_;
  double upload_seconds_ = 0;
  double conversion_seconds_ = 0;  ///< on the host
};

template <class T>
std::int64_t bytes_bound(const SegmentSource<T>& source, bool counted) {
  // A block holds at least one nonzero.
  const std::int64_t blocks =
      counted ? count_blocks(source.matrix.pattern(), source.segment, strip_block_size).back()
              : source.segment.nonzeros(source.matrix.row_offsets);
  const std::int64_t block_rows = source.segment.rows() / strip_block_size + 1;
  constexpr std::int64_t block_bytes =
      strip_count * strip_values * sizeof(T) + sizeof(std::int32_t);
  return blocks * block_bytes +
         strip_offsets(strip_content(source.layout), block_rows) *
             std::int64_t{sizeof(std::uint32_t)} +
         ordered_parts<strip_threads>(blocks_for(block_rows)) * std::int64_t{sizeof(double)};
}

template <class T>
const CudaFormat<T> entry{bytes_bound<T>,
                          [](const SegmentSource<T>& source) -> std::unique_ptr<DeviceMatrix<T>> {
                            return std::make_unique<DeviceStrips<T>>(source);
                          }};

}  // namespace

template <class T>
const CudaFormat<T>& bcsr4_quads_cuda_format() {
  return entry<T>;
}
template <class T>
const CudaFormat<T>& bcsr4_strips_cuda_format() {
  return entry<T>;
}
template const CudaFormat<float>& bcsr4_quads_cuda_format();
template const CudaFormat<double>& bcsr4_quads_cuda_format();
template const CudaFormat<float>& bcsr4_strips_cuda_format();
template const CudaFormat<double>& bcsr4_strips_cuda_format();

}  // namespace sparsecast::cuda
