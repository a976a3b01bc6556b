#include "cli/commands/bench/formats/statement_rules.hpp"

#include <algorithm>
#include <cstddef>
#include <utility>

namespace sparsecast::cli {

const std::vector<std::string>& paper_kernels() {
  static const std::vector<std::string> all{"dia",        "ell", "csr-scalar",
                                            "csr-vector", "coo", "hyb-paper"};
  return all;
}

std::vector<std::string> ranked_kernels(const FormatResults& results, const std::string& matrix,
                                        Precision precision) {
  const auto rate = [&](const std::string& kernel) {
    return results.rate(matrix, kernel, precision);
  };
  std::vector<std::string> names;
  for (const std::string& kernel : paper_kernels()) {
    if (rate(kernel) > 0) names.push_back(kernel);
  }
  std::ranges::stable_sort(names, std::ranges::greater{}, rate);
  return names;
}

std::string best_kernel(const FormatResults& results, const std::string& matrix,
                        Precision precision) {
  const std::vector<std::string> names = ranked_kernels(results, matrix, precision);
  return names.empty() ? "" : names.front();
}

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

double nonzeros_per_row(const FormatMeasurement& measurement) {
  return static_cast<double>(measurement.nonzeros) / static_cast<double>(measurement.rows);
}

const std::vector<std::string>& finite_element_names() {
  static const std::vector<std::string> all{"FEM/Spheres", "FEM/Cantilever", "FEM/Harbor",
                                            "FEM/Ship", "FEM/Accelerator"};
  return all;
}

}  // namespace sparsecast::cli
