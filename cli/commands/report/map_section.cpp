#include "cli/commands/report/map_section.hpp"

#include <algorithm>
#include <vector>

#include "cli/html/map_chart.hpp"
#include "cli/html/page.hpp"
#include "cli/interrupt.hpp"
#include "cli/reports/comparison_report.hpp"
#include "cli/reports/map_report.hpp"
#include "cli/reports/progress.hpp"
#include "core/base/error.hpp"
#include "predict/map/map_comparison.hpp"
#include "predict/map/performance_map.hpp"
#include "predict/marked_name.hpp"

namespace sparsecast::cli {

namespace {

/// As fine as a page can hold.
MapSizes sizes_of(const ReportRequest& request) {
  constexpr int fine = 64;
  MapSizes sizes = usual_sizes(request.profiles);
  sizes.columns = std::min(sizes.columns, fine);
  sizes.rows = std::min(sizes.rows, fine);
  return sizes;
}

/// A point for each matrix, without its text.
std::vector<ChartPoint> points_of(std::span<const MatrixForecast> matrices, MapSizes& sizes) {
  std::vector<ChartPoint> points;
  for (const MatrixForecast& matrix : matrices) {
    points.push_back({matrix.name, static_cast<double>(matrix.features.rows),
                      matrix.features.shape(sizes.layout).elements, ""});
    include_matrix(points.back().unknowns, points.back().elements, sizes);
  }
  return points;
}

/// Runs a part of the work that reports its progress.
template <class Work>
auto with_progress(const Work& work) {
  const InterruptGuard guard;
  Progress progress("map");
  return work([&](double done) {
    if (InterruptGuard::interrupted()) throw Interrupted("interrupted; no report was written");
    progress.update(done);
  });
}

std::string performance(std::span<const MatrixForecast> matrices, const ReportRequest& request) {
  const DeviceProfile& profile = request.profiles.front();
  MapRequest wanted;
  static_cast<MapSizes&>(wanted) = sizes_of(request);
  wanted.quantity = MapQuantity::raw;
  wanted.precision = request.precision;
  wanted.own = request.own;
  std::vector<ChartPoint> points = points_of(matrices, wanted);
  const PerformanceMap map =
      with_progress([&](const auto& progress) { return compute_map(profile, wanted, progress); });
  Table numbers({"matrix", "unknowns", "stored elements", "GFlop/s by size alone"});
  for (ChartPoint& point : points) {
    const double value = map_value(profile, wanted, point.unknowns, point.elements);
    const std::string text = format_number(value);
    point.text = point.name + '\n' + text + " GFlop/s by its size alone";
    numbers.add_row({point.name, format_count(static_cast<long long>(point.unknowns)),
                     format_count(static_cast<long long>(point.elements)), text});
  }
  return html_chart(map_title(profile, wanted) + ". Lines are of equal GFlop/s. " +
                        "Matrices lie between the diagonal (dotted) and the dense one "
                        "(dashed).",
                    map_chart("A map: GFlop/s over unknowns and stored elements.", map, points),
                    html_table(numbers));
}

std::string fastest_device(std::span<const MatrixForecast> matrices, const ReportRequest& request) {
  ComparisonRequest wanted;
  static_cast<MapSizes&>(wanted) = sizes_of(request);
  wanted.precision = request.precision;
  wanted.own = request.own;
  std::vector<ChartPoint> points = points_of(matrices, wanted);
  const MapComparison comparison = with_progress(
      [&](const auto& progress) { return compare_profiles(request.profiles, wanted, progress); });
  std::vector<std::string> names;
  for (const DeviceProfile& profile : request.profiles) names.push_back(marked_name(profile));
  std::vector<std::string> header{"matrix", "unknowns", "stored elements"};
  for (const std::string& name : names) header.push_back(name + ", by size alone");
  Table numbers(header);
  for (ChartPoint& point : points) {
    const PlaceComparison place =
        compare_at(request.profiles, wanted, point.unknowns, point.elements);
    std::vector<std::string> row{point.name, format_count(static_cast<long long>(point.unknowns)),
                                 format_count(static_cast<long long>(point.elements))};
    point.text = point.name + "\nby its size alone:";
    for (std::size_t i = 0; i < names.size(); ++i) {
      row.push_back(place.seconds[i] ? format_seconds(*place.seconds[i]) : "does not fit");
      point.text += '\n' + names[i] + ": " + row.back();
    }
    numbers.add_row(row);
  }
  return html_chart(
      comparison_title(comparison, request.profiles) +
          ". The fainter, the closer the second comes (lines: its time over that of the fastest). "
          "Matrices lie between the diagonal (dotted) and the dense one (dashed).",
      comparison_chart("A map: the fastest device over unknowns and stored elements.", comparison,
                       names, points),
      html_table(numbers));
}

}  // namespace

std::string map_section(std::span<const MatrixForecast> matrices, const ReportRequest& request) {
  std::string html = html_heading(2, "Among all sizes of matrices", "map");
  try {
    return html + (request.profiles.size() == 1 ? performance(matrices, request)
                                                : fastest_device(matrices, request));
  } catch (const Interrupted&) {
    throw;
  } catch (const Error& error) {
    return html + html_paragraph("There is no map: " + std::string(error.what()) + ".");
  }
}

}  // namespace sparsecast::cli
