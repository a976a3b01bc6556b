#include "cli/plots/map_levels.hpp"

#include <cstddef>

#include "cli/plots/round_numbers.hpp"

namespace sparsecast::cli {

std::vector<double> speedup_levels(double largest) {
  std::vector<double> levels{0.125, 0.25, 0.5, 0.75};
  constexpr double most_even = 8;  // of more devices doubles
  const double step = largest <= 2 ? 0.25 : largest <= 4 ? 0.5 : 1;
  for (double level = 1 + step; level < largest && largest <= most_even; level += step) {
    levels.push_back(level);
  }
  for (double level = 2; level < largest && largest > most_even; level *= 2) {
    levels.push_back(level);
  }
  return levels;
}

std::vector<double> map_levels(const PerformanceMap& map) {
  constexpr std::size_t enough = 6;
  constexpr std::size_t few = 2;
  std::vector<double> levels;
  const auto drop_outside = [&] {
    std::erase_if(levels,
                  [&](double level) { return level <= map.smallest || level >= map.largest; });
  };
  if (map.request.quantity == MapQuantity::speedup) levels = speedup_levels(map.largest);
  drop_outside();
  if (levels.size() >= few) return levels;
  levels = round_numbers(map.smallest, map.largest, enough);
  drop_outside();
  return levels;
}

std::vector<double> ratio_levels() {
  return {1.1, 1.5, 2.0, 3.0, 5.0, 10.0, 20.0, 50.0, 100.0};
}

}  // namespace sparsecast::cli
