#include "cli/own_schedule.hpp"

#include <charconv>
#include <cmath>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/text/text_fields.hpp"
#include "core/schedule/method/method_json.hpp"

namespace sparsecast::cli {
namespace {

Execution execution_of(const CommandLine& line) {
  const std::string name = line.get_or("execution", "fused");
  if (name == "fused") return Execution::fused;
  if (name == "step-by-step") return Execution::step_by_step;
  throw UsageError("--execution: '" + name + "'; expected fused or step-by-step");
}

}  // namespace

void add_set_option(CommandLine& line) {
  line.add()("set", boost::program_options::value<std::vector<std::string>>()->composing(),
             "a parameter of --schedule FILE.json, as m=30; again for another");
}

void add_execution_option(CommandLine& line) {
  line.add()("execution", boost::program_options::value<std::string>(),
             "of --schedule FILE.json: fused (default: steps share kernels), or step-by-step (each "
             "assignment and each dot product is a kernel of its own, as with a library of them)");
}

bool has_schedule_file(const CommandLine& line) {
  return line.has("schedule") && line.get<std::string>("schedule").ends_with(".json");
}

std::optional<OwnSchedule> own_schedule(const CommandLine& line) {
  if (!has_schedule_file(line)) {
    for (const char* option : {"set", "execution"}) {
      if (!line.has(option)) continue;
      throw UsageError("--" + std::string(option) + " goes with --schedule FILE.json");
    }
    return std::nullopt;
  }
  const Execution execution = execution_of(line);
  return OwnSchedule{read_method_file(line.get<std::string>("schedule")), settings_of(line),
                     execution};
}

NamedNumbers settings_of(const CommandLine& line) {
  NamedNumbers settings;
  if (!line.has("set")) return settings;
  for (const std::string& setting : line.get<std::vector<std::string>>("set")) {
    std::string_view value = setting;
    const std::string name(take_until(value, '='));
    double number = 0;
    const auto read = std::from_chars(value.data(), value.data() + value.size(), number);
    if (name.empty() || read.ec != std::errc() || read.ptr != value.data() + value.size() ||
        !std::isfinite(number)) {
      throw UsageError("--set " + setting + ": expected NAME=NUMBER, as m=30");
    }
    if (!settings.emplace(name, number).second) {
      throw UsageError("--set " + setting + ": " + name + " is given twice; give it once");
    }
  }
  return settings;
}

}  // namespace sparsecast::cli
