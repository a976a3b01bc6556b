#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>

#include "core/cuda/check.cuh"
#include "core/cuda/device_memory.cuh"

namespace sparsecast::cuda {

/// Owns an array in the memory of the current device.
template <class T, class Memory = OwnMemory>
class DeviceArray {
 public:
  DeviceArray() = default;
  /// Uninitialised.
  explicit DeviceArray(std::int64_t size) : size_(size) {
    if (size > 0) data_ = static_cast<T*>(Memory::allocate(bytes()));
  }
  /// A copy of host memory.
  explicit DeviceArray(std::span<const T> values)
      : DeviceArray(static_cast<std::int64_t>(values.size())) {
    if (size_ > 0) {
      SPARSECAST_CUDA_CHECK(cudaMemcpy(data_, values.data(), bytes(), cudaMemcpyHostToDevice));
    }
  }
  DeviceArray(DeviceArray&& other) noexcept
      : data_(std::exchange(other.data_, nullptr)), size_(std::exchange(other.size_, 0)) {}
  DeviceArray& operator=(DeviceArray&& other) noexcept {
    std::swap(data_, other.data_);
    std::swap(size_, other.size_);
    return *this;
  }
  ~DeviceArray() {
    if (data_ != nullptr) Memory::free(data_);
  }

  static DeviceArray zeros(std::int64_t size) {
    DeviceArray array(size);
    if (size > 0) SPARSECAST_CUDA_CHECK(cudaMemset(array.data_, 0, array.bytes()));
    return array;
  }

  T* data() const { return data_; }
  std::int64_t size() const { return size_; }
  std::size_t bytes() const { return static_cast<std::size_t>(size_) * sizeof(T); }

 private:
  T* data_ = nullptr;
  std::int64_t size_ = 0;
};

template <class T>
using PooledArray = DeviceArray<T, PooledMemory>;

}  // namespace sparsecast::cuda
