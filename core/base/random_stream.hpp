#pragma once

#include <cstdint>

namespace sparsecast {

/// Scrambles 64 bits: a bijection whose output bits all depend on all input bits (the finaliser of
/// SplitMix64; Steele, Lea and Flood, OOPSLA 2014).
constexpr std::uint64_t scramble(std::uint64_t bits) {
  bits = (bits ^ (bits >> 30)) * 0xbf58476d1ce4e5b9ULL;
  bits = (bits ^ (bits >> 27)) * 0x94d049bb133111ebULL;
  return bits ^ (bits >> 31);
}

/// The top 53 bits as a number in [0, 1), exactly.
constexpr double unit_interval(std::uint64_t bits) {
  return static_cast<double>(bits >> 11) * 0x1p-53;
}

/// A random number in [-1, -0.5) or [0.5, 1) that belongs to the unordered pair (i, j), both below
/// 2^32: the value of an entry of a symmetric matrix, never 0.
constexpr double symmetric_value(std::uint64_t seed, std::int64_t i, std::int64_t j) {
  const auto low = static_cast<std::uint64_t>(i < j ? i : j);
  const auto high = static_cast<std::uint64_t>(i < j ? j : i);
  const std::uint64_t bits = scramble(scramble(seed) ^ (high << 32 | low));
  const double size = 0.5 + 0.5 * unit_interval(bits);
  return (bits & 1) != 0 ? size : -size;
}

/// SplitMix64 random numbers. Streams with different numbers are independent, so that each row can
/// have its own and the result does not depend on how rows are given to threads. All results are
/// the same on every machine: integers, and doubles from exact operations.
class RandomStream {
 public:
  constexpr RandomStream(std::uint64_t seed, std::uint64_t stream)
      : state_(scramble(scramble(seed + step) ^ (stream * step))) {}

  constexpr std::uint64_t bits() { return scramble(state_ += step); }

  /// Uniform in [0, bound), `bound` in [1, 2^32]: the bias is below 2^-32.
  constexpr std::int64_t below(std::int64_t bound) {
    return static_cast<std::int64_t>(((bits() >> 32) * static_cast<std::uint64_t>(bound)) >> 32);
  }

  /// Uniform in [0, 1).
  constexpr double uniform() { return unit_interval(bits()); }

  /// Close to normal with mean 0 and standard deviation 1: a sum of uniform numbers, which needs
  /// no logarithm (whose last bit differs between machines); never beyond 6.
  constexpr double normal() {
    std::int64_t sum = 0;
    for (int term = 0; term < 12; ++term) sum += static_cast<std::int64_t>(bits() >> 32);
    return static_cast<double>(sum) * 0x1p-32 - 6;
  }

 private:
  static constexpr std::uint64_t step = 0x9e3779b97f4a7c15ULL;
  std::uint64_t state_;
};

}  // namespace sparsecast
