#include "core/base/text/nearest_name.hpp"

#include <algorithm>
#include <cstddef>
#include <vector>

namespace sparsecast {

namespace {

/// Edit distance with swaps of neighbours (optimal string alignment).
std::size_t edits(std::string_view a, std::string_view b) {
  std::vector<std::vector<std::size_t>> table(a.size() + 1, std::vector<std::size_t>(b.size() + 1));
  for (std::size_t i = 0; i <= a.size(); ++i) {
    for (std::size_t j = 0; j <= b.size(); ++j) {
      if (i == 0 || j == 0) {
        table[i][j] = i + j;
        continue;
      }
      table[i][j] = std::min({table[i - 1][j] + 1, table[i][j - 1] + 1,
                              table[i - 1][j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1)});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1]) {
        table[i][j] = std::min(table[i][j], table[i - 2][j - 2] + 1);
      }
    }
  }
  return table[a.size()][b.size()];
}

}  // namespace

std::string nearest_name(std::string_view name, std::span<const std::string> known) {
  constexpr std::size_t longest = 64;  // no name of ours is longer
  if (name.size() > longest) return {};
  std::string nearest;
  std::size_t fewest = std::max<std::size_t>(name.size() / 3, 1) + 1;
  for (const std::string& candidate : known) {
    const std::size_t changes = edits(name, candidate);
    if (changes < fewest) {
      fewest = changes;
      nearest = candidate;
    }
  }
  return nearest;
}

std::string hint_of_name(std::string_view name, std::span<const std::string> known) {
  const std::string nearest = nearest_name(name, known);
  if (!nearest.empty()) return "did you mean '" + nearest + "'?";
  std::string all;
  for (const std::string& each : known) all += (all.empty() ? "" : ", ") + each;
  return "known are " + (all.empty() ? "none" : all);
}

}  // namespace sparsecast
