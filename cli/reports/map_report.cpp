#include "cli/reports/map_report.hpp"

#include <algorithm>
#include <ostream>

#include "cli/reports/prose.hpp"
#include "cli/reports/table.hpp"
#include "predict/marked_name.hpp"
#include "predict/profile_limits.hpp"

namespace sparsecast::cli {

std::string map_title(const DeviceProfile& profile, const MapRequest& request) {
  const std::string devices =
      std::to_string(request.devices) + (request.devices == 1 ? " device" : " devices");
  const std::string solver = request.own ? request.own->name() : "CG";
  std::string text =
      request.quantity == MapQuantity::speedup
          ? "Speedup of " + (request.own ? solver + " on " : "") + devices + " over one"
      : request.quantity == MapQuantity::raw
          ? "Raw performance of " + solver + " on " + devices
          : "Effective performance of CG on " + devices + ", block density " +
                format_number(request.block_density);
  return text + ": " + marked_name(profile) + ", " + std::string(to_string(request.precision)) +
         ", " + to_string(request.layout) + ", " +
         (profile.traffic                       ? std::string(profile.model()) + " model"
          : request.curve == CurveKind::average ? "average curves"
                                                : "maximum curves") +
         (profile.traffic ? "; patterns guessed from sizes" : "");
}

std::string map_as_csv(const PerformanceMap& map) {
  std::string text = "unknowns,elements," + std::string(to_string(map.request.quantity)) + '\n';
  for (std::size_t row = 0; row < map.elements.size(); ++row) {
    for (std::size_t column = 0; column < map.unknowns.size(); ++column) {
      if (std::isnan(map.value(row, column))) continue;  // no matrix there
      text += format_number(map.unknowns[column], "%.6g") + ',' +
              format_number(map.elements[row], "%.6g") + ',' +
              format_number(map.value(row, column), "%.6g") + '\n';
    }
  }
  return text;
}

void print_map(const PerformanceMap& map, const DeviceProfile& profile,
               const std::vector<MapPoint>& points, TableStyle style, std::ostream& out) {
  const bool speedup = map.request.quantity == MapQuantity::speedup;
  print_paragraph(out, map_title(profile, map.request), style);
  if (profile.estimated) {
    print_line(out, "profile " + profile.name + ": " + origin_text(profile), style);
  }
  if (profile.network) print_paragraph(out, network_text(*profile.network), style);
  print_paragraph(out,
                  "from " + format_number(map.smallest) + " to " + format_number(map.largest) +
                      (speedup ? "" : " GFlop/s"),
                  style);
  if (points.empty()) return;
  const bool any_measured =
      std::ranges::any_of(points, [](const MapPoint& point) { return point.measured > 0; });
  std::vector<std::string> header{"matrix", "unknowns", "block elements",
                                  speedup ? "speedup" : "GFlop/s"};
  if (any_measured) header.emplace_back("measured");
  Table table(header);
  for (std::size_t i = 0; i < points.size(); ++i) {
    std::vector<std::string> row{points[i].name, format_count(std::llround(points[i].unknowns)),
                                 format_count(std::llround(points[i].elements)),
                                 format_number(points[i].value)};
    if (any_measured)
      row.push_back(points[i].measured > 0 ? format_number(points[i].measured) : "-");
    table.add_row(row);
  }
  out << '\n';
  if (profile.traffic) print_paragraph(out, of_sizes_alone, style);
  table.print(out, style);
}

}  // namespace sparsecast::cli
