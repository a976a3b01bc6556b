#include "cli/reports/comparison_report.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <ostream>

#include "cli/reports/map_report.hpp"
#include "cli/reports/prose.hpp"
#include "cli/reports/table.hpp"
#include "core/base/text/csv_cells.hpp"
#include "predict/advice/best_choice.hpp"
#include "predict/marked_name.hpp"
#include "predict/profile_limits.hpp"

namespace sparsecast::cli {

namespace {

/// "1.28 x": how much longer the second takes.
std::string times(double margin) {
  return format_number(1 + margin) + " x";
}

}  // namespace

std::string comparison_title(const MapComparison& comparison,
                             std::span<const DeviceProfile> profiles) {
  const ComparisonRequest& request = comparison.request;
  std::string names;
  bool any_curves = false;
  bool any_guessed = false;
  for (const DeviceProfile& profile : profiles) {
    names += (names.empty() ? "" : ", ") + marked_name(profile);
    any_curves = any_curves || !profile.traffic;
    any_guessed = any_guessed || profile.traffic;
  }
  return "Fastest " + (request.own ? request.own->name() : "CG") + " on " +
         std::to_string(request.devices) +
         (request.devices == 1 ? " device: " : " devices each: ") + names + "; " +
         std::string(to_string(request.precision)) + ", " + to_string(request.layout) +
         (!any_curves                           ? ""
          : request.curve == CurveKind::average ? ", average curves"
                                                : ", maximum curves") +
         (any_guessed ? "; patterns guessed from sizes" : "");
}

std::string comparison_as_csv(const MapComparison& comparison) {
  std::string text = "unknowns,elements,fastest,second,margin";
  for (const std::string& name : comparison.profiles) text += ',' + csv_cell("seconds " + name);
  text += '\n';
  const auto number = [](const std::optional<double>& value) {
    return value ? format_number(*value, "%.6g") : std::string();
  };
  const auto name = [&](const std::optional<std::size_t>& index) {
    return index ? csv_cell(comparison.profiles[*index]) : std::string();
  };
  for (std::size_t i = 0; i < comparison.compared.size(); ++i) {
    const PlaceComparison& place = comparison.compared[i];
    if (place.seconds.empty()) continue;  // no matrix there
    text += format_number(comparison.unknowns[i % comparison.unknowns.size()], "%.6g") + ',' +
            format_number(comparison.elements[i / comparison.unknowns.size()], "%.6g") + ',' +
            name(place.fastest) + ',' + name(place.second) + ',' + number(place.margin);
    for (const std::optional<double>& seconds : place.seconds) text += ',' + number(seconds);
    text += '\n';
  }
  return text;
}

void print_comparison(const MapComparison& comparison, std::span<const DeviceProfile> profiles,
                      std::span<const ComparedPoint> points, TableStyle style, std::ostream& out) {
  print_paragraph(out, comparison_title(comparison, profiles), style);
  for (const DeviceProfile& profile : profiles) {
    if (profile.estimated) {
      print_line(out, "profile " + profile.name + ": " + origin_text(profile), style);
    }
  }
  if (const Network* network = common_network(profiles)) {
    print_paragraph(out, network_text(*network), style);
  }
  out << '\n';
  print_paragraph(out,
                  "Shares of the map, on its logarithmic axes (second: of the places where it is "
                  "the fastest)",
                  style);
  const std::vector<TableColumn> header{
      TableColumn("profile"),
      TableColumn("model", 2),
      TableColumn("fastest"),
      TableColumn("second within " + format_number(100 * tie_margin, "%.0f") + " %", 1),
      TableColumn("second takes at most", 1),
      TableColumn("does not fit")};
  Table table(header);
  const std::vector<ComparisonShare> shares = shares_of(comparison);
  for (std::size_t i = 0; i < profiles.size(); ++i) {
    const ComparisonShare& share = shares[i];
    const bool ever = share.fastest > 0;
    table.add_row({marked_name(profiles[i]), std::string(profiles[i].model()),
                   format_percent(share.fastest), ever ? format_percent(share.close) : "-",
                   share.largest_margin ? times(*share.largest_margin) : "-",
                   format_percent(share.too_small)});
  }
  table.print(out, style);
  if (points.empty()) return;

  std::vector<TableColumn> of_matrices{TableColumn("matrix"), TableColumn("unknowns", 2),
                                       TableColumn("block elements", 2), TableColumn("fastest"),
                                       TableColumn("second takes")};
  for (const DeviceProfile& profile : profiles) of_matrices.emplace_back(profile.name, 1);
  Table matrices(of_matrices);
  for (const ComparedPoint& point : points) {
    const PlaceComparison& place = point.place;
    std::vector<std::string> row{
        point.name, format_count(std::llround(point.unknowns)),
        format_count(std::llround(point.elements)),
        place.fastest ? marked_name(profiles[*place.fastest]) : "fits none",
        place.margin ? times(*place.margin) : "-"};
    for (const std::optional<double>& seconds : place.seconds) {
      row.push_back(seconds ? format_seconds(*seconds) : "does not fit");
    }
    matrices.add_row(row);
  }
  out << '\n';
  if (std::ranges::any_of(profiles, [](const auto& each) { return each.traffic.has_value(); })) {
    print_paragraph(out, of_sizes_alone, style);
  }
  matrices.print(out, style);
}

}  // namespace sparsecast::cli
