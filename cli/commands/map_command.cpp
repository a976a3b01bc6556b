#include <filesystem>
#include <iostream>
#include <string>
#include <utility>
#include <vector>

#include "cli/command.hpp"
#include "cli/command_files.hpp"
#include "cli/forecast_options.hpp"
#include "cli/interrupt.hpp"
#include "cli/layout_options.hpp"
#include "cli/map_points.hpp"
#include "cli/plots/gnuplot.hpp"
#include "cli/plots/map_plot.hpp"
#include "cli/reports/map_report.hpp"
#include "cli/reports/progress.hpp"
#include "core/base/files/file_output.hpp"
#include "predict/performance_map.hpp"
#include "predict/performance_map_json.hpp"
#include "predict/profile_limits.hpp"

namespace sparsecast::cli {

namespace {

namespace fs = std::filesystem;

CommandLine make_command_line() {
  namespace po = boost::program_options;
  CommandLine line(
      "map", "--profile P --out FILE [MATRIX...] [options]",
      "Draws speedup or performance over unknowns and block elements (Figure 8), with\n"
      "matrices of yours as points. In layout bcsr4 unless told otherwise, by the traffic\n"
      "model in csr.",
      "sparsecast map --profile gtx280 --devices 2 --curve maximum --out speedup.svg\n"
      "  sparsecast map box.features.json --profile nvidia-h200 --out box.svg");
  line.add()("matrix", po::value<std::vector<std::string>>(),
             "Matrix Market files, or features files (inspect --features), to draw as points")(
      "profile,p", po::value<std::string>(), "profile: a .json file or a shipped name (gtx280)")(
      "quantity,q", po::value<std::string>(),
      "speedup, raw or effective (GFlop/s); default speedup, of one device raw")(
      "devices,d", po::value<int>(),
      "number of devices; default 2, or 1 where the profile is of a CPU or has no links");
  add_layout_option(line);
  line.add()("density", po::value<double>(), "block density of `effective`, up to 1")(
      "precision", po::value<std::string>(), "f32 or f64; default f64 if the profile has it")(
      "curve", po::value<std::string>()->default_value("average"),
      "average: what to expect; maximum: the best case; of other models than traffic")(
      "model", po::value<std::string>(),
      "hybrid, traffic, cache or paper; default the best that the profile has")(
      "points", po::value<std::string>(), "CSV file of points: name,unknowns,elements")(
      "measured", po::value<std::string>(),
      "raw data of validate: its speedups as points in the colours of the map")(
      "out,o", po::value<std::string>(), "file to write: .svg, .png, .pdf, .csv or .json")(
      "json", "print the map as JSON");
  line.positional("matrix", -1);
  return line;
}

MapQuantity parse_quantity(const std::string& text) {
  if (text == "speedup") return MapQuantity::speedup;
  if (text == "raw") return MapQuantity::raw;
  if (text == "effective") return MapQuantity::effective;
  throw UsageError("--quantity " + text + ": expected speedup, raw or effective");
}

/// Two where the profile knows them: Figure 8.
int devices_of(const CommandLine& line, const DeviceProfile& profile) {
  if (!line.has("devices")) return prices_several_devices(profile) ? 2 : 1;
  const int devices = line.get<int>("devices");
  require_device_count("--devices", devices);
  if (devices > 1 && profile.traffic && profile.traffic->cpu_threads > 0) {
    throw UsageError("--devices " + std::to_string(devices) + ": profile " + profile.name +
                     " is of a CPU, which is one device by the traffic model; use --devices 1, or "
                     "--model paper");
  }
  return devices;
}

MapQuantity quantity_of(const CommandLine& line, int devices) {
  if (!line.has("quantity")) return devices > 1 ? MapQuantity::speedup : MapQuantity::raw;
  const MapQuantity quantity = parse_quantity(line.get<std::string>("quantity"));
  if (quantity == MapQuantity::speedup && devices == 1) {
    throw UsageError("--quantity speedup: of one device it is 1; add --devices N, or leave it out");
  }
  return quantity;
}

MapRequest make_request(const CommandLine& line, const DeviceProfile& profile) {
  MapRequest request;
  request.devices = devices_of(line, profile);
  request.quantity = quantity_of(line, request.devices);
  constexpr int block_of_paper = 4;
  request.layout =
      layout_of(line).value_or(profile.traffic ? Layout{} : block_layout(block_of_paper));
  require_layout_of_numbers(request.layout);
  if (profile.traffic) {  // a point takes much longer than by the paper's model
    request.columns = 64;
    request.rows = 64;
  }
  request.precision = line.has("precision")
                          ? parse_precision("--precision", line.get<std::string>("precision"))
                          : profile.default_precision();
  request.curve = parse_curve("--curve", line.get<std::string>("curve"));
  require_curves(request.curve, profile);
  const bool effective = request.quantity == MapQuantity::effective;
  if (effective != line.has("density")) {
    throw UsageError(effective ? "--quantity effective needs --density D"
                               : "--density is for --quantity effective only");
  }
  if (effective) request.block_density = line.get<double>("density");
  if (!(request.block_density > 0 && request.block_density <= 1)) {
    throw UsageError("--density: expected more than 0 and at most 1");
  }
  if (line.has("measured") && request.quantity != MapQuantity::speedup) {
    throw UsageError("--measured: has speedups; use --quantity speedup and several --devices");
  }
  return request;
}

void check_ending(const fs::path& path) {
  if (is_standard_output(path.string())) {
    throw UsageError("--out -: no kind of file is known from it; use --json");
  }
  const std::string ending = path.extension().string();
  if (can_be_drawn(path) || ending == ".csv" || ending == ".json") return;
  throw UsageError("--out " + path.string() + ": unknown kind of file '" + ending +
                   "'; expected .svg, .png, .pdf, .csv or .json");
}

void write_map(const fs::path& path, const PerformanceMap& map, const DeviceProfile& profile,
               const std::vector<MapPoint>& points) {
  const std::string ending = path.extension().string();
  if (ending == ".csv") {
    write_file(path, map_as_csv(map));
  } else if (ending == ".json") {
    write_file(path, to_json(map, profile, points).text() + '\n');
  } else {
    draw_map(path, map, profile, points);
  }
}

PerformanceMap compute_with_progress(const DeviceProfile& profile, const MapRequest& request) {
  const InterruptGuard guard;
  Progress progress("map");
  return compute_map(profile, request, [&](double done) {
    if (InterruptGuard::interrupted()) throw Interrupted("interrupted; no map was written");
    progress.update(done);
  });
}

int run_map(std::span<const std::string> arguments) {
  CommandLine line = make_command_line();
  if (!line.parse(arguments)) return 0;
  const DeviceProfile profile =
      read_profile_for(line.get<std::string>("profile"), line.get_or("model", ""));
  MapRequest request = make_request(line, profile);
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

  std::vector<MapPoint> points;
  if (line.has("points")) {
    points = read_points(line.get<std::string>("points"), profile, request.layout);
  }
  if (line.has("matrix")) {
    for (const std::string& path : line.get<std::vector<std::string>>("matrix")) {
      points.push_back(matrix_point(path, request.layout));
    }
  }
  if (line.has("measured")) {
    for (MapPoint& point : measured_points(line.get<std::string>("measured"), request)) {
      points.push_back(std::move(point));
    }
  }
  include_points(points, request);
  if (request.devices > 1 && !profile.links.contains(request.devices) && !profile.links.empty()) {
    warn("profile " + profile.name + " has no link of " + std::to_string(request.devices) +
         " devices; the one of the nearest number stands for it");
  }

  for (const std::string& warning :
       {machine_warning(profile, request.devices), arithmetic_warning(profile, request.precision),
        request.curve == CurveKind::average
            ? bias_warning(profile, request.precision, request.layout, request.devices)
            : ""}) {
    if (!warning.empty()) warn(warning);
  }

  const PerformanceMap map = compute_with_progress(profile, request);
  for (MapPoint& point : points) {
    point.value = map_value(profile, request, point.unknowns, point.elements);
  }
  if (line.has("out")) {
    write_map(line.get<std::string>("out"), map, profile, points);
  }
  if (json) {
    std::cout << to_json(map, profile, points).text() + '\n';
  } else {
    print_map(map, profile, points, std::cout);
  }
  return 0;
}

}  // namespace

extern const Command map_command{"map", "draw speedup or performance over all sizes of matrices",
                                 run_map};

}  // namespace sparsecast::cli
