#include "predict/warning_lines.hpp"

#include <algorithm>
#include <string_view>

namespace sparsecast {

namespace {

std::string choice_text(const std::string& schedule, const Layout& layout) {
  return schedule + " in " + to_string(layout) + ": ";
}

void add_once(std::vector<std::string>& names, const std::string& name) {
  if (std::ranges::find(names, name) == names.end()) names.push_back(name);
}

std::string joined(const std::vector<std::string>& names) {
  std::string text;
  for (const std::string& name : names) text += (text.empty() ? "" : ", ") + name;
  return text;
}

/// Solvers, and the layouts that all of them are in.
struct Choices {
  std::vector<std::string> schedules;
  std::vector<std::string> layouts;
};

/// A text, and what of a profile it is of.
struct Line {
  std::string profile;
  std::string text;
  std::vector<Choices> choices;  ///< a solver each; none of a text that is of no solver

  void add(const std::string& schedule, const std::string& layout) {
    const auto known = std::ranges::find_if(
        choices, [&](const Choices& each) { return each.schedules.front() == schedule; });
    if (known == choices.end()) {
      choices.push_back({{schedule}, {layout}});
    } else {
      add_once(known->layouts, layout);
    }
  }

  std::string printed(bool names_profile) const {
    std::vector<Choices> merged;
    for (const Choices& each : choices) {
      const auto same = std::ranges::find(merged, each.layouts, &Choices::layouts);
      if (same == merged.end()) {
        merged.push_back(each);
      } else {
        same->schedules.push_back(each.schedules.front());
      }
    }
    std::string of;
    for (const Choices& each : merged) {
      of += (of.empty() ? "" : "; ") + joined(each.schedules) + " in " + joined(each.layouts);
    }
    if (!of.empty()) of += ": ";
    const bool is_named = !names_profile || text.find(profile) != std::string::npos;
    return (is_named ? "" : profile + ": ") + of + text;
  }
};

}  // namespace

std::string warning_of(const std::string& schedule, const Layout& layout, const std::string& text) {
  return choice_text(schedule, layout) + text;
}

std::vector<std::string> warning_lines(std::span<const Prediction> predictions) {
  std::vector<Line> lines;
  bool several = false;
  for (const Prediction& prediction : predictions) {
    several = several || prediction.profile != predictions.front().profile;
    const std::string choice = choice_text(prediction.schedule, prediction.layout);
    for (const std::string& warning : prediction.warnings) {
      const bool of_choice = warning.starts_with(choice);
      const std::string text = of_choice ? warning.substr(choice.size()) : warning;
      auto line = std::ranges::find_if(lines, [&](const Line& each) {
        return each.profile == prediction.profile && each.text == text &&
               each.choices.empty() != of_choice;
      });
      if (line == lines.end()) line = lines.insert(line, Line{prediction.profile, text, {}});
      if (of_choice) line->add(prediction.schedule, to_string(prediction.layout));
    }
  }
  std::vector<std::string> printed;
  for (const Line& line : lines) add_once(printed, line.printed(several));
  return printed;
}

}  // namespace sparsecast
