#include "predict/validation/summary/validation_summary.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <iterator>
#include <map>
#include <set>
#include <tuple>
#include <utility>

#include "core/formats/registry.hpp"
#include "core/schedule/built_in_solvers.hpp"
#include "core/workload/launch_mode.hpp"
#include "predict/validation/summary/recommended.hpp"
#include "predict/validation/summary/statistics.hpp"

namespace sparsecast {

namespace {

ErrorLine error_line(std::span<const ValidationRow> rows) {
  ErrorLine line;
  line.model = summarize_errors(rows, Forecaster::model);
  line.paper = summarize_errors(rows, Forecaster::paper);
  line.baseline = summarize_errors(rows, Forecaster::baseline);
  line.roofline = summarize_errors(rows, Forecaster::roofline);
  line.regression = summarize_errors(rows, Forecaster::regression);
  return line;
}

/// By working set, those strata that have cases.
std::vector<ErrorLine> stratum_lines(std::span<const ValidationRow> rows) {
  std::vector<ErrorLine> lines;
  for (const auto& [name, inside] : by_stratum(rows)) {
    lines.push_back(error_line(inside));
    lines.back().label = name;
  }
  return lines;
}

ErrorLine line_of_all(std::span<const ValidationRow> rows) {
  ErrorLine line = error_line(rows);
  line.label = "all";
  return line;
}

std::vector<ValidationRow> worst_cases(std::span<const ValidationRow> rows, std::size_t count) {
  std::vector<ValidationRow> sorted(rows.begin(), rows.end());
  std::ranges::stable_sort(sorted, std::ranges::greater{}, [](const ValidationRow& row) {
    return std::abs(std::log(row.predicted_seconds / row.measured_seconds));
  });
  std::vector<ValidationRow> worst;
  for (const ValidationRow& row : sorted) {
    if (worst.size() == count) break;
    if (!(row.predicted_seconds > 0)) continue;
    const bool seen = std::ranges::find(worst, row.pattern, &ValidationRow::pattern) != worst.end();
    if (!seen) worst.push_back(row);
  }
  return worst;
}

VisitSummary summarize_visits(std::span<const ValidationRow> all) {
  const auto rows = select(all, [](const ValidationRow& row) { return row.visits > 1; });
  VisitSummary summary;
  summary.cases = rows.size();
  if (rows.empty()) return summary;
  const auto [fewest, most] = std::ranges::minmax(rows, {}, &ValidationRow::visits);
  summary.fewest = fewest.visits;
  summary.most = most.visits;
  std::vector<double> noise;
  std::ranges::transform(rows, std::back_inserter(noise), measurement_noise);
  summary.median_noise = quantile(noise, 0.5);
  summary.p90_noise = quantile(noise, 0.9);
  return summary;
}

std::string kind_of_interval(const ValidationRow& row) {
  if (row.launch == to_string(LaunchMode::persistent)) return "persistent";
  return is_solver(row) ? "iteration" : "step";
}

std::vector<RatioLine> summarize_ratios(std::span<const ValidationRow> rows) {
  std::map<std::string, std::vector<double>> ratios;
  std::map<std::string, std::set<std::string>> patterns;
  for (const ValidationRow& row : rows) {
    if (row.devices > 1 || !(row.predicted_seconds > 0) || !row.interval_seconds) continue;
    const std::string kind = kind_of_interval(row);
    ratios[kind].push_back(row.measured_seconds / row.predicted_seconds);
    patterns[kind].insert(row.pattern);
  }
  std::vector<RatioLine> lines;
  for (const auto& [kind, all] : ratios) {
    constexpr double tail = 0.05;
    lines.push_back({kind, patterns[kind].size(), all.size(), quantile(all, tail),
                     quantile(all, 0.5), quantile(all, 1 - tail)});
  }
  return lines;
}

std::vector<LeftOutLine> summarize_left_out(std::span<const ValidationRow> rows) {
  std::map<std::tuple<Forecaster, std::string, Precision>, std::size_t> counts;
  for (const Forecaster forecaster : {Forecaster::model, Forecaster::paper, Forecaster::baseline,
                                      Forecaster::roofline, Forecaster::regression}) {
    // Of a CPU there is no roofline, and a regression has to be asked for.
    const bool may_be_absent =
        forecaster == Forecaster::roofline || forecaster == Forecaster::regression;
    if (may_be_absent && std::ranges::none_of(rows, [&](const ValidationRow& row) {
          return forecast_seconds(row, forecaster) > 0;
        })) {
      continue;
    }
    for (const ValidationRow& row : rows) {
      if (forecast_seconds(row, forecaster) > 0) continue;
      ++counts[{forecaster, row.schedule, row.precision}];
    }
  }
  std::vector<LeftOutLine> lines;
  for (const auto& [of, cases] : counts) {
    const auto& [forecaster, schedule, precision] = of;
    lines.push_back({forecaster, schedule, precision, cases});
  }
  return lines;
}

}  // namespace

ValidationSummary summarize_validation(std::span<const ValidationRow> rows) {
  ValidationSummary summary;
  const auto solvers = select(rows, is_solver);
  summary.overall = line_of_all(solvers);
  summary.strata = stratum_lines(solvers);
  if (const auto recommended = recommended_cases(rows); !recommended.empty()) {
    summary.recommended = stratum_lines(recommended);
    summary.recommended.push_back(line_of_all(recommended));
  }
  const auto add_headline = [&](const char* label, std::span<const ValidationRow> of) {
    if (of.empty()) return;
    summary.headlines.push_back(error_line(of));
    summary.headlines.back().label = label;
  };
  add_headline("recommended", recommended_cases(rows));
  add_headline("all iterations", solvers);
  add_headline("product alone",
               select(rows, [](const ValidationRow& row) { return !is_solver(row); }));
  summary.cases = summarize_cases(rows);
  summary.worst = worst_cases(solvers, 3);
  summary.visits = summarize_visits(rows);
  summary.left_out = summarize_left_out(rows);
  summary.ratios = summarize_ratios(rows);
  summary.solutions = summarize_solutions(rows);

  const auto ours = select(rows, [](const ValidationRow& row) { return is_ours(row.schedule); });
  std::set<std::tuple<Precision, int, std::size_t>> cells;
  std::set<std::pair<Precision, int>> device_counts;
  std::set<Precision> precisions;
  const auto cell_of = [](const ValidationRow& row) {
    return std::tuple(row.precision, row.devices, layout_index(row.layout));
  };
  for (const ValidationRow& row : ours) {
    cells.insert(cell_of(row));
    device_counts.insert({row.precision, row.devices});
    precisions.insert(row.precision);
  }
  for (const auto& cell : cells) {
    ErrorLine line =
        error_line(select(ours, [&](const ValidationRow& row) { return cell_of(row) == cell; }));
    const auto& [precision, devices, layout] = cell;
    line.precision = precision;
    line.devices = devices;
    line.layout = to_string(all_layouts()[layout]);
    summary.table6.push_back(std::move(line));
  }

  // Several GPUs are a kind of their own.
  std::set<std::tuple<std::string, std::string, int>> kinds;
  const auto kind_of = [](const ValidationRow& row) {
    return std::tuple(row.schedule, row.launch, row.launch.empty() ? 1 : row.devices);
  };
  for (const ValidationRow& row : rows) kinds.insert(kind_of(row));
  for (const auto& kind : kinds) {
    const auto& [schedule, launch, devices] = kind;
    ErrorLine line =
        error_line(select(rows, [&](const ValidationRow& row) { return kind_of(row) == kind; }));
    line.label = launch.empty() ? schedule : schedule + ' ' + launch;
    if (devices > 1) line.label += ", " + std::to_string(devices) + " GPUs";
    summary.solvers.push_back(std::move(line));
  }

  const auto add_regret = [&](Precision precision, int devices) {
    const RegretSummary regret = summarize_regret(select(ours, [&](const ValidationRow& row) {
      return row.precision == precision && (devices == 0 || row.devices == devices) &&
             row.predicted_seconds > 0;
    }));
    if (regret.matrices > 0) summary.regrets.push_back({precision, devices, regret});
  };
  for (const auto& [precision, devices] : device_counts) add_regret(precision, devices);
  for (const Precision precision : precisions) {
    const auto counts =
        std::ranges::count(device_counts, precision, [](const auto& entry) { return entry.first; });
    if (counts <= 1) continue;
    add_regret(precision, 0);
    DeviceChoiceLine line = summarize_device_choices(select(ours, [&](const ValidationRow& row) {
      return row.precision == precision && row.predicted_seconds > 0;
    }));
    line.precision = precision;
    if (line.matrices > 0) summary.device_choices.push_back(std::move(line));
  }
  return summary;
}

}  // namespace sparsecast
