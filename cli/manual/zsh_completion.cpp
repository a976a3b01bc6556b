#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include "cli/commands.hpp"
#include "cli/manual/completed_option.hpp"
#include "cli/manual/completion.hpp"

namespace sparsecast::cli {
namespace {

/// In single quotes of the shell, as a part of what _arguments reads.
std::string specification_text(std::string_view text) {
  std::string safe;
  for (const char c : text) {
    if (c == '\'') {
      safe += "'\\''";
    } else if (c == '[' || c == ']' || c == ':' || c == '\\') {
      safe += std::string("\\") + c;
    } else {
      safe += c == '\n' ? ' ' : c;
    }
  }
  return safe;
}

/// What fits on a line of a list of choices.
std::string beginning_of(const std::string& description) {
  constexpr std::size_t most = 72;
  const std::size_t end = std::min(description.find("; "), description.size());
  if (end <= most) return description.substr(0, end);
  return description.substr(0, description.rfind(' ', most)) + " ...";
}

/// The action of _arguments that completes these values.
std::string action(const OptionValues& values) {
  if (!values.known()) return " ";
  if (values.words.empty()) return "_files";
  std::string call = "_sparsecast_values";
  if (values.list) call += " -l";
  if (values.files) call += " -f";
  call += " --";
  for (const std::string& word : values.words) call += ' ' + word;
  return call;
}

std::string option_lines(const CompletedOption& option) {
  std::string lines;
  for (const std::string& name : option.names) {
    const bool is_long = name.starts_with("--");
    lines +=
        "        '*" + name + (option.takes_value ? (is_long ? "=" : "+") : "") + "[" +
        specification_text(beginning_of(option.description)) + "]" +
        (option.takes_value ? ":" + option.names.front().substr(2) + ":" + action(option.values)
                            : "") +
        "' \\\n";
  }
  return lines;
}

std::string case_of(const Command& command) {
  const CommandLine line = command.make_line();
  std::string text = "    " + line.name() + ")\n      _arguments -s \\\n";
  for (const CompletedOption& option : completed_options(line)) text += option_lines(option);
  const std::vector<OptionValues> places = positional_values(line);
  for (std::size_t place = 0; place < places.size(); ++place) {
    const bool last = place + 1 == places.size();
    text += "        '" + (last ? "*" : std::to_string(place + 1)) +
            ":argument:" + action(places[place]) + "' \\\n";
  }
  return text + "        && return 0 ;;\n";
}

constexpr const char* beginning = R"(#compdef sparsecast
# Completion of sparsecast for zsh; made by the program itself.

# [-l] [-f] -- WORDS: one of these words, with -l several with commas between, with -f or a file.
_sparsecast_values() {
  local list= files=
  # _arguments puts options of compadd in front.
  while [[ $1 != -- ]]; do
    [[ $1 == -l ]] && list=yes
    [[ $1 == -f ]] && files=yes
    shift
  done
  shift
  if [[ -n $list ]]; then
    compset -P '*,'
    compadd -q -S , -- "$@"
  else
    compadd -- "$@"
  fi
  [[ -n $files ]] && _files
  return 0
}

_sparsecast() {
  local -a commands
  commands=(
)";

constexpr const char* middle = R"(  )
  if (( CURRENT == 2 )); then
    _describe command commands && return 0
    return 1
  fi
  shift words
  (( CURRENT -= 1 ))
  case $words[1] in
)";

}  // namespace

std::string zsh_completion() {
  std::string script = beginning;
  for (const Command& command : commands()) {
    script +=
        std::string("    '") + command.name + ':' + specification_text(command.summary) + "'\n";
  }
  script += middle;
  for (const Command& command : commands()) script += case_of(command);
  return script + "  esac\n  return 1\n}\n\n_sparsecast \"$@\"\n";
}

}  // namespace sparsecast::cli
