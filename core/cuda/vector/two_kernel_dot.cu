#include <cstddef>
#include <string>

#include "core/base/error.hpp"
#include "core/cuda/device/current_gpu.cuh"
#include "core/cuda/device/device_array.cuh"
#include "core/cuda/device/device_memory.cuh"
#include "core/cuda/device/gpu_devices.hpp"
#include "core/cuda/device/stream.cuh"
#include "core/cuda/vector/two_kernel_dot.hpp"

namespace sparsecast {

using namespace cuda;

namespace {

constexpr int dot_threads = 128;

/// Each block sums its part of a, or of a*b, into its partial sum.
template <class T, int per_thread, bool multiplies>
__global__ void __launch_bounds__(dot_threads)
    partial_sums(const T* a, const T* b, std::int64_t size, T* partial) {
  __shared__ T sums[dot_threads];
  const std::int64_t first =
      std::int64_t{blockIdx.x} * (dot_threads * per_thread) + static_cast<int>(threadIdx.x);
  T sum = 0;
#pragma unroll
  for (int k = 0; k < per_thread; ++k) {
    const std::int64_t i = first + k * dot_threads;
    if (i < size) sum += multiplies ? a[i] * b[i] : a[i];
  }
  sums[threadIdx.x] = sum;
  __syncthreads();
  if (threadIdx.x != 0) return;
  T total = 0;
  for (int thread = 0; thread < dot_threads; ++thread) total += sums[thread];
  partial[blockIdx.x] = total;
}

template <class T>
struct DotKernels {
  void (*multiply)(const T*, const T*, std::int64_t, T*);
  void (*add)(const T*, const T*, std::int64_t, T*);
};

template <class T, int per_thread>
DotKernels<T> dot_kernels() {
  return {partial_sums<T, per_thread, true>, partial_sums<T, per_thread, false>};
}

template <class T>
DotKernels<T> dot_kernels_for(int values_per_block) {
  switch (values_per_block) {
    case 128:
      return dot_kernels<T, 1>();
    case 256:
      return dot_kernels<T, 2>();
    case 512:
      return dot_kernels<T, 4>();
    case 1024:
      return dot_kernels<T, 8>();
    case 2048:
      return dot_kernels<T, 16>();
    case 4096:
      return dot_kernels<T, 32>();
    default:
      throw Error("a dot product of " + std::to_string(values_per_block) +
                  " values a block; expected 128, 256, 512, 1024, 2048 or 4096");
  }
}

}  // namespace

template <class T>
class TwoKernelDot<T>::Implementation {
 public:
  Implementation(const GpuPart& device, int values_per_block, std::span<const T> a,
                 std::span<const T> b)
      : device_(device),
        values_per_block_(values_per_block),
        kernels_(dot_kernels_for<T>(values_per_block)) {
    if (a.empty() || a.size() != b.size()) {
      throw Error("a dot product of " + std::to_string(a.size()) + " and " +
                  std::to_string(b.size()) + " values; expected as many, and one at least");
    }
    require_gpu(device);
    use_gpu(device_);
    const auto size = static_cast<std::int64_t>(a.size());
    const std::int64_t partials = blocks_for(size);
    require_memory_for("a dot product",
                       (2 * size + 2 * partials) * static_cast<std::int64_t>(sizeof(T)), device.gpu,
                       "use shorter vectors");
    stream_ = Stream::create();
    a_ = DeviceArray<T>(a);
    b_ = DeviceArray<T>(b);
    for (DeviceArray<T>& each : partials_) each = DeviceArray<T>::zeros(partials);
    result_ = DeviceArray<T>::zeros(1);
    // Copies, and the first kernels, which load code: not in the recording.
    SPARSECAST_CUDA_CHECK(cudaDeviceSynchronize());
    sum();
    many_ = record(per_graph);
    one_ = record(1);
    SPARSECAST_CUDA_CHECK(cudaDeviceSynchronize());
  }
  Implementation(const Implementation&) = delete;
  Implementation& operator=(const Implementation&) = delete;

  void run(std::int64_t dots) {
    use_gpu(device_);
    for (; dots >= per_graph; dots -= per_graph) many_.launch(stream_.get());
    for (; dots > 0; --dots) one_.launch(stream_.get());
    SPARSECAST_CUDA_CHECK(cudaStreamSynchronize(stream_.get()));
  }

  T result() const {
    use_gpu(device_);
    T value = 0;
    SPARSECAST_CUDA_CHECK(
        cudaMemcpyAsync(&value, result_.data(), sizeof(T), cudaMemcpyDeviceToHost, stream_.get()));
    SPARSECAST_CUDA_CHECK(cudaStreamSynchronize(stream_.get()));
    return value;
  }

 private:
  static constexpr int per_graph = 8;  // as ours

  std::int64_t blocks_for(std::int64_t values) const {
    return (values + values_per_block_ - 1) / values_per_block_;
  }

  /// The last sum is the result; those before it alternate between two arrays.
  void sum() const {
    const T* from = nullptr;
    std::int64_t left = a_.size();
    for (int round = 0; round == 0 || left > 1; ++round) {
      const std::int64_t blocks = blocks_for(left);
      T* const to = blocks == 1 ? result_.data() : partials_[round % 2].data();
      if (round == 0) {
        kernels_.multiply<<<static_cast<unsigned>(blocks), dot_threads, 0, stream_.get()>>>(
            a_.data(), b_.data(), left, to);
      } else {
        kernels_.add<<<static_cast<unsigned>(blocks), dot_threads, 0, stream_.get()>>>(
            from, nullptr, left, to);
      }
      SPARSECAST_CUDA_CHECK(cudaGetLastError());
      from = to;
      left = blocks;
    }
  }

  Graph record(int dots) const {
    return Graph::capture(stream_.get(), [&] {
      for (int i = 0; i < dots; ++i) sum();
    });
  }

  GpuPart device_;
  int values_per_block_;
  DotKernels<T> kernels_;
  Stream stream_;
  DeviceArray<T> a_;
  DeviceArray<T> b_;
  DeviceArray<T> partials_[2];
  DeviceArray<T> result_;
  Graph many_;
  Graph one_;
};

template <class T>
TwoKernelDot<T>::TwoKernelDot(const GpuPart& device, int values_per_block, std::span<const T> a,
                              std::span<const T> b)
    : implementation_(std::make_unique<Implementation>(device, values_per_block, a, b)) {}
template <class T>
TwoKernelDot<T>::TwoKernelDot(TwoKernelDot&&) noexcept = default;
template <class T>
TwoKernelDot<T>& TwoKernelDot<T>::operator=(TwoKernelDot&&) noexcept = default;
template <class T>
TwoKernelDot<T>::~TwoKernelDot() = default;

template <class T>
void TwoKernelDot<T>::run(std::int64_t dots) {
  implementation_->run(dots);
}

template <class T>
T TwoKernelDot<T>::result() const {
  return implementation_->result();
}

template class TwoKernelDot<float>;
template class TwoKernelDot<double>;

}  // namespace sparsecast
