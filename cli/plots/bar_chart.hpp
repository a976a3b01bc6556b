#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace sparsecast::cli {

/// A bar of every category, in one colour.
struct BarSeries {
  std::string label;
  std::vector<double> values;  ///< by category; 0, or not finite: no bar
};

/// Bars side by side for every category.
struct BarPanel {
  std::string title;
  std::vector<std::string> categories;
  std::vector<BarSeries> series;
};

/// Panels row by row. A label has the same colour in all of them.
struct BarChart {
  std::string title;
  std::string unit;  ///< of all values, "GFlop/s"
  std::vector<BarPanel> panels;
  int columns = 1;
};

/// Leaves out panels and labels without a bar. Throws as `draw_with_gnuplot` does, and `Error` that
/// names the file where no bar is left.
void draw_bars(const std::filesystem::path& file, BarChart chart);

}  // namespace sparsecast::cli
