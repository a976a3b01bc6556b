#include "cli/commands/validate/validation_page.hpp"

#include <map>
#include <set>
#include <utility>
#include <vector>

#include "cli/html/charts.hpp"
#include "cli/html/page.hpp"
#include "cli/html/point_charts.hpp"
#include "cli/reports/interval_text.hpp"
#include "cli/reports/solution_report.hpp"
#include "cli/reports/table.hpp"
#include "cli/reports/validation_report.hpp"
#include "core/base/error.hpp"
#include "predict/validation/summary/error_summary.hpp"

namespace sparsecast::cli {

namespace {

std::string text_of(const ValidationRow& row) {
  return row.matrix + '\n' + solver_text(row) + ", " + to_string(row.layout) + ", " +
         std::string(to_string(row.precision)) +
         (row.devices > 1 ? ", " + std::to_string(row.devices) + " devices" : "") + "\nmeasured " +
         format_seconds(row.measured_seconds) + ", forecast " +
         format_seconds(row.predicted_seconds);
}

/// What a page is wide enough for of `rows_table`.
Table worst_table(const std::vector<ValidationRow>& rows) {
  Table table({"matrix", "solver", "layout", "precision", "measured", "predicted", "90 % interval",
               "error of time"});
  for (const ValidationRow& row : rows) {
    table.add_row(
        {row.matrix + (row.surrogate_values ? " *" : ""), solver_text(row),
         to_string(row.layout) + (row.devices > 1 ? " on " + std::to_string(row.devices) : ""),
         std::string(to_string(row.precision)), format_seconds(row.measured_seconds),
         format_seconds(row.predicted_seconds), interval_text(row.interval_seconds),
         format_fixed_percent(time_error(row.predicted_seconds, row.measured_seconds))});
  }
  return table;
}

/// Points of cases with a forecast, a series a solver.
template <class Place>
std::vector<PointSeries> points_of(const std::vector<ValidationRow>& rows, const Place& place) {
  std::map<std::string, PointSeries> by_solver;
  for (const ValidationRow& row : rows) {
    if (!(row.predicted_seconds > 0)) continue;
    PointSeries& series = by_solver[solver_text(row)];
    series.name = solver_text(row);
    const auto [x, y] = place(row);
    series.points.push_back({x, y, text_of(row)});
  }
  std::vector<PointSeries> all;
  for (auto& [name, series] : by_solver) all.push_back(std::move(series));
  return all;
}

/// "42 cases".
std::string counted(std::size_t count, const std::string& one) {
  return format_counted(static_cast<long long>(count), one);
}

std::string headline_of(const ErrorLine& line, std::size_t cases) {
  const ErrorSummary& model = line.model;
  std::string text = "Forecasts of " + counted(model.cases, "case") + " of " +
                     counted(model.matrices, "pattern") + " (" + line.label +
                     "; in all there are " + counted(cases, "case") + "). Where a pattern counts " +
                     "once, they are off by " + format_percent(model.mean_time_error) +
                     " of the time in the mean and by " + format_percent(model.median_time_error) +
                     " in the median";
  constexpr std::size_t enough = 20;  // of fewer, 95 of 100 are all
  if (model.matrices >= enough) {
    text += ", by at most " + format_percent(model.p95_time_error) + " in 95 of 100";
  }
  if (model.coverage)
    text += "; " + format_percent(*model.coverage) + " lie in their 90 % interval";
  return text + ".";
}

}  // namespace

std::string validation_page(const ValidationData& data, const ValidationSummary& summary,
                            std::span<const std::string> command) {
  const std::vector<PointSeries> times = points_of(data.rows, [](const ValidationRow& row) {
    return std::pair(row.measured_seconds, row.predicted_seconds);
  });
  if (times.empty())
    throw Error(
        "--html: no case with a forecast to draw; give the profile that forecasts them, --profile "
        "P");
  const std::vector<PointSeries> ratios = points_of(data.rows, [](const ValidationRow& row) {
    return std::pair(row.working_set_bytes, row.predicted_seconds / row.measured_seconds);
  });
  const auto profile = data.about.find("profile");
  const std::string title = profile == data.about.end()
                                ? "Forecasts beside measurements"
                                : "Forecasts of " + profile->second + " beside measurements";
  std::string body = html_heading(1, title);
  if (!summary.headlines.empty()) {
    body += html_paragraph(headline_of(summary.headlines.front(), data.rows.size()),
                           ParagraphStyle::lead);
  }
  const std::string cases = html_table(cases_table(summary.cases));
  body += html_heading(2, "Forecast beside measured") +
          html_chart(
              "Time of an iteration, or product. On the line they are the same; dotted: 10 % "
              "to either side." +
                  thinned_text(times),
              diagonal_chart("Points: forecast over measured time.", {"measured", "s"},
                             {"forecast", "s"}, thinned(times)),
              cases) +
          html_chart(
              "Forecast over measured time, by the bytes that an iteration touches." +
                  thinned_text(ratios),
              ratio_chart("Points: forecast over measured time, by working set.",
                          {"working set, bytes", ""}, {"forecast / measured", ""}, thinned(ratios)),
              cases);
  body += html_heading(2, "Errors of time") +
          html_paragraph("Beside those of simpler forecasts; a pattern counts once.",
                         ParagraphStyle::note) +
          html_table(headlines_table(summary.headlines));
  if (summary.solutions) {
    body += html_heading(2, "Times to solution") +
            html_table(solution_errors_table(summary.solutions->lines));
  }
  if (!summary.worst.empty()) {
    body += html_heading(2, "The largest errors, one a matrix") +
            html_table(worst_table(summary.worst));
  }
  body += html_heading(2, "How this was made") +
          html_facts({data.about.begin(), data.about.end()}) + html_command(command);
  return html_page(title, body);
}

}  // namespace sparsecast::cli
