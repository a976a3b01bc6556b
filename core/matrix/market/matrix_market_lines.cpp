#include "core/matrix/market/matrix_market_lines.hpp"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <limits>
#include <utility>
#include <vector>

#include "core/base/files/gzip.hpp"
#include "core/base/text/decimal.hpp"

namespace sparsecast {
namespace {

constexpr std::int64_t largest_size = std::numeric_limits<std::int32_t>::max();
/// Beyond this many rows or columns, a file must hold an entry for every `largest_size_per_entry`
/// of them: what is kept for each of them is then no larger than what it brings.
constexpr std::int64_t size_without_entries = std::int64_t{1} << 20;
constexpr std::int64_t largest_size_per_entry = 16;
constexpr std::int64_t largest_exact_integer = std::int64_t{1} << 53;

std::vector<std::string_view> split(std::string_view line) {
  std::vector<std::string_view> columns;
  std::size_t at = 0;
  for (;;) {
    while (at < line.size() && is_blank(line[at])) ++at;
    if (at == line.size()) return columns;
    const std::size_t begin = at;
    while (at < line.size() && !is_blank(line[at])) ++at;
    columns.push_back(line.substr(begin, at - begin));
  }
}

/// A piece of the file for a message: one line, printable, short.
std::string quote(std::string_view text) {
  constexpr std::size_t longest = 40;
  std::string quoted = "'";
  for (const char c : text.substr(0, longest)) quoted += c >= ' ' && c <= '~' ? c : '?';
  return quoted + (text.size() > longest ? "...'" : "'");
}

std::string lower_case(std::string_view text) {
  std::string lower(text);
  for (char& c : lower) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return lower;
}

std::string number_of(std::int64_t count, const char* singular, const char* plural) {
  return std::to_string(count) + " " + (count == 1 ? singular : plural);
}

enum class WholeNumber { ok, not_a_number, too_large };

WholeNumber parse_whole(std::string_view token, std::int64_t& value) {
  if (token.starts_with('+') && token.size() > 1 && token[1] != '-') token.remove_prefix(1);
  const auto [end, error] = std::from_chars(token.data(), token.data() + token.size(), value);
  if (end != token.data() + token.size() || error == std::errc::invalid_argument) {
    return WholeNumber::not_a_number;
  }
  return error == std::errc() ? WholeNumber::ok : WholeNumber::too_large;
}

bool looks_like_text(std::string_view text) {
  return std::none_of(text.begin(), text.end(), [](char c) {
    return (static_cast<unsigned char>(c) < ' ' && c != '\n' && !is_blank(c)) || c == '\x7f';
  });
}

/// Line 2 of a Harwell-Boeing file counts lines, line 3 starts with a type such as RSA.
bool is_harwell_boeing(std::string_view beginning) {
  std::vector<std::string_view> lines;
  while (lines.size() < 3) {
    const std::size_t end = beginning.find('\n');
    if (end == std::string_view::npos) return false;
    lines.push_back(beginning.substr(0, end));
    beginning.remove_prefix(end + 1);
  }
  const auto counts = split(lines[1]);
  const auto type = split(lines[2]);
  std::int64_t ignored = 0;
  const auto is_count = [&](std::string_view token) {
    return parse_whole(token, ignored) == WholeNumber::ok;
  };
  if (counts.size() < 3 || !std::all_of(counts.begin(), counts.end(), is_count)) return false;
  if (type.size() < 4 || type[0].size() != 3) return false;
  const std::string code = lower_case(type[0]);
  return std::string_view("rcpiq").find(code[0]) != std::string_view::npos &&
         std::string_view("suhzr").find(code[1]) != std::string_view::npos &&
         std::string_view("aep").find(code[2]) != std::string_view::npos;
}

std::string describe_without_banner(std::string_view beginning) {
  const std::string start = lower_case(beginning.substr(0, 512));
  const std::size_t first = std::min(start.find_first_not_of(" \t\r\n"), start.size());
  const std::string_view text = std::string_view(start).substr(first);
  if (text.empty()) return "the file is empty";
  if (text.starts_with("<!doctype html") || text.starts_with("<html") ||
      text.find("<head") != std::string_view::npos) {
    return "this is an HTML page, not a matrix (a failed download?)";
  }
  if (text.starts_with("version https://git-lfs")) {
    return "this is a Git LFS pointer, not the matrix itself (run 'git lfs pull')";
  }
  if (text.starts_with("%matrixmarket")) {
    return "the banner starts with one % where there must be two (repair it with sed '1s/^/%/')";
  }
  if (start.size() >= 262 && std::string_view(start).substr(257, 5) == "ustar") {
    return "this is a tar archive (unpack it; the matrix is the .mtx file in it)";
  }
  const std::pair<std::string_view, const char*> formats[] = {{"pk\x03\x04", "a zip archive"},
                                                              {"bzh", "bzip2 data"},
                                                              {"\xfd"
                                                               "7zxz",
                                                               "xz data"},
                                                              {"\x28\xb5\x2f\xfd", "zstd data"},
                                                              {"\x89hdf", "an HDF5 file"},
                                                              {"matlab 5.0", "a MATLAB file"}};
  for (const auto& [magic, name] : formats) {
    if (start.starts_with(magic)) return std::string("this is ") + name + ", not a matrix in text";
  }
  if (is_gzip(beginning)) return "the file is compressed twice";
  if (is_harwell_boeing(beginning)) return "this is a Harwell-Boeing or Rutherford-Boeing file";
  if (start.starts_with("\xff\xfe") || start.starts_with("\xfe\xff")) {
    return "this is text in UTF-16 (convert it with iconv -f UTF-16 -t UTF-8)";
  }
  if (!looks_like_text(beginning.substr(0, 512))) return "this is binary data, not text";
  return "no Matrix Market banner, but " + quote(beginning.substr(0, beginning.find('\n')));
}

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
  const auto words = split(line);
  if (words.empty() || lower_case(words[0]) != "%%matrixmarket") {
    throw MalformedLine{1, describe_without_banner(beginning_) + "; " + expected};
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
    header_.symmetry = MatrixMarketSymmetry::general;
  } else if (symmetry == "symmetric") {
    header_.symmetry = MatrixMarketSymmetry::symmetric;
  } else if (symmetry == "skew-symmetric") {
    header_.symmetry = MatrixMarketSymmetry::skew_symmetric;
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
  const auto words = split(line);
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
    const std::int64_t largest = k < 2 ? largest_size : std::numeric_limits<std::int64_t>::max();
    if (status == WholeNumber::too_large || sizes[k] > largest) {
      throw MalformedLine{lines_, "the number of " + std::string(names[k]) + " is " +
                                      quote(words[k]) + "; expected at most " +
                                      std::to_string(largest)};
    }
  }
  header_.rows = sizes[0];
  header_.columns = sizes[1];
  if (header_.symmetry != MatrixMarketSymmetry::general && header_.rows != header_.columns) {
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
    case MatrixMarketSymmetry::general:
      header_.stored_entries = n * header_.columns;
      break;
    case MatrixMarketSymmetry::symmetric:
      header_.stored_entries = n * (n + 1) / 2;
      break;
    case MatrixMarketSymmetry::skew_symmetric:
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
  if (header.stored_entries > 0 && (header.rows == 0 || header.columns == 0)) {
    throw MalformedLine{size_line, "entries in a matrix of " + std::to_string(header.rows) + " x " +
                                       std::to_string(header.columns) +
                                       "; expected none, or a larger matrix"};
  }
  for (const auto& [size, name] : {std::pair(header.rows, "rows"), {header.columns, "columns"}}) {
    if (size <= size_without_entries || size / largest_size_per_entry <= header.stored_entries) {
      continue;
    }
    throw MalformedLine{size_line, std::to_string(size) + " " + name + " for " +
                                       number_of(header.stored_entries, "entry", "entries") +
                                       "; expected at most " +
                                       std::to_string(size_without_entries) + " " + name + ", or " +
                                       std::to_string(largest_size_per_entry) + " for each entry"};
  }
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

  const auto words = split(line);
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
    const std::string where =
        "entry (" + std::to_string(entry.row + 1) + ", " + std::to_string(entry.column + 1) + ")";
    if (header.symmetry == MatrixMarketSymmetry::symmetric && entry.column > entry.row) {
      error = where +
              " lies above the diagonal of a symmetric matrix; expected the lower triangle only";
    }
    if (header.symmetry == MatrixMarketSymmetry::skew_symmetric && entry.column >= entry.row) {
      error = where + (entry.column == entry.row ? " lies on" : " lies above") +
              " the diagonal of a skew-symmetric matrix; expected entries below it only";
    }
  }
  return error.empty() ? LineKind::entry : LineKind::malformed;
}

}  // namespace sparsecast
