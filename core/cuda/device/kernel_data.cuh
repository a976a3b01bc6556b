#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <type_traits>
#include <vector>

#include "core/cuda/device/device_array.cuh"

namespace sparsecast::cuda {

/// Small constants that kernels read, one behind the other in memory of the current device and
/// uploaded together: an allocation and a copy for each would take longer than to make them.
class KernelData {
 public:
  /// Where a copy of the values will lie; they are there after `upload`. Null for none.
  template <class T>
  const T* add(std::span<const T> values) {
    static_assert(std::is_trivially_copyable_v<T> && alignof(T) <= alignment);
    if (values.empty()) return nullptr;
    return reinterpret_cast<const T*>(place(std::as_bytes(values)));
  }

  /// All that was added; once, then the host's copy is gone.
  void upload();

  /// Of device memory.
  std::int64_t bytes() const;

 private:
  static constexpr std::size_t alignment = 64;

  struct Chunk {
    DeviceArray<std::byte> memory;
    std::vector<std::byte> values;  ///< until they are uploaded
  };

  const std::byte* place(std::span<const std::byte> values);

  std::vector<Chunk> chunks_;
};

}  // namespace sparsecast::cuda
