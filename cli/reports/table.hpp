#pragma once

#include <cstddef>
#include <ostream>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace sparsecast::cli {

/// How a table is written: for a terminal, with all columns or as many as fit, or in Markdown.
enum class TableStyle { plain, wide, markdown };

/// What a plain table is at most as wide as, in characters.
inline constexpr std::size_t plain_table_width = 100;

/// The head of a column.
struct TableColumn {
  explicit TableColumn(std::string text, int rank = 0) : name(std::move(text)), left_out(rank) {}
  explicit TableColumn(const char* text, int rank = 0) : name(text), left_out(rank) {}

  /// One that stays, of names, which may be long.
  static TableColumn of_names(const char* text) {
    TableColumn column(text);
    column.names = true;
    return column;
  }

  /// One that tells rows apart: it has its rank where all rows have the same in it, and is the last
  /// to go where they differ.
  static TableColumn key(const char* text, int rank) {
    TableColumn column(text, rank);
    column.tells_apart = true;
    return column;
  }

  std::string name;
  /// Where a plain table is too wide, the columns with the highest number go first, from the right;
  /// 0 stays.
  int left_out = 0;
  bool tells_apart = false;
  /// Where what stays is still too wide, the longest cells of names are written without their
  /// middle, then those of other texts: "chronopoulos..-jacobi8".
  bool names = false;
};

/// A table for people: columns as wide as their widest cell, numbers to the right.
class Table {
 public:
  explicit Table(const std::vector<std::string>& header);
  explicit Table(std::span<const TableColumn> header);
  /// As many cells as the header has.
  void add_row(std::vector<std::string> cells);
  /// The header, then the rows.
  const std::vector<std::vector<std::string>>& lines() const { return rows_; }
  /// Of each column, whether it has numbers alone, which stand to the right.
  std::vector<bool> numeric_columns() const;
  /// A plain table that leaves columns, or parts of names, out says so below it.
  void print(std::ostream& out, TableStyle style = TableStyle::plain) const;

 private:
  /// Characters of each column.
  std::vector<std::size_t> widths() const;
  /// Which columns of these widths fit.
  std::vector<bool> fitting(const std::vector<std::size_t>& widths) const;
  /// Whether rows have different cells in it.
  bool differs(std::size_t column) const;
  void print_markdown(std::ostream& out) const;

  std::vector<std::vector<std::string>> rows_;
  std::vector<TableColumn> columns_;
};

/// "12.3 us", "4.56 ms": three significant digits and a unit that fits.
std::string format_seconds(double seconds);
/// "1.23 GB": decimal units.
std::string format_bytes(double bytes);
/// Three significant digits without exponent where that reads well ("0.123", "12.3", "1230").
std::string format_number(double number);
/// As `printf` writes it by a format for one number ("%.4g").
std::string format_number(double number, const char* format);
/// So many digits behind the point.
std::string format_fixed(double number, int digits);
/// A share as "12.3 %", with three significant digits.
std::string format_percent(double share);
/// A share as "12.3 %", with one digit behind the point.
std::string format_fixed_percent(double share);
/// 1234567 -> "1 234 567".
std::string format_count(long long count);
/// "1 row", "1 234 rows": a count of `one`, whose plural ends in s.
std::string format_counted(long long count, const std::string& one);

}  // namespace sparsecast::cli
