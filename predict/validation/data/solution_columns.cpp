#include "predict/validation/data/solution_columns.hpp"

#include <algorithm>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

#include "core/base/text/json_tree.hpp"
#include "core/base/text/text_fields.hpp"
#include "predict/validation/data/column_numbers.hpp"

namespace sparsecast {

namespace {

using Column = ValidationColumn;

/// Of a solution, where the row has one.
template <class Write, class Read>
Column solution_column(std::string_view name, Write write, Read read) {
  constexpr int first_version = 7;
  return {name,
          [write](const ValidationRow& row) {
            return row.solution ? write(*row.solution) : std::string();
          },
          [read](ValidationRow& row, std::string_view text) {
            if (text.empty()) return;
            if (!row.solution) row.solution.emplace();
            read(*row.solution, text);
          },
          first_version};
}

Column seconds_column(std::string_view name, double SolutionParts::*part) {
  return solution_column(
      name, [part](const SolutionCase& one) { return number_text(one.measured.*part); },
      [part](SolutionCase& one, std::string_view text) {
        one.measured.*part = parse_not_negative(text);
      });
}

Column predicted_column(std::string_view name, double SolutionParts::*part) {
  return solution_column(
      name,
      [part](const SolutionCase& one) {
        return one.predicted ? number_text((*one.predicted).*part) : std::string();
      },
      [part](SolutionCase& one, std::string_view text) {
        if (!one.predicted) one.predicted.emplace();
        (*one.predicted).*part = parse_not_negative(text);
      });
}

Column interval_column(std::string_view name, double Interval::*end) {
  return solution_column(
      name,
      [end](const SolutionCase& one) {
        return one.interval ? number_text((*one.interval).*end) : std::string();
      },
      [end](SolutionCase& one, std::string_view text) {
        if (!one.interval) one.interval.emplace();
        (*one.interval).*end = parse_positive(text);
      });
}

Outcome parse_outcome(std::string_view text) {
  const auto place =
      std::ranges::find(outcomes, text, [](Outcome outcome) { return to_string(outcome); });
  if (place == std::end(outcomes)) throw Error("expected an outcome of a solve, as converged");
  return *place;
}

std::int64_t parse_count(std::string_view text) {
  const auto count = parse_number<std::int64_t>(text);
  if (count < 0) throw Error("expected a number that is not negative");
  return count;
}

/// As in features files.
IterationCount parse_iteration_count(std::string_view text) {
  const std::string source = "count";
  const JsonTree tree =
      parse_json_tree(text, source, "counted iterations as sparsecast writes them");
  return read_iteration_count(JsonPlace(tree, source));
}

}  // namespace

std::vector<Column> solution_columns() {
  using Case = SolutionCase;
  using Parts = SolutionParts;
  return {
      solution_column(
          "count", [](const Case& one) { return to_json(one.count).text(); },
          [](Case& one, std::string_view text) { one.count = parse_iteration_count(text); }),
      solution_column(
          "outcome", [](const Case& one) { return std::string(to_string(one.outcome)); },
          [](Case& one, std::string_view text) { one.outcome = parse_outcome(text); }),
      solution_column(
          "iterations", [](const Case& one) { return std::to_string(one.iterations); },
          [](Case& one, std::string_view text) { one.iterations = parse_count(text); }),
      solution_column(
          "cycle_steps",
          [](const Case& one) {
            return one.cycle_steps ? std::to_string(*one.cycle_steps) : std::string();
          },
          [](Case& one, std::string_view text) { one.cycle_steps = parse_count(text); }),
      solution_column(
          "amount", [](const Case& one) { return number_text(one.amount); },
          [](Case& one, std::string_view text) { one.amount = parse_not_negative(text); }),
      seconds_column("conversion_seconds", &Parts::conversion),
      seconds_column("upload_seconds", &Parts::upload),
      seconds_column("start_seconds", &Parts::start),
      seconds_column("iterations_seconds", &Parts::iterations),
      solution_column(
          "call_seconds", [](const Case& one) { return number_text(one.call_seconds); },
          [](Case& one, std::string_view text) { one.call_seconds = parse_not_negative(text); }),
      predicted_column("predicted_conversion_seconds", &Parts::conversion),
      predicted_column("predicted_upload_seconds", &Parts::upload),
      predicted_column("predicted_start_seconds", &Parts::start),
      predicted_column("predicted_iterations_seconds", &Parts::iterations),
      interval_column("solution_low_seconds", &Interval::low),
      interval_column("solution_high_seconds", &Interval::high)};
}

}  // namespace sparsecast
