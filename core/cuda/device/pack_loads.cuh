#pragma once

#include "core/cuda/device/pack.cuh"

namespace sparsecast::cuda {

/// Loads through the read-only path; the memory must not be written while the kernel runs.
template <class T, int count>
__device__ Unit<T, count> load_constant(const Unit<T, count>* address) {
  constexpr int bytes = static_cast<int>(sizeof(T)) * count;
  union {
    Unit<T, count> unit;
    int words[bytes / 4];
  } result;
  if constexpr (bytes == 16) {
    const int4 raw = __ldg(reinterpret_cast<const int4*>(address));
    result.words[0] = raw.x;
    result.words[1] = raw.y;
    result.words[2] = raw.z;
    result.words[3] = raw.w;
  } else if constexpr (bytes == 8) {
    const int2 raw = __ldg(reinterpret_cast<const int2*>(address));
    result.words[0] = raw.x;
    result.words[1] = raw.y;
  } else {
    result.words[0] = __ldg(reinterpret_cast<const int*>(address));
  }
  return result.unit;
}

/// The same for what is read once, which passes through the first-level cache without taking room
/// there.
template <class T>
__device__ T load_stream(const T* address) {
  constexpr int bytes = static_cast<int>(sizeof(T));
  union {
    T value;
    int words[(bytes + 3) / 4];
    short half;
  } result;
  if constexpr (bytes == 16) {
    asm volatile("ld.global.nc.L1::no_allocate.v4.s32 {%0, %1, %2, %3}, [%4];"
                 : "=r"(result.words[0]), "=r"(result.words[1]), "=r"(result.words[2]),
                   "=r"(result.words[3])
                 : "l"(address));
  } else if constexpr (bytes == 8) {
    asm volatile("ld.global.nc.L1::no_allocate.v2.s32 {%0, %1}, [%2];"
                 : "=r"(result.words[0]), "=r"(result.words[1])
                 : "l"(address));
  } else if constexpr (bytes == 4) {
    asm volatile("ld.global.nc.L1::no_allocate.s32 %0, [%1];"
                 : "=r"(result.words[0])
                 : "l"(address));
  } else {
    static_assert(bytes == 2);
    asm volatile("ld.global.nc.L1::no_allocate.s16 %0, [%1];" : "=h"(result.half) : "l"(address));
  }
  return result.value;
}

}  // namespace sparsecast::cuda
