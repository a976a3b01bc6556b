#include "model/traffic/traffic_price.hpp"

#include <algorithm>
#include <array>
#include <utility>

namespace sparsecast {

std::string_view to_string(Bound bound) {
  switch (bound) {
    case Bound::launch:
      return "launch";
    case Bound::longest_row:
      return "longest row";
    case Bound::memory:
      return "memory";
    case Bound::cache:
      return "cache";
    case Bound::gather:
      return "gather";
    case Bound::near_cache:
      return "L1";
    case Bound::instructions:
      return "instructions";
    case Bound::waiting:
      break;
  }
  return "waiting";
}

Bound bound_of(const StepPrice& price) {
  const std::array parts{
      std::pair{price.fixed_seconds - price.longest_row_seconds - price.wave_seconds -
                    price.waiting_seconds,
                Bound::launch},
      std::pair{price.longest_row_seconds, Bound::longest_row},
      std::pair{price.memory_seconds, Bound::memory},
      std::pair{price.cache_seconds, Bound::cache},
      std::pair{price.gather_seconds, Bound::gather},
      std::pair{price.l1_seconds, Bound::near_cache},
      std::pair{price.instruction_seconds + price.wave_seconds, Bound::instructions},
      std::pair{price.waiting_seconds, Bound::waiting}};
  return std::ranges::max_element(parts, {}, &std::pair<double, Bound>::first)->second;
}

}  // namespace sparsecast
