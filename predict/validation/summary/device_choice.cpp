#include "predict/validation/summary/device_choice.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <limits>
#include <map>
#include <tuple>
#include <vector>

#include "core/matrix/renumbering.hpp"
#include "predict/advice/best_choice.hpp"
#include "predict/validation/summary/statistics.hpp"

namespace sparsecast {

namespace {

/// The fastest of a matrix with one number of devices.
struct Fastest {
  double measured = std::numeric_limits<double>::infinity();
  double predicted = std::numeric_limits<double>::infinity();
};

}  // namespace

DeviceChoiceLine summarize_device_choices(std::span<const ValidationRow> rows) {
  std::map<std::tuple<std::string, std::string, std::string>, std::map<int, Fastest>> groups;
  for (const ValidationRow& row : rows) {
    Fastest& fastest = groups[{row.pattern, row.matrix, row.renumbering}][row.devices];
    fastest.measured = std::min(fastest.measured, row.measured_seconds);
    fastest.predicted = std::min(fastest.predicted, row.predicted_seconds);
  }
  // Orders for several devices are beside the order as given, which one device has.
  for (auto& [key, counts] : groups) {
    const auto& [pattern, matrix, renumbering] = key;
    if (renumbering != to_string(Renumbering::metis)) continue;
    const auto given = groups.find({pattern, matrix, std::string(to_string(Renumbering::none))});
    if (given != groups.end() && given->second.contains(1)) counts[1] = given->second.at(1);
  }
  struct Pattern {
    std::vector<double> several, within, losses, speedup_errors;
  };
  std::map<std::string, Pattern> patterns;
  DeviceChoiceLine line;
  line.max_loss = -1;
  for (const auto& [key, counts] : groups) {
    if (counts.size() < 2) continue;
    const auto best = std::ranges::min_element(
        counts, {}, [](const auto& entry) { return entry.second.measured; });
    double least = std::numeric_limits<double>::infinity();
    for (const auto& [count, fastest] : counts) least = std::min(least, fastest.predicted);
    const auto chosen = std::ranges::find_if(counts, [&](const auto& entry) {
      return entry.second.predicted <= (1 + tie_margin) * least;
    });
    const double loss = chosen->second.measured / best->second.measured - 1;
    Pattern& pattern = patterns[std::get<0>(key)];
    pattern.several.push_back(best->first > 1 ? 1 : 0);
    pattern.within.push_back(loss <= tie_margin ? 1 : 0);
    pattern.losses.push_back(loss);
    const Fastest& one = counts.begin()->second;
    for (auto other = std::next(counts.begin()); other != counts.end(); ++other) {
      pattern.speedup_errors.push_back(std::abs(
          (one.predicted / other->second.predicted) / (one.measured / other->second.measured) - 1));
    }
    if (loss > line.max_loss) {
      line.max_loss = loss;
      line.worst_matrix = std::get<1>(key);
    }
  }
  const auto mean_of = [&](std::vector<double> Pattern::*member) {
    std::vector<double> means;
    for (const auto& [key, pattern] : patterns) means.push_back(mean(pattern.*member));
    return means;
  };
  line.matrices = patterns.size();
  line.several_best = mean(mean_of(&Pattern::several));
  line.within_margin = mean(mean_of(&Pattern::within));
  line.mean_loss = mean(mean_of(&Pattern::losses));
  line.mean_speedup_error = mean(mean_of(&Pattern::speedup_errors));
  line.median_speedup_error = quantile(mean_of(&Pattern::speedup_errors), 0.5);
  return line;
}

}  // namespace sparsecast
