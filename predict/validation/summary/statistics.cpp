#include "predict/validation/summary/statistics.hpp"

#include <cstddef>
#include <utility>

#include "model/working_set.hpp"

namespace sparsecast {

std::vector<StratumRows> by_stratum(std::span<const ValidationRow> rows) {
  std::vector<StratumRows> strata;
  for (std::size_t index = 0; index < working_set_strata().size(); ++index) {
    auto inside = select(rows, [index](const ValidationRow& row) {
      return working_set_stratum(row.working_set_bytes) == index;
    });
    if (!inside.empty()) strata.push_back({working_set_strata()[index].name, std::move(inside)});
  }
  return strata;
}

}  // namespace sparsecast
