#include "cli/reports/matrix_report.hpp"

namespace sparsecast::cli {

std::string symmetry_text(const MatrixFeatures& features) {
  if (features.rows != features.columns) return "no (not square)";
  if (features.symmetric) return "pattern and values";
  return features.pattern_symmetric ? "pattern only" : "no";
}

std::string diagonal_text(const MatrixFeatures& features) {
  std::string text;
  const auto add = [&](std::int64_t count, const char* what) {
    if (count > 0) text += (text.empty() ? "" : ", ") + format_count(count) + ' ' + what;
  };
  add(features.missing_diagonal, "missing");
  add(features.zero_diagonal, "zero");
  add(features.negative_diagonal, "negative");
  return text.empty() ? "full, positive" : text;
}

std::string row_length_text(const RowLengths& lengths) {
  return "min " + std::to_string(lengths.min) + ", mean " + format_number(lengths.mean) + ", max " +
         std::to_string(lengths.max) + ", standard deviation " + format_number(lengths.stddev);
}

std::string row_length_class(std::size_t histogram_class) {
  const auto [from, to] = row_length_range(histogram_class);
  return from == to ? std::to_string(from) : std::to_string(from) + " to " + std::to_string(to);
}

}  // namespace sparsecast::cli
