#include "cli/commands/bench/formats/format_measurement.hpp"

#include <cmath>
#include <cstddef>

#include "core/base/error.hpp"
#include "core/base/text/csv_cells.hpp"
#include "core/base/text/decimal.hpp"
#include "core/base/text/text_fields.hpp"

namespace sparsecast::cli {
namespace {

constexpr std::string_view csv_header =
    "set,matrix,source,scale,rows,columns,nonzeros,device,description,peak_gb_per_s,cache_bytes,"
    "precision,layout,x,us,spread,rounds,repeats,stored_elements,stored_bytes,bytes,gflops,"
    "gb_per_s,bytes_per_flop,reason";
constexpr std::size_t csv_columns = 25;

constexpr double giga = 1e9;
constexpr double micro = 1e-6;
/// Nothing is faster.
constexpr double least_seconds = 1e-12;

/// So many of its parts, rounded: a number that changed its unit twice has the same text again.
std::string rounded(double number, double parts) {
  return number_text(std::round(number * parts) / parts);
}

constexpr double thousandths = 1e3;

/// Empty where nothing was measured.
std::string rate_text(const FormatMeasurement& m, double rate) {
  return m.measured() ? rounded(rate, thousandths) : "";
}

std::string microseconds_text(double seconds) {
  constexpr double parts = 1e6;  // a picosecond
  return rounded(seconds / micro, parts);
}

/// The cells of a line one after another.
class Cells {
 public:
  Cells(std::vector<std::string> cells, std::string where)
      : cells_(std::move(cells)), where_(std::move(where)) {}

  const std::string& text() { return cells_[next_++]; }
  /// A finite number of at least 0.
  double number() {
    const std::string& cell = text();
    double value = 0;
    if (parse_decimal(cell, value) != DecimalStatus::ok || value < 0) {
      throw Error(where_ + ": " + in_quotes(cell) +
                  " is no number of at least 0; expected a file of bench formats --csv");
    }
    return value;
  }
  std::int64_t count() {
    constexpr double most = 9e15;
    const std::string cell = cells_[next_];
    const double value = number();
    if (value > most || value != std::floor(value)) {
      throw Error(where_ + ": " + in_quotes(cell) +
                  " is no count; expected a file of bench formats --csv");
    }
    return static_cast<std::int64_t>(value);
  }
  const std::string& one_of(std::string_view first, std::string_view second) {
    const std::string& cell = text();
    if (cell != first && cell != second) {
      throw Error(where_ + ": " + in_quotes(cell) + "; expected " + std::string(first) + " or " +
                  std::string(second));
    }
    return cell;
  }

 private:
  std::vector<std::string> cells_;
  std::string where_;
  std::size_t next_ = 0;
};

FormatMeasurement parse_cells(Cells cells) {
  FormatMeasurement m;
  m.set = cells.one_of("structured", "unstructured");
  m.matrix = cells.text();
  m.source = cells.text();
  m.scale = cells.number();
  m.rows = cells.count();
  m.columns = cells.count();
  m.nonzeros = cells.count();
  m.device = cells.text();
  m.description = cells.text();
  m.peak_bytes_per_second = cells.number() * giga;
  m.cache_bytes = cells.number();
  m.precision = cells.one_of("f32", "f64") == "f32" ? Precision::f32 : Precision::f64;
  m.layout = cells.text();
  m.x = cells.one_of("l1", "l2");
  m.seconds = cells.number() * micro;
  m.spread = cells.number();
  m.rounds = cells.count();
  m.repeats = cells.count();
  m.stored_elements = cells.number();
  m.stored_bytes = cells.number();
  m.bytes = cells.number();
  for (int derived = 0; derived < 3; ++derived) cells.text();
  m.reason = cells.text();
  return m;
}

}  // namespace

std::string format_measurements_to_csv(std::span<const FormatMeasurement> measurements) {
  std::string csv(csv_header);
  csv += '\n';
  for (const FormatMeasurement& m : measurements) {
    const std::string cells[csv_columns] = {m.set,
                                            m.matrix,
                                            m.source,
                                            number_text(m.scale),
                                            std::to_string(m.rows),
                                            std::to_string(m.columns),
                                            std::to_string(m.nonzeros),
                                            m.device,
                                            m.description,
                                            rounded(m.peak_bytes_per_second / giga, thousandths),
                                            number_text(m.cache_bytes),
                                            std::string(to_string(m.precision)),
                                            m.layout,
                                            m.x,
                                            microseconds_text(m.seconds),
                                            number_text(m.spread),
                                            std::to_string(m.rounds),
                                            std::to_string(m.repeats),
                                            number_text(m.stored_elements),
                                            number_text(m.stored_bytes),
                                            number_text(m.bytes),
                                            rate_text(m, m.flops_per_second() / giga),
                                            rate_text(m, m.bytes_per_second() / giga),
                                            rate_text(m, m.bytes_per_flop()),
                                            m.reason};
    for (std::size_t column = 0; column < csv_columns; ++column) {
      csv += (column == 0 ? "" : ",") + csv_cell(cells[column]);
    }
    csv += '\n';
  }
  return csv;
}

std::vector<FormatMeasurement> parse_format_csv(std::string_view text, const std::string& name) {
  std::vector<FormatMeasurement> measurements;
  std::string_view line;
  for (int number = 1; !text.empty(); ++number) {
    const std::string where = name + ", line " + std::to_string(number);
    if (!take_csv_line(text, line)) throw Error(where + ": a quote has no end");
    if (number == 1) {
      if (line != csv_header) {
        throw Error(where + ": no header of formats; expected a file of bench formats --csv");
      }
      continue;
    }
    std::vector<std::string> cells = split_csv_cells(line, csv_columns + 1);
    if (cells.size() != csv_columns) {
      throw Error(where + ": " + std::to_string(cells.size()) +
                  (cells.size() > csv_columns ? " or more" : "") + " columns; expected " +
                  std::to_string(csv_columns));
    }
    FormatMeasurement m = parse_cells({std::move(cells), where});
    const bool is_nothing = m.rows == 0 || m.nonzeros == 0;
    if (is_nothing || (m.measured() && (m.bytes == 0 || m.seconds < least_seconds))) {
      throw Error(where + ": a product of nothing; expected a file of bench formats --csv");
    }
    measurements.push_back(std::move(m));
  }
  if (measurements.empty()) throw Error(name + ": no measurements");
  return measurements;
}

}  // namespace sparsecast::cli
