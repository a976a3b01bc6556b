#include "cli/manual/completed_option.hpp"

#include <algorithm>

namespace sparsecast::cli {
namespace {

/// More positional arguments of different options than any command has.
constexpr unsigned most_places = 8;

std::vector<std::string> positional_options(const CommandLine& line) {
  std::vector<std::string> names;
  for (unsigned place = 0; place < most_places; ++place) {
    const std::string name = line.positional_option(place);
    if (name.empty()) break;
    if (std::ranges::count(names, name) == 0) names.push_back(name);
  }
  return names;
}

}  // namespace

std::vector<CompletedOption> completed_options(const CommandLine& line) {
  std::vector<CompletedOption> completed;
  for (const auto& option : line.options().options()) {
    const std::string& name = option->long_name();
    CompletedOption each{{"--" + name},
                         option->description(),
                         option->semantic()->max_tokens() > 0,
                         values_of(line.name(), name)};
    const std::string shorter = option->canonical_display_name(
        boost::program_options::command_line_style::allow_dash_for_short);
    if (shorter.starts_with('-') && !shorter.starts_with("--")) each.names.push_back(shorter);
    completed.push_back(each);
  }
  return completed;
}

std::vector<OptionValues> positional_values(const CommandLine& line) {
  std::vector<OptionValues> values;
  for (const std::string& name : positional_options(line)) {
    values.push_back(values_of(line.name(), name));
  }
  return values;
}

}  // namespace sparsecast::cli
