#pragma once

#include <algorithm>
#include <array>
#include <cstdint>

#include "core/base/random_stream.hpp"

/// @file
/// What is shared by counts of what warps load of a vector.

namespace sparsecast {

/// Stored entries of a matrix that such counts look at, about: of larger ones they choose at
/// random, always the same.
inline constexpr double most_entries_of_sample = 1 << 18;

/// Which of so many things are in a sample of this share. Samples of another kind are others.
class SampleChooser {
 public:
  SampleChooser(double share, std::uint64_t kind) : share_(share), kind_(kind) {}
  bool takes(std::int64_t index) const {
    return share_ >= 1 ||
           unit_interval(scramble(scramble(kind_) ^ static_cast<std::uint64_t>(index))) < share_;
  }

 private:
  double share_;
  std::uint64_t kind_;
};

/// Lanes whose loads of so many bytes a multiprocessor takes together: 128 bytes at a time.
inline int lanes_together(int bytes) {
  return std::min(32, 128 / bytes);
}

/// The place of a lane that loads nothing.
inline constexpr std::int64_t no_load = -1;

/// 128-byte lines that a warp's load takes one after the other: of `at_once` values of so many
/// bytes a lane, of a vector that begins with a line; `places` are those of their first ones in it.
inline int lines_of_load(const std::array<std::int64_t, 32>& places, int at_once, int value_bytes) {
  constexpr std::int64_t line_bytes = 128;
  const int together = lanes_together(at_once * value_bytes);
  std::array<std::int64_t, 32> lines{};
  int all = 0;
  int count = 0;  // of the lanes that are taken together
  for (int lane = 0; lane < 32; ++lane) {
    if (lane % together == 0) count = 0;
    if (places[lane] == no_load) continue;
    const std::int64_t line = places[lane] * value_bytes / line_bytes;
    if (std::find(lines.begin(), lines.begin() + count, line) != lines.begin() + count) continue;
    lines[count++] = line;
    ++all;
  }
  return all;
}

}  // namespace sparsecast
