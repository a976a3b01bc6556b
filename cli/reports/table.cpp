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

/// Of the columns that are shown, with two spaces between them.
std::size_t total_width(const std::vector<std::size_t>& widths, const std::vector<bool>& shown) {
  std::size_t sum = 0;
  for (std::size_t k = 0; k < widths.size(); ++k) {
    if (shown[k]) sum += widths[k] + (sum > 0 ? 2 : 0);
  }
  return sum;
}

/// Leaves out of the columns that may go, the highest rank first, until the rest fits.
void leave_out(const std::vector<std::size_t>& widths, const std::vector<TableColumn>& columns,
               const std::vector<bool>& may_go, std::vector<bool>& shown) {
  while (total_width(widths, shown) > plain_table_width) {
    std::size_t next = widths.size();
    for (std::size_t k = 0; k < widths.size(); ++k) {
      if (!shown[k] || !may_go[k]) continue;
      if (next == widths.size() || columns[k].left_out >= columns[next].left_out) next = k;
    }
    if (next == widths.size()) return;
    shown[next] = false;
  }
}

/// What a text is at least as wide as that is cut.
std::size_t least_width(const TableColumn& column) {
  constexpr std::size_t least = 8;
  return std::max(least, width(column.name));
}

/// Makes the columns that may be cut narrower, the widest first, until the table fits.
void narrow(const std::vector<TableColumn>& columns, const std::vector<bool>& may_be_cut,
            const std::vector<bool>& shown, std::vector<std::size_t>& widths) {
  while (total_width(widths, shown) > plain_table_width) {
    std::size_t widest = widths.size();
    for (std::size_t k = 0; k < widths.size(); ++k) {
      if (!shown[k] || !may_be_cut[k] || widths[k] <= least_width(columns[k])) continue;
      if (widest == widths.size() || widths[k] > widths[widest]) widest = k;
    }
    if (widest == widths.size()) return;
    --widths[widest];
  }
}

/// A cell without its middle where it is wider: names differ at their ends.
std::string without_middle(const std::string& cell, std::size_t most) {
  const std::size_t characters = width(cell);
  if (characters <= most) return cell;
  const std::string gap = "..";
  const std::size_t behind = (most - gap.size()) / 2;
  const std::size_t before = most - gap.size() - behind;
  std::string kept;
  std::size_t place = 0;  // of characters, the next one's
  bool in_gap = false;
  for (const char c : cell) {
    if ((static_cast<unsigned char>(c) & 0xC0u) != 0x80u) {
      in_gap = place >= before && place < characters - behind;
      if (place == before) kept += gap;
      ++place;
    }
    if (!in_gap) kept += c;
  }
  return kept;
}

/// "(--wide: raw GFlop/s, fits)", in lines that are no wider than tables.
std::string left_out_text(const std::vector<std::string>& names) {
  const std::string begin = "(--wide: ";
  std::string text = begin;
  std::size_t line = width(begin);
  for (std::size_t k = 0; k < names.size(); ++k) {
    const std::string item = names[k] + (k + 1 < names.size() ? "," : ")");
    if (k > 0 && line + 1 + width(item) > plain_table_width) {
      text += '\n' + std::string(begin.size(), ' ');
      line = begin.size();
    } else if (k > 0) {
      text += ' ';
      ++line;
    }
    text += item;
    line += width(item);
  }
  return text + '\n';
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

Table::Table(const std::vector<std::string>& header) : rows_{header} {
  for (const std::string& name : header) columns_.emplace_back(name);
}

Table::Table(std::span<const TableColumn> header) : columns_(header.begin(), header.end()) {
  std::vector<std::string> names;
  for (const TableColumn& column : header) names.push_back(column.name);
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

std::vector<std::size_t> Table::widths() const {
  std::vector<std::size_t> widths(rows_.front().size(), 0);
  for (const std::vector<std::string>& row : rows_) {
    for (std::size_t column = 0; column < widths.size(); ++column) {
      widths[column] = std::max(widths[column], width(row[column]));
    }
  }
  return widths;
}

bool Table::differs(std::size_t column) const {
  return std::any_of(rows_.begin() + 1, rows_.end(),
                     [&](const auto& row) { return row[column] != rows_[1][column]; });
}

std::vector<bool> Table::fitting(const std::vector<std::size_t>& widths) const {
  // A name of more characters is cut before a column goes for it.
  constexpr std::size_t long_name = 40;
  const std::vector<bool> numeric = numeric_columns();
  std::vector<std::size_t> whole = widths;
  std::vector<std::size_t> least = widths;
  std::vector<bool> may_go(widths.size());
  std::vector<bool> may_go_last(widths.size());
  for (std::size_t k = 0; k < widths.size(); ++k) {
    may_go_last[k] = columns_[k].left_out > 0;
    may_go[k] = may_go_last[k] && !(columns_[k].tells_apart && differs(k));
    if (numeric[k] && !columns_[k].names) continue;
    whole[k] = std::min(whole[k], std::max(long_name, least_width(columns_[k])));
    least[k] = std::min(least[k], least_width(columns_[k]));
  }
  std::vector<bool> shown(widths.size(), true);
  leave_out(whole, columns_, may_go, shown);
  leave_out(least, columns_, may_go_last, shown);
  return shown;
}

void Table::print(std::ostream& out, TableStyle style) const {
  if (style == TableStyle::markdown) {
    print_markdown(out);
    return;
  }
  const std::size_t columns = rows_.front().size();
  std::vector<std::size_t> widths = this->widths();
  const std::vector<bool> numeric = numeric_columns();
  std::vector<bool> shown(columns, true);
  if (style == TableStyle::plain) {
    shown = fitting(widths);
    std::vector<bool> names(columns);
    std::vector<bool> texts(columns);
    for (std::size_t k = 0; k < columns; ++k) {
      names[k] = columns_[k].names;
      texts[k] = names[k] || !numeric[k];
    }
    narrow(columns_, names, shown, widths);
    narrow(columns_, texts, shown, widths);
  }
  bool whole = true;
  for (const auto& row : rows_) {
    std::string line;
    for (std::size_t column = 0; column < columns; ++column) {
      if (!shown[column]) continue;
      const std::string cell = without_middle(row[column], widths[column]);
      if (cell != row[column]) whole = false;
      const std::string padding(widths[column] - width(cell), ' ');
      if (!line.empty()) line += "  ";
      line += numeric[column] ? padding + cell : cell + padding;
    }
    line.erase(line.find_last_not_of(' ') + 1);
    out << line << '\n';
  }
  std::vector<std::string> left_out;
  for (std::size_t column = 0; column < columns; ++column) {
    if (!shown[column]) left_out.push_back(rows_.front()[column]);
  }
  if (!whole) left_out.emplace_back("whole names");
  if (!left_out.empty()) out << left_out_text(left_out);
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
  out << '\n';  // a line that followed at once would be a row
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

std::string format_counted(long long count, const std::string& one) {
  return format_count(count) + ' ' + one + (count == 1 ? "" : "s");
}

}  // namespace sparsecast::cli
