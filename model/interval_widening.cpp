#include "model/interval_widening.hpp"

#include <algorithm>
#include <cmath>

namespace sparsecast {

double unlike_widening(double likeness) {
  constexpr double alike = 0.2;
  return 1 + std::max(0.0, 1 - likeness / alike);
}

double size_widening(double bytes, double largest_bytes) {
  if (!(largest_bytes > 0) || bytes <= largest_bytes) return 1;
  return 1 + std::log(bytes / largest_bytes);
}

}  // namespace sparsecast
