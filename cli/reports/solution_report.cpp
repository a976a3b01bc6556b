#include "cli/reports/solution_report.hpp"

#include <iostream>
#include <string>
#include <utility>

#include "cli/reports/interval_text.hpp"
#include "cli/reports/prose.hpp"
#include "predict/validation/summary/error_summary.hpp"

namespace sparsecast::cli {

namespace {

std::string counted_text(const IterationCount& count) {
  if (count.solves()) return count.text();
  if (count.outcome != Outcome::converged) return std::string(count.outcome_name());
  return std::to_string(count.converged) + " of " + std::to_string(count.runs) + " converged";
}

std::string solved_text(const SolutionCase& one) {
  if (!converged(one)) return std::string(to_string(one.outcome));
  return amount_text(one.amount);
}

std::string note_of(const SolutionCase& one) {
  if (one.count.out_of_time) return "count out of time";
  if (!one.count.solves()) return "not counted";
  if (!converged(one)) return "not solved";
  return one.count.is_stable() ? "" : "unstable";
}

}  // namespace

Table solutions_table(std::span<const ValidationRow> rows) {
  const std::vector<TableColumn> columns{TableColumn("matrix"),
                                         TableColumn("unknowns", 4),
                                         TableColumn::key("order", 6),
                                         TableColumn("solver"),
                                         TableColumn::key("layout", 3),
                                         TableColumn::key("devices", 6),
                                         TableColumn::key("precision", 5),
                                         TableColumn("counted"),
                                         TableColumn("ran"),
                                         TableColumn("forecast"),
                                         TableColumn("90 % interval", 1),
                                         TableColumn("measured"),
                                         TableColumn("spread", 3),
                                         TableColumn("error"),
                                         TableColumn("call", 2),
                                         TableColumn("")};
  Table table(columns);
  for (const ValidationRow& row : rows) {
    if (!row.solution) continue;
    const SolutionCase& one = *row.solution;
    const double measured = one.measured.total();
    const auto& predicted = one.predicted;
    const bool judged = predicted && converged(one);
    table.add_row(
        {row.matrix + (row.surrogate_values ? " *" : ""), std::to_string(row.unknowns),
         row.renumbering, solver_text(row), to_string(row.layout), std::to_string(row.devices),
         std::string(to_string(row.precision)), counted_text(one.count), solved_text(one),
         predicted ? format_seconds(predicted->total()) : "-", interval_text(one.interval),
         format_seconds(measured), format_percent(row.measured_spread),
         judged ? format_fixed_percent(time_error(predicted->total(), measured)) : "-",
         format_seconds(one.call_seconds), note_of(one)});
  }
  return table;
}

Table solution_errors_table(std::span<const SolutionLine> lines) {
  const std::vector<TableColumn> columns{
      TableColumn("what"),         TableColumn("cases"),          TableColumn("mean"),
      TableColumn("median"),       TableColumn("95 %"),           TableColumn("worst", 1),
      TableColumn("within 10 %"),  TableColumn("interval holds"), TableColumn("of count", 2),
      TableColumn("iteration", 2), TableColumn("rest", 2)};
  Table table(columns);
  for (const SolutionLine& line : lines) {
    table.add_row({line.label, std::to_string(line.cases), format_percent(line.mean),
                   format_percent(line.median), format_percent(line.p95),
                   format_percent(line.worst), format_percent(line.within_tenth),
                   line.coverage ? format_percent(*line.coverage) : "-",
                   format_percent(line.count_error), format_percent(line.iteration_error),
                   format_percent(line.rest_error)});
  }
  return table;
}

void print_solution_summary(const SolutionSummary& summary, TableStyle style, std::ostream& out) {
  std::string text = "Times to solution: " + std::to_string(summary.cases) +
                     (summary.cases == 1 ? " case, " : " cases, ") +
                     std::to_string(summary.stable) + " forecast by a stable count, " +
                     std::to_string(summary.unstable) + " by an unstable one";
  const std::pair<std::size_t, const char*> others[] = {
      {summary.failed_both, "neither count nor solve converged"},
      {summary.failed_count, "the count did not converge, the solve did"},
      {summary.failed_solve, "the count converged, the solve did not"},
      {summary.without_forecast, "the profile lacks what they need"}};
  for (const auto& [cases, what] : others) {
    if (cases > 0) text += "; of " + std::to_string(cases) + ' ' + what;
  }
  out << '\n';
  print_paragraph(out, text + '.', style);
  print_paragraph(out,
                  "A call takes " + format_percent(summary.call_rest) +
                      " more than its time to solution in the median: memory, graphs, checks, x "
                      "read back.",
                  style);
  if (summary.lines.empty()) return;
  out << '\n';
  print_paragraph(out,
                  "Errors of times to solution, a case counts once (of count, iteration: their "
                  "median errors; rest: that of all but the iterations, over the time to solution)",
                  style);
  solution_errors_table(summary.lines).print(out, style);
  const RegretSummary& regret = summary.regret;
  if (regret.matrices == 0) return;
  out << '\n';
  print_paragraph(out,
                  "Chosen by the forecast, among what ran of " + std::to_string(regret.matrices) +
                      (regret.matrices == 1 ? " matrix" : " matrices") + ", takes " +
                      format_percent(regret.mean) + " longer than the fastest in the mean, " +
                      format_percent(regret.median) + " in the median, at most " +
                      format_percent(regret.max) + " (" + regret.worst_matrix +
                      "); it is the fastest in " + format_percent(regret.best_share) + ".",
                  style);
}

}  // namespace sparsecast::cli
