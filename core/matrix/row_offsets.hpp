#pragma once

#include <algorithm>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <span>

#include "core/base/buffer.hpp"

namespace sparsecast {

/// Where the rows of a matrix begin, in an array of somebody else's: of 64-bit numbers, or of
/// 32-bit ones, which most libraries have. Nothing is copied; the array must outlive it. Made from
/// any span or container of `std::int64_t` or `std::int32_t`.
///
/// Every access asks which of the two there is. Loops over entries read the end of a row once,
/// before they begin.
class RowOffsets {
 public:
  RowOffsets() = default;
  template <class Numbers>
  requires std::convertible_to<const Numbers&, std::span<const std::int64_t>> RowOffsets(
      const Numbers& numbers) {  // NOLINT: whoever has offsets has these
    const std::span<const std::int64_t> given = numbers;
    wide_ = given.data();
    size_ = given.size();
  }
  template <class Numbers>
  requires std::convertible_to<const Numbers&, std::span<const std::int32_t>> RowOffsets(
      const Numbers& numbers) {  // NOLINT: likewise
    const std::span<const std::int32_t> given = numbers;
    narrow_ = given.data();
    size_ = given.size();
  }

  std::int64_t operator[](std::int64_t place) const {
    return narrow_ == nullptr ? wide_[place] : narrow_[place];
  }
  std::size_t size() const { return size_; }
  std::int64_t front() const { return (*this)[0]; }
  std::int64_t back() const { return (*this)[static_cast<std::int64_t>(size_) - 1]; }

  /// `count` of them, from `first` on.
  RowOffsets subspan(std::size_t first, std::size_t count) const {
    RowOffsets part;
    if (narrow_ == nullptr) {
      part.wide_ = wide_ + first;
    } else {
      part.narrow_ = narrow_ + first;
    }
    part.size_ = count;
    return part;
  }

  /// The caller's array if it is of 64-bit numbers, else empty.
  std::span<const std::int64_t> wide() const { return {wide_, narrow_ == nullptr ? size_ : 0}; }
  /// The caller's array if it is of 32-bit numbers, else empty.
  std::span<const std::int32_t> narrow() const { return {narrow_, narrow_ == nullptr ? 0 : size_}; }

  /// A copy of 64-bit numbers.
  Buffer<std::int64_t> copy() const {
    Buffer<std::int64_t> numbers(size_);
    if (narrow_ == nullptr) {
      std::copy_n(wide_, size_, numbers.begin());
    } else {
      std::copy_n(narrow_, size_, numbers.begin());
    }
    return numbers;
  }

 private:
  const std::int64_t* wide_ = nullptr;
  const std::int32_t* narrow_ = nullptr;
  std::size_t size_ = 0;
};

}  // namespace sparsecast
