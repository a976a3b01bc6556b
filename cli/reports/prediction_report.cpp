#include "cli/reports/prediction_report.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>

#include "cli/reports/explanation_report.hpp"
#include "cli/reports/interval_text.hpp"
#include "cli/reports/prose.hpp"
#include "cli/reports/table.hpp"
#include "cli/reports/verbosity.hpp"
#include "predict/advice/best_choice.hpp"
#include "predict/advice/compared_time.hpp"
#include "predict/advice/time_difference.hpp"
#include "predict/marked_name.hpp"
#include "predict/profile_limits.hpp"

namespace sparsecast::cli {

std::vector<MarkedPrediction> ranked(const Forecast& forecast) {
  const std::vector<Prediction>& all = forecast.predictions;
  std::vector<MarkedPrediction> rows;
  std::vector<bool> ranked(all.size(), false);
  const auto add = [&](std::size_t index, const std::string& mark) {
    rows.push_back({&all[index], mark});
    ranked[index] = true;
  };
  if (forecast.best) {
    add(forecast.best->index, "best");
    for (const SlowerChoice& other : forecast.best->others) {
      add(other.index, '+' + format_percent(other.margin) + (other.tie ? ", tie" : ""));
    }
  }
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (ranked[i]) continue;
    add(i, all[i].only_compared ? "to compare" : all[i].fits.value_or(true) ? "" : "does not fit");
  }
  return rows;
}

namespace {

std::string payoff_text(const std::optional<double>& iterations) {
  if (!iterations) return "-";
  return std::isinf(*iterations) ? "never" : format_count(std::llround(*iterations));
}

/// Whether not all have the same.
template <class Value>
bool differ(const std::vector<Prediction>& predictions, Value Prediction::*value) {
  return std::ranges::any_of(predictions, [&](const Prediction& each) {
    return each.*value != predictions.front().*value;
  });
}

/// What tells the rows of tables apart: profiles and orders of the unknowns where there are
/// several; schedule and launch mode too, by the traffic model; devices where it was asked for
/// several.
struct ChoiceColumns {
  bool profiles = false;
  bool orders = false;
  bool traffic = false;
  bool devices = true;

  explicit ChoiceColumns(const std::vector<Prediction>& predictions)
      : profiles(differ(predictions, &Prediction::profile)),
        orders(differ(predictions, &Prediction::renumbering)),
        traffic(std::ranges::any_of(predictions,
                                    [](const Prediction& p) { return p.traffic.has_value(); })),
        devices(!traffic || std::ranges::any_of(
                                predictions, [](const Prediction& p) { return p.devices > 1; })) {}

  std::vector<TableColumn> header() const {
    std::vector<TableColumn> columns;
    if (profiles) columns.push_back(TableColumn::of_names("profile"));
    if (orders) columns.emplace_back("order");
    columns.push_back(TableColumn::of_names("layout"));
    if (devices) columns.emplace_back("devices");
    if (traffic) {
      columns.push_back(TableColumn::of_names("schedule"));
      columns.emplace_back("launch");
    }
    return columns;
  }
  std::vector<std::string> cells(const Prediction& prediction) const {
    std::vector<std::string> all;
    if (profiles) {
      all.push_back(marked_name(prediction));
    }
    if (orders) all.emplace_back(to_string(prediction.renumbering));
    all.push_back(to_string(prediction.layout));
    if (devices) all.push_back(std::to_string(prediction.devices));
    if (traffic) {
      all.push_back(prediction.schedule);
      // A CPU has no launch modes.
      all.push_back(prediction.launch ? std::string(to_string(*prediction.launch)) : "-");
    }
    return all;
  }

  /// In a sentence.
  std::string name_of(const Prediction& prediction) const {
    const std::string what =
        (profiles ? prediction.profile + ", " : "") + to_string(prediction.layout) +
        (orders ? " in order " + std::string(to_string(prediction.renumbering)) : "");
    const std::string on = " on " + std::to_string(prediction.devices);
    if (!prediction.traffic) {
      return what + on + (prediction.devices == 1 ? " device" : " devices");
    }
    return what + ", " + prediction.schedule +
           (prediction.launch ? " by " + std::string(to_string(*prediction.launch)) : "") +
           (prediction.devices > 1 ? on + (prediction.launch ? " GPUs" : " CPUs") : "");
  }
};

}  // namespace

