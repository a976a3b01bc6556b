#include "cli/mapping_samples.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstddef>
#include <cstdio>
#include <limits>
#include <system_error>
#include <utility>

#include "core/base/error.hpp"
#include "core/base/text/text_fields.hpp"

namespace sparsecast::cli {

namespace {

constexpr std::string_view csv_header =
    "device,matrix,unknowns,nonzeros,precision,kernel,block_size,mapping,storage,row_order,"
    "threads_per_block,blocks_at_once,block_elements,stored_elements,bytes,cache,seconds,"
    "relative_spread";
constexpr std::size_t csv_columns = 18;
/// Nothing is faster; what is written has been measured.
constexpr double least_seconds = 1e-12;

std::string without_commas(std::string text) {
  std::ranges::replace(text, ',', ';');
  return text;
}

std::vector<std::string> split(std::string_view line) {
  std::vector<std::string> cells;
  while (true) {
    const std::size_t comma = line.find(',');
    cells.emplace_back(line.substr(0, comma));
    if (comma == std::string_view::npos) return cells;
    line.remove_prefix(comma + 1);
  }
}

/// A number of at least `least`; what is measured is finite.
template <class Number>
Number parse_number(const std::string& cell, const std::string& where, Number least = 0) {
  Number number{};
  const auto parsed = std::from_chars(cell.data(), cell.data() + cell.size(), number);
  if (parsed.ec != std::errc{} || parsed.ptr != cell.data() + cell.size()) {
    throw Error(where + ": " + in_quotes(cell) + " is no number; expected a file of bench --csv");
  }
  if (!(number >= least) || number > std::numeric_limits<Number>::max()) {
    throw Error(where + ": " + in_quotes(cell) + " cannot be; expected a file of bench --csv");
  }
  return number;
}

}  // namespace

std::string mappings_to_csv(std::span<const MappingSample> samples) {
  std::string csv(csv_header);
  csv += '\n';
  for (const MappingSample& s : samples) {
    std::array<char, 300> numbers{};
    csv += without_commas(s.device) + ',' + without_commas(s.matrix) + ',' +
           std::to_string(s.unknowns) + ',' + std::to_string(s.nonzeros) + ',' +
           std::string(to_string(s.precision)) + ',' + s.kernel + ',' +
           std::to_string(s.block_size) + ',' + s.mapping + ',' + s.storage + ',' + s.row_order +
           ',' + std::to_string(s.threads_per_block) + ',' + std::to_string(s.blocks_at_once);
    std::snprintf(numbers.data(), numbers.size(), ",%.0f,%.0f,%.0f,%s,%.6g,%.3g\n",
                  s.block_elements, s.stored_elements, s.bytes, s.cache.c_str(), s.seconds,
                  s.relative_spread);
    csv += numbers.data();
  }
  return csv;
}

std::vector<MappingSample> parse_mapping_csv(std::string_view text, const std::string& name) {
  std::vector<MappingSample> samples;
  int line_number = 0;
  while (!text.empty()) {
    const std::size_t end = text.find('\n');
    const std::string_view line = text.substr(0, end);
    text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
    const std::string where = name + ", line " + std::to_string(++line_number);
    if (line_number == 1) {
      if (line != csv_header) {
        throw Error(where + ": no header of mappings; expected a file of bench --csv");
      }
      continue;
    }
    const auto columns = static_cast<std::size_t>(std::ranges::count(line, ',')) + 1;
    if (columns != csv_columns) {
      throw Error(where + ": " + std::to_string(columns) + " columns; expected " +
                  std::to_string(csv_columns));
    }
    const std::vector<std::string> cells = split(line);
    MappingSample s;
    s.device = cells[0];
    s.matrix = cells[1];
    s.unknowns = parse_number<std::int64_t>(cells[2], where, 1);
    s.nonzeros = parse_number<std::int64_t>(cells[3], where);
    if (cells[4] != "f32" && cells[4] != "f64") {
      throw Error(where + ": unknown precision " + in_quotes(cells[4]) + "; expected f32 or f64");
    }
    s.precision = cells[4] == "f32" ? Precision::f32 : Precision::f64;
    s.kernel = cells[5];
    s.block_size = parse_number<int>(cells[6], where, 1);
    s.mapping = cells[7];
    s.storage = cells[8];
    s.row_order = cells[9];
    s.threads_per_block = parse_number<int>(cells[10], where);
    s.blocks_at_once = parse_number<int>(cells[11], where);
    s.block_elements = parse_number<double>(cells[12], where);
    s.stored_elements = parse_number<double>(cells[13], where);
    s.bytes = parse_number<double>(cells[14], where);
    s.cache = cells[15];
    s.seconds = parse_number<double>(cells[16], where, least_seconds);
    s.relative_spread = parse_number<double>(cells[17], where);
    samples.push_back(std::move(s));
  }
  return samples;
}

}  // namespace sparsecast::cli
