#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>

#include "core/cuda/device/check.cuh"
#include "core/cuda/device/device_memory.cuh"
#include "core/cuda/device/host_copy.cuh"

namespace sparsecast::cuda {

/// Owns an array in the memory of the current device.
template <class T>
class DeviceArray {
 public:
  DeviceArray() = default;
  /// Uninitialised.
  explicit DeviceArray(std::int64_t size, MemoryKind kind = MemoryKind::own)
      : size_(size), kind_(kind) {
    if (size > 0) data_ = static_cast<T*>(allocate_memory(bytes(), kind));
  }
  /// A copy of host memory.
  explicit DeviceArray(std::span<const T> values, MemoryKind kind = MemoryKind::own)
      : DeviceArray(static_cast<std::int64_t>(values.size()), kind) {
    copy_to_device(data_, values.data(), bytes());
  }
  DeviceArray(DeviceArray&& other) noexcept
      : data_(std::exchange(other.data_, nullptr)),
        size_(std::exchange(other.size_, 0)),
        kind_(other.kind_) {}
  DeviceArray& operator=(DeviceArray&& other) noexcept {
    std::swap(data_, other.data_);
    std::swap(size_, other.size_);
    std::swap(kind_, other.kind_);
    return *this;
  }
  ~DeviceArray() {
    if (data_ != nullptr) free_memory(data_, kind_);
  }

  static DeviceArray zeros(std::int64_t size, MemoryKind kind = MemoryKind::own) {
    DeviceArray array(size, kind);
    if (size > 0) SPARSECAST_CUDA_CHECK(cudaMemset(array.data_, 0, array.bytes()));
    return array;
  }

  T* data() const { return data_; }
  std::int64_t size() const { return size_; }
  std::size_t bytes() const { return static_cast<std::size_t>(size_) * sizeof(T); }

 private:
  T* data_ = nullptr;
  std::int64_t size_ = 0;
  MemoryKind kind_ = MemoryKind::own;
};

}  // namespace sparsecast::cuda
