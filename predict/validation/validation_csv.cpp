#include <algorithm>
#include <array>
#include <charconv>
#include <functional>
#include <span>
#include <system_error>
#include <utility>

#include "core/base/error.hpp"
#include "core/base/text/text_fields.hpp"
#include "core/matrix/renumbering.hpp"
#include "core/schedule/cg_schedule.hpp"
#include "core/workload/exchange_mode.hpp"
#include "core/workload/launch_mode.hpp"
#include "core/workload/layout.hpp"
#include "predict/validation/validation.hpp"

namespace sparsecast {

namespace {

template <class Number>
Number parse_number(std::string_view text) {
  Number number{};
  const auto [end, status] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (status != std::errc{} || end != text.data() + text.size()) throw Error("expected a number");
  return number;
}

double parse_not_negative(std::string_view text) {
  const double number = parse_number<double>(text);
  if (!(number >= 0 && number < 1e300)) throw Error("expected a number that is not negative");
  return number;
}

double parse_positive(std::string_view text) {
  const double number = parse_number<double>(text);
  if (!(number > 0 && number < 1e300)) throw Error("expected a positive number");
  return number;
}

/// A column of the file: its name, and how a row's cell is written and read.
struct Column {
  std::string_view name;
  std::function<std::string(const ValidationRow&)> write;
  std::function<void(ValidationRow&, std::string_view)> read;
};

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

void check_schedule(std::string_view text) {
  if (text == product_alone || std::ranges::count(cg_schedule_names, text) > 0) return;
  std::string known;
  for (const std::string_view name : cg_schedule_names) known += std::string(name) + ", ";
  throw Error("expected one of " + known + std::string(product_alone));
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

/// The numbers of a shape, in order.
constexpr std::array shape_members{&SegmentShape::unknowns,   &SegmentShape::total_unknowns,
                                   &SegmentShape::elements,   &SegmentShape::blocks,
                                   &SegmentShape::block_rows, &SegmentShape::index_bytes};

/// "unknowns:total:elements:blocks:block_rows:index_bytes", one a device with ';' between them.
std::string segments_text(std::span<const SegmentShape> segments) {
  std::string text;
  for (const SegmentShape& segment : segments) {
    if (!text.empty()) text += ';';
    for (const auto member : shape_members) {
      if (member != shape_members.front()) text += ':';
      text += number_text(segment.*member);
    }
  }
  return text;
}

std::vector<SegmentShape> parse_segments(std::string_view text) {
  std::vector<SegmentShape> segments;
  while (!text.empty()) {
    std::string_view one = take_until(text, ';');
    SegmentShape& segment = segments.emplace_back();
    for (const auto member : shape_members) {
      segment.*member = parse_not_negative(take_until(one, ':'));
    }
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

const std::vector<Column>& columns() {
  using Row = ValidationRow;
  static const std::vector<Column> all{
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
      {"block", [](const Row& row) { return std::to_string(row.block); },
       [](Row& row, std::string_view text) {
         row.block = parse_number<int>(text);
         block_layout(row.block);
       }},
      count_column("devices", &Row::devices),
      {"precision", [](const Row& row) { return std::string(to_string(row.precision)); },
       [](Row& row, std::string_view text) {
         if (text != "f32" && text != "f64") throw Error("expected f32 or f64");
         row.precision = text == "f32" ? Precision::f32 : Precision::f64;
       }},
      word_column("schedule", &Row::schedule, check_schedule),
      word_column("launch", &Row::launch, check_launch),
      {"segments", [](const Row& row) { return segments_text(row.segments); },
       [](Row& row, std::string_view text) { row.segments = parse_segments(text); }},
      {"access", [](const Row& row) { return row.access ? to_text(*row.access) : std::string(); },
       [](Row& row, std::string_view text) {
         if (!text.empty()) row.access = parse_access_pattern(text);
       }},
      {"execution",
       [](const Row& row) { return row.execution ? to_text(*row.execution) : std::string(); },
       [](Row& row, std::string_view text) {
         if (!text.empty()) row.execution = parse_gpu_execution(text);
       }},
      word_column("exchange", &Row::exchange, check_exchange),
      {"work", [](const Row& row) { return to_text(row.work); },
       [](Row& row, std::string_view text) { row.work = parse_segment_work(text); }},
      number_column("core_clock_mhz", &Row::core_clock_mhz),
      text_column("throttle_reasons", &Row::throttle_reasons),
      optional_seconds_column("paper_seconds", &Row::paper_seconds),
      number_column("working_set_bytes", &Row::working_set_bytes),
      seconds_column("measured_seconds", &Row::measured_seconds),
      number_column("measured_spread", &Row::measured_spread),
      number_column("measured_error", &Row::measured_error),
      count_column("rounds", &Row::rounds, std::int64_t{0}),
      count_column("visits", &Row::visits),
      optional_seconds_column("second_seconds", &Row::second_seconds),
      optional_seconds_column("predicted_seconds", &Row::predicted_seconds),
      interval_column("interval_low_seconds", &Interval::low),
      interval_column("interval_high_seconds", &Interval::high),
      optional_seconds_column("baseline_seconds", &Row::baseline_seconds)};
  return all;
}

/// The version that a column came with.
int since_version(std::string_view column) {
  constexpr std::array<std::pair<std::string_view, int>, 12> later{{{"schedule", 2},
                                                                    {"launch", 2},
                                                                    {"segments", 2},
                                                                    {"access", 2},
                                                                    {"execution", 2},
                                                                    {"core_clock_mhz", 2},
                                                                    {"throttle_reasons", 2},
                                                                    {"paper_seconds", 2},
                                                                    {"exchange", 3},
                                                                    {"work", 3},
                                                                    {"visits", 4},
                                                                    {"second_seconds", 4}}};
  const auto found = std::ranges::find(later, column, &std::pair<std::string_view, int>::first);
  return found == later.end() ? 1 : found->second;
}

constexpr std::string_view version_key = "schema";

/// A cell that reads back as it is, whatever it holds; one that begins a line is no comment.
std::string quoted(const std::string& cell) {
  const bool plain = cell.find_first_of(",\"\n\r") == std::string::npos && !cell.starts_with('#') &&
                     !cell.starts_with(' ') && !cell.ends_with(' ');
  if (plain) return cell;
  std::string text = "\"";
  for (const char c : cell) {
    if (c == '"') text += '"';
    text += c;
  }
  return text + '"';
}

/// Takes a line off the front of the text: up to a line's end that is not inside quotes. False
/// where a quote has no end. A comment's quotes are none.
bool take_line(std::string_view& text, std::string_view& line) {
  const bool comment = text.starts_with('#');
  bool inside = false;
  std::size_t end = 0;
  for (; end < text.size() && (inside || text[end] != '\n'); ++end) {
    if (text[end] == '"' && !comment) inside = !inside;
  }
  line = text.substr(0, end);
  text.remove_prefix(std::min(end + 1, text.size()));
  if (line.ends_with('\r')) line.remove_suffix(1);
  return !inside;
}

/// The cells of a line; those beyond `most` are left together.
std::vector<std::string> split_cells(std::string_view line, std::size_t most) {
  std::vector<std::string> cells(1);
  bool inside = false;
  for (std::size_t i = 0; i < line.size(); ++i) {
    const char c = line[i];
    if (c == '"' && inside && i + 1 < line.size() && line[i + 1] == '"') {
      cells.back() += '"';
      ++i;
    } else if (c == '"') {
      inside = !inside;
    } else if (c == ',' && !inside && cells.size() < most) {
      cells.emplace_back();
    } else {
      cells.back() += c;
    }
  }
  return cells;
}

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
  for (const Column& column : columns()) {
    if (&column != &columns().front()) text += ',';
    text += column.name;
  }
  text += '\n';
  for (const ValidationRow& row : data.rows) {
    for (const Column& column : columns()) {
      if (&column != &columns().front()) text += ',';
      text += quoted(column.write(row));
    }
    text += '\n';
  }
  return text;
}

ValidationData parse_validation_csv(std::string_view text, const std::string& name) {
  ValidationData data;
  std::vector<const Column*> order;
  int version = 1;
  std::size_t line_number = 0;
  const auto fail = [&](const std::string& what) {
    throw Error(name + ':' + std::to_string(line_number) + ": " + what);
  };
  std::size_t next_line_number = 1;
  while (!text.empty()) {
    line_number = next_line_number;
    std::string_view line;
    if (!take_line(text, line)) fail("a quote without its end; expected another quote");
    next_line_number += 1 + static_cast<std::size_t>(std::ranges::count(line, '\n'));
    if (line.empty()) continue;
    if (line.starts_with('#')) {
      const std::size_t colon = line.find(": ");
      if (colon == std::string_view::npos || colon < 2)
        fail("damaged comment; expected # KEY: VALUE");
      const std::string_view key = line.substr(2, colon - 2);
      const std::string_view value = line.substr(colon + 2);
      if (key != version_key) {
        data.about[std::string(key)] = value;
        continue;
      }
      if (value != "1" && value != "2" && value != "3" && value != "4") {
        fail("raw data of schema version " + std::string(value) +
             "; this program reads 1 to 4: use a newer one");
      }
      version = value.front() - '0';
      continue;
    }
    const std::size_t expected = order.empty() ? columns().size() : order.size();
    const std::vector<std::string> cells = split_cells(line, expected + 1);
    if (order.empty()) {
      for (const std::string& cell : cells) {
        const auto found = std::ranges::find(columns(), cell, &Column::name);
        if (found == columns().end()) {
          fail("no column " + in_quotes(cell) +
               " in validation data; expected a header such as "
               "matrix,pattern,renumbering,...");
        }
        if (std::ranges::find(order, &*found) != order.end()) {
          fail("column " + in_quotes(cell) + " is there twice; expected it once");
        }
        order.push_back(&*found);
      }
      for (const Column& column : columns()) {
        if (version < since_version(column.name)) continue;
        if (std::ranges::find(order, &column) == order.end()) {
          fail("column '" + std::string(column.name) + "' is missing");
        }
      }
      continue;
    }
    if (cells.size() != order.size()) {
      fail((cells.size() > order.size() ? "more than " + std::to_string(order.size())
                                        : std::to_string(cells.size())) +
           " cells; expected " + std::to_string(order.size()));
    }
    ValidationRow row;
    for (std::size_t i = 0; i < cells.size(); ++i) {
      try {
        order[i]->read(row, cells[i]);
      } catch (const Error& error) {
        fail(in_quotes(cells[i]) + " in column '" + std::string(order[i]->name) + "'; " +
             error.what());
      }
    }
    if (row.interval_seconds && !(row.interval_seconds->low > 0 &&
                                  row.interval_seconds->low <= row.interval_seconds->high)) {
      fail("an interval that does not rise; expected both bounds or none");
    }
    if (!row.segments.empty() && std::ssize(row.segments) != row.devices) {
      fail(std::to_string(row.segments.size()) + " segments of " + std::to_string(row.devices) +
           " devices; expected one a device");
    }
    data.rows.push_back(std::move(row));
  }
  if (order.empty()) {
    throw Error(name + ": no header line; expected validation data written by validate --csv");
  }
  return data;
}

}  // namespace sparsecast
