#include "cli/manual/manual_page.hpp"

#include <algorithm>
#include <cctype>
#include <string_view>

#include "cli/build_details.hpp"
#include "cli/commands.hpp"
#include "cli/environment_variables.hpp"
#include "cli/wrapped_lines.hpp"
#include "core/base/text/text_fields.hpp"

namespace sparsecast::cli {
namespace {

/// Text that stands as it is: no command at the start of a line, no hyphen that may become a dash.
std::string roff(std::string_view text) {
  std::string safe;
  bool line_begins = true;
  for (const char c : text) {
    if (line_begins && (c == '.' || c == '\'')) safe += "\\&";
    line_begins = c == '\n';
    if (c == '\\') {
      safe += "\\e";
    } else if (c == '-') {
      safe += "\\-";
    } else {
      safe += c;
    }
  }
  return safe;
}

std::string upper(std::string text) {
  std::ranges::transform(text, text.begin(),
                         [](unsigned char c) { return static_cast<char>(std::toupper(c)); });
  return text;
}

std::string heading(const std::string& page) {
  return ".TH " + roff(upper(page)) +
         " 1 \"\" \"sparsecast " SPARSECAST_VERSION "\" \"sparsecast\"\n.SH NAME\n";
}

/// Lines, of which those that are indented keep their breaks.
std::string paragraphs(std::string_view text) {
  std::string out;
  bool kept = false;
  while (!text.empty()) {
    const std::string_view line = take_until(text, '\n');
    const bool indented = line.starts_with("  ");
    if (indented != kept) out += indented ? ".nf\n" : ".fi\n";
    kept = indented;
    out += line.empty() ? ".PP\n" : roff(line) + '\n';
  }
  return kept ? out + ".fi\n" : out;
}

/// Commands, a line each, which go on in further lines where a terminal of 80 columns ends.
std::string as_printed(std::string_view text) {
  constexpr std::size_t most = 72;  // beside a page's margin of 7
  std::string out = ".nf\n";
  while (!text.empty()) {
    std::string_view line = take_until(text, '\n');
    line.remove_prefix(std::min(line.find_first_not_of(' '), line.size()));
    out += roff(wrapped_lines(line, most, " \\"));
  }
  return out + ".fi\n";
}

/// "arg", or "arg (=none)" of an option with a default.
std::string option_entry(const boost::program_options::option_description& option) {
  std::string names = "\\fB" + roff("--" + option.long_name()) + "\\fR";
  const std::string shorter = option.canonical_display_name(
      boost::program_options::command_line_style::allow_dash_for_short);
  if (shorter.starts_with('-') && !shorter.starts_with("--")) {
    names = "\\fB" + roff(shorter) + "\\fR, " + names;
  }
  const std::string argument = option.format_parameter();
  if (!argument.empty()) names += " \\fI" + roff(argument) + "\\fR";
  return ".TP\n" + names + '\n' + roff(option.description()) + '\n';
}

std::string environment() {
  std::string text = ".SH ENVIRONMENT\n";
  for (const EnvironmentVariable& each : environment_variables()) {
    text += ".TP\n.B " + roff(each.name) + '\n' + roff(each.meaning) + ".\n";
  }
  return text;
}

std::string exit_status() {
  return ".SH EXIT STATUS\n.TP\n.B 0\nAll is done.\n.TP\n.B 1\nIt failed, or a check says no: one "
         "line on standard error says why.\n.TP\n.B 2\nThe command line is wrong.\n.TP\n.B 130, "
         "143\nIt was interrupted, or told to end.\n";
}

std::string documents() {
  return ".PP\n" + roff(documents_text()) + '\n';
}

}  // namespace

std::string program_manual_page() {
  std::string page = heading("sparsecast") +
                     "sparsecast \\- forecasts how fast a sparse iterative solver will run\n"
                     ".SH SYNOPSIS\n.B sparsecast\n\\fICOMMAND\\fR [\\fIoptions\\fR]\n.br\n"
                     ".B sparsecast\n\\fB\\-\\-help\\fR | \\fB\\-\\-version\\fR\n.SH COMMANDS\n";
  std::string pages;
  for (const Command& command : commands()) {
    page +=
        ".TP\n.BR sparsecast\\-" + roff(command.name) + " (1)\n" + roff(command.summary) + ".\n";
    pages += (pages.empty() ? ".BR sparsecast\\-" : ",\n.BR sparsecast\\-") + roff(command.name) +
             " (1)";
  }
  page +=
      ".SH OPTIONS\n.TP\n\\fB\\-\\-help\\fR\nThe commands; behind a command, its options.\n"
      ".TP\n\\fB\\-\\-version\\fR\nThe version, and what this program was built with.\n.PP\n"
      "All commands take \\fB\\-\\-quiet\\fR and \\fB\\-\\-verbose\\fR.\n";
  return page + environment() + exit_status() + ".SH SEE ALSO\n" + pages + '\n' + documents();
}

std::string manual_page(const Command& command) {
  const CommandLine line = command.make_line();
  std::string page = heading("sparsecast-" + line.name()) + "sparsecast\\-" + roff(line.name()) +
                     " \\- " + roff(command.summary) + "\n.SH SYNOPSIS\n.B sparsecast " +
                     roff(line.name()) + '\n' + roff(line.usage()) + "\n.SH DESCRIPTION\n" +
                     paragraphs(line.description()) + ".SH OPTIONS\n";
  for (const auto& option : line.options().options()) page += option_entry(*option);
  return page + environment() + exit_status() + ".SH EXAMPLES\n" + as_printed(line.example()) +
         ".SH SEE ALSO\n.BR sparsecast (1)\n" + documents();
}

}  // namespace sparsecast::cli
