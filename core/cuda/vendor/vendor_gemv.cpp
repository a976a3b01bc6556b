#include "core/cuda/vendor/vendor_gemv.hpp"

#include <cstddef>
#include <string>
#include <type_traits>

#include "core/base/error.hpp"
#include "core/cuda/device/current_gpu.cuh"
#include "core/cuda/device/device_array.cuh"
#include "core/cuda/device/device_memory.cuh"
#include "core/cuda/device/gpu_devices.hpp"
#include "core/cuda/device/stream.cuh"
#include "core/cuda/vendor/cublas_handle.cuh"

namespace sparsecast {

using namespace cuda;

namespace {

constexpr std::int64_t workspace_bytes = std::int64_t{32} << 20;

void require_size(std::size_t values, std::int64_t expected) {
  if (static_cast<std::int64_t>(values) != expected) {
    throw Error(std::to_string(values) + " values; expected " + std::to_string(expected));
  }
}

}  // namespace

template <class T>
class VendorGemv<T>::Implementation {
 public:
  Implementation(const GpuPart& device, std::int64_t rows, std::int64_t columns,
                 std::span<const T> values)
      : device_(device), rows_(rows), columns_(columns) {
    require_gpu(device);
    use_device();
    require_size(values.size(), rows * columns);
    require_memory_for(
        "cublas-gemv",
        (rows * columns + rows + columns) * static_cast<std::int64_t>(sizeof(T)) + workspace_bytes,
        device.gpu, "use f32");
    stream_ = Stream::create();
    workspace_ = DeviceArray<std::byte>(workspace_bytes);
    handle_ = create_cublas(stream_.get(), workspace_);
    matrix_ = DeviceArray<T>(values);
    input_ = DeviceArray<T>::zeros(columns);
    output_ = DeviceArray<T>::zeros(rows);
    // Copies, and the first product, which loads code: not in the recording.
    SPARSECAST_CUDA_CHECK(cudaDeviceSynchronize());
    multiply();
    many_ = record(per_graph);
    one_ = record(1);
    SPARSECAST_CUDA_CHECK(cudaDeviceSynchronize());
  }
  Implementation(const Implementation&) = delete;
  Implementation& operator=(const Implementation&) = delete;

  void set_input(std::span<const T> values) {
    require_size(values.size(), columns_);
    use_device();
    SPARSECAST_CUDA_CHECK(cudaMemcpyAsync(input_.data(), values.data(), values.size_bytes(),
                                          cudaMemcpyHostToDevice, stream_.get()));
    SPARSECAST_CUDA_CHECK(cudaStreamSynchronize(stream_.get()));
  }

  void get_output(std::span<T> values) const {
    require_size(values.size(), rows_);
    use_device();
    SPARSECAST_CUDA_CHECK(cudaMemcpyAsync(values.data(), output_.data(), values.size_bytes(),
                                          cudaMemcpyDeviceToHost, stream_.get()));
    SPARSECAST_CUDA_CHECK(cudaStreamSynchronize(stream_.get()));
  }

  void run(std::int64_t products) {
    use_device();
    for (; products >= per_graph; products -= per_graph) many_.launch(stream_.get());
    for (; products > 0; --products) one_.launch(stream_.get());
    SPARSECAST_CUDA_CHECK(cudaStreamSynchronize(stream_.get()));
  }

 private:
  static constexpr int per_graph = 8;  // as ours

  void use_device() const { use_gpu(device_); }

  /// Rows that follow each other are the columns of the transposed matrix, as cuBLAS sees it.
  void multiply() const {
    const T one = 1;
    const T zero = 0;
    const auto m = static_cast<int>(columns_);
    const auto n = static_cast<int>(rows_);
    if constexpr (std::is_same_v<T, float>) {
      SPARSECAST_VENDOR_CHECK(cublas().cublasSgemv_v2(handle_.get(), CUBLAS_OP_T, m, n, &one,
                                                      matrix_.data(), m, input_.data(), 1, &zero,
                                                      output_.data(), 1));
    } else {
      SPARSECAST_VENDOR_CHECK(cublas().cublasDgemv_v2(handle_.get(), CUBLAS_OP_T, m, n, &one,
                                                      matrix_.data(), m, input_.data(), 1, &zero,
                                                      output_.data(), 1));
    }
  }

  Graph record(int products) const {
    return Graph::capture(stream_.get(), [&] {
      for (int i = 0; i < products; ++i) multiply();
    });
  }

  GpuPart device_;
  std::int64_t rows_;
  std::int64_t columns_;
  Stream stream_;
  DeviceArray<std::byte> workspace_;
  CublasHandle handle_;
  DeviceArray<T> matrix_;
  DeviceArray<T> input_;
  DeviceArray<T> output_;
  Graph many_;
  Graph one_;
};

template <class T>
VendorGemv<T>::VendorGemv(const GpuPart& device, std::int64_t rows, std::int64_t columns,
                          std::span<const T> values)
    : implementation_(std::make_unique<Implementation>(device, rows, columns, values)) {}
template <class T>
VendorGemv<T>::VendorGemv(VendorGemv&&) noexcept = default;
template <class T>
VendorGemv<T>& VendorGemv<T>::operator=(VendorGemv&&) noexcept = default;
template <class T>
VendorGemv<T>::~VendorGemv() = default;

template <class T>
void VendorGemv<T>::set_input(std::span<const T> values) {
  implementation_->set_input(values);
}

template <class T>
void VendorGemv<T>::get_output(std::span<T> values) const {
  implementation_->get_output(values);
}

template <class T>
void VendorGemv<T>::run(std::int64_t products) {
  implementation_->run(products);
}

template class VendorGemv<float>;
template class VendorGemv<double>;

}  // namespace sparsecast
