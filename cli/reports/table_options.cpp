#include "cli/reports/table_options.hpp"

#include <algorithm>
#include <map>
#include <string>
#include <string_view>
#include <utility>

#include "core/base/files/file_output.hpp"
#include "core/base/files/text_file.hpp"
#include "core/base/text/csv_cells.hpp"
#include "core/base/text/json_tree.hpp"

namespace sparsecast::cli {
namespace {

/// The values of an object by the names of their columns, which are added to `columns` as they
/// come; lists are left out, but for intervals: their ends are columns.
using Row = std::map<std::string, std::string>;
void flatten(const JsonTree& object, const std::string& prefix, Row& row,
             std::vector<std::string>& columns) {
  constexpr std::string_view interval_key = "interval_seconds";
  const auto add = [&](const std::string& name, std::string text) {
    row[name] = std::move(text);
    if (std::ranges::find(columns, name) == columns.end()) columns.push_back(name);
  };
  for (std::size_t i = 0; i < object.keys.size(); ++i) {
    const JsonTree& value = object.elements[i];
    const std::string name = prefix + object.keys[i];
    switch (value.kind) {
      case JsonTree::Kind::object:
        flatten(value, name + '.', row, columns);
        continue;
      case JsonTree::Kind::array:
        if (!object.keys[i].ends_with(interval_key) || value.elements.size() != 2) continue;
        for (const std::size_t end : {0, 1}) {
          add(name + (end == 0 ? ".low" : ".high"), value.elements[end].text);
        }
        continue;
      case JsonTree::Kind::null:
        add(name, "");
        break;
      case JsonTree::Kind::truth:
        add(name, value.truth ? "true" : "false");
        break;
      case JsonTree::Kind::number:
      case JsonTree::Kind::text:
        add(name, value.text);
        break;
    }
  }
}

}  // namespace

void add_table_styles(CommandLine& line) {
  line.add()("wide", "tables with all their columns, wider than 100 characters")(
      "markdown", "tables in Markdown, with all their columns");
}

void add_table_options(CommandLine& line) {
  add_table_styles(line);
  line.add()("csv", boost::program_options::value<std::string>(),
             "write what --json prints to this CSV file, a line each (gzip if its name ends in "
             ".gz); -: to standard output, and tables to standard error");
}

TableStyle table_style(const CommandLine& line) {
  if (line.has("wide") && line.has("markdown")) {
    throw UsageError("--wide and --markdown are given; expected one of them");
  }
  for (const char* option : {"wide", "markdown"}) {
    if (line.has(option) && line.has("json")) {
      throw UsageError("--" + std::string(option) + ": --json prints no tables; leave one out");
    }
  }
  if (line.has("markdown")) return TableStyle::markdown;
  return line.has("wide") ? TableStyle::wide : TableStyle::plain;
}

void write_rows(const std::string& csv, const std::vector<JsonObject>& objects) {
  std::vector<std::string> columns;
  std::vector<Row> rows;
  const std::string source = "--csv";
  for (const JsonObject& object : objects) {
    flatten(parse_json_tree(object.text(), source, "an object"), "", rows.emplace_back(), columns);
  }
  // What only some objects have is null in the others.
  std::erase_if(columns, [all = columns](const std::string& column) {
    return std::ranges::any_of(
        all, [&](const std::string& other) { return other.starts_with(column + '.'); });
  });
  std::string text;
  for (const std::string& column : columns) text += (text.empty() ? "" : ",") + csv_cell(column);
  text += '\n';
  for (const Row& row : rows) {
    std::string values;
    for (std::size_t k = 0; k < columns.size(); ++k) {
      const auto value = row.find(columns[k]);
      values += (k > 0 ? "," : "") + (value == row.end() ? std::string() : csv_cell(value->second));
    }
    text += values + '\n';
  }
  write_file(csv, text_for(csv, text));
}

}  // namespace sparsecast::cli