Table times_table(const Forecast& forecast) {
  const auto any = [&](auto known) { return std::ranges::any_of(forecast.predictions, known); };
  const bool intervals = any([](const Prediction& p) { return p.interval_seconds.has_value(); });
  const bool known_errors =
      any([](const Prediction& p) { return p.measured_over_predicted.has_value(); });
  const bool memory = any([](const Prediction& p) { return p.fits.has_value(); });
  const bool conversion = any([](const Prediction& p) { return p.conversion_seconds.has_value(); });
  const bool upload =
      any([](const Prediction& p) { return p.iterations > 0 && p.upload_seconds.has_value(); });
  const bool totals = any([](const Prediction& p) { return p.total_seconds.has_value(); });
  const bool counted = !forecast.counts.empty();
  const ComparedTime compared = compared_time(forecast.predictions);
  const bool payoff = any([](const Prediction& p) { return p.pays_after_iterations.has_value(); });

  // What says how fast, and by what it is compared, stays where a terminal is narrow.
  const ChoiceColumns columns(forecast.predictions);
  std::vector<TableColumn> header = columns.header();
  // What is compared may be a longer time.
  int rank = compared == ComparedTime::whole_solve ? 1 : 0;
  if (counted) rank = 3;
  header.emplace_back("time/iteration", rank);
  if (intervals && !counted) header.emplace_back("90 % interval", 1);
  if (known_errors) header.emplace_back("measured/predicted", 2);
  header.emplace_back("raw GFlop/s", 6);
  header.emplace_back("effective", 6);
  if (columns.devices) header.emplace_back("speedup", 3);
  header.emplace_back("memory/device", 4);
  if (memory) header.emplace_back("fits", 3);
  if (conversion) header.emplace_back("conversion", 5);
  if (upload) header.emplace_back("upload", 5);
  if (counted) header.emplace_back("iterations", 2);
  const bool without_setup = counted && compared != ComparedTime::whole_solve;
  if (totals) header.emplace_back(counted ? "time to solution" : "total", without_setup ? 1 : 0);
  if (without_setup) header.emplace_back("without setup");
  if (counted && intervals) header.emplace_back("90 % interval", 1);
  if (payoff) header.emplace_back("pays after", 4);
  header.emplace_back("");
  Table table(header);
  const auto seconds = [](const std::optional<double>& value) {
    return value ? format_seconds(*value) : std::string("-");
  };
  const auto number = [](const std::optional<double>& value) {
    return value ? format_number(*value) : std::string("-");
  };
  for (const MarkedPrediction& each : ranked(forecast)) {
    const Prediction& prediction = *each.prediction;
    std::vector<std::string> row = columns.cells(prediction);
    row.push_back(format_seconds(prediction.seconds_per_iteration));
    if (intervals && !counted) row.push_back(interval_text(prediction.interval_seconds));
    if (known_errors) row.push_back(number(prediction.measured_over_predicted));
    row.push_back(format_number(prediction.raw_gflops));
    row.push_back(number(prediction.effective_gflops));
    if (columns.devices) row.push_back(number(prediction.speedup));
    row.push_back(format_bytes(static_cast<double>(prediction.bytes_per_device)));
    if (memory) row.emplace_back(prediction.fits.value_or(true) ? "yes" : "no");
    if (conversion) row.push_back(seconds(prediction.conversion_seconds));
    if (upload) row.push_back(seconds(prediction.upload_seconds));
    if (counted) row.push_back(prediction.count->text());
    if (totals) row.push_back(seconds(prediction.total_seconds));
    if (without_setup) row.push_back(seconds(prediction.iterations_seconds));
    if (counted && intervals) row.push_back(interval_text(interval_of(prediction, compared)));
    if (payoff) {
      row.push_back(payoff_text(prediction.pays_after_iterations));
    }
    row.push_back(each.mark);
    table.add_row(row);
  }
  return table;
}

