#include "cli/reports/table.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <utility>

#include "cli/reports/printable.hpp"

namespace sparsecast::cli {

namespace {

bool is_numeric(const std::string& cell) {
  if (cell.empty() || cell == "-") return true;
  return std::isdigit(static_cast<unsigned char>(cell[0])) ||
         (cell.size() > 1 && (cell[0] == '-' || cell[0] == '+') &&
          std::isdigit(static_cast<unsigned char>(cell[1])));
}

/// Characters on the screen: UTF-8 continuation bytes take no room.
std::size_t width(const std::string& cell) {
  return static_cast<std::size_t>(std::ranges::count_if(
      cell, [](char c) { return (static_cast<unsigned char>(c) & 0xC0u) != 0x80u; }));
}

/// Which columns of these widths fit.
std::vector<bool> fitting(const std::vector<std::size_t>& widths,
                          const std::vector<int>& left_out) {
  std::vector<bool> shown(widths.size(), true);
  const auto total = [&] {
    std::size_t sum = 0;
    for (std::size_t k = 0; k < widths.size(); ++k) {
      if (shown[k]) sum += widths[k] + (sum > 0 ? 2 : 0);
    }
    return sum;
  };
  while (total() > plain_table_width) {
    std::size_t next = widths.size();
    for (std::size_t k = 0; k < widths.size(); ++k) {
      if (!shown[k] || left_out[k] == 0) continue;
      if (next == widths.size() || left_out[k] >= left_out[next]) next = k;
    }
    if (next == widths.size()) break;
    shown[next] = false;
  }
  return shown;
}

std::string scaled(double value, const std::array<std::pair<double, const char*>, 5>& units) {
  for (const auto& [size, unit] : units) {
    if (std::abs(value) >= size * 0.9995) return format_number(value / size) + ' ' + unit;
  }
  const auto& [size, unit] = units.back();
  constexpr double nothing = 1e-3;  // of the smallest unit
  return format_number(std::abs(value) < nothing * size ? 0 : value / size) + ' ' + unit;
}

}  // namespace

Table::Table(std::vector<std::string> header) : left_out_(header.size(), 0) {
  rows_.push_back(std::move(header));
}

Table::Table(std::span<const TableColumn> header) {
  std::vector<std::string> names;
  for (const TableColumn& column : header) {
    names.push_back(column.name);
    left_out_.push_back(column.left_out);
  }
  rows_.push_back(std::move(names));
}

void Table::add_row(std::vector<std::string> cells) {
  cells.resize(rows_.front().size());
  for (std::string& cell : cells) cell = printable_line(cell);  // names come from anywhere
  rows_.push_back(std::move(cells));
}

std::vector<bool> Table::numeric_columns() const {
  std::vector<bool> numeric(rows_.front().size(), true);
  for (std::size_t row = 1; row < rows_.size(); ++row) {
    for (std::size_t column = 0; column < numeric.size(); ++column) {
      if (!is_numeric(rows_[row][column])) numeric[column] = false;
    }
  }
  return numeric;
}

void Table::print(std::ostream& out, TableStyle style) const {
  if (style == TableStyle::markdown) {
    print_markdown(out);
    return;
  }
  const std::size_t columns = rows_.front().size();
  std::vector<std::size_t> widths(columns, 0);
  const std::vector<bool> numeric = numeric_columns();
  for (const std::vector<std::string>& row : rows_) {
    for (std::size_t column = 0; column < columns; ++column) {
      widths[column] = std::max(widths[column], width(row[column]));
    }
  }
  const std::vector<bool> shown =
      style == TableStyle::wide ? std::vector<bool>(columns, true) : fitting(widths, left_out_);
  for (const auto& row : rows_) {
    std::string line;
    for (std::size_t column = 0; column < columns; ++column) {
      if (!shown[column]) continue;
      const std::string padding(widths[column] - width(row[column]), ' ');
      if (!line.empty()) line += "  ";
      line += numeric[column] ? padding + row[column] : row[column] + padding;
    }
    line.erase(line.find_last_not_of(' ') + 1);
    out << line << '\n';
  }
  std::string left_out;
  for (std::size_t column = 0; column < columns; ++column) {
    if (!shown[column]) left_out += (left_out.empty() ? "" : ", ") + rows_.front()[column];
  }
  if (!left_out.empty()) out << "(--wide: " << left_out << ")\n";
}

void Table::print_markdown(std::ostream& out) const {
  for (std::size_t row = 0; row < rows_.size(); ++row) {
    for (const std::string& cell : rows_[row]) {
      out << "| ";
      // A bar would end the cell.
      for (const char c : cell) out << (c == '|' ? "\\|" : std::string(1, c));
      out << (cell.empty() ? "" : " ");
    }
    out << "|\n";
    if (row > 0) continue;
    for (std::size_t column = 0; column < rows_.front().size(); ++column) out << "|---";
    out << "|\n";
  }
}

std::string format_number(double number) {
  if (!std::isfinite(number)) return "-";
  if (number == 0) return "0";
  const double magnitude = std::abs(number);
  if (magnitude >= 1e7 || magnitude < 1e-4) {
    std::array<char, 32> text{};
    std::snprintf(text.data(), text.size(), "%.2e", number);
    return text.data();
  }
  const int digits = std::max(0, 2 - static_cast<int>(std::floor(std::log10(magnitude))));
  std::array<char, 64> text{};
  std::snprintf(text.data(), text.size(), "%.*f", digits, number);
  return text.data();
}

std::string format_seconds(double seconds) {
  return scaled(seconds, {{{3600, "h"}, {1, "s"}, {1e-3, "ms"}, {1e-6, "us"}, {1e-9, "ns"}}});
}

std::string format_bytes(double bytes) {
  return scaled(bytes, {{{1e12, "TB"}, {1e9, "GB"}, {1e6, "MB"}, {1e3, "kB"}, {1, "B"}}});
}

std::string format_number(double number, const char* format) {
  std::array<char, 40> text{};
  std::snprintf(text.data(), text.size(), format, number);
  return text.data();
}

std::string format_fixed(double number, int digits) {
  std::array<char, 40> text{};
  std::snprintf(text.data(), text.size(), "%.*f", digits, number);
  return text.data();
}

std::string format_percent(double share) {
  return format_number(100 * share) + " %";
}

std::string format_fixed_percent(double share) {
  return format_fixed(100 * share, 1) + " %";
}

std::string format_count(long long count) {
  std::string digits = std::to_string(count);
  const long long start = digits[0] == '-' ? 1 : 0;
  for (long long i = static_cast<long long>(digits.size()) - 3; i > start; i -= 3) {
    digits.insert(static_cast<std::size_t>(i), 1, ' ');
  }
  return digits;
}

}  // namespace sparsecast::cli
