#pragma once

#include <iosfwd>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "cli/reports/table.hpp"

namespace sparsecast::cli {

/// A title or sentences of a report, in lines no wider than plain tables. In Markdown a paragraph,
/// which ends with an empty line, and in which no character of a name is markup.
void print_paragraph(std::ostream& out, std::string_view text, TableStyle style);

/// The same, but one line: of what stands behind a name that may be long, as a file's.
void print_line(std::ostream& out, std::string_view text, TableStyle style);

/// Names and what they are: lines, in Markdown a table.
void print_facts(std::ostream& out, const std::vector<std::pair<std::string, std::string>>& facts,
                 TableStyle style);

}  // namespace sparsecast::cli
