#include <string>
#include <vector>

#include "cli/commands.hpp"
#include "cli/joined.hpp"
#include "cli/manual/completed_option.hpp"
#include "cli/manual/completion.hpp"

namespace sparsecast::cli {
namespace {

/// What the script's variables become for these values.
std::string assignments(const OptionValues& values) {
  std::string text;
  if (!values.words.empty()) text += " words='" + joined(values.words, " ") + "'";
  if (values.list) text += " list=yes";
  if (values.files) text += " files=yes";
  return text.empty() ? " :" : text;
}

/// Cases of `command:option`, then of `command#place`, one a line.
std::string cases_of(const Command& command) {
  const CommandLine line = command.make_line();
  std::string cases;
  std::vector<std::string> all;
  for (const CompletedOption& option : completed_options(line)) {
    all.insert(all.end(), option.names.begin(), option.names.end());
    if (!option.takes_value) continue;
    std::string patterns;
    for (const std::string& name : option.names) {
      patterns += (patterns.empty() ? "" : "|") + line.name() + ':' + name;
    }
    cases += "    " + patterns + ")" + assignments(option.values) + " ;;\n";
  }
  const std::vector<OptionValues> places = positional_values(line);
  for (std::size_t place = 0; place < places.size(); ++place) {
    const bool last = place + 1 == places.size();
    cases += "    " + line.name() + '#' + (last ? "*" : std::to_string(place)) + ")" +
             assignments(places[place]) + " ;;\n";
  }
  return cases + "    " + line.name() + ":)" + " words='" + joined(all, " ") + "' ;;\n";
}

constexpr const char* beginning =
    R"(# Completion of sparsecast for bash; made by the program itself.

# What may stand behind an option (COMMAND:--option), as a positional argument (COMMAND#place) and as
# an option (COMMAND:). False where nothing is known of it.
_sparsecast_values() {
  case $1 in
)";

constexpr const char* ending = R"(    *) return 1 ;;
  esac
}

_sparsecast() {
  local current=${COMP_WORDS[COMP_CWORD]} previous=${COMP_WORDS[COMP_CWORD - 1]}
  local command=${COMP_WORDS[1]} words='' list='' files='' prefix='' place=0 index
  COMPREPLY=()
  # Readline cuts --option=value at its sign.
  if [[ $current == '=' ]]; then
    current=''
  elif [[ $previous == '=' ]]; then
    previous=${COMP_WORDS[COMP_CWORD - 2]}
  fi
  if ((COMP_CWORD == 1)); then
    words=$_sparsecast_commands
  elif [[ $previous == -* ]] && _sparsecast_values "$command:$previous"; then
    :
  elif [[ $current == -* ]]; then
    _sparsecast_values "$command:"
  elif [[ $command == help ]]; then
    words=$_sparsecast_commands
  else
    for ((index = 2; index < COMP_CWORD; ++index)); do
      [[ ${COMP_WORDS[index]} == -* || ${COMP_WORDS[index]} == '=' ]] && continue
      [[ ${COMP_WORDS[index - 1]} == '=' ]] && continue
      _sparsecast_values "$command:${COMP_WORDS[index - 1]}" && [[ ${COMP_WORDS[index - 1]} == -* ]] &&
        continue
      ((place += 1))
    done
    words='' list='' files=''
    _sparsecast_values "$command#$place"
  fi
  [[ $list && $current == *,* ]] && prefix=${current%,*},
  mapfile -t COMPREPLY < <(compgen -P "$prefix" -W "$words" -- "${current##*,}")
  if [[ $files ]]; then
    local found
    mapfile -t found < <(compgen -f -- "$current")
    COMPREPLY+=("${found[@]}")
    compopt -o filenames 2>/dev/null
  fi
  return 0
}
complete -F _sparsecast sparsecast
)";

}  // namespace

std::string bash_completion() {
  std::string script = beginning;
  std::vector<std::string> names;
  for (const Command& command : commands()) {
    script += cases_of(command);
    names.emplace_back(command.name);
  }
  names.insert(names.end(), {"help", "--help", "--version"});
  return script + ending + "_sparsecast_commands='" + joined(names, " ") + "'\n";
}

}  // namespace sparsecast::cli
