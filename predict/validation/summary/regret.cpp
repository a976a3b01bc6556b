#include "predict/validation/summary/regret.hpp"

#include <map>
#include <tuple>
#include <vector>

#include "predict/validation/summary/statistics.hpp"

namespace sparsecast {

RegretSummary summarize_regret(std::span<const ValidationRow> rows) {
  struct Group {
    const ValidationRow* predicted_best = nullptr;
    const ValidationRow* measured_best = nullptr;
    std::size_t choices = 0;
  };
  std::map<std::tuple<std::string, std::string, std::string>, Group> groups;
  for (const ValidationRow& row : rows) {
    Group& group = groups[{row.pattern, row.matrix, row.renumbering}];
    ++group.choices;
    if (group.predicted_best == nullptr ||
        row.predicted_seconds < group.predicted_best->predicted_seconds) {
      group.predicted_best = &row;
    }
    if (group.measured_best == nullptr ||
        row.measured_seconds < group.measured_best->measured_seconds) {
      group.measured_best = &row;
    }
  }

  RegretSummary summary;
  std::map<std::string, std::vector<double>> regrets;
  std::size_t decisions = 0;
  std::size_t right = 0;
  summary.max = -1;
  for (const auto& [key, group] : groups) {
    if (group.choices < 2) continue;
    const double regret =
        group.predicted_best->measured_seconds / group.measured_best->measured_seconds - 1;
    ++decisions;
    if (group.predicted_best == group.measured_best) ++right;
    regrets[std::get<0>(key)].push_back(regret);
    if (regret > summary.max) {
      summary.max = regret;
      summary.worst_matrix = std::get<1>(key);
    }
  }
  if (decisions == 0) return {};
  std::vector<double> each;
  for (const auto& [pattern, values] : regrets) each.push_back(mean(values));
  summary.matrices = each.size();
  summary.mean = mean(each);
  summary.median = quantile(each, 0.5);
  summary.p95 = quantile(each, 0.95);
  summary.best_share = static_cast<double>(right) / static_cast<double>(decisions);
  return summary;
}

}  // namespace sparsecast
