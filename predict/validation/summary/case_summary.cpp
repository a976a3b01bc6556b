#include "predict/validation/summary/case_summary.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>

#include "predict/validation/summary/error_summary.hpp"
#include "predict/validation/summary/recommended.hpp"
#include "predict/validation/summary/statistics.hpp"

namespace sparsecast {
namespace {

constexpr double promised = 0.9;
constexpr double by_chance = 0.01;

CaseLine line_of(std::string kind, std::string_view stratum, std::span<const ValidationRow> rows) {
  CaseLine line;
  line.kind = std::move(kind);
  line.stratum = stratum;
  line.cases = rows.size();
  std::vector<double> errors;
  std::size_t held = 0;
  std::size_t intervals = 0;
  double widths = 0;
  for (const ValidationRow& row : rows) {
    errors.push_back(time_error(row.predicted_seconds, row.measured_seconds));
    line.mean += errors.back() / static_cast<double>(rows.size());
    if (!row.interval_seconds) continue;
    ++intervals;
    const auto& [low, high] = *row.interval_seconds;
    widths += (high - low) / row.measured_seconds;
    held += low <= row.measured_seconds && row.measured_seconds <= high ? 1 : 0;
  }
  line.median = quantile(errors, 0.5);
  line.p95 = quantile(errors, 0.95);
  line.worst = std::ranges::max(errors);
  if (intervals == 0) return line;
  line.coverage = static_cast<double>(held) / static_cast<double>(intervals);
  line.width = widths / static_cast<double>(intervals);
  line.unlikely = binomial_tail(held, intervals, promised) < by_chance;
  return line;
}

void add_lines(const std::string& kind, std::span<const ValidationRow> rows,
               std::vector<CaseLine>& lines) {
  if (rows.empty()) return;
  for (const auto& [name, inside] : by_stratum(rows)) lines.push_back(line_of(kind, name, inside));
  lines.push_back(line_of(kind, "all", rows));
}

/// "iterations by graph, 2 GPUs"; a CPU has no launch modes.
std::string kind_of(const ValidationRow& row) {
  std::string kind = is_solver(row) ? "iterations" : "products";
  if (row.launch.empty()) return kind;
  kind += " by " + row.launch;
  if (row.devices > 1) kind += ", " + std::to_string(row.devices) + " GPUs";
  return kind;
}

}  // namespace

double binomial_tail(std::size_t held, std::size_t cases, double share) {
  const auto n = static_cast<double>(cases);
  const auto k = static_cast<double>(held);
  const auto log_probability = [&](double i) {
    return std::lgamma(n + 1) - std::lgamma(i + 1) - std::lgamma(n - i + 1) + i * std::log(share) +
           (n - i) * std::log1p(-share);
  };
  double below = 0;
  for (double i = 0; i <= k; ++i) below += std::exp(log_probability(i));
  const double above = 1 - below + std::exp(log_probability(k));
  return std::min(1.0, 2 * std::min(below, above));
}

std::vector<CaseLine> summarize_cases(std::span<const ValidationRow> rows) {
  std::vector<CaseLine> lines;
  add_lines("recommended", recommended_cases(rows), lines);
  std::map<std::string, std::vector<ValidationRow>> kinds;
  for (const ValidationRow& row : rows) {
    if (row.predicted_seconds > 0) kinds[kind_of(row)].push_back(row);
  }
  for (const auto& [kind, of_kind] : kinds) add_lines(kind, of_kind, lines);
  return lines;
}

}  // namespace sparsecast
