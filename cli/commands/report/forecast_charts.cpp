#include "cli/commands/report/forecast_charts.hpp"

#include <algorithm>
#include <array>
#include <functional>
#include <map>
#include <set>
#include <utility>

#include "cli/html/charts.hpp"
#include "cli/html/page.hpp"
#include "cli/reports/advice_report.hpp"
#include "cli/reports/interval_text.hpp"
#include "cli/reports/matrix_report.hpp"
#include "cli/reports/table.hpp"
#include "predict/advice/compared_time.hpp"
#include "predict/marked_name.hpp"

namespace sparsecast::cli {

namespace {

/// More would make a chart higher than a screen.
constexpr int most_bars_a_profile = 8;

std::string with_interval(const std::string& what, double seconds,
                          const std::optional<Interval>& interval) {
  return what + '\n' + format_seconds(seconds) +
         (interval ? ", 90 % interval " + interval_text(interval) : "");
}

/// What times are of.
std::string name_of_time(const MatrixForecast& matrix) {
  if (matrix.forecast.counts.empty()) return "time of an iteration";
  return compared_time(matrix.forecast.predictions) == ComparedTime::whole_solve
             ? "time to solution"
             : "time to solution, without conversion and upload";
}

/// "2 x nvidia-h200", "amd-epyc-zen4-2cores", "h100-pcie (estimated)".
std::string devices_of(const Prediction& prediction) {
  return (prediction.devices > 1 ? std::to_string(prediction.devices) + " x " : "") +
         marked_name(prediction);
}

/// Of each profile and label the fastest, on the fewest devices that hold the matrix, by profile.
std::vector<Bar> fastest_by(const MatrixForecast& matrix,
                            const std::function<std::string(const Prediction&)>& label) {
  const std::vector<Prediction>& all = matrix.forecast.predictions;
  const ComparedTime compared = compared_time(all);
  std::map<std::string, int> fewest;
  for (const Prediction& prediction : all) {
    if (prediction.only_compared || !prediction.fits.value_or(true)) continue;
    const auto [place, first] = fewest.try_emplace(prediction.profile, prediction.devices);
    if (!first) place->second = std::min(place->second, prediction.devices);
  }
  std::vector<std::string> profiles;
  std::map<std::string, std::vector<Bar>> bars;
  std::set<std::pair<std::string, std::string>> seen;
  for (const MarkedPrediction& each : ranked(matrix.forecast)) {
    const Prediction& prediction = *each.prediction;
    if (prediction.only_compared || !prediction.fits.value_or(true)) continue;
    if (prediction.devices != fewest.at(prediction.profile)) continue;
    std::vector<Bar>& of_profile = bars[prediction.profile];
    const std::string what = label(prediction);
    if (of_profile.empty()) profiles.push_back(prediction.profile);
    if (static_cast<int>(of_profile.size()) == most_bars_a_profile ||
        !seen.emplace(prediction.profile, what).second) {
      continue;
    }
    const double seconds = seconds_of(prediction, compared);
    const std::optional<Interval> interval = interval_of(prediction, compared);
    const std::string name = devices_of(prediction) + ", " + what;
    of_profile.push_back(
        {name, seconds, interval, of_profile.empty(), with_interval(name, seconds, interval)});
  }
  std::vector<Bar> sorted;
  for (const std::string& profile : profiles) {
    std::ranges::move(bars[profile], std::back_inserter(sorted));
  }
  return sorted;
}

/// Bars with their table.
std::string chart_of_bars(const MatrixForecast& matrix, const std::vector<Bar>& bars,
                          const char* by) {
  if (bars.empty()) return "";
  const std::string time = name_of_time(matrix);
  Table numbers({std::string("device, ") + by, time, "90 % interval"});
  for (const Bar& bar : bars) {
    numbers.add_row({bar.label, format_seconds(bar.value), interval_text(bar.interval)});
  }
  const auto known =
      std::ranges::count_if(bars, [](const Bar& bar) { return bar.interval.has_value(); });
  const bool all_known = known == static_cast<std::ptrdiff_t>(bars.size());
  return html_chart("The " + time + " by device and " + by +
                        ", at most eight of each device, the fastest in colour" +
                        (known == 0  ? "."
                         : all_known ? "; lines are 90 % intervals."
                                     : "; lines are 90 % intervals, where they are known."),
                    bar_chart("Bars: the " + time + " by device and " + by + ".", time, "s", bars),
                    html_table(numbers));
}

}  // namespace

std::string chart_of_layouts(const MatrixForecast& matrix) {
  return chart_of_bars(
      matrix, fastest_by(matrix, [](const Prediction& each) { return to_string(each.layout); }),
      "layout");
}

std::string chart_of_solvers(const MatrixForecast& matrix) {
  std::set<std::string> solvers;
  for (const Prediction& each : matrix.forecast.predictions) solvers.insert(each.schedule);
  if (matrix.forecast.counts.empty() || solvers.size() < 2) return "";
  return chart_of_bars(
      matrix, fastest_by(matrix, [](const Prediction& each) { return each.schedule; }), "solver");
}

std::string chart_of_devices(const MatrixForecast& matrix) {
  if (!matrix.advice) return "";
  std::vector<LineSeries> series;
  for (const DeviceChoice& choice : matrix.advice->choices) {
    if (!choice.fits()) continue;
    if (series.empty() ||
        series.back().name != marked_name(choice.profile, choice.prediction.estimated)) {
      series.push_back({marked_name(choice.profile, choice.prediction.estimated), {}});
    }
    series.back().points.push_back(
        {static_cast<double>(choice.prediction.devices), choice.seconds, choice.interval_seconds,
         with_interval(name_of(choice), choice.seconds, choice.interval_seconds)});
  }
  if (std::ranges::none_of(series, [](const LineSeries& each) { return each.points.size() > 1; })) {
    return "";
  }
  const std::string time = name_of_time(matrix);
  const bool intervals = std::ranges::any_of(series, [](const LineSeries& each) {
    return std::ranges::any_of(each.points,
                               [](const auto& point) { return point.interval.has_value(); });
  });
  return html_chart(
      "The " + time + " on several devices, each in its fastest layout" +
          (intervals ? "; bands, and bars of one number alone, are 90 % intervals, where "
                       "they are known."
                     : "."),
      line_chart("Lines: the " + time + " over the number of devices.", "devices", time, "s",
                 series),
      html_table(advice_table(*matrix.advice, 0), matrix.advice->recommended));
}

std::string chart_of_parts(const MatrixForecast& matrix) {
  if (!matrix.advice) return "";
  using Part = std::pair<const char*, double TimeParts::*>;
  // By the traffic model sums are in the kernels and in what waits for them.
  std::vector<Part> kinds{{"SpMV", &TimeParts::spmv},
                          {"vector kernels", &TimeParts::vector_kernels},
                          {"reductions", &TimeParts::reductions},
                          {"exchange", &TimeParts::exchange},
                          {"waiting", &TimeParts::synchronisation}};
  std::erase_if(kinds, [&](const Part& kind) {
    return kind.second == &TimeParts::reductions &&
           std::ranges::all_of(matrix.advice->choices, [](const DeviceChoice& choice) {
             return choice.prediction.parts.reductions == 0;
           });
  });
  std::vector<std::string> names;
  for (const Part& kind : kinds) names.emplace_back(kind.first);
  std::vector<std::string> header{"device, layout"};
  header.insert(header.end(), names.begin(), names.end());
  Table numbers(header);
  std::vector<StackedRow> rows;
  for (const DeviceChoice& choice : matrix.advice->choices) {
    const TimeParts& parts = choice.prediction.parts;
    StackedRow row{devices_of(choice.prediction) + ", " + to_string(choice.prediction.layout), {}};
    std::vector<std::string> cells{row.label};
    for (std::size_t i = 0; i < names.size(); ++i) {
      const double seconds = parts.*kinds[i].second;
      const double share = seconds / choice.prediction.seconds_per_iteration;
      row.parts.push_back({share, row.label + '\n' + names[i] + ": " + format_percent(share) +
                                      ", " + format_seconds(seconds)});
    }
    for (const StackedRow::Part& part : row.parts) cells.push_back(format_percent(part.share));
    numbers.add_row(cells);
    rows.push_back(std::move(row));
  }
  return html_chart("What an iteration spends its time on, of each device in its fastest layout.",
                    stacked_chart("Bars: the parts of an iteration's time by device.",
                                  "share of an iteration", names, rows),
                    html_table(numbers));
}

std::string chart_of_row_lengths(const MatrixFeatures& features) {
  const std::vector<std::int64_t>& histogram = features.row_length.histogram;
  std::vector<HistogramColumn> columns;
  Table numbers({"entries in a row", "rows"});
  const auto first = std::ranges::find_if(histogram, [](std::int64_t rows) { return rows > 0; });
  for (auto place = first; place != histogram.end(); ++place) {
    const std::string lengths =
        row_length_class(static_cast<std::size_t>(place - histogram.begin()));
    columns.push_back({lengths, static_cast<double>(*place),
                       format_count(*place) + " rows of " + lengths + " entries"});
    numbers.add_row({lengths, format_count(*place)});
  }
  if (columns.empty()) return "";
  return html_chart("How many rows have how many entries.",
                    column_chart("Columns: how many rows have how many entries.",
                                 "entries in a row", "rows", columns),
                    html_table(numbers));
}

}  // namespace sparsecast::cli
