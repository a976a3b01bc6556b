#pragma once

#include <string>
#include <vector>

#include "cli/command.hpp"
#include "cli/reports/table.hpp"
#include "core/base/text/json_text.hpp"

namespace sparsecast::cli {

/// Adds --wide and --markdown.
void add_table_styles(CommandLine& line);

/// Adds --wide, --markdown and --csv.
void add_table_options(CommandLine& line);

/// That of --wide or --markdown. Throws `UsageError` for both, and for one of them beside --json.
TableStyle table_style(const CommandLine& line);

/// Writes the objects of --json as lines of the CSV file of --csv, compressed where its name ends
/// in .gz. Members of objects in them have columns "outer.inner"; arrays are left out.
void write_rows(const std::string& csv, const std::vector<JsonObject>& objects);

}  // namespace sparsecast::cli
