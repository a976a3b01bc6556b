#include "cli/plots/map_axes.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>

#include "cli/plots/gnuplot.hpp"
#include "cli/reports/table.hpp"

namespace sparsecast::cli {

namespace {

/// Tics of an axis in log10: decades with their power, minor ones at 2 to 9.
std::string decade_tics(double min, double max) {
  std::string tics;
  const int first = static_cast<int>(std::floor(std::log10(min) + 1e-9));
  const int last = static_cast<int>(std::ceil(std::log10(max) - 1e-9));
  for (int decade = first; decade <= last; ++decade) {
    tics += (tics.empty() ? "" : ", ") + std::string("'10^{") + std::to_string(decade) + "}' " +
            std::to_string(decade);
    for (int digit = 2; digit <= 9 && decade < last; ++digit) {
      tics += ", '' " + format_number(decade + std::log10(digit), "%.5f") + " 1";
    }
  }
  return "(" + tics + ")";
}

double from_share(double min, double max, double share) {
  return std::log10(min) + share * (std::log10(max) - std::log10(min));
}

std::string range(double min, double max) {
  return "[" + format_number(std::log10(min), "%.9g") + ":" +
         format_number(std::log10(max), "%.9g") + "]";
}

/// Cells of an image across this many places of the grid: those at the border are cut in half by
/// the frame, so all are two, but no more than can be seen.
int image_cells(int places) {
  constexpr int most = 400;
  return std::min(2 * (places - 1), most);
}

/// The place that is nearest to the middle of a cell.
std::size_t place_of_cell(int cell, int places) {
  return static_cast<std::size_t>((cell + 0.5) / image_cells(places) * (places - 1) + 0.5);
}

/// Where the middles of cells are, by a column of the image's data.
std::string cell_middles(const char* column, double min, double max, int places) {
  const double step = 1.0 / image_cells(places);
  return "(" + format_number(from_share(min, max, step / 2), "%.9g") + "+" + column + "*" +
         format_number(step * (std::log10(max) - std::log10(min)), "%.9g") + ")";
}

/// A block of what is between a limit, log10 e = slope * log10 x + rise, and a border of the frame.
std::string outside_block(const char* name, const MapSizes& sizes, double slope, double rise,
                          double border) {
  const double left = std::log10(sizes.unknowns_min);
  const double right = std::log10(sizes.unknowns_max);
  const double low = std::log10(sizes.elements_min);
  const double high = std::log10(sizes.elements_max);
  std::vector<double> corners{left, right};
  for (const double at : {(low - rise) / slope, (high - rise) / slope}) {
    if (at > left && at < right) corners.push_back(at);
  }
  std::ranges::sort(corners);
  std::string text = std::string("$") + name + " << EOD\n";
  for (const double at : corners) {
    text += format_number(at, "%.9g ") +
            format_number(std::clamp(slope * at + rise, low, high), "%.9g ") +
            format_number(border, "%.9g\n");
  }
  return text + "EOD\n";
}

}  // namespace

double share_of_unknowns(const MapSizes& sizes, double unknowns) {
  return std::log10(unknowns / sizes.unknowns_min) /
         std::log10(sizes.unknowns_max / sizes.unknowns_min);
}

double share_of_elements(const MapSizes& sizes, double elements) {
  return std::log10(elements / sizes.elements_min) /
         std::log10(sizes.elements_max / sizes.elements_min);
}

std::string place_text(const MapSizes& sizes, double across, double up,
                       const std::string& between) {
  return format_number(from_share(sizes.unknowns_min, sizes.unknowns_max, across), "%.5g") +
         between + format_number(from_share(sizes.elements_min, sizes.elements_max, up), "%.5g");
}

std::string axes_commands(const MapSizes& sizes, const std::string& title) {
  const int n = sizes.layout.block_size;
  const std::string elements =
      n == 1 ? "nonzeros e"
             : "elements e of " + std::to_string(n) + " x " + std::to_string(n) + " blocks";
  return "set title " + gnuplot_lines(title, 100) + "\nset xrange " +
         range(sizes.unknowns_min, sizes.unknowns_max) + "\nset yrange " +
         range(sizes.elements_min, sizes.elements_max) + "\nset xlabel 'unknowns x'\nset ylabel " +
         gnuplot_quote(elements) + "\nset xtics out nomirror " +
         decade_tics(sizes.unknowns_min, sizes.unknowns_max) + "\nset ytics out nomirror " +
         decade_tics(sizes.elements_min, sizes.elements_max) +
         "\nset border 3 lw 1.2\nset lmargin at screen 0.10\nset rmargin at screen 0.84\n"
         "set key bottom right reverse Left samplen 2 spacing 1.2\n";
}

std::string image_data(const std::string& name, const MapSizes& sizes,
                       const std::vector<double>& values) {
  std::string text = "$" + name + " << EOD\n";
  for (int row = 0; row < image_cells(sizes.rows); ++row) {
    const std::size_t begin =
        place_of_cell(row, sizes.rows) * static_cast<std::size_t>(sizes.columns);
    for (int column = 0; column < image_cells(sizes.columns); ++column) {
      const double value = values[begin + place_of_cell(column, sizes.columns)];
      text += std::isfinite(value) ? format_number(value, "%.4g ") : "NaN ";
    }
    text += '\n';
  }
  return text + "EOD\n";
}

std::string image_plot(const std::string& name, const MapSizes& sizes) {
  return "$" + name + " matrix using " +
         cell_middles("$1", sizes.unknowns_min, sizes.unknowns_max, sizes.columns) + ":" +
         cell_middles("$2", sizes.elements_min, sizes.elements_max, sizes.rows) +
         ":3 with image notitle";
}

std::vector<double> up_to_limits(const MapGrid& grid, const Layout& layout,
                                 const std::vector<double>& values) {
  std::vector<double> all = values;
  const auto rows = static_cast<std::ptrdiff_t>(grid.elements.size());
  const auto columns = static_cast<std::ptrdiff_t>(grid.unknowns.size());
  for (std::ptrdiff_t row = 0; row < rows; ++row) {
    for (std::ptrdiff_t column = 0; column < columns; ++column) {
      const auto place = static_cast<std::size_t>(row * columns + column);
      const double unknowns = grid.unknowns[static_cast<std::size_t>(column)];
      const double elements = grid.elements[static_cast<std::size_t>(row)];
      const double inside =
          std::max(diagonal_limit(unknowns, layout), std::min(dense_limit(unknowns), elements));
      if (std::isfinite(values[place]) || inside == elements) continue;
      // To the right of and below the dense limit, to the left of and above the diagonal one; a
      // limit passes a cell whose neighbours on that side are inside it, or one across.
      const std::ptrdiff_t way = elements > dense_limit(unknowns) ? 1 : -1;
      for (const auto& [across, up] :
           {std::pair{way, std::ptrdiff_t{0}}, {std::ptrdiff_t{0}, -way}, {way, -way}}) {
        const std::ptrdiff_t near_row = row + up;
        const std::ptrdiff_t near_column = column + across;
        if (near_row < 0 || near_row >= rows || near_column < 0 || near_column >= columns) continue;
        const double value = values[static_cast<std::size_t>(near_row * columns + near_column)];
        if (!std::isfinite(value)) continue;
        all[place] = value;
        break;
      }
    }
  }
  return all;
}

std::string limit_data(const MapSizes& sizes) {
  return outside_block("denser", sizes, 2, 0, std::log10(sizes.elements_max)) +
         outside_block("sparser", sizes, 1, std::log10(sizes.layout.block_size),
                       std::log10(sizes.elements_min));
}

std::string limit_plots(const MapSizes& sizes) {
  const int n = sizes.layout.block_size;
  const std::string diagonal =
      n == 1 ? "diagonal, e = x" : "block diagonal, e = " + std::to_string(n) + " x";
  const std::string paint = " using 1:2:3 with filledcurves fc rgb 'white' notitle, ";
  return "$denser" + paint + "$sparser" + paint +
         "2*x with lines lw 1.5 lc rgb 'black' dt 2 title 'dense, e = x^2', x+" +
         format_number(std::log10(n), "%.9g") + " with lines lw 1.5 lc rgb 'black' dt 4 title '" +
         diagonal + "'";
}

}  // namespace sparsecast::cli
