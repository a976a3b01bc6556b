#include "core/matrix/files/stored_entries.hpp"

#include <utility>

namespace sparsecast {
namespace {

/// Beyond this many rows or columns, a file must hold an entry for every `largest_size_per_entry`
/// of them: what is kept for each of them is then no larger than what it brings.
constexpr std::int64_t size_without_entries = std::int64_t{1} << 20;
constexpr std::int64_t largest_size_per_entry = 16;

std::string number_of_entries(std::int64_t count) {
  return std::to_string(count) + (count == 1 ? " entry" : " entries");
}

}  // namespace

std::int64_t begin_of_part(std::int64_t count, int part, int parts) {
  return count / parts * part + count % parts * part / parts;
}

std::string wrong_sizes(std::int64_t rows, std::int64_t columns, std::int64_t entries) {
  for (const auto& [size, name] : {std::pair(rows, "rows"), {columns, "columns"}}) {
    if (size < 0 || size > largest_matrix_size) {
      return std::to_string(size) + " " + name + "; expected 0 to " +
             std::to_string(largest_matrix_size);
    }
  }
  if (entries > 0 && (rows == 0 || columns == 0)) {
    return "entries in a matrix of " + std::to_string(rows) + " x " + std::to_string(columns) +
           "; expected none, or a larger matrix";
  }
  for (const auto& [size, name] : {std::pair(rows, "rows"), {columns, "columns"}}) {
    if (size <= size_without_entries || size / largest_size_per_entry <= entries) continue;
    return std::to_string(size) + " " + name + " for " + number_of_entries(entries) +
           "; expected at most " + std::to_string(size_without_entries) + " " + name + ", or " +
           std::to_string(largest_size_per_entry) + " for each entry";
  }
  return {};
}

std::string entry_text(std::int64_t row, std::int64_t column) {
  return "entry (" + std::to_string(row + 1) + ", " + std::to_string(column + 1) + ")";
}

std::string wrong_place(std::int64_t row, std::int64_t column, StoredSymmetry symmetry) {
  if (symmetry == StoredSymmetry::symmetric && column > row) {
    return entry_text(row, column) +
           " lies above the diagonal of a symmetric matrix; expected the lower triangle only";
  }
  if (symmetry == StoredSymmetry::skew_symmetric && column >= row) {
    return entry_text(row, column) + (column == row ? " lies on" : " lies above") +
           " the diagonal of a skew-symmetric matrix; expected entries below it only";
  }
  return {};
}

}  // namespace sparsecast
