#include "cli/commands/report/matrix_section.hpp"

#include <algorithm>
#include <iterator>
#include <utility>

#include "cli/commands/report/forecast_charts.hpp"
#include "cli/html/page.hpp"
#include "cli/reports/advice_report.hpp"
#include "cli/reports/explanation_report.hpp"
#include "cli/reports/interval_text.hpp"
#include "cli/reports/matrix_report.hpp"
#include "predict/advice/advice_json.hpp"
#include "predict/marked_name.hpp"
#include "predict/prediction_json.hpp"
#include "predict/warning_lines.hpp"

namespace sparsecast::cli {

namespace {

std::string facts_of(const MatrixFeatures& features) {
  std::vector<std::pair<std::string, std::string>> facts{
      {"unknowns", format_count(features.rows)},
      {"nonzeros", format_count(features.nonzeros)},
      {"entries in a row", row_length_text(features.row_length)},
      {"symmetric", symmetry_text(features)},
      {"diagonal", diagonal_text(features)},
      {"bandwidth", format_count(features.bandwidth)}};
  const auto densest =
      std::ranges::max_element(features.blocks.begin() + 1, features.blocks.end(), {},
                               [](const BlockFeatures& of) { return of.block_density; });
  const std::string size = std::to_string(densest->block_size);
  facts.emplace_back("dense blocks", format_percent(densest->block_density) + " of the values in " +
                                         size + " x " + size + " blocks are nonzeros");
  return html_facts(facts);
}

/// What binds the best choice, and what can be done about it.
std::string limits_of(const Forecast& forecast) {
  const Prediction& best = forecast.predictions[forecast.best->index];
  if (!best.traffic) return "";
  const Explanation explanation = explain(best, forecast.predictions);
  return html_heading(3, "What limits the fastest") +
         html_paragraph("Most of its time it is bound by " + explanation.bound + ".") +
         html_list(explanation_advice(explanation));
}

std::string warnings_of(const MatrixForecast& matrix) {
  std::vector<std::string> warnings = matrix.warnings;
  std::ranges::copy(warning_lines(matrix.forecast.predictions), std::back_inserter(warnings));
  return warnings.empty() ? "" : html_heading(3, "To be taken with care") + html_list(warnings);
}

std::string data_of(const MatrixForecast& matrix, int number) {
  JsonArray predictions;
  for (const Prediction& prediction : matrix.forecast.predictions) {
    predictions.add(to_json(prediction));
  }
  std::string html = html_data("predict-" + std::to_string(number), predictions);
  if (matrix.advice) html += html_data("advise-" + std::to_string(number), to_json(*matrix.advice));
  return html;
}

}  // namespace

std::string matrix_section(const MatrixForecast& matrix, int number) {
  const Forecast& forecast = matrix.forecast;
  std::string html = html_heading(2, matrix.name, "matrix-" + std::to_string(number));
  if (matrix.advice) {
    std::vector<std::string> sentences = advice_sentences(*matrix.advice, 0);
    html += html_paragraph(sentences.front(), ParagraphStyle::lead);
    sentences.erase(sentences.begin());
    for (const std::string& sentence : sentences) html += html_paragraph(sentence);
  } else {
    const std::string why = forecast.best ? matrix.no_advice : forecast.no_best;
    html += html_paragraph("There is nothing to advise: " + why + ".", ParagraphStyle::lead);
  }

  html += html_heading(3, "The matrix");
  const std::string facts = facts_of(matrix.features) + chart_of_row_lengths(matrix.features);
  html += matrix.picture.empty()
              ? facts
              : html_beside(facts, html_picture(matrix.picture,
                                                "Where the entries of " + matrix.name + " are",
                                                "Where its entries are: the stronger, the more."));

  html += html_heading(
      3, forecast.counts.empty() ? "How long an iteration takes" : "How long a solution takes");
  if (!forecast.counts.empty()) {
    html += html_table(counts_table(forecast.counts));
    const std::string meaning = meaning_of_counted(forecast.counts);
    if (!meaning.empty()) html += html_paragraph(meaning + ".", ParagraphStyle::note);
  }
  html += chart_of_solvers(matrix) + chart_of_layouts(matrix);
  html += html_folded("All forecasts",
                      html_table(times_table(forecast),
                                 forecast.best ? std::optional<std::size_t>(0) : std::nullopt));
  if (matrix.advice) {
    const std::string several = chart_of_devices(matrix);
    html += html_heading(3, "Which device, and how many");
    html += several.empty()
                ? html_table(advice_table(*matrix.advice, 0), matrix.advice->recommended)
                : several;
    html += html_heading(3, "Where the time goes") + chart_of_parts(matrix);
  }
  if (forecast.best) html += limits_of(forecast);
  return html + warnings_of(matrix) + data_of(matrix, number);
}

std::string comparison_of_matrices(std::span<const MatrixForecast> matrices) {
  const bool counted = !matrices.front().forecast.counts.empty();
  Table table({"matrix", "unknowns", "nonzeros", "device", "GPUs", "layout",
               counted ? "time to solution" : "time/iteration", "90 % interval"});
  for (const MatrixForecast& matrix : matrices) {
    std::vector<std::string> row{matrix.name, format_count(matrix.features.rows),
                                 format_count(matrix.features.nonzeros)};
    if (matrix.advice) {
      const DeviceChoice& chosen = matrix.advice->choices[matrix.advice->recommended];
      row.insert(row.end(),
                 {marked_name(chosen.profile, chosen.prediction.estimated),
                  std::to_string(chosen.gpus()), to_string(chosen.prediction.layout),
                  format_seconds(chosen.seconds), interval_text(chosen.interval_seconds)});
    }
    table.add_row(row);
  }
  return html_table(table);
}

}  // namespace sparsecast::cli
