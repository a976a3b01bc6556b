#pragma once

#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "cli/reports/table.hpp"
#include "core/base/text/json_text.hpp"

/// @file
/// The parts of a page that a browser opens without a network, as HTML. All take texts, not HTML,
/// but where they say so.

namespace sparsecast::cli {

/// The whole page: a file of its own. `body` is HTML. Nothing but its own script and style sheet is
/// allowed in it (content security policy).
std::string html_page(const std::string& title, const std::string& body);

/// A heading, 1 the highest, that #`name` leads to.
std::string html_heading(int level, const std::string& text, const std::string& name = "");

enum class ParagraphStyle { plain, lead, subtitle, note };
std::string html_paragraph(const std::string& text, ParagraphStyle style = ParagraphStyle::plain);

/// A list of sentences; empty for none.
std::string html_list(const std::vector<std::string>& texts);

/// Links to headings: texts and names. Empty for fewer than two.
std::string html_links(std::span<const std::pair<std::string, std::string>> headings);

/// A table that scrolls in itself where it is too wide. `chosen`: the row that stands out.
std::string html_table(const Table& table, std::optional<std::size_t> chosen = {});

/// Names and what they are.
std::string html_facts(const std::vector<std::pair<std::string, std::string>>& facts);

/// Two parts of HTML, the second narrow and beside the first where there is room.
std::string html_beside(const std::string& wide, const std::string& narrow);

/// A picture, the bytes of a PNG file.
std::string html_picture(const std::string& png, const std::string& description,
                         const std::string& caption);

/// A chart (`cli/html/charts.hpp`) with its numbers: in its place where no script runs, else behind
/// it, folded. `numbers` is HTML.
std::string html_chart(const std::string& caption, const JsonObject& chart,
                       const std::string& numbers);

/// A part of HTML that is folded.
std::string html_folded(const std::string& summary, const std::string& html);

/// Data for other programs, under a name: a script element of type application/json.
std::string html_data(const std::string& name, const JsonValue& data);

/// A command as one would type it.
std::string html_command(std::span<const std::string> words);

}  // namespace sparsecast::cli
