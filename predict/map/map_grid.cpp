#include "predict/map/map_grid.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <string>

#include "core/analysis/matrix_numbers.hpp"
#include "core/base/error.hpp"
#include "core/base/text/short_number.hpp"
#include "core/base/threads/thread_team.hpp"
#include "predict/predict_numbers.hpp"

namespace sparsecast {

namespace {

std::vector<double> logarithmic_axis(double min, double max, int count) {
  std::vector<double> axis(static_cast<std::size_t>(count));
  for (int i = 0; i < count; ++i) {
    axis[static_cast<std::size_t>(i)] = min * std::pow(max / min, i / (count - 1.0));
  }
  return axis;
}

}  // namespace

MapSizes usual_sizes(std::span<const DeviceProfile> profiles) {
  constexpr int block_of_paper = 4;
  MapSizes sizes;
  sizes.layout = block_layout(block_of_paper);
  if (std::ranges::any_of(profiles, [](const auto& each) { return each.traffic.has_value(); })) {
    sizes.layout = Layout{};
    sizes.columns = 200;
    sizes.rows = 200;
  }
  return sizes;
}

void require_place(const std::string& name, const MatrixFeatures& features, double elements) {
  if (features.rows != features.columns) {
    throw Error(name + ": " + std::to_string(features.rows) + " rows and " +
                std::to_string(features.columns) + " columns; expected a square matrix");
  }
  if (features.rows == 0) throw Error(name + ": has no rows; expected at least one");
  if (elements < 1) throw Error(name + ": has no entries, and so no place on a map");
}

void include_matrix(double unknowns, double elements, MapSizes& sizes) {
  const auto floor_decade = [](double size) { return std::pow(10, std::floor(std::log10(size))); };
  const auto ceil_decade = [](double size) { return std::pow(10, std::ceil(std::log10(size))); };
  sizes.unknowns_min = std::min(sizes.unknowns_min, floor_decade(unknowns));
  sizes.unknowns_max = std::max(sizes.unknowns_max, ceil_decade(unknowns));
  sizes.elements_min = std::min(sizes.elements_min, floor_decade(elements));
  sizes.elements_max = std::max(sizes.elements_max, ceil_decade(elements));
}

double diagonal_limit(double unknowns, const Layout& layout) {
  return unknowns * layout.block_size;
}

double dense_limit(double unknowns) {
  return unknowns * unknowns;
}

void check_sizes(const MapSizes& sizes) {
  const auto check_axis = [](const char* name, double min, double max) {
    if (!(min >= 1 && max > min && max <= most_of_any_size)) {
      throw Error(std::string("map: ") + name + " must rise from at least 1 to at most 1e15");
    }
  };
  check_axis("unknowns", sizes.unknowns_min, sizes.unknowns_max);
  check_axis("elements", sizes.elements_min, sizes.elements_max);
  if (sizes.columns < 2 || sizes.rows < 2 || sizes.columns > 10000 || sizes.rows > 10000) {
    throw Error("map: expected a grid from 2 x 2 to 10000 x 10000");
  }
  check_layout_of_numbers(sizes.layout);
  const double fewest = diagonal_limit(sizes.unknowns_min, sizes.layout);
  if (sizes.elements_max < fewest) {
    throw Error("map: no matrix is there: one of " + short_number(sizes.unknowns_min) +
                " unknowns or more has " + short_number(fewest) + " elements or more, not up to " +
                short_number(sizes.elements_max));
  }
  const double most = dense_limit(sizes.unknowns_max);
  if (sizes.elements_min > most) {
    throw Error("map: no matrix is there: one of up to " + short_number(sizes.unknowns_max) +
                " unknowns has up to " + short_number(most) + " elements, not " +
                short_number(sizes.elements_min) + " or more");
  }
}

MapGrid map_grid(const MapSizes& sizes) {
  check_sizes(sizes);
  return {logarithmic_axis(sizes.unknowns_min, sizes.unknowns_max, sizes.columns),
          logarithmic_axis(sizes.elements_min, sizes.elements_max, sizes.rows)};
}

MapMatrix matrix_at(double unknowns, double elements, const Layout& layout) {
  const double rows = std::max(1.0, std::round(unknowns));
  const int n = layout.block_size;
  const double whole_rows = std::ceil(rows / n) * n;
  return {rows, std::clamp(elements, rows * n, whole_rows * whole_rows)};
}

void visit_places(
    const MapGrid& grid, const Layout& layout,
    const std::function<void(std::size_t place, double unknowns, double elements)>& visit,
    const std::function<void(double done)>& progress) {
  const auto places = static_cast<std::int64_t>(grid.places());
  const auto visit_part = [&](std::int64_t begin, std::int64_t end) {
    for (auto place = static_cast<std::size_t>(begin); place < static_cast<std::size_t>(end);
         ++place) {
      const double elements = grid.elements[place / grid.unknowns.size()];
      const double unknowns = grid.unknowns[place % grid.unknowns.size()];
      if (elements > dense_limit(unknowns) || elements < diagonal_limit(unknowns, layout)) {
        continue;
      }
      visit(place, unknowns, elements);
    }
  };
  constexpr std::int64_t parts = 100;
  const std::int64_t part = (places + parts - 1) / parts;
  for (std::int64_t begin = 0; begin < places; begin += part) {
    if (progress) progress(static_cast<double>(begin) / static_cast<double>(places));
    const std::int64_t count = std::min(part, places - begin);
    parallel_for(count, 1, [&](std::int64_t first, std::int64_t last) {
      visit_part(begin + first, begin + last);
    });
  }
  if (progress) progress(1);
}

}  // namespace sparsecast
