#include "cli/commands/bench/paper/numbers.hpp"

#include <algorithm>

namespace sparsecast::cli {

std::string count_text(std::size_t count, std::size_t all) {
  return std::to_string(count) + " of " + std::to_string(all);
}

std::string list_text(const std::vector<std::string>& names) {
  std::string text;
  for (const std::string& name : names) text += (text.empty() ? "" : ", ") + name;
  return text;
}

double least_of(const std::vector<double>& values) {
  return *std::ranges::min_element(values);
}
double most_of(const std::vector<double>& values) {
  return *std::ranges::max_element(values);
}

double median_of(std::vector<double> values) {
  std::ranges::sort(values);
  const std::size_t middle = values.size() / 2;
  return values.size() % 2 == 1 ? values[middle] : (values[middle - 1] + values[middle]) / 2;
}

}  // namespace sparsecast::cli
