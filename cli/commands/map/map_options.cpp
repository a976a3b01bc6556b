#include "cli/commands/map/map_options.hpp"

#include <algorithm>
#include <string>

#include "cli/forecast_options.hpp"
#include "cli/layout_options.hpp"
#include "cli/map_points.hpp"
#include "cli/own_schedule.hpp"
#include "cli/plots/gnuplot.hpp"
#include "core/base/files/file_output.hpp"
#include "predict/profile_limits.hpp"

namespace sparsecast::cli {

namespace {

namespace fs = std::filesystem;

void check_ending(const fs::path& path) {
  if (is_standard_output(path.string())) {
    throw UsageError("--out -: no kind of file is known from it; use --json");
  }
  const std::string ending = path.extension().string();
  if (can_be_drawn(path) || ending == ".csv" || ending == ".json") return;
  throw UsageError("--out " + path.string() + ": unknown kind of file '" + ending +
                   "'; expected .svg, .png, .pdf, .csv or .json");
}

}  // namespace

int devices_of_map(const CommandLine& line, std::span<const DeviceProfile> profiles, int usual) {
  if (!line.has("devices")) return usual;
  const int devices = line.get<int>("devices");
  require_device_count("--devices", devices);
  for (const DeviceProfile& profile : profiles) {
    const bool is_cpu = profile.traffic && profile.traffic->cpu_threads > 0;
    if (devices == 1 || !is_cpu || profile.network) continue;
    throw UsageError("--devices " + std::to_string(devices) + ": profile " + profile.name +
                     " is of a CPU, which is one device by the traffic model; use --devices 1, "
                     "--network NAME for several, or --model paper");
  }
  return devices;
}

std::optional<Solver> solver_of_map(const CommandLine& line,
                                    std::span<const DeviceProfile> profiles) {
  const std::optional<OwnSchedule> own = own_schedule(line);
  if (!own) {
    if (!line.has("schedule")) return std::nullopt;
    throw UsageError("--schedule " + line.get<std::string>("schedule") +
                     ": expected a file that ends with .json");
  }
  const std::string option = line.has("solver") ? "--solver" : "--schedule";
  for (const DeviceProfile& profile : profiles) {
    if (profile.traffic) continue;
    throw UsageError(option + ": of the traffic model; profile " + profile.name +
                     " is priced by model " + std::string(profile.model()));
  }
  if (own->method.execution) {
    throw UsageError(option + ": " + own->method.execution->library + " carries " +
                     own->method.name + " out, which maps do not draw; use predict or advise");
  }
  for (const char* other : {"density", "measured"}) {
    if (!line.has(other)) continue;
    throw UsageError("--" + std::string(other) + ": of conjugate gradients; leave out " + option);
  }
  if (const std::string cycles = cycles_text({&*own, 1}); !cycles.empty()) warn(cycles);
  return own->priced();
}

MapSizes sizes_of_map(const CommandLine& line, std::span<const DeviceProfile> profiles) {
  MapSizes sizes = usual_sizes(profiles);
  if (const std::optional<Layout> layout = layout_of(line)) sizes.layout = *layout;
  require_layout_of_numbers(sizes.layout);
  return sizes;
}

std::vector<MapPoint> points_of_map(const CommandLine& line,
                                    std::span<const DeviceProfile> profiles, const Layout& layout) {
  std::vector<MapPoint> points;
  if (line.has("points")) {
    points = read_points(line.get<std::string>("points"), profiles, layout);
  }
  if (line.has("matrix")) {
    for (const std::string& path : line.get<std::vector<std::string>>("matrix")) {
      points.push_back(matrix_point(path, layout));
    }
  }
  return points;
}

void check_files_of_map(const CommandLine& line) {
  const bool json = line.has("json");
  if (!json || line.has("out")) check_ending(line.get<std::string>("out"));
  CommandFiles files;
  for (const char* option : {"matrix", "profile", "points", "measured"}) files.reads(line, option);
  if (line.has("out") && can_be_drawn(line.get<std::string>("out"))) {
    files.draws(line, "out");
  } else {
    files.writes(line, "out");
  }
  files.check(json);
}

void warn_of_limits(const DeviceProfile& profile, int devices, Precision precision,
                    const Layout& layout, CurveKind curve) {
  const bool by_links = devices > 1 && !profile.is_on_network(devices);
  if (by_links && !profile.links.contains(devices) && !profile.links.empty()) {
    warn("profile " + profile.name + " has no link of " + std::to_string(devices) +
         " devices; the one of the nearest number stands for it");
  }
  for (const std::string& warning :
       {machine_warning(profile, devices), arithmetic_warning(profile, precision),
        curve == CurveKind::average ? bias_warning(profile, precision, layout, devices) : ""}) {
    if (!warning.empty()) warn(warning);
  }
}

}  // namespace sparsecast::cli
