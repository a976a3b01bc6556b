#include "cli/html/point_charts.hpp"

#include <algorithm>
#include <iterator>
#include <utility>

namespace sparsecast::cli {

namespace {

constexpr std::size_t colours = 6;

std::size_t stride_of(const std::vector<PointSeries>& series) {
  std::size_t points = 0;
  for (const PointSeries& each : series) points += each.points.size();
  return std::max<std::size_t>(1, (points + most_chart_points - 1) / most_chart_points);
}

}  // namespace

std::vector<PointSeries> thinned(std::vector<PointSeries> series) {
  const std::size_t stride = stride_of(series);
  std::ranges::stable_sort(series, std::ranges::greater{},
                           [](const PointSeries& each) { return each.points.size(); });
  if (series.size() > colours) {
    PointSeries others{"others", {}};
    for (std::size_t i = colours - 1; i < series.size(); ++i) {
      std::ranges::move(series[i].points, std::back_inserter(others.points));
    }
    series.resize(colours - 1);
    series.push_back(std::move(others));
  }
  for (PointSeries& each : series) {
    std::vector<PointSeries::Point> kept;
    for (std::size_t i = 0; i < each.points.size(); i += stride) {
      kept.push_back(std::move(each.points[i]));
    }
    each.points = std::move(kept);
  }
  return series;
}

std::string thinned_text(const std::vector<PointSeries>& series) {
  const std::size_t stride = stride_of(series);
  return stride == 1 ? "" : " One of " + std::to_string(stride) + " points is drawn.";
}

}  // namespace sparsecast::cli
