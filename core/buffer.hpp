#pragma once

#include <cstddef>
#include <memory>
#include <new>
#include <type_traits>
#include <utility>
#include <vector>

namespace sparsecast {

/// Allocates on 64-byte boundaries (a cache line, a vector register) and leaves plain values
/// uninitialised, so that `resize` costs nothing and the thread that first writes a page owns it.
template <class T>
struct UninitializedAllocator {
  using value_type = T;
  static constexpr std::size_t alignment = 64;

  UninitializedAllocator() = default;
  template <class U>
  UninitializedAllocator(const UninitializedAllocator<U>&) {}  // NOLINT: conversion is the point

  T* allocate(std::size_t count) {
    return static_cast<T*>(::operator new (count * sizeof(T), std::align_val_t{alignment}));
  }
  void deallocate(T* pointer, std::size_t) {
    ::operator delete (pointer, std::align_val_t{alignment});
  }
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
