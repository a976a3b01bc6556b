#include "core/cuda/vendor/vendor_spmv.hpp"

#include <string>

#include "core/base/error.hpp"
#include "core/cuda/device/current_gpu.cuh"
#include "core/cuda/device/device_memory.cuh"
#include "core/cuda/device/gpu_devices.hpp"
#include "core/cuda/device/stream.cuh"
#include "core/formats/cusparse/cuda/product.cuh"
#include "core/workload/layout.hpp"

namespace sparsecast {

using namespace cuda;

template <class T>
class VendorSpmv<T>::Implementation {
 public:
  Implementation(const GpuPart& device, const CsrView<T>& matrix, VendorAlgorithm algorithm,
                 int block_size)
      : device_(device), rows_(matrix.rows), columns_(matrix.columns) {
    require_gpu(device);
    use_device();
    require_memory_for(
        std::string(to_string(algorithm)) + " in " + to_string(block_layout(block_size)),
        CusparseArrays<T>::bytes_of(matrix, algorithm, block_size) +
            (rows_ + columns_ + 2 * block_size) * static_cast<std::int64_t>(sizeof(T)),
        device.gpu, "use f32, or a layout with fewer stored elements");
    stream_ = Stream::create();
    handle_ = create_cusparse(stream_.get());
    matrix_ = CusparseArrays<T>(matrix, algorithm, block_size);
    input_ = DeviceArray<T>::zeros(matrix_.columns);
    output_ = DeviceArray<T>::zeros(matrix_.rows);
    product_ = CusparseProduct<T>(handle_.get(), matrix_, algorithm, input_.data(), output_.data());
    // Copies, and the first product, which loads code: not in the recording.
    SPARSECAST_CUDA_CHECK(cudaDeviceSynchronize());
    product_.launch();
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

  std::int64_t bytes_per_product() const {
    return static_cast<std::int64_t>(matrix_.bytes()) +
           (rows_ + columns_) * static_cast<std::int64_t>(sizeof(T));
  }

 private:
  static constexpr int per_graph = 8;  // as ours

  void use_device() const { use_gpu(device_); }

  static void require_size(std::size_t values, std::int64_t expected) {
    if (static_cast<std::int64_t>(values) != expected) {
      throw Error("a vector of " + std::to_string(values) + " values; expected " +
                  std::to_string(expected));
    }
  }

  Graph record(int products) const {
    return Graph::capture(stream_.get(), [&] {
      for (int i = 0; i < products; ++i) product_.launch();
    });
  }

  GpuPart device_;
  std::int64_t rows_;
  std::int64_t columns_;
  Stream stream_;
  CusparseHandle handle_;
  CusparseArrays<T> matrix_;
  DeviceArray<T> input_;
  DeviceArray<T> output_;
  CusparseProduct<T> product_;
  Graph many_;
  Graph one_;
};

template <class T>
VendorSpmv<T>::VendorSpmv(const GpuPart& device, const CsrView<T>& matrix,
                          VendorAlgorithm algorithm, int block_size)
    : implementation_(std::make_unique<Implementation>(device, matrix, algorithm, block_size)) {}
template <class T>
VendorSpmv<T>::VendorSpmv(VendorSpmv&&) noexcept = default;
template <class T>
VendorSpmv<T>& VendorSpmv<T>::operator=(VendorSpmv&&) noexcept = default;
template <class T>
VendorSpmv<T>::~VendorSpmv() = default;

template <class T>
void VendorSpmv<T>::set_input(std::span<const T> values) {
  implementation_->set_input(values);
}

template <class T>
void VendorSpmv<T>::get_output(std::span<T> values) const {
  implementation_->get_output(values);
}

template <class T>
void VendorSpmv<T>::run(std::int64_t products) {
  implementation_->run(products);
}

template <class T>
std::int64_t VendorSpmv<T>::bytes_per_product() const {
  return implementation_->bytes_per_product();
}

template class VendorSpmv<float>;
template class VendorSpmv<double>;

}  // namespace sparsecast
