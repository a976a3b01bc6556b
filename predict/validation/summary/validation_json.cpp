#include "predict/validation/summary/validation_json.hpp"

#include "predict/interval_json.hpp"

namespace sparsecast {

namespace {

JsonObject to_json(const ErrorSummary& summary) {
  return {{"matrices", summary.matrices},
          {"cases", summary.cases},
          {"mean_performance_error", summary.mean_performance_error},
          {"variance_performance_error", summary.variance_performance_error},
          {"mean_time_error", summary.mean_time_error},
          {"median_time_error", summary.median_time_error},
          {"p90_time_error", summary.p90_time_error},
          {"p95_time_error", summary.p95_time_error},
          {"bias", summary.bias},
          {"median_noise", summary.median_noise},
          {"coverage", summary.coverage},
          {"interval_width", summary.interval_width}};
}

/// Null for 0, which is nothing.
JsonValue if_known(double number) {
  return number > 0 ? JsonValue(number) : JsonValue();
}

JsonObject to_json(const SolutionParts& parts) {
  return {{"conversion_seconds", parts.conversion},
          {"upload_seconds", parts.upload},
          {"start_seconds", parts.start},
          {"iterations_seconds", parts.iterations},
          {"total_seconds", parts.total()}};
}

JsonObject to_json(const SolutionCase& solution) {
  return {{"count", to_json(solution.count)},
          {"outcome", to_string(solution.outcome)},
          {"iterations", solution.iterations},
          {"cycle_steps", solution.cycle_steps},
          {"amount", solution.amount},
          {"measured", to_json(solution.measured)},
          {"call_seconds", solution.call_seconds},
          {"predicted", solution.predicted ? JsonValue(to_json(*solution.predicted)) : JsonValue()},
          {"interval_seconds", to_json(solution.interval)}};
}

JsonObject to_json(const ValidationRow& row) {
  JsonObject json{{"matrix", row.matrix},
                  {"pattern", row.pattern},
                  {"renumbering", row.renumbering},
                  {"surrogate_values", row.surrogate_values},
                  {"generated", row.generated},
                  {"schedule", row.schedule},
                  {"launch", row.launch.empty() ? JsonValue() : JsonValue(row.launch)},
                  {"unknowns", row.unknowns},
                  {"nonzeros", row.nonzeros},
                  {"block_elements", row.block_elements},
                  {"layout", to_string(row.layout)},
                  {"devices", row.devices},
                  {"precision", to_string(row.precision)},
                  {"working_set_bytes", row.working_set_bytes},
                  {"measured_seconds", row.measured_seconds},
                  {"measured_spread", row.measured_spread},
                  {"visits", row.visits},
                  {"noise", measurement_noise(row)},
                  {"core_clock_mhz", if_known(row.core_clock_mhz)},
                  {"throttle_reasons", row.throttle_reasons},
                  {"predicted_seconds", if_known(row.predicted_seconds)},
                  {"interval_seconds", to_json(row.interval_seconds)},
                  {"paper_seconds", if_known(row.paper_seconds)},
                  {"baseline_seconds", if_known(row.baseline_seconds)},
                  {"roofline_seconds", if_known(row.roofline_seconds)},
                  {"regression_seconds", if_known(row.regression_seconds)},
                  {"measured_gflops", effective_gflops(row, row.measured_seconds)}};
  if (row.predicted_seconds > 0) {
    const double predicted = row.predicted_seconds;
    json.add_members({{"time_error", time_error(predicted, row.measured_seconds)},
                      {"performance_error", performance_error(predicted, row.measured_seconds)},
                      {"predicted_gflops", effective_gflops(row, predicted)}});
  }
  if (row.solution) json.add("solution", to_json(*row.solution));
  return json;
}

JsonObject forecasts_to_json(const ErrorLine& line) {
  return {{"model", to_json(line.model)},
          {"paper", to_json(line.paper)},
          {"baseline", to_json(line.baseline)},
          {"roofline", to_json(line.roofline)},
          {"regression", to_json(line.regression)}};
}

JsonArray table6_to_json(const std::vector<ErrorLine>& lines) {
  JsonArray array;
  for (const ErrorLine& line : lines) {
    JsonObject entry{{"precision", to_string(line.precision)},
                     {"devices", line.devices},
                     {"layout", line.layout}};
    array.add(entry.add_members(forecasts_to_json(line)));
  }
  return array;
}

/// Lines with their labels under a name.
JsonArray labelled(std::string_view name, const std::vector<ErrorLine>& lines) {
  JsonArray array;
  for (const ErrorLine& line : lines) {
    array.add(JsonObject{{name, line.label}}.add_members(forecasts_to_json(line)));
  }
  return array;
}

JsonObject to_json(const VisitSummary& visits) {
  return {{"cases", visits.cases},
          {"fewest", visits.fewest},
          {"most", visits.most},
          {"median_noise", visits.median_noise},
          {"p90_noise", visits.p90_noise}};
}

JsonObject to_json(const LeftOutLine& line) {
  return {{"forecaster", name_of(line.forecaster)},
          {"schedule", line.schedule},
          {"precision", to_string(line.precision)},
          {"cases", line.cases}};
}

JsonObject to_json(const RatioLine& line) {
  return {{"kind", line.kind}, {"patterns", line.patterns}, {"cases", line.cases},
          {"low", line.low},   {"median", line.median},     {"high", line.high}};
}

JsonObject to_json(const CaseLine& line) {
  return {{"kind", line.kind},
          {"working_set", line.stratum},
          {"cases", line.cases},
          {"mean_time_error", line.mean},
          {"median_time_error", line.median},
          {"p95_time_error", line.p95},
          {"worst_time_error", line.worst},
          {"coverage", line.coverage ? JsonValue(*line.coverage) : JsonValue()},
          {"interval_width", line.width ? JsonValue(*line.width) : JsonValue()},
          {"coverage_unlikely", line.unlikely}};
}

JsonObject to_json(const RegretSummary& regret) {
  return {{"matrices", regret.matrices},
          {"mean", regret.mean},
          {"median", regret.median},
          {"p95", regret.p95},
          {"max", regret.max},
          {"best_share", regret.best_share},
          {"worst_matrix", regret.worst_matrix}};
}

JsonObject to_json(const RegretLine& line) {
  JsonObject json{{"precision", to_string(line.precision)},
                  {"devices", line.devices == 0 ? JsonValue() : JsonValue(line.devices)}};
  json.add_members(to_json(line.regret));
  return json;
}

JsonObject to_json(const SolutionLine& line) {
  return {{"what", line.label},
          {"cases", line.cases},
          {"mean_time_error", line.mean},
          {"median_time_error", line.median},
          {"p95_time_error", line.p95},
          {"worst_time_error", line.worst},
          {"within_tenth", line.within_tenth},
          {"coverage", line.coverage},
          {"median_count_error", line.count_error},
          {"median_iteration_error", line.iteration_error},
          {"median_rest_error", line.rest_error}};
}

JsonObject to_json(const SolutionSummary& summary) {
  JsonArray lines;
  for (const SolutionLine& line : summary.lines) lines.add(to_json(line));
  return {{"cases", summary.cases},
          {"stable", summary.stable},
          {"unstable", summary.unstable},
          {"without_forecast", summary.without_forecast},
          {"failed_both", summary.failed_both},
          {"failed_count", summary.failed_count},
          {"failed_solve", summary.failed_solve},
          {"call_rest", summary.call_rest},
          {"errors", lines},
          {"regret", to_json(summary.regret)}};
}

JsonObject to_json(const DeviceChoiceLine& line) {
  return {{"precision", to_string(line.precision)},
          {"matrices", line.matrices},
          {"several_best", line.several_best},
          {"within_margin", line.within_margin},
          {"mean_loss", line.mean_loss},
          {"max_loss", line.max_loss},
          {"worst_matrix", line.worst_matrix},
          {"mean_speedup_error", line.mean_speedup_error},
          {"median_speedup_error", line.median_speedup_error}};
}

template <class Line>
JsonArray each_to_json(const std::vector<Line>& lines) {
  JsonArray array;
  for (const Line& line : lines) array.add(to_json(line));
  return array;
}

}  // namespace

JsonObject to_json(const ValidationData& data, const ValidationSummary& summary) {
  JsonObject about;
  for (const auto& [key, value] : data.about) about.add(key, value);
  JsonObject json{{"about", about},
                  {"rows", each_to_json(data.rows)},
                  {"headlines", labelled("what", summary.headlines)},
                  {"recommended", labelled("working_set", summary.recommended)},
                  {"table6", table6_to_json(summary.table6)},
                  {"working_sets", labelled("working_set", summary.strata)},
                  {"solvers", labelled("solver", summary.solvers)},
                  {"overall", forecasts_to_json(summary.overall)},
                  {"visits", to_json(summary.visits)},
                  {"left_out", each_to_json(summary.left_out)},
                  {"ratios", each_to_json(summary.ratios)},
                  {"by_case", each_to_json(summary.cases)},
                  {"regret", each_to_json(summary.regrets)},
                  {"device_choices", each_to_json(summary.device_choices)}};
  if (summary.solutions) json.add("solutions", to_json(*summary.solutions));
  return json;
}

}  // namespace sparsecast
