#include "core/matrix/files/market/matrix_market_lines.hpp"

#include <algorithm>
#include <limits>
#include <utility>
#include <vector>

#include "core/base/text/decimal.hpp"
#include "core/matrix/files/file_kind.hpp"
#include "core/matrix/files/stored_entries.hpp"
#include "core/matrix/files/text_tokens.hpp"

namespace sparsecast {
namespace {

constexpr std::int64_t largest_exact_integer = std::int64_t{1} << 53;

}  // namespace

bool MatrixMarketHeaderReader::take_line(std::string_view line) {
  ++lines_;
  if (line.size() > longest_line) {
    throw MalformedLine{lines_, "a line of more than " + std::to_string(longest_line) +
                                    " characters; expected a Matrix Market header"};
  }
  if (lines_ == 1) {
    take_banner(line);
    return false;
  }
  const std::size_t first = std::find_if_not(line.begin(), line.end(), is_blank) - line.begin();
  if (first == line.size() || line[first] == '%') return false;
  take_size_line(line);
  return true;
}

void MatrixMarketHeaderReader::take_banner(std::string_view line) {
  constexpr const char* expected =
      "expected '%%MatrixMarket matrix coordinate|array real|integer|pattern "
      "general|symmetric|skew-symmetric'";
  const auto fail = [&](const std::string& what, const std::string& wanted) {
    throw MalformedLine{1, what + "; expected " + wanted};
  };
  if (line.starts_with("\xef\xbb\xbf")) line.remove_prefix(3);  // a byte order mark says UTF-8
  const auto words = split_words(line);
  if (words.empty() || lower_case(words[0]) != "%%matrixmarket") {
    throw MalformedLine{1, describe_unreadable(beginning_)};
  }
  if (words.size() != 5) {
    throw MalformedLine{1, "the banner has " +
                               number_of(static_cast<std::int64_t>(words.size()), "word", "words") +
                               " where there must be 5; " + expected};
  }

  if (lower_case(words[1]) != "matrix") {
    fail("the object is " + quote(words[1]), "'matrix'");
  }
  const std::string format = lower_case(words[2]);
  if (format != "coordinate" && format != "array") {
    fail("the format is " + quote(words[2]), "'coordinate' or 'array'");
  }
  header_.coordinate = format == "coordinate";

  const std::string field = lower_case(words[3]);
  const std::string symmetry = lower_case(words[4]);
  if (field == "real" || field == "double") {
    header_.field = MatrixMarketField::real;
  } else if (field == "integer") {
    header_.field = MatrixMarketField::integer;
  } else if (field == "pattern") {
    header_.field = MatrixMarketField::pattern;
  } else {
    fail(
        field == "complex" ? "complex values are not supported" : "the field is " + quote(words[3]),
        "'real', 'integer' or 'pattern'");
  }
  if (symmetry == "general") {
    header_.symmetry = StoredSymmetry::general;
  } else if (symmetry == "symmetric") {
    header_.symmetry = StoredSymmetry::symmetric;
  } else if (symmetry == "skew-symmetric") {
    header_.symmetry = StoredSymmetry::skew_symmetric;
  } else {
    fail(symmetry == "hermitian" ? "Hermitian matrices are not supported"
                                 : "the symmetry is " + quote(words[4]),
         "'general', 'symmetric' or 'skew-symmetric'");
  }
  if (!header_.coordinate && header_.field == MatrixMarketField::pattern) {
    fail("an array cannot be a pattern", "'real' or 'integer', or the format 'coordinate'");
  }
}

void MatrixMarketHeaderReader::take_size_line(std::string_view line) {
  const char* const expected =
      header_.coordinate ? "expected 'rows columns entries'" : "expected 'rows columns'";
  const auto fail = [&](const std::string& what) {
    throw MalformedLine{lines_, what + "; " + expected};
  };
  const auto words = split_words(line);
  const std::size_t wanted = header_.coordinate ? 3 : 2;
  if (words.size() != wanted) {
    fail("the size line has " +
         number_of(static_cast<std::int64_t>(words.size()), "column", "columns"));
  }
  const char* const names[] = {"rows", "columns", "entries"};
  std::int64_t sizes[3] = {0, 0, 0};
  for (std::size_t k = 0; k < wanted; ++k) {
    const WholeNumber status = parse_whole(words[k], sizes[k]);
    if (status == WholeNumber::not_a_number) {
      fail("the number of " + std::string(names[k]) + " is " + quote(words[k]) +
           ", not a whole number");
    }
    const bool negative = words[k].starts_with('-') && sizes[k] <= 0 && words[k] != "-0";
    if (negative)
      fail("the number of " + std::string(names[k]) + " is negative: " + quote(words[k]));
    const std::int64_t largest =
        k < 2 ? largest_matrix_size : std::numeric_limits<std::int64_t>::max();
    if (status == WholeNumber::too_large || sizes[k] > largest) {
      throw MalformedLine{lines_, "the number of " + std::string(names[k]) + " is " +
                                      quote(words[k]) + "; expected at most " +
                                      std::to_string(largest)};
    }
  }
  header_.rows = sizes[0];
  header_.columns = sizes[1];
  if (header_.symmetry != StoredSymmetry::general && header_.rows != header_.columns) {
    throw MalformedLine{lines_, "a symmetric matrix of " + std::to_string(header_.rows) + " x " +
                                    std::to_string(header_.columns) +
                                    "; expected as many rows as columns"};
  }
  if (header_.coordinate) {
    header_.stored_entries = sizes[2];
    return;
  }
  const std::int64_t n = header_.rows;
  switch (header_.symmetry) {
    case StoredSymmetry::general:
      header_.stored_entries = n * header_.columns;
      break;
    case StoredSymmetry::symmetric:
      header_.stored_entries = n * (n + 1) / 2;
      break;
    case StoredSymmetry::skew_symmetric:
      header_.stored_entries = n * (n - 1) / 2;
      break;
  }
}

void check_plausible(const MatrixMarketHeader& header, std::int64_t size_line,
                     std::int64_t bytes_left) {
  if (header.stored_entries > bytes_left) {
    throw MalformedLine{size_line, "the size line announces " +
                                       std::to_string(header.stored_entries) +
                                       " entries, but at most " +
                                       number_of(bytes_left, "byte follows", "bytes follow") +
                                       "; expected fewer entries, or the rest of the file"};
  }
  const std::string wrong = wrong_sizes(header.rows, header.columns, header.stored_entries);
  if (!wrong.empty()) throw MalformedLine{size_line, wrong};
}

std::string entry_columns(const MatrixMarketHeader& header) {
  if (!header.coordinate) return "one value";
  return header.field == MatrixMarketField::pattern ? "row and column" : "row, column and value";
}

namespace {

/// Reads a row or column index; the error if it is none.
std::string parse_index(std::string_view token, const char* name, std::int64_t size,
                        std::int32_t& index) {
  std::int64_t value = 0;
  const WholeNumber status = parse_whole(token, value);
  const std::string expected = "; expected 1 to " + std::to_string(size);
  if (status == WholeNumber::not_a_number) {
    return std::string(name) + " index " + quote(token) + " is not a whole number" + expected;
  }
  if (status == WholeNumber::ok && value == 0) {
    return std::string(name) + " index 0" + expected + " (Matrix Market counts from 1)";
  }
  if (status == WholeNumber::too_large || value < 1 || value > size) {
    return std::string(name) + " index " + quote(token) + " lies outside the matrix" + expected;
  }
  index = static_cast<std::int32_t>(value - 1);
  return {};
}

std::string parse_value(std::string_view token, MatrixMarketField field, double& value) {
  if (field == MatrixMarketField::integer) {
    std::int64_t whole = 0;
    const WholeNumber status = parse_whole(token, whole);
    if (status == WholeNumber::not_a_number) {
      return "value " + quote(token) +
             " is not a whole number; expected integers, as the banner says";
    }
    if (status == WholeNumber::too_large || whole > largest_exact_integer ||
        whole < -largest_exact_integer) {
      return "integer value " + quote(token) +
             " is too large; expected at most 2^53 = " + std::to_string(largest_exact_integer) +
             " in magnitude, which a double holds exactly";
    }
    value = static_cast<double>(whole);
    return {};
  }
  switch (parse_decimal(token, value)) {
    case DecimalStatus::ok:
      return {};
    case DecimalStatus::not_a_number:
      return "value " + quote(token) + " is not a number; expected one such as 1, -0.5 or 2.5e-3";
    case DecimalStatus::not_finite:
      return "value " + quote(token) + " is not finite; expected a finite number";
    case DecimalStatus::too_large:
      return "value " + quote(token) + " is too large for a double; expected at most 1.8e308";
  }
  return {};
}

}  // namespace

LineKind parse_entry_line(std::string_view line, const MatrixMarketHeader& header,
                          MatrixMarketEntry& entry, std::string& error) {
  if (line.size() > longest_line) {
    error = "a line of more than " + std::to_string(longest_line) + " characters; expected " +
            entry_columns(header);
    return LineKind::malformed;
  }
  const std::size_t first = std::find_if_not(line.begin(), line.end(), is_blank) - line.begin();
  if (first == line.size() || line[first] == '%') return LineKind::empty;

  const auto words = split_words(line);
  const bool has_value = header.field != MatrixMarketField::pattern;
  const std::size_t wanted = (header.coordinate ? 2 : 0) + (has_value ? 1 : 0);
  if (header.coordinate) {
    error = parse_index(words[0], "row", header.rows, entry.row);
    if (error.empty() && words.size() > 1) {
      error = parse_index(words[1], "column", header.columns, entry.column);
    }
  }
  if (error.empty() && words.size() != wanted) {
    error = "the line has " +
            number_of(static_cast<std::int64_t>(words.size()), "column", "columns") +
            ", the last is " + quote(words.back()) + "; expected " + entry_columns(header);
  }
  if (error.empty() && has_value) error = parse_value(words.back(), header.field, entry.value);
  if (error.empty() && header.coordinate) {
    error = wrong_place(entry.row, entry.column, header.symmetry);
  }
  return error.empty() ? LineKind::entry : LineKind::malformed;
}

}  // namespace sparsecast
