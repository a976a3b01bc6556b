#include "predict/validation/validation.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <iterator>
#include <limits>
#include <ranges>
#include <set>
#include <tuple>

#include "core/base/error.hpp"
#include "core/base/visits.hpp"
#include "core/matrix/renumbering.hpp"
#include "model/iteration_time.hpp"
#include "predict/best_choice.hpp"

namespace sparsecast {

namespace {

double gflops(double flops, double seconds) {
  return flops / seconds / 1e9;
}

double mean(std::span<const double> values) {
  double sum = 0;
  for (const double value : values) sum += value;
  return values.empty() ? 0 : sum / static_cast<double>(values.size());
}

double sample_variance(std::span<const double> values) {
  if (values.size() < 2) return 0;
  const double center = mean(values);
  double sum = 0;
  for (const double value : values) sum += (value - center) * (value - center);
  return sum / static_cast<double>(values.size() - 1);
}

double forecast(const ValidationRow& row, Forecaster forecaster) {
  switch (forecaster) {
    case Forecaster::paper:
      return row.paper_seconds;
    case Forecaster::baseline:
      return row.baseline_seconds;
    case Forecaster::model:
      break;
  }
  return row.predicted_seconds;
}

bool is_solver(const ValidationRow& row) {
  return row.schedule != product_alone;
}

/// One of our own schedules of conjugate gradients, among whose layouts and launch modes users
/// choose.
bool is_ours(const ValidationRow& row) {
  return row.schedule == "algorithm1" || row.schedule == "fused";
}

/// The mean of a quantity over the cases of each pattern.
template <class Quantity>
std::vector<double> by_pattern(std::span<const ValidationRow> rows, Quantity quantity) {
  std::map<std::string, std::vector<double>> groups;
  for (const ValidationRow& row : rows) groups[row.pattern].push_back(quantity(row));
  std::vector<double> means;
  for (const auto& [pattern, values] : groups) means.push_back(mean(values));
  return means;
}

template <class Condition>
std::vector<ValidationRow> select(std::span<const ValidationRow> rows, Condition condition) {
  std::vector<ValidationRow> selected;
  std::ranges::copy_if(rows, std::back_inserter(selected), condition);
  return selected;
}

ErrorLine error_line(std::span<const ValidationRow> rows) {
  ErrorLine line;
  line.model = summarize_errors(rows, Forecaster::model);
  line.paper = summarize_errors(rows, Forecaster::paper);
  line.baseline = summarize_errors(rows, Forecaster::baseline);
  return line;
}

/// Regret over groups of cases among which a user would choose: layouts, schedules, launch modes.
/// One group a matrix, renumbering (and number of devices where that is not chosen).
RegretSummary summarize_regret(std::span<const ValidationRow> rows) {
  struct Group {
    const ValidationRow* predicted_best = nullptr;
    const ValidationRow* measured_best = nullptr;
    std::size_t choices = 0;
  };
  std::map<std::tuple<std::string, std::string, std::string>, Group> groups;
  for (const ValidationRow& row : rows) {
    Group& group = groups[{row.pattern, row.matrix, row.renumbering}];
    ++group.choices;
    if (group.predicted_best == nullptr ||
        row.predicted_seconds < group.predicted_best->predicted_seconds) {
      group.predicted_best = &row;
    }
    if (group.measured_best == nullptr ||
        row.measured_seconds < group.measured_best->measured_seconds) {
      group.measured_best = &row;
    }
  }

  RegretSummary summary;
  std::map<std::string, std::vector<double>> regrets;
  std::size_t decisions = 0;
  std::size_t right = 0;
  summary.max = -1;
  for (const auto& [key, group] : groups) {
    if (group.choices < 2) continue;
    const double regret =
        group.predicted_best->measured_seconds / group.measured_best->measured_seconds - 1;
    ++decisions;
    if (group.predicted_best == group.measured_best) ++right;
    regrets[std::get<0>(key)].push_back(regret);
    if (regret > summary.max) {
      summary.max = regret;
      summary.worst_matrix = std::get<1>(key);
    }
  }
  if (decisions == 0) return {};
  std::vector<double> each;
  for (const auto& [pattern, values] : regrets) each.push_back(mean(values));
  summary.matrices = each.size();
  summary.mean = mean(each);
  summary.median = quantile(each, 0.5);
  summary.p95 = quantile(each, 0.95);
  summary.best_share = static_cast<double>(right) / static_cast<double>(decisions);
  return summary;
}

/// The fastest of a matrix with one number of devices.
struct Fastest {
  double measured = std::numeric_limits<double>::infinity();
  double predicted = std::numeric_limits<double>::infinity();
};

/// Of one precision: rows that have forecasts.
DeviceChoiceLine device_choices(std::span<const ValidationRow> rows) {
  std::map<std::tuple<std::string, std::string, std::string>, std::map<int, Fastest>> groups;
  for (const ValidationRow& row : rows) {
    Fastest& fastest = groups[{row.pattern, row.matrix, row.renumbering}][row.devices];
    fastest.measured = std::min(fastest.measured, row.measured_seconds);
    fastest.predicted = std::min(fastest.predicted, row.predicted_seconds);
  }
  // Orders for several devices are beside the order as given, which one device has.
  for (auto& [key, counts] : groups) {
    const auto& [pattern, matrix, renumbering] = key;
    if (renumbering != to_string(Renumbering::metis)) continue;
    const auto given = groups.find({pattern, matrix, std::string(to_string(Renumbering::none))});
    if (given != groups.end() && given->second.contains(1)) counts[1] = given->second.at(1);
  }
  struct Pattern {
    std::vector<double> several, within, losses, speedup_errors;
  };
  std::map<std::string, Pattern> patterns;
  DeviceChoiceLine line;
  line.max_loss = -1;
  for (const auto& [key, counts] : groups) {
    if (counts.size() < 2) continue;
    const auto best = std::ranges::min_element(
        counts, {}, [](const auto& entry) { return entry.second.measured; });
    const double least =
        std::ranges::min(counts | std::views::values | std::views::transform(&Fastest::predicted));
    const auto chosen = std::ranges::find_if(counts, [&](const auto& entry) {
      return entry.second.predicted <= (1 + tie_margin) * least;
    });
    const double loss = chosen->second.measured / best->second.measured - 1;
    Pattern& pattern = patterns[std::get<0>(key)];
    pattern.several.push_back(best->first > 1 ? 1 : 0);
    pattern.within.push_back(loss <= tie_margin ? 1 : 0);
    pattern.losses.push_back(loss);
    const Fastest& one = counts.begin()->second;
    for (auto other = std::next(counts.begin()); other != counts.end(); ++other) {
      pattern.speedup_errors.push_back(std::abs(
          (one.predicted / other->second.predicted) / (one.measured / other->second.measured) - 1));
    }
    if (loss > line.max_loss) {
      line.max_loss = loss;
      line.worst_matrix = std::get<1>(key);
    }
  }
  const auto mean_of = [&](std::vector<double> Pattern::*member) {
    std::vector<double> means;
    for (const auto& [key, pattern] : patterns) means.push_back(mean(pattern.*member));
    return means;
  };
  line.matrices = patterns.size();
  line.several_best = mean(mean_of(&Pattern::several));
  line.within_margin = mean(mean_of(&Pattern::within));
  line.mean_loss = mean(mean_of(&Pattern::losses));
  line.mean_speedup_error = mean(mean_of(&Pattern::speedup_errors));
  line.median_speedup_error = quantile(mean_of(&Pattern::speedup_errors), 0.5);
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

}  // namespace

bool operator==(const ValidationRow& a, const ValidationRow& b) {
  const auto interval = [](const ValidationRow& row) {
    const Interval none{0, 0};
    const Interval& value = row.interval_seconds ? *row.interval_seconds : none;
    return std::tuple(row.interval_seconds.has_value(), value.low, value.high);
  };
  const auto what = [](const ValidationRow& row) {
    return std::tie(row.matrix, row.pattern, row.renumbering, row.surrogate_values, row.generated,
                    row.unknowns, row.nonzeros, row.block_elements, row.block, row.devices,
                    row.precision, row.schedule, row.launch, row.access, row.exchange);
  };
  const auto times = [](const ValidationRow& row) {
    return std::tie(row.measured_seconds, row.measured_spread, row.measured_error, row.rounds,
                    row.visits, row.second_seconds, row.core_clock_mhz, row.throttle_reasons,
                    row.working_set_bytes, row.predicted_seconds, row.paper_seconds,
                    row.baseline_seconds);
  };
  const auto same_shape = [](const SegmentShape& one, const SegmentShape& other) {
    const auto numbers = [](const SegmentShape& shape) {
      return std::tie(shape.unknowns, shape.total_unknowns, shape.elements, shape.blocks,
                      shape.block_rows, shape.index_bytes);
    };
    return numbers(one) == numbers(other);
  };
  return what(a) == what(b) && times(a) == times(b) && interval(a) == interval(b) &&
         std::ranges::equal(a.segments, b.segments, same_shape) &&
         to_text(a.work) == to_text(b.work);
}

namespace {

double flops(const ValidationRow& row, std::int64_t elements) {
  const auto e = static_cast<double>(elements);
  return is_solver(row) ? iteration_flops(static_cast<double>(row.unknowns), e) : 2 * e;
}

}  // namespace

std::string case_key(const ValidationRow& row) {
  return row.matrix + ',' + row.pattern + ',' + row.renumbering + ',' + std::to_string(row.block) +
         ',' + std::to_string(row.devices) + ',' + std::string(to_string(row.precision)) + ',' +
         row.schedule + ',' + row.launch + ',' + row.exchange;
}

double measurement_noise(const ValidationRow& row) {
  return row.visits > 1 ? disagreement(row, &ValidationRow::measured_seconds) : row.measured_spread;
}

double raw_gflops(const ValidationRow& row, double seconds) {
  return gflops(flops(row, row.block_elements), seconds);
}

double effective_gflops(const ValidationRow& row, double seconds) {
  return gflops(flops(row, row.nonzeros), seconds);
}

double time_error(double predicted_seconds, double measured_seconds) {
  return std::abs(predicted_seconds / measured_seconds - 1);
}

double performance_error(double predicted_seconds, double measured_seconds) {
  return std::abs(measured_seconds / predicted_seconds - 1);
}

double quantile(std::vector<double> values, double share) {
  if (values.empty()) return 0;
  std::ranges::sort(values);
  const double rank = std::ceil(share * static_cast<double>(values.size()));
  const auto index = static_cast<std::size_t>(std::max(rank, 1.0)) - 1;
  return values[std::min(index, values.size() - 1)];
}

std::string_view name_of(Forecaster forecaster) {
  switch (forecaster) {
    case Forecaster::paper:
      return "the paper's model";
    case Forecaster::baseline:
      return "the baseline";
    case Forecaster::model:
      break;
  }
  return "the model";
}

ErrorSummary summarize_errors(std::span<const ValidationRow> all, Forecaster forecaster) {
  ErrorSummary summary;
  const auto rows =
      select(all, [&](const ValidationRow& row) { return forecast(row, forecaster) > 0; });
  summary.cases = rows.size();
  const std::vector<double> performance = by_pattern(rows, [&](const ValidationRow& row) {
    return performance_error(forecast(row, forecaster), row.measured_seconds);
  });
  const std::vector<double> time = by_pattern(rows, [&](const ValidationRow& row) {
    return time_error(forecast(row, forecaster), row.measured_seconds);
  });
  const std::vector<double> bias = by_pattern(rows, [&](const ValidationRow& row) {
    return std::log(forecast(row, forecaster) / row.measured_seconds);
  });
  summary.matrices = time.size();
  summary.mean_performance_error = mean(performance);
  summary.variance_performance_error = sample_variance(performance);
  summary.mean_time_error = mean(time);
  summary.median_time_error = quantile(time, 0.5);
  summary.p90_time_error = quantile(time, 0.9);
  summary.p95_time_error = quantile(time, 0.95);
  summary.bias = std::exp(mean(bias));
  summary.median_noise = quantile(by_pattern(rows, measurement_noise), 0.5);
  if (forecaster == Forecaster::model) {
    const auto stated =
        select(rows, [](const ValidationRow& row) { return row.interval_seconds.has_value(); });
    if (!stated.empty()) {
      summary.coverage = mean(by_pattern(stated, [](const ValidationRow& row) {
        const bool held = row.interval_seconds->low <= row.measured_seconds &&
                          row.measured_seconds <= row.interval_seconds->high;
        return held ? 1.0 : 0.0;
      }));
      summary.interval_width = mean(by_pattern(stated, [](const ValidationRow& row) {
        return (row.interval_seconds->high - row.interval_seconds->low) / row.measured_seconds;
      }));
    }
  }
  return summary;
}

namespace {

/// What is left of "NVIDIA H200, cuda:0" without its number.
std::string kind_of_device(const std::string& run_on) {
  return run_on.substr(0, run_on.find(", cuda:"));
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

std::vector<LeftOutLine> summarize_left_out(std::span<const ValidationRow> rows) {
  std::map<std::tuple<Forecaster, std::string, Precision>, std::size_t> counts;
  for (const Forecaster forecaster : {Forecaster::model, Forecaster::paper, Forecaster::baseline}) {
    for (const ValidationRow& row : rows) {
      if (forecast(row, forecaster) > 0) continue;
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
  summary.overall = error_line(solvers);
  summary.overall.label = "all";
  summary.worst = worst_cases(solvers, 3);
  summary.visits = summarize_visits(rows);
  summary.left_out = summarize_left_out(rows);

  const auto ours = select(rows, is_ours);
  std::set<std::tuple<Precision, int, int>> cells;
  std::set<std::pair<Precision, int>> device_counts;
  std::set<Precision> precisions;
  for (const ValidationRow& row : ours) {
    cells.insert({row.precision, row.devices, row.block});
    device_counts.insert({row.precision, row.devices});
    precisions.insert(row.precision);
  }
  for (const auto& cell : cells) {
    ErrorLine line = error_line(select(ours, [&](const ValidationRow& row) {
      return std::tuple(row.precision, row.devices, row.block) == cell;
    }));
    std::tie(line.precision, line.devices, line.block) = cell;
    summary.table6.push_back(std::move(line));
  }

  double from = 0;
  for (const Stratum& stratum : working_set_strata()) {
    const auto inside = select(solvers, [&](const ValidationRow& row) {
      return row.working_set_bytes >= from && row.working_set_bytes < stratum.bytes_below;
    });
    from = stratum.bytes_below;
    if (inside.empty()) continue;
    ErrorLine line = error_line(inside);
    line.label = stratum.name;
    summary.strata.push_back(std::move(line));
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
    DeviceChoiceLine line = device_choices(select(ours, [&](const ValidationRow& row) {
      return row.precision == precision && row.predicted_seconds > 0;
    }));
    line.precision = precision;
    if (line.matrices > 0) summary.device_choices.push_back(std::move(line));
  }
  return summary;
}

void add_visit(ValidationRow row, std::map<std::string, std::size_t>& places,
               std::vector<ValidationRow>& rows) {
  const std::string key = case_key(row);
  add_visit(std::move(row), key, &ValidationRow::measured_seconds, &ValidationRow::measured_error,
            places, rows);
}

bool same_kind_of_device(const std::string& one, const std::string& another) {
  return kind_of_device(one) == kind_of_device(another);
}

ValidationData merge_validations(std::vector<ValidationData> runs,
                                 std::span<const std::string> names) {
  constexpr const char* device_key = "run on";
  ValidationData merged = std::move(runs.front());
  std::map<std::string, std::size_t> places;
  for (std::size_t i = 0; i < merged.rows.size(); ++i) {
    places.try_emplace(case_key(merged.rows[i]), i);
  }
  for (std::size_t run = 1; run < runs.size(); ++run) {
    ValidationData& data = runs[run];
    const std::string& device = data.about[device_key];
    const std::string& devices = merged.about[device_key];
    if (!same_kind_of_device(device, devices)) {
      throw Error(names[run] + ": measured on '" + device + "', " + names[0] + " on '" + devices +
                  "'; name runs on one kind of device");
    }
    add_run(merged.about, data.about);
    for (ValidationRow& row : data.rows) add_visit(std::move(row), places, merged.rows);
  }
  return merged;
}

}  // namespace sparsecast