namespace {

/// Shares of an iteration, in that order.
Table parts_table(const Forecast& forecast) {
  const ChoiceColumns columns(forecast.predictions);
  std::vector<TableColumn> header = columns.header();
  header.emplace_back("SpMV");
  header.emplace_back("vector kernels");
  // By the traffic model sums are in the kernels and in what waits for them.
  const bool reductions = std::ranges::any_of(
      forecast.predictions,
      [](const Prediction& prediction) { return prediction.parts.reductions > 0; });
  if (reductions) header.emplace_back("reductions", 2);
  if (columns.devices) header.emplace_back("exchange");
  header.emplace_back(columns.traffic ? "waiting" : "synchronisation", 1);
  Table table(header);
  for (const MarkedPrediction& each : ranked(forecast)) {
    const Prediction& prediction = *each.prediction;
    const double total = prediction.seconds_per_iteration;
    const TimeParts& parts = prediction.parts;
    std::vector<std::string> row = columns.cells(prediction);
    row.push_back(format_percent(parts.spmv / total));
    row.push_back(format_percent(parts.vector_kernels / total));
    if (reductions) row.push_back(format_percent(parts.reductions / total));
    if (columns.devices) row.push_back(format_percent(parts.exchange / total));
    row.push_back(format_percent(parts.synchronisation / total));
    table.add_row(row);
  }
  return table;
}

/// "3.1 us of gathers (0.6 times as many), 2 us of instructions": what is saved, or what is lost.
std::string parts_text(const std::vector<TimeDifference>& differences, bool saved) {
  constexpr double notable = 0.1;  // of the largest
  std::string text;
  for (const TimeDifference& each : differences) {
    if ((each.seconds < 0) != saved) continue;
    if (std::abs(each.seconds) < notable * std::abs(differences.front().seconds)) continue;
    text +=
        (text.empty() ? "" : ", ") + format_seconds(std::abs(each.seconds)) + " of " + each.part;
    if (each.amount_ratio && std::abs(*each.amount_ratio - 1) >= 0.01) {
      text += " (" + format_number(*each.amount_ratio) + " times as many)";
    }
  }
  return text;
}

/// Why the best takes less than another.
void print_reason(std::ostream& out, const Prediction& best, const Prediction& other,
                  const std::string& other_name) {
  const std::vector<TimeDifference> differences = time_differences(best, other);
  const std::string saved = parts_text(differences, true);
  const std::string lost = parts_text(differences, false);
  if (saved.empty()) return;
  const bool solves = best.total_seconds && other.total_seconds;
  out << "Against " << other_name << ", an iteration"
      << (solves ? ", with its share of conversion and upload," : "") << " saves " << saved;
  if (!lost.empty()) out << "; it adds " << lost;
  out << ".\n";
}

void print_best(std::ostream& out, const std::vector<Prediction>& predictions,
                const BestChoice& best) {
  if (best.others.empty()) return;
  const SlowerChoice& second = best.others.front();
  const ChoiceColumns columns(predictions);
  const auto named = [&](std::size_t index) { return columns.name_of(predictions[index]); };
  out << "\nBest: " << named(best.index) << "; the second, " << named(second.index) << ", is "
      << format_percent(second.margin) << " slower";
  const auto ties = std::ranges::count_if(best.others, &SlowerChoice::tie);
  if (ties == 0) {
    out << ".\n";
  } else if (ties == 1 && second.tie) {
    out << ": a tie"
        << (second.margin > tie_margin ? ", each lies in the other's interval.\n" : ".\n");
  } else {
    out << "; " << ties << (ties == 1 ? " other" : " others")
        << " cannot be told apart from the best.\n";
  }

  const auto against = [&](std::size_t index) {
    print_reason(out, predictions[best.index], predictions[index], named(index));
  };
  against(second.index);
  const auto is_csr = [&](std::size_t index) { return predictions[index].layout == Layout{}; };
  if (is_csr(best.index) || is_csr(second.index)) return;
  const auto csr = std::ranges::find_if(best.others, is_csr, &SlowerChoice::index);
  if (csr != best.others.end()) against(csr->index);
}

/// The line about a profile.
void print_profile(std::ostream& out, const DeviceProfile& profile,
                   const PredictionRequest& request, TableStyle style) {
  std::string text = "profile " + profile.name + ": " + profile.device + ", " +
                     origin_text(profile) + "; " + std::string(to_string(request.precision)) + ", ";
  if (!profile.traffic) {
    text += request.curve == CurveKind::average ? "average curves, " : "maximum curves, ";
  }
  text += std::string(profile.model()) + " model";
  if (request.iterations > 0) text += "; " + format_count(request.iterations) + " iterations";
  print_line(out, text, style);
  if (profile.network) print_line(out, network_text(*profile.network), style);
}

/// What making the orders took, which is in no time of the table.
void print_order_seconds(std::ostream& out, const std::vector<OrderSeconds>& orders) {
  if (orders.empty()) return;
  out << "Not in these times: making the order";
  for (const OrderSeconds& order : orders) {
    out << (&order == orders.data() ? " " : ", ") << to_string(order.how) << " took "
        << format_seconds(order.seconds);
  }
  out << " on this machine.\n";
}

/// What the table leaves out because a profile does not know it; of layouts, which nobody asked
/// for, with --verbose.
void print_notes(std::ostream& out, const Forecast& forecast, const DeviceProfile& profile,
                 const PredictionRequest& request) {
  std::vector<Prediction> own;
  std::ranges::copy_if(forecast.predictions, std::back_inserter(own),
                       [&](const Prediction& each) { return each.profile == profile.name; });
  const auto missing = [&](auto known) { return std::ranges::none_of(own, known); };
  if (request.layouts.empty()) {
    std::string absent;
    for (const Layout& layout : forecast.worthwhile) {
      if (std::ranges::find(own, layout, &Prediction::layout) != own.end()) continue;
      absent += (absent.empty() ? "" : ", ") + to_string(layout);
    }
    if (!absent.empty()) {
      say((profile.traffic ? "no parameters in profile " : "no curves in profile ") + profile.name +
          (absent.find(',') == std::string::npos ? " for layout " : " for layouts ") + absent);
    }
  }
  if (!profile.traffic && request.curve == CurveKind::maximum) {
    out << "No interval: maximum curves give the best case, not what to expect.\n";
  } else if (missing([](const Prediction& p) { return p.interval_seconds.has_value(); })) {
    out << "No interval: profile " << profile.name << " does not know how well it predicts.\n";
  }
  if (!missing([](const Prediction& p) { return p.measured_over_predicted.has_value(); })) {
    out << "measured/predicted: what iterations took in the calibration of " << profile.name
        << " over what the model says, in the median; the times here are the model's own.\n";
  }
  if (request.iterations == 0) return;
  if (missing([](const Prediction& p) { return p.conversion_seconds.has_value(); })) {
    out << "No conversion time, no total: profile " << profile.name
        << " does not know what conversion costs.\n";
  }
  if (missing([](const Prediction& p) { return p.upload_seconds.has_value(); })) {
    out << "No upload time, no total: profile " << profile.name
        << " does not know the speed from host to device.\n";
  }
}

}  // namespace

void print_forecast(std::ostream& out, const Forecast& forecast,
                    const std::vector<DeviceProfile>& profiles, const PredictionRequest& request,
                    const std::optional<ExplainedPrediction>& explained, TableStyle style) {
  print_line(out, forecast.subject, style);
  for (const DeviceProfile& profile : profiles) print_profile(out, profile, request, style);
  out << '\n';
  if (!forecast.counts.empty()) {
    print_counts(out, forecast.counts, style);
    out << '\n';
  }
  times_table(forecast).print(out, style);
  out << '\n';
  print_paragraph(out, "Where the time goes:", style);
  parts_table(forecast).print(out, style);
  if (forecast.best) print_best(out, forecast.predictions, *forecast.best);
  if (!forecast.no_best.empty()) out << "\nNo best choice: " << forecast.no_best << ".\n";
  print_order_seconds(out, forecast.order_seconds);
  for (const DeviceProfile& profile : profiles) print_notes(out, forecast, profile, request);
  if (explained) {
    print_explanation(out, forecast.predictions[explained->index], explained->explanation, style);
  }
}

}  // namespace sparsecast::cli
