#pragma once

#include <cstddef>
#include <memory>
#include <new>
#include <type_traits>
#include <utility>
#include <vector>

namespace sparsecast {

/// Memory on 64-byte boundaries (a cache line, a vector register); large pieces on huge pages
/// where the system has them, which streams and lookups read faster. Throws `std::bad_alloc`.
void* allocate_aligned(std::size_t bytes);
void deallocate_aligned(void* memory, std::size_t bytes);

/// Allocates with `allocate_aligned` and leaves plain values uninitialised, so that `resize` costs
/// nothing and the thread that first writes a page owns it.
template <class T>
struct UninitializedAllocator {
  using value_type = T;

  UninitializedAllocator() = default;
  template <class U>
  UninitializedAllocator(const UninitializedAllocator<U>&) {}  // NOLINT: conversion is the point

  T* allocate(std::size_t count) {
    if (count > static_cast<std::size_t>(-1) / sizeof(T)) throw std::bad_array_new_length();
    return static_cast<T*>(allocate_aligned(count * sizeof(T)));
  }
  void deallocate(T* pointer, std::size_t count) { deallocate_aligned(pointer, count * sizeof(T)); }
  template <class U, class... Arguments>
  void construct(U* pointer, Arguments&&... arguments) {
    if constexpr (sizeof...(Arguments) == 0 && std::is_trivially_default_constructible_v<U>) {
      ::new (static_cast<void*>(pointer)) U;
    } else {
      ::new (static_cast<void*>(pointer)) U(std::forward<Arguments>(arguments)...);
    }
  }
  friend bool operator==(const UninitializedAllocator&, const UninitializedAllocator&) {
    return true;
  }
};

/// A vector of numbers whose new elements are uninitialised.
template <class T>
using Buffer = std::vector<T, UninitializedAllocator<T>>;

}  // namespace sparsecast
