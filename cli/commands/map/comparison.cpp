#include <filesystem>
#include <iostream>
#include <string>
#include <vector>

#include "cli/commands/map/map_options.hpp"
#include "cli/forecast_options.hpp"
#include "cli/interrupt.hpp"
#include "cli/map_points.hpp"
#include "cli/plots/comparison_plot.hpp"
#include "cli/plots/gnuplot.hpp"
#include "cli/reports/comparison_report.hpp"
#include "cli/reports/json_output.hpp"
#include "cli/reports/progress.hpp"
#include "cli/reports/table_options.hpp"
#include "cli/reports/verbosity.hpp"
#include "core/base/files/file_output.hpp"
#include "predict/map/map_comparison.hpp"
#include "predict/map/map_comparison_json.hpp"

namespace sparsecast::cli {

namespace {

namespace fs = std::filesystem;

/// Several profiles are compared by the time of an iteration: nothing else tells which to use.
void refuse_options_of_one(const CommandLine& line) {
  for (const char* option : {"quantity", "density", "measured"}) {
    if (!line.has(option)) continue;
    throw UsageError("--" + std::string(option) +
                     " is of one profile; several --profile are compared by their times");
  }
}

ComparisonRequest make_request(const CommandLine& line,
                               const std::vector<DeviceProfile>& profiles) {
  ComparisonRequest request;
  static_cast<MapSizes&>(request) = sizes_of_map(line, profiles);
  request.own = solver_of_map(line, profiles);
  request.devices = devices_of_map(line, profiles, 1);
  request.precision = precision_of(line, profiles);
  request.curve = parse_curve("--curve", line.get<std::string>("curve"));
  for (const DeviceProfile& profile : profiles) require_curves(request.curve, profile);
  return request;
}

std::string json_of(const MapComparison& comparison, const std::vector<DeviceProfile>& profiles,
                    const std::vector<ComparedPoint>& compared) {
  return json_head("map")
             .add_members(to_json(comparison, profiles, compared))
             .add("network", network_to_json(profiles))
             .text() +
         '\n';
}

void write_comparison(const fs::path& path, const MapComparison& comparison,
                      const std::vector<DeviceProfile>& profiles,
                      const std::vector<MapPoint>& points,
                      const std::vector<ComparedPoint>& compared) {
  const std::string ending = path.extension().string();
  if (ending == ".csv") {
    write_file(path, comparison_as_csv(comparison));
  } else if (ending == ".json") {
    write_file(path, json_of(comparison, profiles, compared));
  } else {
    draw_comparison(path, comparison, profiles, points);
  }
}

}  // namespace

int run_comparison(const CommandLine& line, const std::vector<DeviceProfile>& profiles) {
  refuse_options_of_one(line);
  const TableStyle style = table_style(line);
  ComparisonRequest request = make_request(line, profiles);
  check_files_of_map(line);
  const bool drawn = line.has("out") && can_be_drawn(line.get<std::string>("out"));
  if (drawn && profiles.size() > most_drawn_profiles) {
    throw UsageError("--out " + line.get<std::string>("out") + ": a picture has colours for " +
                     std::to_string(most_drawn_profiles) + " profiles, not " +
                     std::to_string(profiles.size()) + "; write .csv or .json");
  }
  const std::vector<MapPoint> points = points_of_map(line, profiles, request.layout);
  include_points(points, request);
  for (const DeviceProfile& profile : profiles) {
    warn_of_limits(profile, request.devices, request.precision, request.layout, request.curve);
  }

  MapComparison comparison;
  {
    const InterruptGuard guard;
    Progress progress("map");
    comparison = compare_profiles(profiles, request, [&](double done) {
      if (InterruptGuard::interrupted()) throw Interrupted("interrupted; no map was written");
      progress.update(done);
    });
  }
  std::vector<ComparedPoint> compared;
  for (const MapPoint& point : points) {
    compared.push_back({point.name, point.unknowns, point.elements,
                        compare_at(profiles, request, point.unknowns, point.elements)});
  }
  if (line.has("out")) {
    const auto& out = line.get<std::string>("out");
    write_comparison(out, comparison, profiles, points, compared);
    say_written(out);
  }
  if (line.has("json")) {
    std::cout << json_of(comparison, profiles, compared);
  } else {
    print_comparison(comparison, profiles, compared, style, std::cout);
  }
  return 0;
}

}  // namespace sparsecast::cli
