#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <initializer_list>
#include <string>
#include <string_view>
#include <vector>

/// @file
/// Files of what a benchmark measured: a line a measurement under a header line.

namespace sparsecast::cli {

/// So many of its parts, rounded: a number that changed its unit twice has the same text again.
std::string rounded_text(double number, double parts);
/// In microseconds, to the picosecond.
std::string microseconds_text(double seconds);
/// A time as it comes back from that text, so that what is made of it does too.
double kept_seconds(double seconds);

/// A line of these cells.
std::string csv_line(std::initializer_list<std::string> cells);

/// The cells of a line one after another.
class CsvCells {
 public:
  /// `where`: the file and line; `made_by`: "a file of bench formats --csv". Both for messages.
  CsvCells(std::vector<std::string> cells, std::string where, std::string made_by);

  /// The next cell. The others read it as what they say, and throw `Error` where it is not.
  const std::string& text();
  /// A finite number of at least 0.
  double number();
  std::int64_t count();
  const std::string& one_of(std::initializer_list<std::string_view> words);
  /// Passes over numbers that are written for readers only.
  void skip(int cells);

  /// Throws `Error` with the line and what is wrong with it.
  [[noreturn]] void refuse(const std::string& what) const;

 private:
  std::vector<std::string> cells_;
  std::string where_;
  std::string made_by_;
  std::size_t next_ = 0;
};

/// Hands on the lines behind the header of a file of `bench WHAT --csv`. Throws `Error` that names
/// `name` and the line for another header and other numbers of cells, and for no lines.
void read_csv_lines(std::string_view text, const std::string& name, std::string_view header,
                    const std::string& what, const std::function<void(CsvCells)>& line);

}  // namespace sparsecast::cli
