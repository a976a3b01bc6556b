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
  std::function<double()> round;     ///< does it, and returns seconds a unit
  std::vector<double> seconds = {};  ///< one a round
  std::size_t order = 0;             ///< of the matrix: 0 as given, others renumbered

  Timing timing() const { return summarize(seconds, 1, 0.01); }
};

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

/// After three rounds those go on that take at most `within` times what the fastest of their side
/// takes in their order, and those that `stays`. Others that take twenty times as long when they
/// warm up have that for their only round.
inline void race(std::vector<Contestant>& contestants, int rounds, double within,
                 const std::function<bool(const Contestant&)>& stays) {
  constexpr int rounds_of_all = 3;
  constexpr double far_behind = 20;
  std::vector<double> first;
  for (Contestant& contestant : contestants) first.push_back(contestant.round());  // warms up
  std::vector<char> goes_on(contestants.size(), 1);
  for (std::size_t i = 0; i < contestants.size(); ++i) {
    double best = first[i];
    for (std::size_t k = 0; k < contestants.size(); ++k) {
      const bool rivals = contestants[k].ours == contestants[i].ours &&
                          contestants[k].order == contestants[i].order;
      if (rivals) best = std::min(best, first[k]);
    }
    if (stays(contestants[i]) || first[i] <= far_behind * best) continue;
    contestants[i].seconds.push_back(first[i]);
    goes_on[i] = 0;
  }
  for (int round = 0; round < rounds; ++round) {
    if (round == rounds_of_all) {
      for (std::size_t i = 0; i < contestants.size(); ++i) {
        if (goes_on[i] == 0) continue;
        const Contestant& one = contestants[i];
        const Contestant* const best = fastest(contestants, [&](const Contestant& other) {
          return other.ours == one.ours && other.order == one.order;
        });
        goes_on[i] = stays(one) || median(one.seconds) <= within * median(best->seconds) ? 1 : 0;
      }
    }
    for (std::size_t i = 0; i < contestants.size(); ++i) {
      if (goes_on[i] != 0) contestants[i].seconds.push_back(contestants[i].round());
    }
  }
}

/// All stay.
inline void race(std::vector<Contestant>& contestants, int rounds) {
  race(contestants, rounds, 1, [](const Contestant&) { return true; });
}

/// Times of `other` over times of `one` within each round that both ran: how many times faster
/// `one` is.
inline Timing ratio(const Contestant& other, const Contestant& one) {
  std::vector<double> ratios;
  for (std::size_t round = 0; round < std::min(one.seconds.size(), other.seconds.size()); ++round) {
    ratios.push_back(other.seconds[round] / one.seconds[round]);
  }
  return summarize(ratios, 1, 0.01);
}

}  // namespace sparsecast
