#pragma once

#include <functional>
#include <ostream>
#include <string>
#include <vector>

#include "cli/reports/table.hpp"

/// @file
/// Tables of a report that has many of them.

namespace sparsecast::cli {

/// Unless it is there already.
void add_once(std::vector<std::string>& labels, const std::string& label);

/// A line of its own above a table.
void print_title(const std::string& title, TableStyle style, std::ostream& out);

/// A table under its title: a line for each row, a cell of each column. `corner` heads the labels
/// of the rows.
void print_grid(
    const std::string& title, const std::string& corner, const std::vector<std::string>& rows,
    const std::vector<std::string>& columns,
    const std::function<std::string(const std::string& row, const std::string& column)>& cell,
    TableStyle style, std::ostream& out);

}  // namespace sparsecast::cli
