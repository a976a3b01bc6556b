#include "cli/commands/calibrate/programs.hpp"

#include <algorithm>
#include <functional>
#include <iostream>
#include <nlohmann/json.hpp>
#include <span>
#include <string>
#include <vector>

#include "calibrate/profile_comparison.hpp"
#include "cli/reports/json_output.hpp"
#include "cli/reports/table.hpp"
#include "core/base/error.hpp"
#include "model/profile/device_profile.hpp"
#include "model/profile/profile_file.hpp"

namespace sparsecast::cli {

using Json = nlohmann::ordered_json;

namespace {

Json as_json(const std::vector<ParameterComparison>& parameters) {
  Json list = Json::array();
  for (const ParameterComparison& each : parameters) {
    list.push_back({{"parameter", each.name},
                    {"unit", each.unit},
                    {"first", each.first},
                    {"second", each.second},
                    {"difference", each.difference},
                    {"standard_error", each.standard_error}});
  }
  return Json{{"agree", agree(parameters)},
              {"within_two_errors", share_within(parameters, 2)},
              {"within_three_errors", share_within(parameters, 3)},
              {"parameters", list}};
}

/// `all`: not the first few alone. `first` and `second` are names of profiles.
void print(const std::vector<ParameterComparison>& parameters, bool all, const std::string& first,
           const std::string& second, std::ostream& out) {
  constexpr std::size_t most_rows = 10;
  const std::size_t rows = all ? parameters.size() : std::min(most_rows, parameters.size());
  Table table({"parameter", "unit", first, second, "standard errors"});
  for (const ParameterComparison& each : std::span(parameters).first(rows)) {
    table.add_row({each.name, each.unit.empty() ? "-" : each.unit,
                   format_number(each.first, "%.4g"), format_number(each.second, "%.4g"),
                   format_fixed(each.deviations(), 1)});
  }
  table.print(out);
  out << '\n'
      << parameters.size() << " parameters; " << format_fixed_percent(share_within(parameters, 2))
      << " differ by less than two standard errors, "
      << format_fixed_percent(share_within(parameters, 3)) << " by less than three.\n"
      << (agree(parameters)
              ? "The calibrations agree.\n"
              : "The calibrations differ: another plan, another version of the program, or a "
                "device in another state.\n");
}

}  // namespace

int compare_calibrations(const CommandLine& line) {
  const auto files = line.get<std::vector<std::string>>("compare");
  if (files.size() != 2) {
    throw UsageError("--compare: " + format_counted(std::ssize(files), "profile") +
                     "; expected two, as --compare monday.json friday.json");
  }
  refuse_repeated_files("--compare",
                        {find_profile(files[0]).string(), find_profile(files[1]).string()});
  const DeviceProfile first = read_profile(files[0]);
  const DeviceProfile second = read_profile(files[1]);
  if (first.device != second.device) {
    warn("'" + first.name + "' describes '" + first.device + "', '" + second.name + "' '" +
         second.device + "'");
  }
  std::vector<ParameterComparison> parameters = compare_profiles(first, second);
  if (parameters.empty()) {
    throw Error(files[0] + " and " + files[1] +
                ": no parameter of which both state the uncertainty; compare two profiles that "
                "were calibrated");
  }
  std::ranges::stable_sort(parameters, std::greater<>(), &ParameterComparison::deviations);
  if (line.has("json")) {
    std::cout << json_text(with_json_head("calibrate", as_json(parameters)));
  } else {
    print(parameters, line.has("full"), first.name, second.name, std::cout);
  }
  return agree(parameters) ? 0 : 1;
}

}  // namespace sparsecast::cli
