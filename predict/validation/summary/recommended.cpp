#include "predict/validation/summary/recommended.hpp"

#include <map>
#include <string>
#include <tuple>

#include "core/schedule/built_in_solvers.hpp"

namespace sparsecast {

std::vector<ValidationRow> recommended_cases(std::span<const ValidationRow> rows) {
  std::map<std::tuple<std::string, std::string, std::string, Precision>, const ValidationRow*>
      fastest;
  for (const ValidationRow& row : rows) {
    if (!is_ours(row.schedule) || !(row.predicted_seconds > 0)) continue;
    const ValidationRow*& best = fastest[{row.pattern, row.matrix, row.renumbering, row.precision}];
    if (best == nullptr || row.predicted_seconds < best->predicted_seconds) best = &row;
  }
  std::vector<ValidationRow> recommended;
  for (const auto& [key, row] : fastest) recommended.push_back(*row);
  return recommended;
}

}  // namespace sparsecast
