#include "cli/commands/bench/paper/grid_table.hpp"

#include <algorithm>
#include <utility>

#include "cli/reports/prose.hpp"

namespace sparsecast::cli {

void add_once(std::vector<std::string>& labels, const std::string& label) {
  if (std::ranges::count(labels, label) == 0) labels.push_back(label);
}

void print_title(const std::string& title, TableStyle style, std::ostream& out) {
  out << '\n' << (style == TableStyle::markdown ? "### " : "");
  print_paragraph(out, title, style);
}

void print_grid(
    const std::string& title, const std::string& corner, const std::vector<std::string>& rows,
    const std::vector<std::string>& columns,
    const std::function<std::string(const std::string& row, const std::string& column)>& cell,
    TableStyle style, std::ostream& out) {
  print_title(title, style, out);
  std::vector<TableColumn> header{TableColumn(corner)};
  for (const std::string& column : columns) {
    // The last column is often the best of the others.
    header.emplace_back(column, &column == &columns.back() ? 0 : 1);
  }
  Table table(header);
  for (const std::string& row : rows) {
    std::vector<std::string> cells{row};
    for (const std::string& column : columns) cells.push_back(cell(row, column));
    table.add_row(std::move(cells));
  }
  table.print(out, style);
}

}  // namespace sparsecast::cli
