#include "cli/plots/map_marks.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>

#include "cli/plots/gnuplot.hpp"
#include "cli/plots/map_axes.hpp"
#include "cli/reports/table.hpp"
#include "core/base/text/text_fields.hpp"

namespace sparsecast::cli {

namespace {

/// What a name or a point covers, in pixels of the frame.
struct Box {
  double left;
  double right;
  double bottom;
  double top;

  bool meets(const Box& other) const {
    return left < other.right && other.left < right && bottom < other.top && other.bottom < top;
  }
  bool is_in_frame() const {
    return left >= 0 && right <= frame_width && bottom >= 0 && top <= frame_height;
  }
};

constexpr double text_height = 15;
constexpr double character_width = 7.5;
constexpr double gap = 7;  // from a point's middle to its name

/// A name to one side of its point (-1, 0, 1), and one or two lines above or below it.
struct Side {
  int across;
  int up;
};
constexpr std::array<Side, 12> sides{{{1, 0},
                                      {-1, 0},
                                      {0, 1},
                                      {0, -1},
                                      {1, 1},
                                      {-1, 1},
                                      {1, -1},
                                      {-1, -1},
                                      {1, 2},
                                      {-1, 2},
                                      {1, -2},
                                      {-1, -2}}};

Box box_at(double x, double y, double width, const Side& side) {
  const double left = side.across > 0 ? x + gap : side.across < 0 ? x - gap - width : x - width / 2;
  const double middle = y + side.up * (gap + text_height / 2);
  return {left, left + width, middle - text_height / 2, middle + text_height / 2};
}

}  // namespace

std::string point_data(const std::string& name, const std::vector<MapPoint>& points) {
  std::string text = "$" + name + " << EOD\n";
  for (const MapPoint& point : points) {
    text += format_number(std::log10(point.unknowns), "%.6g") + ' ' +
            format_number(std::log10(point.elements), "%.6g") + ' ' +
            format_number(point.measured, "%.4g") + '\n';
  }
  return text + "EOD\n";
}

std::string point_labels(const MapSizes& sizes, const std::vector<MapPoint>& points,
                         const std::vector<FramePlace>& numbers) {
  constexpr std::size_t most_names = 1000;
  if (points.size() > most_names) return "";
  std::vector<Box> taken;
  for (const MapPoint& point : points) {
    const double x = share_of_unknowns(sizes, point.unknowns) * frame_width;
    const double y = share_of_elements(sizes, point.elements) * frame_height;
    taken.push_back({x - 4, x + 4, y - 4, y + 4});
  }
  for (const FramePlace& number : numbers) {
    taken.push_back({number.x - 16, number.x + 16, number.y - 10, number.y + 10});
  }
  std::string labels;
  for (std::size_t i = 0; i < points.size(); ++i) {
    const std::string name = brief(points[i].name);
    const double x = (taken[i].left + taken[i].right) / 2;
    const double y = (taken[i].bottom + taken[i].top) / 2;
    const double width = character_width * static_cast<double>(name.size());
    const auto is_free = [&](const Side& side) {
      const Box box = box_at(x, y, width, side);
      return box.is_in_frame() &&
             std::ranges::none_of(taken, [&](const Box& other) { return box.meets(other); });
    };
    const auto* found = std::ranges::find_if(sides, is_free);
    // Where all are taken it covers something, rather than leave the frame.
    const Side side = found != sides.end() ? *found : x < frame_width / 2 ? sides[0] : sides[1];
    const Box box = box_at(x, y, width, side);
    taken.push_back(box);
    const double anchor = side.across > 0   ? box.left
                          : side.across < 0 ? box.right
                                            : (box.left + box.right) / 2;
    labels +=
        "set label " + gnuplot_quote(name) + " at " +
        place_text(sizes, anchor / frame_width, (box.bottom + box.top) / 2 / frame_height, ",") +
        (side.across > 0   ? " left"
         : side.across < 0 ? " right"
                           : " center") +
        " front font ',13'\n";
  }
  return labels;
}

std::string point_plots(const std::string& name) {
  return "$" + name + " using 1:2 with points pt 7 ps 0.9 lc rgb 'black' notitle, $" + name +
         " using 1:2 with points pt 7 ps 0.5 lc rgb '#ffd92f' notitle";
}

}  // namespace sparsecast::cli
