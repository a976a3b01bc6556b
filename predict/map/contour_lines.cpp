#include "predict/map/contour_lines.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "core/base/error.hpp"

namespace sparsecast {

namespace {

/// Where lines cross an edge between two neighbours of the grid, and where they go from there: a
/// line enters and leaves, so two ends at most.
class CrossedEdges {
 public:
  CrossedEdges(std::span<const double> values, std::size_t columns, double level)
      : values_(values), columns_(columns), level_(level), ends_(2 * values.size(), {none, none}) {
    for (std::size_t row = 0; row + 1 < values.size() / columns; ++row) {
      for (std::size_t column = 0; column + 1 < columns; ++column) cross_cell(row, column);
    }
  }

  std::vector<ContourLine> lines() {
    std::vector<ContourLine> all;
    // Lines that end first, from one of their ends; what is left are circles.
    for (const bool open : {true, false}) {
      for (std::size_t edge = 0; edge < ends_.size(); ++edge) {
        const auto& [one, other] = ends_[edge];
        if ((one != none || other != none) && (one == none || other == none || !open)) {
          all.push_back(follow(edge));
        }
      }
    }
    return all;
  }

 private:
  static constexpr std::size_t none = std::numeric_limits<std::size_t>::max();

  /// The edge from a place to the next column is 2 * place, to the next row 2 * place + 1.
  void cross_cell(std::size_t row, std::size_t column) {
    const std::size_t place = row * columns_ + column;
    const std::array<std::size_t, 4> corners{place, place + 1, place + columns_ + 1,
                                             place + columns_};
    const std::array<std::size_t, 4> edges{2 * place, 2 * (place + 1) + 1, 2 * (place + columns_),
                                           2 * place + 1};
    double sum = 0;
    for (const std::size_t corner : corners) sum += values_[corner];
    if (!std::isfinite(sum)) return;
    std::array<std::size_t, 4> crossed{};
    std::size_t count = 0;
    for (std::size_t i = 0; i < 4; ++i) {
      if (above(corners[i]) != above(corners[(i + 1) % 4])) crossed[count++] = edges[i];
    }
    if (count == 2) connect(crossed[0], crossed[1]);
    if (count != 4) return;
    // Two corners that face each other are above: lines go around them, or around the others where
    // the middle is above too.
    const bool around_first = above(corners[0]) != (sum / 4 >= level_);
    connect(edges[0], edges[around_first ? 3 : 1]);
    connect(edges[2], edges[around_first ? 1 : 3]);
  }

  bool above(std::size_t place) const { return values_[place] >= level_; }

  void connect(std::size_t one, std::size_t other) {
    add_end(one, other);
    add_end(other, one);
  }

  void add_end(std::size_t edge, std::size_t end) {
    (ends_[edge][0] == none ? ends_[edge][0] : ends_[edge][1]) = end;
  }

  /// Takes the line that begins at this edge away.
  ContourLine follow(std::size_t edge) {
    ContourLine line;
    while (edge != none) {
      line.push_back(point(edge));
      const std::size_t next = ends_[edge][0] != none ? ends_[edge][0] : ends_[edge][1];
      if (next != none) {
        *std::ranges::find(ends_[edge], next) = none;
        *std::ranges::find(ends_[next], edge) = none;
      }
      edge = next;
    }
    return line;
  }

  ContourPoint point(std::size_t edge) const {
    const std::size_t place = edge / 2;
    const bool to_next_row = edge % 2 == 1;
    const double from = values_[place];
    const double to = values_[place + (to_next_row ? columns_ : 1)];
    const double share = (level_ - from) / (to - from);
    return {static_cast<double>(place % columns_) + (to_next_row ? 0 : share),
            static_cast<double>(place / columns_) + (to_next_row ? share : 0)};
  }

  std::span<const double> values_;
  std::size_t columns_;
  double level_;
  std::vector<std::array<std::size_t, 2>> ends_;
};

}  // namespace

std::vector<ContourLine> contour_lines(std::span<const double> values, std::size_t columns,
                                       double level) {
  if (columns == 0 || values.size() % columns != 0) {
    throw Error("contour lines: " + std::to_string(values.size()) + " values are no rows of " +
                std::to_string(columns));
  }
  return CrossedEdges(values, columns, level).lines();
}

}  // namespace sparsecast
