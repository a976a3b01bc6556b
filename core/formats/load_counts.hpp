#pragma once

#include <algorithm>
#include <array>
#include <cstdint>

#include "core/base/random_stream.hpp"
#include "core/workload/gpu_execution.hpp"

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

/// What so many warps with so many entries in all load: the sum of `of_warp(k)` over all, or over a
/// sample of them, a few at least, in place of all.
template <class OfWarp>
WarpLoads sum_over_warps(double entries, std::int64_t warps, const OfWarp& of_warp) {
  constexpr double least_warps = 64;
  const auto all = static_cast<double>(std::max<std::int64_t>(1, warps));
  const SampleChooser chooser(
      std::max(most_entries_of_sample / std::max(1.0, entries), least_warps / all), 1);
  double taken = 0;
  WarpLoads found;
  for (std::int64_t k = 0; k < warps; ++k) {
    if (!chooser.takes(k)) continue;
    ++taken;
    found = found + of_warp(k);
  }
  const double factor = taken > 0 ? static_cast<double>(warps) / taken : 0;
  return {found.passes * factor, found.lines * factor};
}

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
