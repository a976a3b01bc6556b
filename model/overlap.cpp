#include "model/overlap.hpp"

#include <algorithm>
#include <cmath>

namespace sparsecast {

double overlapped(std::span<const double> seconds, double exponent) {
  const double most = seconds.empty() ? 0 : *std::ranges::max_element(seconds);
  if (!(most > 0)) return 0;
  double sum = 0;
  for (const double each : seconds) {
    // The longest and absent ones need no power.
    if (each > 0) sum += each == most ? 1 : std::pow(each / most, exponent);
  }
  return most * std::pow(sum, 1 / exponent);
}

}  // namespace sparsecast
