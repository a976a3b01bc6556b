#include "predict/validation/data/validation_columns.hpp"

#include <algorithm>
#include <cctype>
#include <cstdint>
#include <span>
#include <utility>

#include "core/base/error.hpp"
#include "core/base/text/text_fields.hpp"
#include "core/formats/registry.hpp"
#include "core/matrix/renumbering.hpp"
#include "core/workload/exchange_mode.hpp"
#include "core/workload/launch_mode.hpp"
#include "core/workload/layout.hpp"
#include "core/workload/segment_shape_text.hpp"
#include "predict/validation/data/column_numbers.hpp"
#include "predict/validation/data/solution_columns.hpp"

namespace sparsecast {

namespace {

using Column = ValidationColumn;

Column text_column(std::string_view name, std::string ValidationRow::*member) {
  return {name, [member](const ValidationRow& row) { return row.*member; },
          [member](ValidationRow& row, std::string_view text) { row.*member = text; }};
}

/// A text that `check` takes, or throws `Error`.
Column word_column(std::string_view name, std::string ValidationRow::*member,
                   void (*check)(std::string_view)) {
  return {name, [member](const ValidationRow& row) { return row.*member; },
          [member, check](ValidationRow& row, std::string_view text) {
            check(text);
            row.*member = text;
          }};
}

/// One of ours, or of the user's own.
void check_schedule(std::string_view text) {
  const auto fits = [](char c) {
    return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '-' || c == '_';
  };
  if (text.empty() || !std::ranges::all_of(text, fits)) {
    throw Error("expected the name of a schedule");
  }
}

/// What ran was in one mode.
void check_launch(std::string_view text) {
  if (text.empty() || parse_launch_mode(text) != LaunchMode::automatic) return;
  throw Error("expected the mode that ran");
}

void check_exchange(std::string_view text) {
  if (text.empty() || parse_exchange_mode(text) != ExchangeMode::automatic) return;
  throw Error("expected the exchange that ran");
}

void check_renumbering(std::string_view text) {
  parse_renumbering(text);
}

template <class Integer>
Column count_column(std::string_view name, Integer ValidationRow::*member, Integer least = 1) {
  return {name, [member](const ValidationRow& row) { return std::to_string(row.*member); },
          [member, least](ValidationRow& row, std::string_view text) {
            row.*member = parse_number<Integer>(text);
            if (row.*member < least) {
              throw Error(least > 0 ? "expected a positive whole number"
                                    : "expected a number that is not negative");
            }
          }};
}

Column number_column(std::string_view name, double ValidationRow::*member) {
  return {name, [member](const ValidationRow& row) { return number_text(row.*member); },
          [member](ValidationRow& row, std::string_view text) {
            row.*member = parse_not_negative(text);
          }};
}

/// Empty for 0, which is nothing.
Column optional_seconds_column(std::string_view name, double ValidationRow::*member) {
  return {name,
          [member](const ValidationRow& row) {
            return row.*member > 0 ? number_text(row.*member) : std::string();
          },
          [member](ValidationRow& row, std::string_view text) {
            if (!text.empty()) row.*member = parse_positive(text);
          }};
}

/// Shapes as text, one a device with ';' between them.
std::string segments_text(std::span<const SegmentShape> segments) {
  std::string text;
  for (const SegmentShape& segment : segments) {
    if (!text.empty()) text += ';';
    text += to_text(segment);
  }
  return text;
}

std::vector<SegmentShape> parse_segments(std::string_view text) {
  std::vector<SegmentShape> segments;
  while (!text.empty()) {
    std::string_view one = take_until(text, ';');
    segments.push_back(take_segment_shape(one, parse_not_negative));
    if (!one.empty()) throw Error("expected six numbers a segment");
  }
  return segments;
}

Column seconds_column(std::string_view name, double ValidationRow::*member) {
  return {
      name, [member](const ValidationRow& row) { return number_text(row.*member); },
      [member](ValidationRow& row, std::string_view text) { row.*member = parse_positive(text); }};
}

Column interval_column(std::string_view name, double Interval::*member) {
  return {name,
          [member](const ValidationRow& row) {
            return row.interval_seconds ? number_text((*row.interval_seconds).*member) : "";
          },
          [member](ValidationRow& row, std::string_view text) {
            if (text.empty()) return;
            if (!row.interval_seconds) row.interval_seconds.emplace();
            (*row.interval_seconds).*member = parse_positive(text);
          }};
}

/// A column that came with a version.
Column since(int version, Column column) {
  column.since_version = version;
  return column;
}

/// One that left after a version, and is read only.
Column until(int version, Column column) {
  column.last_version = version;
  return column;
}

/// Of all cases.
std::vector<Column> case_columns() {
  using Row = ValidationRow;
  return {
      text_column("matrix", &Row::matrix),
      text_column("pattern", &Row::pattern),
      word_column("renumbering", &Row::renumbering, check_renumbering),
      {"values",
       [](const Row& row) {
         return row.generated ? "generated" : row.surrogate_values ? "surrogate" : "file";
       },
       [](Row& row, std::string_view text) {
         if (text != "surrogate" && text != "file" && text != "generated") {
           throw Error("expected file, surrogate or generated");
         }
         row.surrogate_values = text == "surrogate";
         row.generated = text == "generated";
       }},
      count_column("unknowns", &Row::unknowns),
      count_column("nonzeros", &Row::nonzeros, std::int64_t{0}),
      count_column("block_elements", &Row::block_elements, std::int64_t{0}),
      until(4, {"block",
                {},
                [](Row& row, std::string_view text) {
                  row.layout = block_layout(parse_number<int>(text));
                }}),
      since(5, {"layout", [](const Row& row) { return to_string(row.layout); },
                [](Row& row, std::string_view text) { row.layout = parse_layout(text); }}),
      count_column("devices", &Row::devices),
      {"precision", [](const Row& row) { return std::string(to_string(row.precision)); },
       [](Row& row, std::string_view text) {
         if (text != "f32" && text != "f64") throw Error("expected f32 or f64");
         row.precision = text == "f32" ? Precision::f32 : Precision::f64;
       }},
      since(2, word_column("schedule", &Row::schedule, check_schedule)),
      since(2, word_column("launch", &Row::launch, check_launch)),
      since(2, {"segments", [](const Row& row) { return segments_text(row.segments); },
                [](Row& row, std::string_view text) { row.segments = parse_segments(text); }}),
      since(2, {"access",
                [](const Row& row) { return row.access ? to_text(*row.access) : std::string(); },
                [](Row& row, std::string_view text) {
                  if (!text.empty()) row.access = parse_access_pattern(text);
                }}),
      since(2,
            {"execution",
             [](const Row& row) { return row.execution ? to_text(*row.execution) : std::string(); },
             [](Row& row, std::string_view text) {
               if (!text.empty()) row.execution = parse_gpu_execution(text);
             }}),
      since(3, word_column("exchange", &Row::exchange, check_exchange)),
      since(3, {"work", [](const Row& row) { return to_text(row.work); },
                [](Row& row, std::string_view text) { row.work = parse_segment_work(text); }}),
      since(2, number_column("core_clock_mhz", &Row::core_clock_mhz)),
      since(2, text_column("throttle_reasons", &Row::throttle_reasons)),
      since(2, optional_seconds_column("paper_seconds", &Row::paper_seconds)),
      number_column("working_set_bytes", &Row::working_set_bytes),
      seconds_column("measured_seconds", &Row::measured_seconds),
      number_column("measured_spread", &Row::measured_spread),
      number_column("measured_error", &Row::measured_error),
      count_column("rounds", &Row::rounds, std::int64_t{0}),
      since(4, count_column("visits", &Row::visits)),
      since(4, optional_seconds_column("second_seconds", &Row::second_seconds)),
      optional_seconds_column("predicted_seconds", &Row::predicted_seconds),
      interval_column("interval_low_seconds", &Interval::low),
      interval_column("interval_high_seconds", &Interval::high),
      optional_seconds_column("baseline_seconds", &Row::baseline_seconds),
      since(6, optional_seconds_column("roofline_seconds", &Row::roofline_seconds)),
      since(6, optional_seconds_column("regression_seconds", &Row::regression_seconds))};
}

}  // namespace

const std::vector<ValidationColumn>& validation_columns() {
  static const std::vector<Column> all = [] {
    std::vector<Column> columns = case_columns();
    for (Column& column : solution_columns()) columns.push_back(std::move(column));
    return columns;
  }();
  return all;
}

}  // namespace sparsecast
