#include "cli/map_points.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <map>
#include <string_view>
#include <utility>

#include "cli/forecast_options.hpp"
#include "cli/forecast_subject.hpp"
#include "cli/matrix_source.hpp"
#include "core/analysis/features.hpp"
#include "core/analysis/matrix_numbers.hpp"
#include "core/base/error.hpp"
#include "core/base/files/text_file.hpp"
#include "core/base/text/csv_cells.hpp"
#include "core/base/text/text_fields.hpp"
#include "core/matrix/files/file_kind.hpp"
#include "core/schedule/built_in_solvers.hpp"
#include "predict/features/features_file.hpp"
#include "predict/predict_numbers.hpp"
#include "predict/validation/data/validation_csv.hpp"

namespace sparsecast::cli {

namespace fs = std::filesystem;

namespace {

double parse_size(const std::string& text, const std::string& place) {
  try {
    std::size_t used = 0;
    const double size = std::stod(text, &used);
    if (used == text.size() && size >= 1 && size <= most_of_any_size) return size;
  } catch (const std::exception&) {  // said below
  }
  throw Error(place + ": " + in_quotes(text) + " is no size; expected a number from 1 to 1e15");
}

/// Name and sizes, each in quotes or not. A name without quotes may have commas.
std::vector<std::string> cells_of_point(const std::string& line) {
  constexpr std::size_t count = 3;
  const std::size_t last = line.rfind(',');
  const std::size_t middle = last > 0 ? line.rfind(',', last - 1) : std::string::npos;
  if (line.starts_with('"') || last == std::string::npos || middle == std::string::npos) {
    return split_csv_cells(line, count + 1);
  }
  std::vector<std::string> cells = split_csv_cells(line.substr(middle + 1), count);
  cells.insert(cells.begin(), line.substr(0, middle));
  return cells;
}

}  // namespace

std::vector<MapPoint> measured_points(const fs::path& path, const MapRequest& request) {
  struct Fastest {
    MapPoint point;
    double one = std::numeric_limits<double>::infinity();
    double several = std::numeric_limits<double>::infinity();
  };
  std::map<std::pair<std::string, std::string>, Fastest> all;
  for (const ValidationRow& row : parse_validation_csv(read_text(path), path.string()).rows) {
    if (row.precision != request.precision || row.layout != request.layout ||
        !is_ours(row.schedule)) {
      continue;
    }
    Fastest& fastest = all[{row.matrix, row.renumbering}];
    fastest.point = {"", static_cast<double>(row.unknowns),
                     static_cast<double>(row.block_elements)};
    if (row.devices == 1) fastest.one = std::min(fastest.one, row.measured_seconds);
    if (row.devices == request.devices) {
      fastest.several = std::min(fastest.several, row.measured_seconds);
    }
  }
  std::vector<MapPoint> points;
  for (auto& [key, fastest] : all) {
    // Orders for several devices are beside the order as given, which one device has.
    const auto given = all.find({key.first, "none"});
    if (key.second == "metis" && given != all.end()) fastest.one = given->second.one;
    if (!std::isfinite(fastest.one) || !std::isfinite(fastest.several)) continue;
    fastest.point.name = key.first + (key.second == "none" ? "" : ' ' + key.second);
    fastest.point.measured = fastest.one / fastest.several;
    points.push_back(std::move(fastest.point));
  }
  if (points.empty()) {
    throw Error(path.string() + ": no matrix was measured on 1 and on " +
                std::to_string(request.devices) + " devices in " +
                std::string(to_string(request.precision)) + " in layout " +
                to_string(request.layout));
  }
  return points;
}

std::vector<MapPoint> read_points(const fs::path& path, std::span<const DeviceProfile> profiles,
                                  const Layout& layout) {
  const std::string text = read_text(path);
  const std::string header = "name,unknowns,elements";
  std::vector<MapPoint> points;
  std::size_t begin = 0;
  for (int number = 1; begin < text.size(); ++number) {
    const std::size_t end = std::min(text.find('\n', begin), text.size());
    std::string line = text.substr(begin, end - begin);
    begin = end + 1;
    if (!line.empty() && line.back() == '\r') line.pop_back();
    const std::string place = path.string() + ":" + std::to_string(number);
    if (number == 1) {
      if (line == header) continue;
      throw Error(place + ": '" + line.substr(0, 40) + "'; expected the header " + header);
    }
    if (line.empty()) continue;
    const std::vector<std::string> cells = cells_of_point(line);
    if (cells.size() != 3) throw Error(place + ": expected " + header);
    points.push_back({cells[0], parse_size(cells[1], place), parse_size(cells[2], place), 0});
    try {
      for (const DeviceProfile& profile : profiles) {
        check_numbers(points.back().unknowns, points.back().elements, layout, profile);
      }
    } catch (const Error& error) {
      throw Error(place + ": " + error.what());
    }
  }
  if (points.empty()) throw Error(path.string() + ": no points; expected " + header);
  return points;
}

MapPoint matrix_point(const std::string& path, const Layout& layout) {
  const auto point = [&](const MatrixFeatures& features) -> MapPoint {
    const double elements = features.shape(layout).elements;
    require_place(file_label(path), features, elements);
    return {subject_name(path), static_cast<double>(features.rows), elements, 0};
  };
  if (!is_features_file(path)) {
    return point(compute_features(read_square_matrix(path).matrix.view()));
  }
  const ForecastFeatures counted = read_features(path);
  if (counted.find(layout) == nullptr) {
    throw Error(path + ": has no counts of layout " + to_string(layout) +
                "; write it again with this version, or choose another --layout");
  }
  return point(counted.features);
}

void include_points(const std::vector<MapPoint>& points, MapSizes& sizes) {
  for (const MapPoint& point : points) include_matrix(point.unknowns, point.elements, sizes);
}

}  // namespace sparsecast::cli
