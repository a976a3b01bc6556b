#include "cli/choice_options.hpp"

#include <algorithm>

#include "core/base/text/name_list.hpp"

namespace sparsecast::cli {

std::vector<std::string> split_names(const std::string& text) {
  std::vector<std::string> names(1);
  for (const char c : text) {
    if (c == ',') {
      names.emplace_back();
    } else {
      names.back() += c;
    }
  }
  return names;
}

std::vector<std::string> parse_choice(const CommandLine& line, const char* option,
                                      const std::vector<std::string>& known) {
  return parse_choice("--" + std::string(option), line.get_or(option, "none"), known);
}

std::vector<std::string> parse_choice(const std::string& option, const std::string& text,
                                      const std::vector<std::string>& known) {
  if (text == "all") return known;
  std::vector<std::string> names = split_names(text);
  for (const std::string& name : names) {
    if (std::ranges::find(known, name) != known.end()) continue;
    std::vector<std::string> expected = known;
    expected.emplace_back("all");
    throw UsageError(option + ' ' + name + ": expected " + one_of(expected));
  }
  return names;
}

std::vector<LaunchMode> launch_modes_of(const CommandLine& line) {
  std::vector<LaunchMode> modes;
  for (const std::string& name :
       parse_choice(line, "launch", {"host", "plain", "graph", "persistent"})) {
    modes.push_back(parse_launch_mode(name));
  }
  return modes;
}

}  // namespace sparsecast::cli
