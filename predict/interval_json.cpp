#include "predict/interval_json.hpp"

#include <vector>

namespace sparsecast {

JsonValue to_json(const std::optional<Interval>& interval) {
  if (!interval) return {};
  return std::vector<double>{interval->low, interval->high};
}

}  // namespace sparsecast
