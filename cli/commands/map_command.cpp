#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <limits>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "cli/command.hpp"
#include "cli/command_files.hpp"
#include "cli/commands.hpp"
#include "cli/forecast_options.hpp"
#include "cli/interrupt.hpp"
#include "cli/matrix_source.hpp"
#include "cli/plots/gnuplot.hpp"
#include "cli/reports/progress.hpp"
#include "cli/reports/table.hpp"
#include "core/analysis/features.hpp"
#include "core/base/files/file_output.hpp"
#include "core/base/text/text_fields.hpp"
#include "core/matrix/market/matrix_market.hpp"
#include "predict/performance_map.hpp"
#include "predict/performance_map_json.hpp"
#include "predict/predict_numbers.hpp"
#include "predict/profile_limits.hpp"
#include "predict/validation/data/validation_csv.hpp"

namespace sparsecast::cli {

namespace {

namespace fs = std::filesystem;

CommandLine make_command_line() {
  namespace po = boost::program_options;
  CommandLine line(
      "map", "--profile P --out FILE [MATRIX...] [options]",
      "Draws speedup or performance over unknowns and block elements (Figure 8), with\n"
      "matrices of yours as points.",
      "sparsecast map --profile gtx280 --devices 2 --curve maximum --out speedup.svg");
  line.add()("matrix", po::value<std::vector<std::string>>(),
             "Matrix Market files to draw as points")(
      "profile,p", po::value<std::string>(), "profile: a .json file or a shipped name (gtx280)")(
      "quantity,q", po::value<std::string>(),
      "speedup, raw or effective (GFlop/s); default speedup, of one device raw")(
      "devices,d", po::value<int>(),
      "number of devices; default 2, or 1 where the profile is of a CPU or has no links")(
      "block,b", po::value<int>(), "block size N; default 4, by the traffic model 1")(
      "density", po::value<double>(), "block density of `effective`, up to 1")(
      "precision", po::value<std::string>(), "f32 or f64; default f64 if the profile has it")(
      "curve", po::value<std::string>()->default_value("average"),
      "average: what to expect; maximum: the best case; of other models than traffic")(
      "model", po::value<std::string>(),
      "traffic, cache or paper; default the best that the profile has")(
      "points", po::value<std::string>(), "CSV file of points: name,unknowns,elements")(
      "measured", po::value<std::string>(),
      "raw data of validate: its speedups as points in the colours of the map")(
      "out,o", po::value<std::string>(), "file to write: .svg, .png, .pdf, .csv or .json")(
      "json", "print the map as JSON");
  line.positional("matrix", -1);
  return line;
}

/// The measured speedup of each matrix in a validation's raw data: fastest of ours on one device
/// over fastest on as many as the map has, in its block size and precision.
std::vector<MapPoint> measured_points(const fs::path& path, const MapRequest& request) {
  struct Fastest {
    MapPoint point;
    double one = std::numeric_limits<double>::infinity();
    double several = std::numeric_limits<double>::infinity();
  };
  std::map<std::pair<std::string, std::string>, Fastest> all;
  for (const ValidationRow& row : parse_validation_csv(read_file(path), path.string()).rows) {
    if (row.precision != request.precision || row.block != request.block ||
        (row.schedule != "fused" && row.schedule != "algorithm1")) {
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
                std::string(to_string(request.precision)) + " with block size " +
                std::to_string(request.block));
  }
  return points;
}

double parse_size(const std::string& text, const std::string& place) {
  try {
    std::size_t used = 0;
    const double size = std::stod(text, &used);
    if (used == text.size() && size >= 1 && size <= 1e15) return size;
  } catch (const std::exception&) {  // said below
  }
  throw Error(place + ": " + in_quotes(text) + " is no size; expected a number from 1 to 1e15");
}

std::vector<MapPoint> read_points(const fs::path& path, const DeviceProfile& profile, int block) {
  const std::string text = read_file(path);
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
    const std::size_t last = line.rfind(',');
    const std::size_t middle = last == 0 ? last : line.rfind(',', last - 1);
    if (last == std::string::npos || middle == std::string::npos || middle == last) {
      throw Error(place + ": expected " + header);
    }
    points.push_back({line.substr(0, middle),
                      parse_size(line.substr(middle + 1, last - middle - 1), place),
                      parse_size(line.substr(last + 1), place), 0});
    try {
      check_numbers(points.back().unknowns, points.back().elements, block, profile);
    } catch (const Error& error) {
      throw Error(place + ": " + error.what());
    }
  }
  if (points.empty()) throw Error(path.string() + ": no points; expected " + header);
  return points;
}

MapPoint matrix_point(const std::string& path, int block) {
  const MatrixMarketFile file = read_matrix(path);
  const MatrixFeatures features = compute_features(file.matrix.view());
  fs::path name = fs::path(path).filename();
  while (name.extension() == ".gz" || name.extension() == ".mtx") name = name.stem();
  return {name.string(), static_cast<double>(features.rows),
          static_cast<double>(features.block(block).block_elements), 0};
}

MapQuantity parse_quantity(const std::string& text) {
  if (text == "speedup") return MapQuantity::speedup;
  if (text == "raw") return MapQuantity::raw;
  if (text == "effective") return MapQuantity::effective;
  throw UsageError("--quantity " + text + ": expected speedup, raw or effective");
}

/// Two where the profile knows them: Figure 8.
int devices_of(const CommandLine& line, const DeviceProfile& profile) {
  if (!line.has("devices")) return prices_several_devices(profile) ? 2 : 1;
  const int devices = line.get<int>("devices");
  require_device_count("--devices", devices);
  if (devices > 1 && profile.traffic && profile.traffic->cpu_threads > 0) {
    throw UsageError("--devices " + std::to_string(devices) + ": profile " + profile.name +
                     " is of a CPU, which is one device by the traffic model; use --devices 1, or "
                     "--model paper");
  }
  return devices;
}

MapQuantity quantity_of(const CommandLine& line, int devices) {
  if (!line.has("quantity")) return devices > 1 ? MapQuantity::speedup : MapQuantity::raw;
  const MapQuantity quantity = parse_quantity(line.get<std::string>("quantity"));
  if (quantity == MapQuantity::speedup && devices == 1) {
    throw UsageError("--quantity speedup: of one device it is 1; add --devices N, or leave it out");
  }
  return quantity;
}

MapRequest make_request(const CommandLine& line, const DeviceProfile& profile) {
  MapRequest request;
  request.devices = devices_of(line, profile);
  request.quantity = quantity_of(line, request.devices);
  constexpr int block_of_paper = 4;
  request.block = line.has("block") ? line.get<int>("block") : profile.traffic ? 1 : block_of_paper;
  if (profile.traffic) {  // a point takes much longer than by the paper's model
    request.columns = 64;
    request.rows = 64;
  }
  require_block_size("--block", request.block);
  request.precision = line.has("precision")
                          ? parse_precision("--precision", line.get<std::string>("precision"))
                          : profile.default_precision();
  request.curve = parse_curve("--curve", line.get<std::string>("curve"));
  require_curves(request.curve, profile);
  const bool effective = request.quantity == MapQuantity::effective;
  if (effective != line.has("density")) {
    throw UsageError(effective ? "--quantity effective needs --density D"
                               : "--density is for --quantity effective only");
  }
  if (effective) request.block_density = line.get<double>("density");
  if (!(request.block_density > 0 && request.block_density <= 1)) {
    throw UsageError("--density: expected more than 0 and at most 1");
  }
  if (line.has("measured") && request.quantity != MapQuantity::speedup) {
    throw UsageError("--measured: has speedups; use --quantity speedup and several --devices");
  }
  return request;
}

/// Widens the map's ranges to whole decades that hold all points.
void include_points(const std::vector<MapPoint>& points, MapRequest& request) {
  const auto floor_decade = [](double size) { return std::pow(10, std::floor(std::log10(size))); };
  const auto ceil_decade = [](double size) { return std::pow(10, std::ceil(std::log10(size))); };
  for (const MapPoint& point : points) {
    request.unknowns_min = std::min(request.unknowns_min, floor_decade(point.unknowns));
    request.unknowns_max = std::max(request.unknowns_max, ceil_decade(point.unknowns));
    request.elements_min = std::min(request.elements_min, floor_decade(point.elements));
    request.elements_max = std::max(request.elements_max, ceil_decade(point.elements));
  }
}

std::string number_text(double number, const char* format) {
  std::array<char, 32> text{};
  std::snprintf(text.data(), text.size(), format, number);
  return text.data();
}

std::string csv_text(const PerformanceMap& map) {
  std::string text = "unknowns,elements," + std::string(to_string(map.request.quantity)) + '\n';
  for (std::size_t row = 0; row < map.elements.size(); ++row) {
    for (std::size_t column = 0; column < map.unknowns.size(); ++column) {
      if (std::isnan(map.value(row, column))) continue;  // no matrix there
      text += number_text(map.unknowns[column], "%.6g") + ',' +
              number_text(map.elements[row], "%.6g") + ',' +
              number_text(map.value(row, column), "%.6g") + '\n';
    }
  }
  return text;
}

std::string title(const DeviceProfile& profile, const MapRequest& request) {
  const std::string block = std::to_string(request.block);
  const std::string devices =
      std::to_string(request.devices) + (request.devices == 1 ? " device" : " devices");
  std::string text = request.quantity == MapQuantity::speedup
                         ? "Speedup of " + devices + " over one"
                     : request.quantity == MapQuantity::raw
                         ? "Raw performance of CG on " + devices
                         : "Effective performance of CG on " + devices + ", block density " +
                               format_number(request.block_density);
  return text + ": " + profile.name + ", " + std::string(to_string(request.precision)) + ", " +
         block + " × " + block + " blocks, " +
         (profile.traffic                       ? "traffic model"
          : request.curve == CurveKind::average ? "average curves"
                                                : "maximum curves");
}

/// Tics of an axis in log10: decades with their power, minor ones at 2 to 9.
std::string decade_tics(double min, double max) {
  std::string tics;
  const int first = static_cast<int>(std::floor(std::log10(min) + 1e-9));
  const int last = static_cast<int>(std::ceil(std::log10(max) - 1e-9));
  for (int decade = first; decade <= last; ++decade) {
    tics += (tics.empty() ? "" : ", ") + std::string("'10^{") + std::to_string(decade) + "}' " +
            std::to_string(decade);
    for (int digit = 2; digit <= 9 && decade < last; ++digit) {
      tics += ", '' " + number_text(decade + std::log10(digit), "%.5f") + " 1";
    }
  }
  return "(" + tics + ")";
}

/// Round values between the smallest and the largest for thin lines: 1, 2, 5, 10, ... GFlop/s, or
/// steps of speedup.
std::vector<double> contour_levels(const PerformanceMap& map) {
  std::vector<double> levels;
  if (map.request.quantity == MapQuantity::speedup) {
    const double step = map.largest > 4 ? 1 : map.largest > 2 ? 0.5 : 0.25;
    for (double level = step; level < map.largest; level += step) {
      if (std::abs(level - 1) > 1e-9) levels.push_back(level);
    }
    return levels;
  }
  for (int decade = -4; decade <= 6; ++decade) {
    for (const double digit : {1.0, 2.0, 5.0}) {
      const double level = digit * std::pow(10, decade);
      if (level > map.smallest && level < map.largest) levels.push_back(level);
    }
  }
  if (levels.size() > 8) levels.erase(levels.begin(), levels.end() - 8);  // thin lines stay apart
  return levels;
}

std::string contour_commands(const std::string& name, const std::vector<double>& levels,
                             const std::string& grid) {
  std::string list;
  for (const double level : levels) {
    list += (list.empty() ? "" : ",") + number_text(level, "%.9g");
  }
  return "set cntrparam levels discrete " + list + "\nset table $" + name + "\nsplot " + grid +
         "\nunset table\n";
}

/// Every `stride`-th row and column of the map as a named matrix.
std::string matrix_block(const std::string& name, const PerformanceMap& map, std::size_t stride) {
  std::string text = "$" + name + " << EOD\n";
  for (std::size_t row = 0; row < map.elements.size(); row += stride) {
    for (std::size_t column = 0; column < map.unknowns.size(); column += stride) {
      const double value = map.value(row, column);
      text += std::isnan(value) ? "NaN " : number_text(value, "%.4g ");
    }
    text += '\n';
  }
  return text + "EOD\n";
}

/// Gnuplot commands for the map. Axes are in log10, where the grid is even and can be an image.
std::string plot_script(const PerformanceMap& map, const DeviceProfile& profile,
                        const std::vector<MapPoint>& points) {
  const MapRequest& request = map.request;
  const double x_min = std::log10(request.unknowns_min);
  const double x_max = std::log10(request.unknowns_max);
  const double y_min = std::log10(request.elements_min);
  const double y_max = std::log10(request.elements_max);
  const bool speedup = request.quantity == MapQuantity::speedup;

  // Contours are straight from point to point and need no more than every second one; with all,
  // gnuplot takes most of its time for them.
  std::string script = matrix_block("map", map, 1) + matrix_block("coarse", map, 2);
  script += "$points << EOD\n";
  for (const MapPoint& point : points) {
    if (point.measured > 0) continue;
    script += number_text(std::log10(point.unknowns), "%.6g") + ' ' +
              number_text(std::log10(point.elements), "%.6g") + '\n';
  }
  script += "EOD\n$measured << EOD\n";
  for (const MapPoint& point : points) {
    if (!(point.measured > 0)) continue;
    script += number_text(std::log10(point.unknowns), "%.6g") + ' ' +
              number_text(std::log10(point.elements), "%.6g") + ' ' +
              number_text(point.measured, "%.4g") + '\n';
  }
  script += "EOD\n";
  const bool any_measured =
      std::ranges::any_of(points, [](const MapPoint& p) { return p.measured > 0; });
  const bool any_named =
      std::ranges::any_of(points, [](const MapPoint& p) { return !(p.measured > 0); });

  const auto scaled = [](const char* column, double min, double max, int count, int stride) {
    return "(" + number_text(min, "%.9g") + "+" + column + "*" +
           number_text(stride * (max - min) / (count - 1), "%.9g") + ")";
  };
  const auto grid = [&](const std::string& name, int stride) {
    return "$" + name + " matrix using " + scaled("$1", x_min, x_max, request.columns, stride) +
           ":" + scaled("$2", y_min, y_max, request.rows, stride) + ":3";
  };
  const std::string range =
      "[" + number_text(x_min, "%.9g") + ":" + number_text(x_max, "%.9g") + "]";
  script += "set xrange " + range + "\nset yrange [" + number_text(y_min, "%.9g") + ":" +
            number_text(y_max, "%.9g") + "]\n";
  const std::vector<double> levels = contour_levels(map);
  script += "set contour base\nunset surface\n";
  if (!levels.empty()) script += contour_commands("thin", levels, grid("coarse", 2));
  const bool crosses_one = speedup && map.smallest < 1 && map.largest > 1;
  if (crosses_one) script += contour_commands("one", {1.0}, grid("coarse", 2));
  script += "unset contour\nset surface\n";

  script += "set title " + gnuplot_quote(title(profile, request)) + " noenhanced\n";
  script += "set xlabel 'unknowns x'\nset ylabel 'block elements e'\n";
  script += "set xtics out nomirror " + decade_tics(request.unknowns_min, request.unknowns_max) +
            "\nset ytics out nomirror " + decade_tics(request.elements_min, request.elements_max) +
            "\n";
  script += "set border 3 lw 1.2\nset lmargin at screen 0.10\nset rmargin at screen 0.84\n";
  script += "set key bottom right reverse Left samplen 2 spacing 1.2\n";
  if (speedup) {
    // White where it makes no difference, blue where it does harm, red where it pays.
    const double top = std::max(static_cast<double>(std::max(request.devices, 2)), map.largest);
    script += "set palette defined (0 '#2166ac', 0.5 '#92c5de', 1 '#f7f7f7', " +
              number_text((1 + top) / 2, "%.6g") + " '#f4a582', " + number_text(top, "%.6g") +
              " '#b2182b')\nset cbrange [0:" + number_text(top, "%.6g") + "]\n";
    script += "set cblabel 'speedup'\n";
  } else {
    script +=
        "set palette defined (0 '#ffffd9', 1 '#edf8b1', 2 '#c7e9b4', 3 '#7fcdbb', "
        "4 '#41b6c4', 5 '#1d91c0')\nset cbrange [0:*]\nset cblabel 'GFlop/s'\n";
  }
  // The limits in log10: y = 2 x and y = x + log10 N.
  const std::string shift = number_text(std::log10(request.block), "%.9g");
  const std::string n = std::to_string(request.block);
  const std::string diagonal_name =
      request.block == 1 ? "diagonal, e = x" : "block diagonal, e = " + n + " x";
  // More would hide the map, and keep gnuplot busy for minutes.
  constexpr std::ptrdiff_t most_names = 1000;
  const bool few = std::ranges::count(points, 0.0, &MapPoint::measured) <= most_names;
  for (const MapPoint& point : points) {
    if (!few || point.measured > 0) continue;  // those measured are too many for names
    script += "set label " + gnuplot_quote(brief(point.name)) + " noenhanced at " +
              number_text(std::log10(point.unknowns), "%.6g") + "," +
              number_text(std::log10(point.elements), "%.6g") +
              " offset 0.7,0.4 front font ',11'\n";
  }
  script += "plot " + grid("map", 1) + " with image notitle";
  if (!levels.empty()) {
    script += ", $thin with lines lw 0.7 lc rgb '#606060' notitle";
    // A level's value at its 30th vertex: lines shorter than that go without.
    script +=
        ", $thin using 1:2:(sprintf('%g', $3)) every 1:1:30::30 with labels font ',9' "
        "tc rgb '#606060' notitle";
  }
  script += ", 2*x with lines lw 1.5 lc rgb 'black' dt 2 title 'dense, e = x^2'";
  script += ", x+" + shift + " with lines lw 1.5 lc rgb 'black' dt 4 title '" + diagonal_name + "'";
  if (crosses_one) script += ", $one with lines lw 4 lc rgb 'black' title 'speedup = 1'";
  if (any_measured) {
    script += ", $measured using 1:2 with points pt 7 ps 0.75 lc rgb 'black' notitle";
    script += ", $measured using 1:2:3 with points pt 7 ps 0.55 lc palette title 'measured'";
  }
  if (any_named) {
    script += ", $points using 1:2 with points pt 7 ps 0.9 lc rgb 'black' notitle";
    script += ", $points using 1:2 with points pt 7 ps 0.5 lc rgb '#ffd92f' notitle";
  }
  return script + "\n";
}

void check_ending(const fs::path& path) {
  if (is_standard_output(path.string())) {
    throw UsageError("--out -: no kind of file is known from it; use --json");
  }
  const std::string ending = path.extension().string();
  if (can_be_drawn(path) || ending == ".csv" || ending == ".json") return;
  throw UsageError("--out " + path.string() + ": unknown kind of file '" + ending +
                   "'; expected .svg, .png, .pdf, .csv or .json");
}

void write_map(const fs::path& path, const PerformanceMap& map, const DeviceProfile& profile,
               const std::vector<MapPoint>& points) {
  const std::string ending = path.extension().string();
  if (ending == ".csv") {
    write_file(path, csv_text(map));
  } else if (ending == ".json") {
    write_file(path, to_json(map, profile.name, points).text() + '\n');
  } else {
    draw_with_gnuplot(path, plot_script(map, profile, points), 900, 640);
  }
}

void print_summary(const PerformanceMap& map, const DeviceProfile& profile,
                   const std::vector<MapPoint>& points) {
  const bool speedup = map.request.quantity == MapQuantity::speedup;
  std::cout << title(profile, map.request) << "\nfrom " << format_number(map.smallest) << " to "
            << format_number(map.largest) << (speedup ? "" : " GFlop/s") << '\n';
  if (points.empty()) return;
  const bool any_measured =
      std::ranges::any_of(points, [](const MapPoint& point) { return point.measured > 0; });
  std::vector<std::string> header{"matrix", "unknowns", "block elements",
                                  speedup ? "speedup" : "GFlop/s"};
  if (any_measured) header.emplace_back("measured");
  Table table(header);
  for (std::size_t i = 0; i < points.size(); ++i) {
    std::vector<std::string> row{points[i].name, format_count(std::llround(points[i].unknowns)),
                                 format_count(std::llround(points[i].elements)),
                                 format_number(points[i].value)};
    if (any_measured)
      row.push_back(points[i].measured > 0 ? format_number(points[i].measured) : "-");
    table.add_row(row);
  }
  std::cout << '\n';
  table.print(std::cout);
}

PerformanceMap compute_with_progress(const DeviceProfile& profile, const MapRequest& request) {
  const InterruptGuard guard;
  Progress progress("map");
  return compute_map(profile, request, [&](double done) {
    if (InterruptGuard::interrupted()) throw Interrupted("interrupted; no map was written");
    progress.update(done);
  });
}

int run_map(std::span<const std::string> arguments) {
  CommandLine line = make_command_line();
  if (!line.parse(arguments)) return 0;
  const DeviceProfile profile =
      read_profile_for(line.get<std::string>("profile"), line.get_or("model", ""));
  MapRequest request = make_request(line, profile);
  const bool json = line.has("json");
  if (!json || line.has("out")) check_ending(line.get<std::string>("out"));
  CommandFiles files;
  for (const char* option : {"matrix", "profile", "points", "measured"}) files.reads(line, option);
  if (line.has("out") && can_be_drawn(line.get<std::string>("out"))) {
    files.draws(line, "out");
  } else {
    files.writes(line, "out");
  }
  files.check(json);

  std::vector<MapPoint> points;
  if (line.has("points")) {
    points = read_points(line.get<std::string>("points"), profile, request.block);
  }
  if (line.has("matrix")) {
    for (const std::string& path : line.get<std::vector<std::string>>("matrix")) {
      points.push_back(matrix_point(path, request.block));
    }
  }
  if (line.has("measured")) {
    for (MapPoint& point : measured_points(line.get<std::string>("measured"), request)) {
      points.push_back(std::move(point));
    }
  }
  include_points(points, request);
  if (request.devices > 1 && !profile.links.contains(request.devices) && !profile.links.empty()) {
    warn("profile " + profile.name + " has no link of " + std::to_string(request.devices) +
         " devices; the one of the nearest number stands for it");
  }

  for (const std::string& warning : {machine_warning(profile, request.devices),
                                     bias_warning(profile, request.precision, request.block)}) {
    if (!warning.empty()) warn(warning);
  }

  const PerformanceMap map = compute_with_progress(profile, request);
  for (MapPoint& point : points) {
    point.value = map_value(profile, request, point.unknowns, point.elements);
  }
  if (line.has("out")) {
    write_map(line.get<std::string>("out"), map, profile, points);
  }
  if (json) {
    std::cout << to_json(map, profile.name, points).text() + '\n';
  } else {
    print_summary(map, profile, points);
  }
  return 0;
}

}  // namespace

extern const Command map_command{"map", "draw speedup or performance over all sizes of matrices",
                                 run_map};

}  // namespace sparsecast::cli
