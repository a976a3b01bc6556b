#pragma once

namespace sparsecast::cuda {

/// `count` neighbouring values that are loaded or stored by one instruction, at most 16 bytes.
template <class T, int count>
struct alignas(sizeof(T) * count) Unit {
  static_assert(sizeof(T) * count <= 16 && (count & (count - 1)) == 0);
  static constexpr int size = count;
  T values[count];
};

/// As much as one instruction can load.
template <class T>
using Pack = Unit<T, 16 / static_cast<int>(sizeof(T))>;

}  // namespace sparsecast::cuda
