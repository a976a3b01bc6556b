#include "core/visits.hpp"

#include <limits>

namespace sparsecast {

void Visits::add(const std::string& what, double seconds) {
  constexpr double none = std::numeric_limits<double>::infinity();
  auto& [fastest, second] = fastest_.try_emplace(what, std::array{none, none}).first->second;
  if (seconds < fastest) {
    second = fastest;
    fastest = seconds;
  } else if (seconds < second) {
    second = seconds;
  }
}

bool Visits::confirmed(const std::string& what) const {
  constexpr double agreement = 0.05;
  const auto found = fastest_.find(what);
  return found != fastest_.end() && found->second[1] <= (1 + agreement) * found->second[0];
}

}  // namespace sparsecast
