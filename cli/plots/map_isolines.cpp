#include "cli/plots/map_isolines.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <optional>
#include <utility>

#include "cli/plots/gnuplot.hpp"
#include "cli/plots/map_axes.hpp"
#include "cli/reports/table.hpp"
#include "predict/map/contour_lines.hpp"

namespace sparsecast::cli {

namespace {

using Line = std::vector<FramePlace>;

double distance(const FramePlace& one, const FramePlace& other) {
  return std::hypot(one.x - other.x, one.y - other.y);
}

std::vector<Line> lines_at(const MapSizes& sizes, const std::vector<double>& values, double level) {
  constexpr double closest = 3;  // places nearer to each other are one
  std::vector<Line> lines;
  for (const ContourLine& contour :
       contour_lines(values, static_cast<std::size_t>(sizes.columns), level)) {
    Line line;
    for (const ContourPoint& point : contour) {
      const FramePlace pixel{point.column / (sizes.columns - 1) * frame_width,
                             point.row / (sizes.rows - 1) * frame_height};
      const bool last = &point == &contour.back();
      if (line.empty() || last || distance(line.back(), pixel) >= closest) line.push_back(pixel);
    }
    lines.push_back(std::move(line));
  }
  return lines;
}

/// Is it between the limits of matrices?
bool is_visible(const MapSizes& sizes, const FramePlace& pixel) {
  const double unknowns =
      sizes.unknowns_min * std::pow(sizes.unknowns_max / sizes.unknowns_min, pixel.x / frame_width);
  const double elements = sizes.elements_min *
                          std::pow(sizes.elements_max / sizes.elements_min, pixel.y / frame_height);
  return elements <= dense_limit(unknowns) && elements >= diagonal_limit(unknowns, sizes.layout);
}

double length(const Line& line) {
  double sum = 0;
  for (std::size_t i = 1; i < line.size(); ++i) sum += distance(line[i - 1], line[i]);
  return sum;
}

/// Where one is after so many pixels along the line, and how many of its places are behind.
struct Along {
  FramePlace pixel;
  std::size_t next = 0;
};
Along along(const Line& line, double pixels) {
  for (std::size_t i = 1; i < line.size(); ++i) {
    const double step = distance(line[i - 1], line[i]);
    if (pixels <= step && step > 0) {
      const double share = std::max(pixels, 0.0) / step;
      return {{line[i - 1].x + share * (line[i].x - line[i - 1].x),
               line[i - 1].y + share * (line[i].y - line[i - 1].y)},
              i};
    }
    pixels -= step;
  }
  return {line.back(), line.size()};
}

/// A number on a line: where it begins, is and ends.
struct Number {
  double from = 0;  ///< pixels along the line, as `to`
  double to = 0;
  FramePlace middle;
  double degrees = 0;  ///< that it is turned by
};

/// Nearest to the middle of the line where it has room, is straight and is far from other numbers.
std::optional<Number> number_on(const MapSizes& sizes, const Line& line, double width,
                                const std::vector<FramePlace>& others) {
  constexpr double apart = 34;
  constexpr double straight = 0.93;  // of the length of the line is that of the chord
  const double all = length(line);
  std::optional<Number> best;
  for (double from = 0; from + width <= all; from += 4) {
    const FramePlace begin = along(line, from).pixel;
    const FramePlace middle = along(line, from + width / 2).pixel;
    const FramePlace end = along(line, from + width).pixel;
    const bool inside = is_visible(sizes, begin) && is_visible(sizes, end);
    const bool free = std::ranges::all_of(
        others, [&](const FramePlace& other) { return distance(other, middle) >= apart; });
    if (!inside || !free || distance(begin, end) < straight * width) continue;
    const double off = std::abs(from + width / 2 - all / 2);
    if (best && std::abs(best->from + width / 2 - all / 2) <= off) continue;
    double turned = std::atan2(end.y - begin.y, end.x - begin.x) * 180 / std::numbers::pi;
    if (turned > 90) turned -= 180;
    if (turned < -90) turned += 180;
    best = Number{from, from + width, middle, turned};
  }
  return best;
}

std::string line_text(const MapSizes& sizes, const Line& line) {
  std::string text;
  for (const FramePlace& pixel : line) {
    text += place_text(sizes, pixel.x / frame_width, pixel.y / frame_height) + '\n';
  }
  return text + '\n';
}

}  // namespace

Isolines isolines(const MapSizes& sizes, const std::vector<double>& values,
                  const std::vector<double>& levels, const std::string& unit) {
  std::string data;
  std::string labels;
  std::vector<FramePlace> numbers;
  for (const double level : levels) {
    const std::string text = format_number(level, "%.6g") + unit;
    const double width = 8.0 * static_cast<double>(text.size()) + 4;
    std::vector<Line> lines = lines_at(sizes, values, level);
    std::ranges::sort(lines, std::greater<>(), length);
    for (const Line& line : lines) {
      const std::optional<Number> number = number_on(sizes, line, width, numbers);
      if (!number) {
        data += line_text(sizes, line);
        continue;
      }
      const Along from = along(line, number->from);
      const Along to = along(line, number->to);
      Line before(line.begin(), line.begin() + static_cast<std::ptrdiff_t>(from.next));
      before.push_back(from.pixel);
      Line behind{to.pixel};
      behind.insert(behind.end(), line.begin() + static_cast<std::ptrdiff_t>(to.next), line.end());
      data += line_text(sizes, before) + line_text(sizes, behind);
      labels +=
          "set label " + gnuplot_quote(text) + " at " +
          place_text(sizes, number->middle.x / frame_width, number->middle.y / frame_height, ",") +
          " center rotate by " + format_number(number->degrees, "%.0f") +
          " front font ',12' tc rgb '#202020'\n";
      numbers.push_back(number->middle);
    }
  }
  if (data.empty()) return {};
  return {"$lines << EOD\n" + data + "EOD\n" + labels,
          "$lines using 1:2 with lines lw 0.8 lc rgb '#404040' notitle", std::move(numbers)};
}

Isolines thick_isoline(const MapSizes& sizes, const std::vector<double>& values, double level) {
  std::string data;
  for (const Line& line : lines_at(sizes, values, level)) data += line_text(sizes, line);
  if (data.empty()) return {};
  return {"$thick << EOD\n" + data + "EOD\n",
          "$thick using 1:2 with lines lw 4 lc rgb 'black' notitle",
          {}};
}

std::string thick_isoline_entry(const std::string& title) {
  return "keyentry with lines lw 4 lc rgb 'black' title " + gnuplot_quote(title);
}

}  // namespace sparsecast::cli
