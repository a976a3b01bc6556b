#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

/// @file
/// Comma-separated values whose cells may hold anything, and comment lines between them.

namespace sparsecast {

/// A cell that reads back as it is, whatever it holds: quoted where it needs to be. One that begins
/// a line is no comment ("# ...").
std::string csv_cell(const std::string& text);

/// Takes a line off the front of the text: up to a line's end that is not inside quotes, which may
/// be CR LF. False where a quote has no end. A comment's quotes are none.
bool take_csv_line(std::string_view& text, std::string_view& line);

/// The cells of a line; those beyond `most` are left together.
std::vector<std::string> split_csv_cells(std::string_view line, std::size_t most);

}  // namespace sparsecast
