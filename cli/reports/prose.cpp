#include "cli/reports/prose.hpp"

#include <algorithm>
#include <ostream>

#include "cli/wrapped_lines.hpp"

namespace sparsecast::cli {

namespace {

std::string without_markup(std::string_view text) {
  constexpr std::string_view markup = "\\`*_[]<>|";
  std::string escaped;
  for (const char c : text) {
    if (markup.find(c) != std::string_view::npos) escaped += '\\';
    escaped += c;
  }
  return escaped;
}

}  // namespace

void print_paragraph(std::ostream& out, std::string_view text, TableStyle style) {
  if (style == TableStyle::markdown) {
    out << without_markup(text) << "\n\n";
  } else {
    out << wrapped_lines(text, plain_table_width, "", "");
  }
}

void print_line(std::ostream& out, std::string_view text, TableStyle style) {
  if (style == TableStyle::markdown) return print_paragraph(out, text, style);
  out << text << '\n';
}

void print_facts(std::ostream& out, const std::vector<std::pair<std::string, std::string>>& facts,
                 TableStyle style) {
  if (style == TableStyle::markdown) {
    Table table({"property", "value"});
    for (const auto& [label, text] : facts) table.add_row({label, text});
    table.print(out, style);
    return;
  }
  std::size_t width = 0;
  for (const auto& [label, text] : facts) width = std::max(width, label.size());
  for (const auto& [label, text] : facts) {
    out << label << std::string(width + 1 - label.size(), ' ') << text << '\n';
  }
}

}  // namespace sparsecast::cli
