#include "predict/validation/data/validation_csv.hpp"

#include <algorithm>
#include <charconv>
#include <system_error>
#include <utility>
#include <vector>

#include "core/analysis/cuda_segments.hpp"
#include "core/base/error.hpp"
#include "core/base/text/csv_cells.hpp"
#include "core/base/text/text_fields.hpp"
#include "predict/validation/data/validation_columns.hpp"

namespace sparsecast {

namespace {

constexpr std::string_view version_key = "schema";

/// Reads a file of raw data, line by line.
class Reader {
 public:
  Reader(std::string_view text, const std::string& name) : text_(text), name_(name) {}

  ValidationData read() {
    std::size_t next_line_number = 1;
    while (!text_.empty()) {
      line_number_ = next_line_number;
      std::string_view line;
      if (!take_csv_line(text_, line)) fail("a quote without its end; expected another quote");
      next_line_number += 1 + static_cast<std::size_t>(std::ranges::count(line, '\n'));
      if (line.empty()) continue;
      if (line.starts_with('#')) {
        read_comment(line);
      } else if (order_.empty()) {
        read_header(line);
      } else {
        read_row(line);
      }
    }
    if (order_.empty()) {
      throw Error(name_ + ": no header line; expected raw data as sparsecast validate writes it");
    }
    return std::move(data_);
  }

 private:
  [[noreturn]] void fail(const std::string& what) const {
    throw Error(name_ + ':' + std::to_string(line_number_) + ": " + what);
  }

  void read_comment(std::string_view line) {
    const std::size_t colon = line.find(": ");
    if (colon == std::string_view::npos || colon < 2) {
      fail("damaged comment; expected # KEY: VALUE");
    }
    const std::string_view key = line.substr(2, colon - 2);
    const std::string_view value = line.substr(colon + 2);
    if (key != version_key) {
      data_.about[std::string(key)] = value;
      return;
    }
    const auto [end, status] = std::from_chars(value.data(), value.data() + value.size(), version_);
    if (status != std::errc{} || end != value.data() + value.size() || version_ < 1 ||
        version_ > validation_schema_version) {
      fail("raw data of schema version " + std::string(value) + "; this program reads 1 to " +
           std::to_string(validation_schema_version) + ": use a newer one");
    }
  }

  void read_header(std::string_view line) {
    const std::vector<ValidationColumn>& columns = validation_columns();
    for (const std::string& cell : split_csv_cells(line, columns.size() + 1)) {
      const auto found = std::ranges::find(columns, cell, &ValidationColumn::name);
      if (found == columns.end() || version_ > found->last_version) {
        fail("no column " + in_quotes(cell) +
             " in validation data; expected a header such as "
             "matrix,pattern,renumbering,...");
      }
      if (std::ranges::find(order_, &*found) != order_.end()) {
        fail("column " + in_quotes(cell) + " is there twice; expected it once");
      }
      order_.push_back(&*found);
    }
    for (const ValidationColumn& column : columns) {
      if (version_ < column.since_version || version_ > column.last_version) continue;
      if (std::ranges::find(order_, &column) == order_.end()) {
        fail("column '" + std::string(column.name) + "' is missing");
      }
    }
  }

  void check_solution(const SolutionCase& solution) const {
    if (solution.count.solver.empty()) fail("a solve without its count; expected one");
    const auto& interval = solution.interval;
    if (interval && !(interval->low > 0 && interval->low <= interval->high)) {
      fail("an interval that does not rise; expected both bounds or none");
    }
  }

  void read_row(std::string_view line) {
    const std::vector<std::string> cells = split_csv_cells(line, order_.size() + 1);
    if (cells.size() != order_.size()) {
      fail((cells.size() > order_.size() ? "more than " + std::to_string(order_.size())
                                         : std::to_string(cells.size())) +
           " cells; expected " + std::to_string(order_.size()));
    }
    ValidationRow row;
    for (std::size_t i = 0; i < cells.size(); ++i) {
      try {
        order_[i]->read(row, cells[i]);
      } catch (const Error& error) {
        // A cell may have line breaks, which whoever reads it may have quoted.
        std::string why = error.what();
        std::ranges::replace_if(
            why, [](unsigned char c) { return c < ' '; }, '?');
        fail(in_quotes(cells[i]) + " in column '" + std::string(order_[i]->name) + "'; " + why);
      }
    }
    if (row.interval_seconds && !(row.interval_seconds->low > 0 &&
                                  row.interval_seconds->low <= row.interval_seconds->high)) {
      fail("an interval that does not rise; expected both bounds or none");
    }
    if (row.solution) check_solution(*row.solution);
    if (!row.segments.empty() && std::ssize(row.segments) != row.devices) {
      fail(std::to_string(row.segments.size()) + " segments of " + std::to_string(row.devices) +
           " devices; expected one a device");
    }
    try {
      if (!row.launch.empty()) fill_geometry(row.work, row.layout, row.precision);
    } catch (const Error& error) {
      fail(error.what());
    }
    data_.rows.push_back(std::move(row));
  }

  std::string_view text_;
  const std::string& name_;
  std::size_t line_number_ = 0;
  int version_ = 1;
  std::vector<const ValidationColumn*> order_;  ///< of the file
  ValidationData data_;
};

}  // namespace

std::string validation_to_csv(const ValidationData& data) {
  std::string text =
      "# " + std::string(version_key) + ": " + std::to_string(validation_schema_version) + '\n';
  for (const auto& [key, value] : data.about) {
    std::string line = "# " + key + ": " + value;
    std::ranges::replace_if(
        line, [](char c) { return c == '\n' || c == '\r'; }, ' ');
    text += line + '\n';
  }
  const auto add_line = [&](const auto& cell_of) {
    const char* separator = "";
    for (const ValidationColumn& column : validation_columns()) {
      if (!column.write) continue;
      text += separator + csv_cell(cell_of(column));
      separator = ",";
    }
    text += '\n';
  };
  add_line([](const ValidationColumn& column) { return std::string(column.name); });
  for (const ValidationRow& row : data.rows) {
    add_line([&](const ValidationColumn& column) { return column.write(row); });
  }
  return text;
}

ValidationData parse_validation_csv(std::string_view text, const std::string& name) {
  return Reader(text, name).read();
}

}  // namespace sparsecast
