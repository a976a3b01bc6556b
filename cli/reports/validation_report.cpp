#include "cli/reports/validation_report.hpp"

#include <algorithm>
#include <initializer_list>
#include <iostream>
#include <iterator>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "cli/reports/interval_text.hpp"
#include "cli/reports/prose.hpp"
#include "cli/reports/solution_report.hpp"
#include "cli/reports/table.hpp"
#include "predict/advice/best_choice.hpp"

namespace sparsecast::cli {

namespace {

/// A report of more cases does not list them.
constexpr std::size_t most_listed = 1000;

/// "-" for a forecast that the profile cannot make.
std::string forecast_text(double seconds) {
  return seconds > 0 ? format_seconds(seconds) : "-";
}
std::string error_text(double predicted_seconds, double measured_seconds,
                       double (*error)(double, double)) {
  return predicted_seconds > 0 ? format_percent(error(predicted_seconds, measured_seconds)) : "-";
}

std::string share_text(const std::optional<double>& share) {
  return share ? format_percent(*share) : "-";
}

}  // namespace

Table rows_table(const std::vector<ValidationRow>& rows) {
  const std::vector<TableColumn> columns{
      TableColumn("matrix"),           TableColumn("unknowns", 5),
      TableColumn("nonzeros", 5),      TableColumn::key("order", 6),
      TableColumn("solver"),           TableColumn("layout"),
      TableColumn::key("devices", 4),  TableColumn::key("precision", 2),
      TableColumn("measured"),         TableColumn("noise", 3),
      TableColumn("predicted"),        TableColumn("90 % interval", 1),
      TableColumn("error of time"),    TableColumn("of performance", 6),
      TableColumn("GFlop/s", 7),       TableColumn("predicted GFlop/s", 7),
      TableColumn("baseline error", 4)};
  Table table(columns);
  for (const ValidationRow& row : rows) {
    table.add_row(
        {row.matrix + (row.surrogate_values ? " *" : ""), format_count(row.unknowns),
         format_count(row.nonzeros), row.renumbering, solver_text(row), to_string(row.layout),
         std::to_string(row.devices), std::string(to_string(row.precision)),
         format_seconds(row.measured_seconds), format_percent(measurement_noise(row)),
         forecast_text(row.predicted_seconds), interval_text(row.interval_seconds),
         error_text(row.predicted_seconds, row.measured_seconds, time_error),
         error_text(row.predicted_seconds, row.measured_seconds, performance_error),
         format_number(effective_gflops(row, row.measured_seconds)),
         row.predicted_seconds > 0 ? format_number(effective_gflops(row, row.predicted_seconds))
                                   : "-",
         error_text(row.baseline_seconds, row.measured_seconds, time_error)});
  }
  return table;
}

Table headlines_table(std::span<const ErrorLine> lines) {
  Table table({"what", "forecast by", "patterns", "cases", "mean", "median", "95 %"});
  for (const ErrorLine& line : lines) {
    const std::pair<const char*, const ErrorSummary*> all[] = {{"model", &line.model},
                                                               {"baseline", &line.baseline},
                                                               {"roofline", &line.roofline},
                                                               {"regression", &line.regression}};
    for (const auto& [name, errors] : all) {
      if (errors->cases == 0) continue;
      table.add_row({line.label, name, std::to_string(errors->matrices),
                     std::to_string(errors->cases), format_percent(errors->mean_time_error),
                     format_percent(errors->median_time_error),
                     format_percent(errors->p95_time_error)});
    }
  }
  return table;
}

Table cases_table(std::span<const CaseLine> lines) {
  const std::vector<TableColumn> columns{TableColumn("what"),     TableColumn("working set"),
                                         TableColumn("cases"),    TableColumn("mean"),
                                         TableColumn("median"),   TableColumn("95 %"),
                                         TableColumn("worst", 1), TableColumn("interval holds"),
                                         TableColumn("width", 2), TableColumn("")};
  Table cases(columns);
  for (const CaseLine& line : lines) {
    cases.add_row({line.kind, line.stratum, std::to_string(line.cases), format_percent(line.mean),
                   format_percent(line.median), format_percent(line.p95),
                   format_percent(line.worst), share_text(line.coverage), share_text(line.width),
                   line.unlikely ? "not 90 %" : ""});
  }
  return cases;
}

namespace {

void print_cases(const std::vector<ValidationRow>& rows, TableStyle style, std::ostream& out) {
  rows_table(rows).print(out, style);
  if (std::ranges::any_of(rows, &ValidationRow::surrogate_values)) {
    print_paragraph(out, "* the file's pattern with surrogate values", style);
  }
}

/// "-" where no case has such a forecast.
std::string error_cell(const ErrorSummary& summary, double ErrorSummary::*error) {
  return summary.cases > 0 ? format_percent(summary.*error) : "-";
}
/// The same of what is no share of a time.
std::string number_cell(const ErrorSummary& summary, double ErrorSummary::*number) {
  return summary.cases > 0 ? format_number(summary.*number) : "-";
}

/// The columns that all tables of errors share.
std::vector<std::string> error_cells(const ErrorLine& line) {
  const ErrorSummary& model = line.model;
  using Summary = ErrorSummary;
  std::vector<std::string> cells{std::to_string(model.matrices)};
  cells.push_back(error_cell(model, &Summary::mean_performance_error));
  cells.push_back(number_cell(model, &Summary::variance_performance_error));
  for (const auto error : {&Summary::mean_time_error, &Summary::median_time_error,
                           &Summary::p90_time_error, &Summary::p95_time_error}) {
    cells.push_back(error_cell(model, error));
  }
  cells.push_back(number_cell(model, &Summary::bias));
  cells.push_back(share_text(model.coverage));
  cells.push_back(share_text(model.interval_width));
  cells.push_back(error_cell(model, &Summary::median_noise));
  cells.push_back(error_cell(line.paper, &Summary::mean_time_error));
  cells.push_back(error_cell(line.baseline, &Summary::mean_performance_error));
  for (const Summary* each : {&line.baseline, &line.roofline, &line.regression}) {
    cells.push_back(error_cell(*each, &Summary::mean_time_error));
  }
  return cells;
}

std::vector<TableColumn> error_header(std::initializer_list<const char*> first) {
  std::vector<TableColumn> header(first.begin(), first.end());
  for (const auto& [name, rank] :
       std::initializer_list<std::pair<const char*, int>>{{"matrices", 2},
                                                          {"mean perf. error", 5},
                                                          {"variance", 6},
                                                          {"mean time error", 0},
                                                          {"median", 0},
                                                          {"90 %", 4},
                                                          {"95 %", 0},
                                                          {"bias", 3},
                                                          {"coverage", 1},
                                                          {"width", 2},
                                                          {"noise", 3},
                                                          {"paper time", 5},
                                                          {"baseline perf.", 6},
                                                          {"baseline time", 4},
                                                          {"roofline time", 4},
                                                          {"regression time", 4}}) {
    header.emplace_back(name, rank);
  }
  return header;
}

void print_lines(const char* title, const char* column, const std::vector<ErrorLine>& lines,
                 TableStyle style, std::ostream& out) {
  if (lines.empty()) return;
  out << '\n';
  print_paragraph(out, title, style);
  Table table(error_header({column}));
  for (const ErrorLine& line : lines) {
    std::vector<std::string> cells{line.label};
    std::ranges::copy(error_cells(line), std::back_inserter(cells));
    table.add_row(cells);
  }
  table.print(out, style);
}

/// How often cases were measured, and how well the fastest two visits agree.
void print_visits(const VisitSummary& visits, TableStyle style, std::ostream& out) {
  if (visits.cases == 0) return;
  std::string text = std::to_string(visits.cases) +
                     (visits.cases == 1 ? " case is" : " cases are") + " the fastest of " +
                     std::to_string(visits.fewest);
  if (visits.most > visits.fewest) text += " to " + std::to_string(visits.most);
  print_paragraph(out,
                  text + " visits; the second fastest took " + format_percent(visits.median_noise) +
                      " longer in the median, " + format_percent(visits.p90_noise) +
                      " at most in nine of ten.",
                  style);
}

/// Which cases have no forecast, and why.
void print_left_out(const std::vector<LeftOutLine>& lines, TableStyle style, std::ostream& out) {
  for (const Forecaster forecaster : {Forecaster::model, Forecaster::paper, Forecaster::baseline,
                                      Forecaster::roofline, Forecaster::regression}) {
    std::size_t cases = 0;
    std::string which;
    for (const LeftOutLine& line : lines) {
      if (line.forecaster != forecaster) continue;
      cases += line.cases;
      which += (which.empty() ? "" : ", ") + line.schedule + ' ' +
               std::string(to_string(line.precision)) + ' ' + std::to_string(line.cases);
    }
    if (cases == 0) continue;
    print_paragraph(out,
                    "Left out: " + std::string(name_of(forecaster)) + " has no forecast of " +
                        std::to_string(cases) + (cases == 1 ? " case (" : " cases (") + which +
                        "): it does not describe them, or the profile lacks what they need.",
                    style);
  }
}

/// How many patterns there are, of which kind, and in which strata.
void print_split(const std::vector<ValidationRow>& rows, TableStyle style, std::ostream& out) {
  std::set<std::string> files;
  std::set<std::string> generated;
  for (const ValidationRow& row : rows) (row.generated ? generated : files).insert(row.pattern);
  const std::size_t patterns = files.size() + generated.size();
  print_paragraph(
      out,
      std::to_string(rows.size()) + (rows.size() == 1 ? " case of " : " cases of ") +
          std::to_string(patterns) + (patterns == 1 ? " pattern: " : " patterns: ") +
          std::to_string(files.size()) + " of files, " + std::to_string(generated.size()) +
          " generated; none was in a fit. A pattern, with its renumberings, counts once.",
      style);
}

void print_worst(const std::vector<ValidationRow>& rows, TableStyle style, std::ostream& out) {
  out << '\n';
  print_paragraph(out, "Worst cases, one a matrix", style);
  print_cases(rows, style, out);
  for (const ValidationRow& row : rows) {
    if (!row.access || row.segments.empty()) continue;
    const double block_rows = row.segments.front().block_rows;
    const double blocks = row.segments.front().blocks;
    const double sectors = distinct_sectors(*row.access, static_cast<double>(row.unknowns));
    double lookups = 0;
    for (const double count : row.access->sector_lookups) lookups += count;
    print_paragraph(out,
                    row.matrix + ": " + format_number(blocks / block_rows) +
                        " blocks a row (deviation " + format_number(row.access->row_deviation) +
                        ", longest " + format_number(row.access->longest_row) + "), bandwidth " +
                        format_number(row.access->bandwidth) + ", density " +
                        format_number(static_cast<double>(row.nonzeros) /
                                      static_cast<double>(row.block_elements)) +
                        ", working set " + format_bytes(row.working_set_bytes) +
                        ", gathers a sector " + format_number(lookups / std::max(sectors, 1.0)) +
                        "; within 64 rows " +
                        format_number(lookups / std::max(distinct_sectors(*row.access, 64), 1.0)),
                    style);
  }
}

/// The model beside what it has to beat.
void print_headlines(const std::vector<ErrorLine>& lines, TableStyle style, std::ostream& out) {
  out << '\n';
  print_paragraph(out,
                  "Errors of time beside those of baselines, a pattern counts once (baseline: T0 + "
                  "bytes/bandwidth; roofline: of L2 and memory; regression: Gaussian processes on "
                  "nine counts, trained on the calibration's samples; none was fitted to these "
                  "cases)",
                  style);
  headlines_table(lines).print(out, style);
}

void print_table6(const std::vector<ErrorLine>& lines, TableStyle style, std::ostream& out) {
  out << '\n';
  print_paragraph(out,
                  "Table 6: errors of predicted performance and time, our schedules, a matrix "
                  "counts once",
                  style);
  Table table6(error_header({"precision", "devices", "layout"}));
  for (const ErrorLine& line : lines) {
    std::vector<std::string> cells{std::string(to_string(line.precision)),
                                   std::to_string(line.devices), line.layout};
    std::ranges::copy(error_cells(line), std::back_inserter(cells));
    table6.add_row(cells);
  }
  table6.print(out, style);
}

void print_summary(const ValidationSummary& summary, TableStyle style, std::ostream& out) {
  print_headlines(summary.headlines, style, out);
  print_lines(
      "Recommended: of each matrix, order and precision the fastest forecast of ours, by working "
      "set",
      "working set", summary.recommended, style, out);

  out << '\n';
  print_paragraph(out, "Cases: errors of time and 90 % intervals, a case counts once", style);
  cases_table(summary.cases).print(out, style);
  if (!summary.table6.empty()) print_table6(summary.table6, style, out);
  std::vector<ErrorLine> strata = summary.strata;
  strata.push_back(summary.overall);
  print_lines("Iterations by working set", "working set", strata, style, out);
  print_lines("By solver (spmv: the product alone)", "solver", summary.solvers, style, out);

  if (!summary.regrets.empty()) {
    out << '\n';
    print_paragraph(
        out, "Regret: time lost by following the forecast of layout, schedule and launch mode",
        style);
    Table regrets({"precision", "chosen", "matrices", "mean", "median", "95 %", "max", "best found",
                   "worst"});
    for (const RegretLine& line : summary.regrets) {
      const RegretSummary& regret = line.regret;
      regrets.add_row(
          {std::string(to_string(line.precision)),
           line.devices == 0 ? "devices too" : "devices: " + std::to_string(line.devices),
           std::to_string(regret.matrices), format_percent(regret.mean),
           format_percent(regret.median), format_percent(regret.p95), format_percent(regret.max),
           format_percent(regret.best_share), regret.worst_matrix});
    }
    regrets.print(out, style);
  }

  if (!summary.device_choices.empty()) {
    out << '\n';
    print_paragraph(out,
                    "Number of devices: the fewest whose fastest forecast is within " +
                        format_percent(tie_margin) +
                        " of the fastest, against the fastest measured with each",
                    style);
    const std::vector<TableColumn> choice_columns{
        TableColumn("precision"),       TableColumn("matrices"),
        TableColumn("several best", 2), TableColumn("loses at most " + format_percent(tie_margin)),
        TableColumn("mean loss"),       TableColumn("max"),
        TableColumn("worst", 1),        TableColumn("speedup: mean error"),
        TableColumn("median", 3)};
    Table choices(choice_columns);
    for (const DeviceChoiceLine& line : summary.device_choices) {
      choices.add_row({std::string(to_string(line.precision)), std::to_string(line.matrices),
                       format_percent(line.several_best), format_percent(line.within_margin),
                       format_percent(line.mean_loss), format_percent(line.max_loss),
                       line.worst_matrix, format_percent(line.mean_speedup_error),
                       format_percent(line.median_speedup_error)});
    }
    choices.print(out, style);
  }

  print_worst(summary.worst, style, out);
}

/// Where and when it was measured: lines, in Markdown a table.
void print_about(const std::map<std::string, std::string>& about, TableStyle style,
                 std::ostream& out) {
  if (style == TableStyle::markdown) {
    Table table({"of the run", "value"});
    for (const auto& [key, value] : about) table.add_row({key, value});
    table.print(out, style);
    return;
  }
  for (const auto& [key, value] : about) out << key << ": " << value << '\n';
}

/// Times to solution, those cases themselves where they are few, and their summary.
void print_solutions(const std::vector<ValidationRow>& rows, const SolutionSummary& summary,
                     TableStyle style, std::ostream& out) {
  if (summary.cases <= most_listed) {
    out << '\n';
    solutions_table(rows).print(out, style);
  } else {
    print_paragraph(out, "--json lists the cases.", style);
  }
  print_solution_summary(summary, style, out);
}

}  // namespace

void print_validation(const ValidationData& data, const ValidationSummary& summary,
                      TableStyle style, std::ostream& out) {
  print_about(data.about, style, out);
  out << '\n';
  print_split(data.rows, style, out);
  print_visits(summary.visits, style, out);
  if (summary.solutions) {
    print_solutions(data.rows, *summary.solutions, style, out);
    if (std::ranges::all_of(data.rows,
                            [](const ValidationRow& row) { return row.solution.has_value(); })) {
      print_lines("Time of an iteration, as it was in the solves", "solver", summary.solvers, style,
                  out);
      return;
    }
  }
  const bool forecast = std::ranges::any_of(
      data.rows, [](const ValidationRow& row) { return row.predicted_seconds > 0; });
  if (forecast) {
    print_left_out(summary.left_out, style, out);
  } else {
    print_paragraph(out, "No case has a forecast: give the profile that makes them, --profile P.",
                    style);
  }
  if (data.rows.size() <= most_listed) {
    out << '\n';
    print_cases(data.rows, style, out);
  } else {
    print_paragraph(out, "--json lists the cases.", style);
  }
  if (forecast) print_summary(summary, style, out);
}

}  // namespace sparsecast::cli
