#include <filesystem>
#include <iostream>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "cli/command.hpp"
#include "cli/commands/map/map_options.hpp"
#include "cli/forecast_options.hpp"
#include "cli/interrupt.hpp"
#include "cli/layout_options.hpp"
#include "cli/map_points.hpp"
#include "cli/own_schedule.hpp"
#include "cli/plots/map_plot.hpp"
#include "cli/reports/json_output.hpp"
#include "cli/reports/map_report.hpp"
#include "cli/reports/progress.hpp"
#include "cli/reports/table_options.hpp"
#include "cli/reports/verbosity.hpp"
#include "core/base/files/file_output.hpp"
#include "core/matrix/files/file_kind.hpp"
#include "core/workload/layout.hpp"
#include "predict/map/performance_map.hpp"
#include "predict/map/performance_map_json.hpp"
#include "predict/profile_limits.hpp"

namespace sparsecast::cli {

namespace {

namespace fs = std::filesystem;

CommandLine make_command_line() {
  namespace po = boost::program_options;
  CommandLine line(
      "map", "--profile P [--profile Q ...] --out FILE [MATRIX...] [options]",
      "Draws speedup or performance over unknowns and block elements (Figure 8), with\n"
      "matrices of yours as points. In layout bcsr4 unless told otherwise, by the traffic\n"
      "model in csr. Of several profiles it draws which is the fastest at each size, and how\n"
      "much longer the second takes; a device that does not hold a matrix takes no part.",
      "sparsecast map --profile gtx280 --devices 2 --curve maximum --out speedup.svg\n"
      "  sparsecast map box.features.json --profile nvidia-h200 --out box.svg\n"
      "  sparsecast map box.mtx --profile nvidia-h200 --profile nvidia-h100 --out which.svg");
  line.add()("matrix", po::value<std::vector<std::string>>(),
             ("matrix files, or features files (inspect --features), to draw as points; a " +
              matrix_file_help())
                 .c_str())(
      "profile,p", po::value<std::vector<std::string>>()->composing(),
      "profile: a .json file or a shipped name (gtx280); several are compared")(
      "quantity", po::value<std::string>(),
      "of one profile: speedup, raw or effective (GFlop/s); default speedup, of one device raw")(
      "devices,d", po::value<int>(),
      "number of devices; default 2, or 1 where the profile is of a CPU or has no links; of "
      "several profiles that of each, default 1");
  add_layout_option(line);
  add_network_options(line);
  line.add()("density", po::value<double>(),
             "of `effective` in blocks: nonzeros over stored elements, up to 1; csr has 1")(
      "precision", po::value<std::string>(), "f32 or f64; default f64 if all profiles have it")(
      "curve", po::value<std::string>()->default_value("average"),
      "average: what to expect; maximum: the best case; of other models than traffic")(
      "model", po::value<std::string>(),
      (one_of_models() + ", of every profile; default the best that each has").c_str())(
      "points", po::value<std::string>(), "CSV file of points: name,unknowns,elements")(
      "measured", po::value<std::string>(),
      "of one profile: raw data of validate, its speedups as points in the colours of the map")(
      "out,o", po::value<std::string>(), "file to write: .svg, .png, .pdf, .csv or .json")(
      "json", "print the map as JSON");
  line.add()("schedule", po::value<std::string>(),
             "a solver of your own, FILE.json (docs/schedules.md); default conjugate gradients");
  add_solver_options(line, false);
  add_table_styles(line);
  line.positional("matrix", -1);
  return line;
}

MapQuantity parse_quantity(const std::string& text) {
  try {
    return parse_map_quantity(text);
  } catch (const Error& error) {
    throw UsageError("--quantity " + std::string(error.what()));
  }
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
  const std::span<const DeviceProfile> one(&profile, 1);
  // Two where the profile knows them: Figure 8.
  request.devices = devices_of_map(line, one, prices_several_devices(profile) ? 2 : 1);
  request.quantity = quantity_of(line, request.devices);
  static_cast<MapSizes&>(request) = sizes_of_map(line, one);
  request.own = solver_of_map(line, one);
  request.precision = line.has("precision")
                          ? parse_precision("--precision", line.get<std::string>("precision"))
                          : profile.default_precision();
  request.curve = parse_curve("--curve", line.get<std::string>("curve"));
  require_curves(request.curve, profile);
  const bool effective = request.quantity == MapQuantity::effective;
  if (line.has("density")) {
    if (!effective) throw UsageError("--density is for --quantity effective only");
    request.block_density = line.get<double>("density");
  } else if (effective && request.layout.block_size > 1) {
    throw UsageError(
        "--quantity effective needs --density D, the nonzeros over the elements that " +
        to_string(request.layout) + " stores");
  }
  if (!(request.block_density > 0 && request.block_density <= 1)) {
    throw UsageError("--density: expected more than 0 and at most 1");
  }
  if (line.has("measured") && request.quantity != MapQuantity::speedup) {
    throw UsageError("--measured: has speedups; use --quantity speedup and several --devices");
  }
  return request;
}

std::string json_of(const PerformanceMap& map, const DeviceProfile& profile,
                    const std::vector<MapPoint>& points) {
  return json_head("map")
             .add_members(to_json(map, profile, points))
             .add("network", network_to_json({&profile, 1}))
             .text() +
         '\n';
}

void write_map(const fs::path& path, const PerformanceMap& map, const DeviceProfile& profile,
               const std::vector<MapPoint>& points) {
  const std::string ending = path.extension().string();
  if (ending == ".csv") {
    write_file(path, map_as_csv(map));
  } else if (ending == ".json") {
    write_file(path, json_of(map, profile, points));
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

int run_map(const CommandLine& line) {
  const TableStyle style = table_style(line);
  const std::vector<DeviceProfile> profiles = read_profiles(line);
  if (profiles.size() > 1) return run_comparison(line, profiles);
  const DeviceProfile& profile = profiles.front();
  MapRequest request = make_request(line, profile);
  check_files_of_map(line);

  std::vector<MapPoint> points = points_of_map(line, profiles, request.layout);
  if (line.has("measured")) {
    for (MapPoint& point : measured_points(line.get<std::string>("measured"), request)) {
      points.push_back(std::move(point));
    }
  }
  include_points(points, request);
  warn_of_limits(profile, request.devices, request.precision, request.layout, request.curve);

  const PerformanceMap map = compute_with_progress(profile, request);
  for (MapPoint& point : points) {
    point.value = map_value(profile, request, point.unknowns, point.elements);
  }
  if (line.has("out")) {
    const auto& out = line.get<std::string>("out");
    write_map(out, map, profile, points);
    say_written(out);
  }
  if (line.has("json")) {
    std::cout << json_of(map, profile, points);
  } else {
    print_map(map, profile, points, style, std::cout);
  }
  return 0;
}

}  // namespace

extern const Command map_command{"map", "draw speedup or performance over all sizes of matrices",
                                 make_command_line, run_map};

}  // namespace sparsecast::cli
