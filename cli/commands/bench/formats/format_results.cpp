#include "cli/commands/bench/formats/format_results.hpp"

#include <algorithm>
#include <ranges>
#include <set>

#include "cli/commands/bench/bench_options.hpp"
#include "core/matrix/generate/table4.hpp"

namespace sparsecast::cli {

FormatResults::FormatResults(std::span<const FormatMeasurement> all, const std::string& description,
                             double scale) {
  for (const FormatMeasurement& m : all) {
    if (m.description != description) continue;
    if (m.set == "structured" && m.scale != scale) continue;
    measurements_.push_back(&m);
  }
}

const FormatMeasurement* FormatResults::find(std::string_view matrix, std::string_view layout,
                                             Precision precision, std::string_view x) const {
  const auto found =
      std::find_if(measurements_.rbegin(), measurements_.rend(), [&](const FormatMeasurement* m) {
        return m->matrix == matrix && m->layout == layout && m->precision == precision && m->x == x;
      });
  return found == measurements_.rend() ? nullptr : *found;
}

double FormatResults::rate(std::string_view matrix, std::string_view layout, Precision precision,
                           std::string_view x) const {
  const FormatMeasurement* m = find(matrix, layout, precision, x);
  constexpr double giga = 1e9;
  return m == nullptr ? 0 : m->flops_per_second() / giga;
}

std::vector<double> FormatResults::rates(std::span<const std::string> matrices,
                                         std::string_view layout, Precision precision,
                                         std::string_view x) const {
  std::vector<double> rates;
  for (const std::string& matrix : matrices) rates.push_back(rate(matrix, layout, precision, x));
  return rates;
}

bool FormatResults::is_gpu() const {
  return !measurements_.empty() && cli::is_gpu(measurements_.front()->device);
}

std::string_view tall_dense_name() {
  return find_table4_matrix("dense-tall").printed;
}

const std::vector<std::string>& unstructured_names() {
  static const std::vector<std::string> names = [] {
    std::vector<std::string> all;
    for (const Table4Matrix& matrix : table4_matrices()) {
      if (matrix.printed != tall_dense_name()) all.emplace_back(matrix.printed);
    }
    return all;
  }();
  return names;
}

std::vector<double> measured_scales(std::span<const FormatMeasurement> all,
                                    const std::string& description) {
  std::set<double> scales;
  for (const FormatMeasurement& m : all) {
    if (m.set == "structured" && m.description == description) scales.insert(m.scale);
  }
  return {scales.begin(), scales.end()};
}

}  // namespace sparsecast::cli
