#include "cli/commands/bench/paper/measured_csv.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "core/base/error.hpp"
#include "core/base/text/csv_cells.hpp"
#include "core/base/text/decimal.hpp"
#include "core/base/text/text_fields.hpp"

namespace sparsecast::cli {
namespace {

constexpr double micro = 1e-6;
constexpr double parts_of_microsecond = 1e6;

}  // namespace

std::string rounded_text(double number, double parts) {
  return number_text(std::round(number * parts) / parts);
}

std::string microseconds_text(double seconds) {
  return rounded_text(seconds / micro, parts_of_microsecond);
}

double kept_seconds(double seconds) {
  return std::round(seconds / micro * parts_of_microsecond) / parts_of_microsecond * micro;
}

std::string csv_line(std::initializer_list<std::string> cells) {
  std::string line;
  for (const std::string& cell : cells)
    line += (&cell == cells.begin() ? "" : ",") + csv_cell(cell);
  return line + '\n';
}

CsvCells::CsvCells(std::vector<std::string> cells, std::string where, std::string made_by)
    : cells_(std::move(cells)), where_(std::move(where)), made_by_(std::move(made_by)) {}

const std::string& CsvCells::text() {
  return cells_[next_++];
}

double CsvCells::number() {
  const std::string& cell = text();
  double value = 0;
  if (parse_decimal(cell, value) != DecimalStatus::ok || value < 0) {
    refuse(in_quotes(cell) + " is no number of at least 0");
  }
  return value;
}

std::int64_t CsvCells::count() {
  constexpr double most = 9e15;
  const std::string cell = cells_[next_];
  const double value = number();
  if (value > most || value != std::floor(value)) refuse(in_quotes(cell) + " is no count");
  return static_cast<std::int64_t>(value);
}

const std::string& CsvCells::one_of(std::initializer_list<std::string_view> words) {
  const std::string& cell = text();
  if (std::ranges::count(words, cell) > 0) return cell;
  std::string expected;
  for (const std::string_view& word : words) {
    if (&word != words.begin()) expected += &word + 1 == words.end() ? " or " : ", ";
    expected += word;
  }
  throw Error(where_ + ": " + in_quotes(cell) + "; expected " + expected);
}

void CsvCells::skip(int cells) {
  next_ += static_cast<std::size_t>(cells);
}

void CsvCells::refuse(const std::string& what) const {
  throw Error(where_ + ": " + what + "; expected " + made_by_);
}

void read_csv_lines(std::string_view text, const std::string& name, std::string_view header,
                    const std::string& what, const std::function<void(CsvCells)>& line) {
  const std::string made_by = "a file of bench " + what + " --csv";
  const auto columns = static_cast<std::size_t>(std::ranges::count(header, ',') + 1);
  bool any = false;
  std::string_view next;
  for (int number = 1; !text.empty(); ++number) {
    const std::string where = name + ", line " + std::to_string(number);
    if (!take_csv_line(text, next)) throw Error(where + ": a quote has no end");
    if (number == 1) {
      if (next != header) throw Error(where + ": no header of " + what + "; expected " + made_by);
      continue;
    }
    std::vector<std::string> cells = split_csv_cells(next, columns + 1);
    if (cells.size() != columns) {
      throw Error(where + ": " + std::to_string(cells.size()) +
                  (cells.size() > columns ? " or more" : "") + " columns; expected " +
                  std::to_string(columns));
    }
    line({std::move(cells), where, made_by});
    any = true;
  }
  if (!any) throw Error(name + ": no measurements");
}

}  // namespace sparsecast::cli
