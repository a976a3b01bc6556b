#include "cli/html/page.hpp"

#include "cli/html/html_text.hpp"
#include "cli/html/page_assets.hpp"
#include "core/base/text/base64.hpp"

namespace sparsecast::cli {

namespace {

std::string element(const std::string& tag, const std::string& html) {
  return "<" + tag + ">" + html + "</" + tag.substr(0, tag.find(' ')) + ">\n";
}

/// What people read, as HTML.
std::string html_prose(const std::string& text) {
  return html_text(with_micro_signs(text));
}

/// A word of a command, quoted for a shell where it needs that.
std::string shell_word(const std::string& word) {
  constexpr const char* plain =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_-+=,.:/@%";
  if (!word.empty() && word.find_first_not_of(plain) == std::string::npos) return word;
  std::string quoted = "'";
  for (const char c : word) quoted += c == '\'' ? "'\\''" : std::string(1, c);
  return quoted + "'";
}

}  // namespace

std::string html_page(const std::string& title, const std::string& body) {
  const std::string policy = "default-src 'none'; script-src '" + std::string(page_script_hash()) +
                             "'; style-src '" + std::string(page_style_hash()) +
                             "'; img-src data:; base-uri 'none'; form-action 'none'";
  std::string licences =
      html_folded("Licences of what draws the charts", element("pre", html_text(page_licences())));
  return "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
         "<meta http-equiv=\"Content-Security-Policy\" content=\"" +
         html_text(policy) +
         "\">\n<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
         "<meta name=\"generator\" content=\"sparsecast " SPARSECAST_VERSION
         "\">\n<meta name=\"color-scheme\" content=\"light dark\">\n" +
         element("title", html_text(title)) + "<style>" + page_style() +
         "</style>\n</head>\n<body>\n<main>\n" + body + "</main>\n" +
         element("footer", html_paragraph("Made by sparsecast " SPARSECAST_VERSION
                                          ". All of it is in this file.") +
                               licences) +
         "<script>" + page_script() + "</script>\n</body>\n</html>\n";
}

std::string html_heading(int level, const std::string& text, const std::string& name) {
  const std::string tag = "h" + std::to_string(level);
  return element(name.empty() ? tag : tag + " id=\"" + html_text(name) + "\"", html_text(text));
}

std::string html_paragraph(const std::string& text, ParagraphStyle style) {
  switch (style) {
    case ParagraphStyle::lead:
      return element("p class=\"lead\"", html_prose(text));
    case ParagraphStyle::subtitle:
      return element("p class=\"subtitle\"", html_prose(text));
    case ParagraphStyle::note:
      return element("p class=\"note\"", html_prose(text));
    case ParagraphStyle::plain:
      break;
  }
  return element("p", html_prose(text));
}

std::string html_list(const std::vector<std::string>& texts) {
  std::string items;
  for (const std::string& text : texts) items += element("li", html_prose(text));
  return items.empty() ? "" : element("ul", items);
}

std::string html_links(std::span<const std::pair<std::string, std::string>> headings) {
  if (headings.size() < 2) return "";
  std::string items;
  for (const auto& [text, name] : headings) {
    items += "<li><a href=\"#" + html_text(name) + "\">" + html_text(text) + "</a></li>\n";
  }
  return element("nav", element("ul", items));
}

std::string html_table(const Table& table, std::optional<std::size_t> chosen) {
  const std::vector<bool> numeric = table.numeric_columns();
  const auto& lines = table.lines();
  const auto row_of = [&](const std::vector<std::string>& cells, const std::string& tag) {
    std::string html;
    for (std::size_t column = 0; column < cells.size(); ++column) {
      // Sentences may take several lines.
      constexpr std::size_t long_text = 40;
      const std::string kind = numeric[column]                    ? " class=\"number\""
                               : cells[column].size() > long_text ? " class=\"long\""
                                                                  : "";
      html += "<" + tag + kind + (tag == "th" ? " scope=\"col\"" : "") + ">" +
              html_prose(cells[column]) + "</" + tag + ">";
    }
    return html;
  };
  std::string body;
  for (std::size_t row = 1; row < lines.size(); ++row) {
    body += element(chosen == row - 1 ? "tr class=\"chosen\"" : "tr", row_of(lines[row], "td"));
  }
  // What scrolls must be reached by the keyboard.
  return element("div class=\"scroll\" tabindex=\"0\" role=\"region\" aria-label=\"Table\"",
                 "<table>\n<thead>" + element("tr", row_of(lines.front(), "th")) +
                     "</thead>\n<tbody>\n" + body + "</tbody>\n</table>\n");
}

std::string html_facts(const std::vector<std::pair<std::string, std::string>>& facts) {
  std::string rows;
  for (const auto& [name, what] : facts) {
    rows += "<tr><th scope=\"row\">" + html_text(name) + "</th><td>" + html_prose(what) +
            "</td></tr>\n";
  }
  return element("table class=\"facts\"", "\n<tbody>\n" + rows + "</tbody>\n");
}

std::string html_beside(const std::string& wide, const std::string& narrow) {
  return element("div class=\"beside\"", element("div", wide) + element("div", narrow));
}

std::string html_picture(const std::string& png, const std::string& description,
                         const std::string& caption) {
  return element("figure class=\"pattern\"",
                 "<img class=\"picture\" alt=\"" + html_text(description) +
                     "\" src=\"data:image/png;base64," + base64(png) + "\">\n" +
                     element("figcaption", html_text(caption)));
}

std::string html_chart(const std::string& caption, const JsonObject& chart,
                       const std::string& numbers) {
  return element("figure class=\"chart\"",
                 element("figcaption", html_prose(caption)) + "<div class=\"plot\"></div>\n" +
                     "<script type=\"application/json\">" + with_micro_signs(html_json(chart)) +
                     "</script>\n" +
                     element("details open", element("summary", "Numbers") + numbers));
}

std::string html_folded(const std::string& summary, const std::string& html) {
  return element("details", element("summary", html_text(summary)) + html);
}

std::string html_data(const std::string& name, const JsonValue& data) {
  return "<script type=\"application/json\" id=\"" + html_text(name) + "\">" + html_json(data) +
         "</script>\n";
}

std::string html_command(std::span<const std::string> words) {
  std::string command = "sparsecast";
  for (const std::string& word : words) command += " " + shell_word(word);
  return element("pre", html_text(command));
}

}  // namespace sparsecast::cli
