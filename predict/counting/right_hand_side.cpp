#include "predict/counting/right_hand_side.hpp"

#include <random>

#include "core/base/error.hpp"

namespace sparsecast {

std::optional<std::vector<double>> named_right_hand_side(std::string_view name, std::int64_t rows,
                                                         std::int64_t first) {
  if (name != "ones" && name != "random") return std::nullopt;
  std::vector<double> b(static_cast<std::size_t>(rows), 1);
  if (name == "ones") return b;
  std::mt19937 random(1);
  random.discard(static_cast<unsigned long long>(first));
  for (double& value : b) value = 0.5 + static_cast<double>(random()) / 4294967296.0;
  return b;
}

std::vector<double> right_hand_side_of(const CsrMatrix<double>& column, std::int64_t rows,
                                       const std::string& source) {
  if (column.rows != rows || column.columns != 1) {
    throw Error(source + ": " + std::to_string(column.rows) + " rows and " +
                std::to_string(column.columns) + " columns; expected one column of " +
                std::to_string(rows) + " rows");
  }
  std::vector<double> b(static_cast<std::size_t>(rows), 0);
  for (std::size_t row = 0; row < b.size(); ++row) {
    if (column.row_offsets[row] == column.row_offsets[row + 1]) continue;
    b[row] = column.values[static_cast<std::size_t>(column.row_offsets[row])];
  }
  return b;
}

}  // namespace sparsecast
