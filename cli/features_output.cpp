#include "cli/features_output.hpp"

#include <algorithm>
#include <filesystem>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "cli/interrupt.hpp"
#include "cli/reports/progress.hpp"
#include "cli/reports/table.hpp"
#include "core/base/error.hpp"
#include "core/base/files/file_output.hpp"
#include "core/base/text/text_fields.hpp"
#include "model/profile/profile_file.hpp"
#include "predict/advice/advice.hpp"
#include "predict/features/features_file.hpp"

namespace sparsecast::cli {
namespace {

namespace fs = std::filesystem;
namespace po = boost::program_options;

/// All profiles in the folders where they are looked up. Those that cannot be read, which nobody
/// asked for by name, are left out with a warning.
std::vector<DeviceProfile> known_profiles() {
  std::vector<DeviceProfile> profiles;
  for (const std::string& name : profile_names()) {
    try {
      profiles.push_back(read_profile(name));
    } catch (const Error& error) {
      warn(std::string(error.what()) + "; --features leaves this profile out");
    }
  }
  return profiles;
}

/// The profiles of --for, or all that are known: what is counted depends on their GPUs.
std::vector<DeviceProfile> profiles_of(const CommandLine& line) {
  std::vector<DeviceProfile> profiles;
  if (!line.has("for")) return known_profiles();
  const auto& text = line.get<std::string>("for");
  std::string_view rest = text;
  for (bool more = true; more;) {
    more = rest.find(',') != std::string_view::npos;
    const std::string name(take_until(rest, ','));
    if (name.empty()) throw UsageError("--for " + text + ": expected profiles, as P,Q");
    profiles.push_back(read_profile(name));
  }
  return profiles;
}

/// What is asked for. What is counted for CPUs, and for profiles without a traffic model, depends
/// on no profile but for numbers of devices.
CountRequest request_of(const CommandLine& line) {
  CountRequest request;
  std::set<int> devices;
  for (const DeviceProfile& profile : profiles_of(line)) {
    const std::vector<int> advised = advised_devices(profile);
    devices.insert(advised.begin(), advised.end());
    if (!profile.traffic || profile.traffic->cpu_threads > 0) continue;
    const GpuShape& gpu = profile.traffic->gpu;
    if (std::ranges::count(request.gpus, gpu) == 0) request.gpus.push_back(gpu);
  }
  if (line.has("for-devices")) {
    const std::vector<int> asked =
        parse_device_counts("--for-devices", line.get<std::string>("for-devices"));
    devices = {asked.begin(), asked.end()};
  }
  devices.erase(1);  // always there
  request.devices.assign(devices.begin(), devices.end());
  return request;
}

}  // namespace

void add_features_options(CommandLine& line) {
  line.add()("features", po::value<std::string>(),
             "write what forecasts need of the matrix, NAME.features.json: predict, map and advise "
             "take it in place of the matrix")(
      "for", po::value<std::string>(),
      "of --features: profiles P,Q whose GPUs it is for; default all that ship. CPUs, and profiles "
      "without a traffic model, need none")("for-devices", po::value<std::string>(),
                                            "of --features: numbers of devices that it is for "
                                            "beside one, 1 for no others; default those that "
                                            "advise tries of these profiles")(
      "force", "overwrite a file of --features that is there");
}

void check_features_options(const CommandLine& line) {
  if (!line.has("features")) {
    for (const char* option : {"for", "for-devices", "force"}) {
      if (!line.has(option)) continue;
      throw UsageError("--" + std::string(option) + " is for --features, which is missing");
    }
    return;
  }
  const auto& path = line.get<std::string>("features");
  std::error_code error;
  if (is_standard_output(path) || !fs::is_regular_file(path, error) || line.has("force")) return;
  throw UsageError("--features " + path +
                   ": is there already; choose another name, or overwrite it with --force");
}

std::string write_features(const CommandLine& line, MatrixOrders& orders, const std::string& name,
                           std::vector<IterationCount> counts) {
  CountRequest request = request_of(line);
  const auto& path = line.get<std::string>("features");
  std::string text;
  {
    const InterruptGuard guard;
    Progress progress("count");
    request.progress = [&](double done) {
      if (InterruptGuard::interrupted()) throw Interrupted(path + ": interrupted, not written");
      progress.update(done, path);
    };
    ForecastFeatures features = count_features(orders, name, request);
    features.counts = std::move(counts);
    text = features_to_json(features);
  }
  write_file(path, text);
  return "wrote " + path + ": " + format_bytes(static_cast<double>(text.size())) +
         "; predict, map and advise take it in place of the matrix";
}

}  // namespace sparsecast::cli
