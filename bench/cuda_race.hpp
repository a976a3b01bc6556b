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
  std::vector<char> goes_on(contestants.size(), 1);
  const auto run_round = [&] {
    for (std::size_t i = 0; i < contestants.size(); ++i) {
      if (goes_on[i] != 0) contestants[i].seconds.push_back(contestants[i].round());
    }
  };
  const auto leave_beyond = [&](double most) {
    for (std::size_t i = 0; i < contestants.size(); ++i) {
      const Contestant& one = contestants[i];
      const Contestant* const best = fastest(contestants, [&](const Contestant& other) {
        return other.ours == one.ours && other.order == one.order;
      });
      if (!stays(one) && median(one.seconds) > most * median(best->seconds)) goes_on[i] = 0;
    }
  };
  run_round();  // warms up
  leave_beyond(far_behind);
  for (std::size_t i = 0; i < contestants.size(); ++i) {
    if (goes_on[i] != 0) contestants[i].seconds.clear();
  }
  for (int round = 0; round < rounds; ++round) {
    if (round == rounds_of_all) leave_beyond(within);
    run_round();
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
