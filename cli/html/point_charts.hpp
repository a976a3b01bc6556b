#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "cli/html/charts.hpp"

namespace sparsecast::cli {

/// A chart of more points would make a page too large.
inline constexpr std::size_t most_chart_points = 3000;

/// Every n-th point of each series, so that at most `most_chart_points` remain, and as many series
/// as there are colours: the smallest are one, "others". What is left out is not in any chart.
std::vector<PointSeries> thinned(std::vector<PointSeries> series);

/// "", or " Every 3rd point is drawn.": what `thinned` does to so many points.
std::string thinned_text(const std::vector<PointSeries>& series);

}  // namespace sparsecast::cli
