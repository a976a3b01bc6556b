#include <algorithm>
#include <cmath>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <iostream>
#include <string>
#include <vector>

#include "cli/command_files.hpp"
#include "cli/commands/calibrate/calibration_files.hpp"
#include "cli/commands/calibrate/programs.hpp"
#include "cli/reports/json_output.hpp"
#include "cli/reports/table.hpp"
#include "core/base/text/json_text.hpp"
#include "core/base/text/short_number.hpp"
#include "model/estimate/data_sheet.hpp"
#include "model/estimate/data_sheet_json.hpp"
#include "model/estimate/relative_profile.hpp"
#include "model/profile/profile_file.hpp"

namespace sparsecast::cli {

namespace fs = std::filesystem;

namespace {

/// A number of a data sheet that a user may give.
struct SheetOption {
  std::string name;
  const char* meaning;
  const char* unit;
  std::function<double(const DataSheet&)> get;
  std::function<void(DataSheet&, double)> set;
  bool needed = true;  ///< without --gpu
};

SheetOption option_of(const char* name, const char* meaning, const char* unit,
                      double DataSheet::*number) {
  return {name, meaning, unit, [number](const DataSheet& sheet) { return sheet.*number; },
          [number](DataSheet& sheet, double value) { sheet.*number = value; }};
}

const std::vector<SheetOption>& sheet_options() {
  static const std::vector<SheetOption> all = [] {
    std::vector<SheetOption> options{
        {"sms", "multiprocessors", "",
         [](const DataSheet& sheet) { return static_cast<double>(sheet.multiprocessors); },
         [](DataSheet& sheet, double value) { sheet.multiprocessors = static_cast<int>(value); }},
        option_of("clock", "clock", " MHz", &DataSheet::clock_mhz),
        option_of("bandwidth", "memory bandwidth", " GB/s", &DataSheet::bandwidth_gbps),
        option_of("l2", "L2 cache", " MB", &DataSheet::l2_mb),
        option_of("memory", "memory", " GB", &DataSheet::memory_gb),
        option_of("link", "link, one direction", " GB/s", &DataSheet::link_gbps)};
    options.back().needed = false;
    return options;
  }();
  return all;
}

double number_of(const CommandLine& line, const SheetOption& option) {
  return option.name == "sms" ? line.get<int>("sms") : line.get<double>(option.name);
}

/// Refuses what no relative has: a slip of units is a factor of a thousand.
void require_of_a_relative(const SheetOption& option, double number, const DataSheet& from,
                           const std::string& relative) {
  constexpr double most = 100;
  constexpr int digits = 6;
  const double own = option.get(from);
  if (number >= own / most && number <= own * most) return;
  throw UsageError("--" + option.name + ": expected from " + short_number(own / most, digits) +
                   " to " + short_number(own * most, digits) + option.unit + " (" + relative +
                   " has " + short_number(own, digits) + "), found " + short_number(number));
}

/// Whether it is of the relative itself with fewer multiprocessors, all that is given.
bool is_of_a_part(const CommandLine& line) {
  return line.has("sms") && !line.has("gpu") &&
         std::ranges::none_of(sheet_options(), [&line](const SheetOption& option) {
           return option.name != "sms" && line.has(option.name);
         });
}

DataSheet sheet_of_part(const CommandLine& line, const DataSheet& whole,
                        const std::string& relative) {
  const int multiprocessors = line.get<int>("sms");
  if (multiprocessors < 1 || multiprocessors >= whole.multiprocessors) {
    throw UsageError("--sms: expected from 1 to " + std::to_string(whole.multiprocessors - 1) +
                     ", a part of " + relative +
                     "; of another GPU --clock, --bandwidth, --l2 and " +
                     "--memory too, or --gpu NAME");
  }
  DataSheet part = whole;
  part.name.clear();
  part.source.clear();
  part.multiprocessors = multiprocessors;
  part.link_gbps = 0;  // it runs alone
  return part;
}

/// That of --gpu, with what else is given; without --gpu of the relative's generation.
DataSheet sheet_of(const CommandLine& line, const DeviceProfile& relative) {
  const DataSheet& from = data_sheet_of_relative(relative);
  if (is_of_a_part(line)) return sheet_of_part(line, from, relative.name);
  DataSheet sheet = from;
  if (line.has("gpu")) {
    try {
      sheet = data_sheet(line.get<std::string>("gpu"));
    } catch (const Error& error) {
      throw UsageError("--gpu: " + std::string(error.what()));
    }
  } else {
    for (const SheetOption& option : sheet_options()) {
      if (option.needed && !line.has(option.name)) {
        throw UsageError(
            "--like needs --gpu NAME (sparsecast devices --sheets), --sms alone for a part of it, "
            "or all of --sms, --clock, --bandwidth, --l2 and --memory; --" +
            option.name + " is missing");
      }
    }
    sheet.link_gbps = 0;
  }
  bool own = !line.has("gpu");
  for (const SheetOption& option : sheet_options()) {
    if (!line.has(option.name)) continue;
    const double number = number_of(line, option);
    require_of_a_relative(option, number, from, relative.name);
    option.set(sheet, number);
    own = true;
  }
  if (own) {
    sheet.name.clear();
    sheet.source.clear();
  }
  if (!line.has("gpu")) sheet.device.clear();
  if (line.has("link")) sheet.link_devices = 0;
  return sheet;
}

std::string shown(const SheetOption& option, const DataSheet& sheet) {
  const double number = option.get(sheet);
  return number > 0 ? short_number(number, 5) + option.unit : "-";
}

void print(const DeviceProfile& profile, const fs::path& path) {
  const EstimateSource& source = profile.estimated.value();
  std::cout << "estimated, not measured: " << source.like << " by the data sheets of both\n\n";
  Table table({"", source.like, profile.name, "ratio"});
  for (const SheetOption& option : sheet_options()) {
    const double to = option.get(source.to);
    table.add_row({option.meaning, shown(option, source.from), shown(option, source.to),
                   to > 0 ? format_number(to / option.get(source.from)) : "-"});
  }
  table.add_row(
      {"compute capability", source.from.compute_capability, source.to.compute_capability, "-"});
  table.print(std::cout);
  std::cout << '\n' << profile.notes << "\nprofile: " << path.string() << '\n';
}

}  // namespace

int estimate_relative(const CommandLine& line) {
  if (!line.has("out")) throw UsageError("--like needs --out NAME.json");
  const fs::path path = files_of_out(line.get<std::string>("out")).profile;
  const DeviceProfile relative = read_profile(line.get<std::string>("like"));
  const DataSheet sheet = sheet_of(line, relative);
  CommandFiles files;
  files.reads("--like", find_profile(line.get<std::string>("like")).string());
  files.writes(line, "out");
  files.check();
  if (!line.has("force")) refuse_to_overwrite(path);
  const DeviceProfile profile = relative_profile(relative, sheet, path.stem().string());
  write_profile(path, profile);
  if (line.has("json")) {
    std::cout << json_head("calibrate")
                     .add_members({{"profile", path.string()},
                                   {"like", relative.name},
                                   {"from", to_json(profile.estimated->from)},
                                   {"to", to_json(profile.estimated->to)},
                                   {"notes", profile.notes}})
                     .lines();
  } else {
    print(profile, path);
  }
  return 0;
}

}  // namespace sparsecast::cli
