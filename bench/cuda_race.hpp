#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "bench/matrix_cases.hpp"
#include "core/base/stopwatch.hpp"

/// @file
/// Ours and peers one after the other in every round, so that a machine that is slower for a while
/// is so for all of them.

namespace sparsecast {

/// Somebody who does the same work as the others.
struct Contestant {
  std::string name;
  bool ours = false;
  std::function<double()> round;  ///< does it, and returns seconds a unit
  std::vector<double> seconds;    ///< one a round

  Timing timing() const { return summarize(seconds, 1, 0.01); }
};

inline void race(std::vector<Contestant>& contestants, int rounds) {
  for (Contestant& contestant : contestants) contestant.round();  // warms up
  for (int round = 0; round < rounds; ++round) {
    for (Contestant& contestant : contestants) contestant.seconds.push_back(contestant.round());
  }
}

/// The contestant with the shortest median among those that `admits`; null if there is none.
inline const Contestant* fastest(const std::vector<Contestant>& contestants,
                                 const std::function<bool(const Contestant&)>& admits) {
  const Contestant* best = nullptr;
  for (const Contestant& contestant : contestants) {
    if (!admits(contestant)) continue;
    if (best == nullptr || median(contestant.seconds) < median(best->seconds)) best = &contestant;
  }
  return best;
}

/// Times of `other` over times of `one` within each round: how many times faster `one` is.
inline Timing ratio(const Contestant& other, const Contestant& one) {
  std::vector<double> ratios;
  for (std::size_t round = 0; round < one.seconds.size(); ++round) {
    ratios.push_back(other.seconds[round] / one.seconds[round]);
  }
  return summarize(ratios, 1, 0.01);
}

}  // namespace sparsecast
