#include "cli/reports/table.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <utility>

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

std::string scaled(double value, const std::array<std::pair<double, const char*>, 5>& units) {
  for (const auto& [size, unit] : units) {
    if (std::abs(value) >= size * 0.9995) return format_number(value / size) + ' ' + unit;
  }
  const auto& [size, unit] = units.back();
  constexpr double nothing = 1e-3;  // of the smallest unit
  return format_number(std::abs(value) < nothing * size ? 0 : value / size) + ' ' + unit;
}

}  // namespace

Table::Table(std::vector<std::string> header) {
  rows_.push_back(std::move(header));
}

void Table::add_row(std::vector<std::string> cells) {
  cells.resize(rows_.front().size());
  rows_.push_back(std::move(cells));
}

void Table::print(std::ostream& out, TableStyle style) const {
  if (style == TableStyle::markdown) {
    print_markdown(out);
    return;
  }
  const std::size_t columns = rows_.front().size();
  std::vector<std::size_t> widths(columns, 0);
  std::vector<bool> numeric(columns, true);
  for (std::size_t row = 0; row < rows_.size(); ++row) {
    for (std::size_t column = 0; column < columns; ++column) {
      widths[column] = std::max(widths[column], width(rows_[row][column]));
      if (row > 0 && !is_numeric(rows_[row][column])) numeric[column] = false;
    }
  }
  for (const auto& row : rows_) {
    std::string line;
    for (std::size_t column = 0; column < columns; ++column) {
      const std::string padding(widths[column] - width(row[column]), ' ');
      if (column > 0) line += "  ";
      line += numeric[column] ? padding + row[column] : row[column] + padding;
    }
    line.erase(line.find_last_not_of(' ') + 1);
    out << line << '\n';
  }
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
