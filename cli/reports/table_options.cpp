#include "cli/reports/table_options.hpp"

#include <algorithm>
#include <map>
#include <string>

#include "core/base/files/file_output.hpp"
#include "core/base/files/text_file.hpp"
#include "core/base/text/csv_cells.hpp"
#include "core/base/text/json_tree.hpp"

namespace sparsecast::cli {
namespace {

/// The values of an object by the names of their columns, which are added to `columns` as they
/// come.
using Row = std::map<std::string, std::string>;
void flatten(const JsonTree& object, const std::string& prefix, Row& row,
             std::vector<std::string>& columns) {
  for (std::size_t i = 0; i < object.keys.size(); ++i) {
    const JsonTree& value = object.elements[i];
    const std::string name = prefix + object.keys[i];
    switch (value.kind) {
      case JsonTree::Kind::object:
        flatten(value, name + '.', row, columns);
        continue;
      case JsonTree::Kind::array:
        continue;
      case JsonTree::Kind::null:
        row[name] = "";
        break;
      case JsonTree::Kind::truth:
        row[name] = value.truth ? "true" : "false";
        break;
      case JsonTree::Kind::number:
      case JsonTree::Kind::text:
        row[name] = value.text;
        break;
    }
    if (std::ranges::find(columns, name) == columns.end()) columns.push_back(name);
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
