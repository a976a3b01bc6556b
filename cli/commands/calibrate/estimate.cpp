#include "cli/commands/calibrate/programs.hpp"

#include <cstdint>
#include <filesystem>
#include <iostream>
#include <nlohmann/json.hpp>
#include <string>

#include "cli/command_files.hpp"
#include "cli/commands/calibrate/calibration_files.hpp"
#include "cli/reports/json_output.hpp"
#include "cli/reports/table.hpp"
#include "model/estimate/estimated_profile.hpp"
#include "model/profile/device_profile.hpp"
#include "model/profile/profile_file.hpp"

namespace sparsecast::cli {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

namespace {

/// The number of an option. Throws `UsageError` unless it is positive, and of a size that hardware
/// has.
template <class Number>
Number positive(const CommandLine& line, const char* option) {
  const auto number = line.get<Number>(option);
  constexpr double most = 1e9;
  if (!(number > 0 && static_cast<double>(number) <= most)) {
    throw UsageError("--" + std::string(option) + ": expected a positive number, at most 1e9");
  }
  return number;
}

}  // namespace

int estimate_device(const CommandLine& line) {
  if (!line.has("out")) throw UsageError("--estimate needs --out NAME.json");
  const fs::path profile_path = files_of_out(line.get<std::string>("out")).profile;
  DeviceSpecification device;
  device.name = profile_path.stem().string();
  for (const char* option : {"sms", "threads-per-sm", "bandwidth"}) {
    if (!line.has(option)) {
      throw UsageError("--estimate needs --sms, --threads-per-sm and --bandwidth");
    }
  }
  device.multiprocessors = positive<int>(line, "sms");
  device.threads_per_multiprocessor = positive<int>(line, "threads-per-sm");
  device.bandwidth_gbps = positive<double>(line, "bandwidth");
  if (line.has("memory")) {
    constexpr double gigabyte = 1e9;
    device.memory_bytes = static_cast<std::int64_t>(positive<double>(line, "memory") * gigabyte);
  }
  CommandFiles files;
  files.writes(line, "out");
  files.check();
  if (!line.has("force")) refuse_to_overwrite(profile_path);
  const DeviceProfile profile = estimated_profile(device);
  write_profile(profile_path, profile);
  const double mu = estimated_mu(device);
  const double sigma = estimated_sigma(device);
  if (line.has("json")) {
    std::cout << json_text(with_json_head("calibrate", {{"profile", profile_path.string()},
                                                        {"mu", mu},
                                                        {"sigma", sigma},
                                                        {"nu", device.bandwidth_gbps}}));
  } else {
    std::cout << "estimated, not measured (equations 4 and 5): mu " << format_fixed(mu, 2)
              << ", sigma " << format_fixed(sigma, 2) << ", nu "
              << format_number(device.bandwidth_gbps) << " GB/s\nprofile: " << profile_path.string()
              << '\n';
  }
  return 0;
}

}  // namespace sparsecast::cli
