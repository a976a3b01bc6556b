#include "cli/commands/bench/formats/statement_rules.hpp"

#include <algorithm>

#include "core/formats/registry.hpp"

namespace sparsecast::cli {

const std::vector<std::string>& paper_kernels() {
  static const std::vector<std::string> all = [] {
    std::vector<std::string> names;
    for (const Layout& layout : all_layouts()) {
      if (layout.format == "uncached") names.emplace_back(layout.variant);
    }
    return names;
  }();
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

double nonzeros_per_row(const FormatMeasurement& measurement) {
  return static_cast<double>(measurement.nonzeros) / static_cast<double>(measurement.rows);
}

const std::vector<std::string>& finite_element_names() {
  static const std::vector<std::string> all{"FEM/Spheres", "FEM/Cantilever", "FEM/Harbor",
                                            "FEM/Ship", "FEM/Accelerator"};
  return all;
}

}  // namespace sparsecast::cli
