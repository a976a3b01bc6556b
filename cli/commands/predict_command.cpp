#include <algorithm>
#include <cmath>
#include <cstdint>
#include <iostream>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "cli/command.hpp"
#include "cli/commands.hpp"
#include "cli/forecast_options.hpp"
#include "cli/layout_options.hpp"
#include "cli/matrix_source.hpp"
#include "cli/reports/explanation_report.hpp"
#include "cli/reports/table.hpp"
#include "core/analysis/features.hpp"
#include "core/analysis/persistent_cut.hpp"
#include "core/base/text/json_text.hpp"
#include "core/formats/registry.hpp"
#include "core/workload/launch_mode.hpp"
#include "core/workload/layout.hpp"
#include "predict/advice/best_choice.hpp"
#include "predict/advice/explanation_json.hpp"
#include "predict/predict_matrix.hpp"
#include "predict/predict_numbers.hpp"
#include "predict/prediction.hpp"
#include "predict/prediction_json.hpp"
#include "predict/prediction_request.hpp"
#include "predict/unasked_layouts.hpp"

namespace sparsecast::cli {

namespace {

CommandLine make_command_line() {
  namespace po = boost::program_options;
  CommandLine line(
      "predict", "(MATRIX | --unknowns X --elements E --block N) --profile P [options]",
      "Forecasts the time of one iteration of Jacobi-preconditioned CG for every layout\n"
      "and number of devices. No device is needed, only its profile. A speedup is over our\n"
      "fastest on one device in the same layout and precision. Unless told which layouts,\n"
      "those that the profile knows; dia where the matrix is not much more than its diagonals.",
      "sparsecast predict --unknowns 72000 --elements 39336485 --block 4 "
      "--profile gtx280 --devices 1,2");
  line.add()("matrix", po::value<std::string>(), "Matrix Market file, plain or .gz")(
      "profile,p", po::value<std::string>(), "profile: a .json file or a shipped name (gtx280)")(
      "devices,d", po::value<std::string>()->default_value("1"), "numbers of devices, as 1,2,4")(
      "precision", po::value<std::string>(), "f32 or f64; default f64 if the profile has it");
  add_layouts_option(line);
  line.add()(
      "model", po::value<std::string>(),
      "traffic: what steps really move; cache: throughput curves and a last-level cache; paper: "
      "equations 3 to 11; default the best that the profile has")(
      "schedule", po::value<std::string>(),
      "of the traffic model: fused (default), algorithm1, vendor (cuSPARSE + cuBLAS, to compare "
      "with), or all")("launch", po::value<std::string>(),
                       "of the traffic model: graph, persistent, plain or host; default graph and, "
                       "where there is one, persistent")(
      "explain",
      "each step's bytes, where they come from, its floor, what binds it, and advice: "
      "of the best choice (traffic model)")(
      "curve", po::value<std::string>()->default_value("average"),
      "average: what to expect; maximum: the best case; of other models than traffic")(
      "iterations,k", po::value<WholeNumber>(),
      "iterations K of a whole solve: adds conversion, upload and total")(
      "unknowns", po::value<WholeNumber>(), "instead of a matrix: its unknowns x")(
      "elements", po::value<WholeNumber>(),
      "instead of a matrix: the elements e that its layout stores, from N x to x^2")(
      "row-deviation", po::value<double>(),
      "and, for the traffic model, the standard deviation of its row lengths")(
      "longest-row", po::value<WholeNumber>(), "and the entries of its longest row")(
      "renumber", po::value<std::string>()->default_value("none"),
      "forecast for MATRIX after a renumbering: none, random, rcm (reverse Cuthill-McKee), or "
      "metis "
      "(for each number of devices parts with small halos; on one device as given)")(
      "json", "print an array of objects");
  line.positional("matrix", 1);
  return line;
}

/// What was asked for, and a line that says of what.
struct Forecast {
  std::string subject;
  std::vector<Prediction> predictions;
  /// For an explanation: what there is besides, whatever was asked for.
  std::vector<Prediction> alternatives;
  /// Those that a forecast is worth, of a matrix that is at hand.
  std::vector<Layout> worthwhile;
};

/// One of the predictions, explained.
struct ExplainedPrediction {
  std::size_t index = 0;
  Explanation explanation;
};

/// Those of --schedule and --launch; both only of the traffic model.
void add_schedules(const CommandLine& line, PredictionRequest& request) {
  if (line.has("schedule")) {
    const auto& name = line.get<std::string>("schedule");
    if (name == "all") {
      request.schedules = {"fused", "algorithm1", "vendor"};
    } else if (name == "fused" || name == "algorithm1" || name == "vendor") {
      request.schedules = {name};
    } else {
      throw UsageError("--schedule " + name + ": expected fused, algorithm1, vendor or all");
    }
  }
  if (!line.has("launch")) return;
  const auto& name = line.get<std::string>("launch");
  if (name != "host" && name != "plain" && name != "graph" && name != "persistent") {
    throw UsageError("--launch " + name + ": expected graph, persistent, plain or host");
  }
  request.launches = {parse_launch_mode(name)};
}

PredictionRequest make_request(const CommandLine& line, const DeviceProfile& profile) {
  PredictionRequest request;
  request.layouts = layouts_of(line);
  request.devices = parse_device_counts("--devices", line.get<std::string>("devices"));
  request.precision = line.has("precision")
                          ? parse_precision("--precision", line.get<std::string>("precision"))
                          : profile.default_precision();
  request.curve = parse_curve("--curve", line.get<std::string>("curve"));
  request.iterations = iterations_of(line);
  add_schedules(line, request);
  return request;
}

/// Refuses what another model than the traffic model would not use.
void check_curve_choices(const CommandLine& line, const DeviceProfile& profile,
                         const PredictionRequest& request) {
  const std::string why = ": of the traffic model; profile " + profile.name +
                          " is priced by model " + std::string(profile.model());
  for (const char* option : {"launch", "explain", "row-deviation", "longest-row"}) {
    if (line.has(option)) throw UsageError(std::string("--") + option + why);
  }
  if (std::ranges::any_of(request.schedules,
                          [](const std::string& name) { return name != "algorithm1"; })) {
    throw UsageError("--schedule " + line.get<std::string>("schedule") + why +
                     ", which knows algorithm1");
  }
}

void check_cpu_choices(const CommandLine& line, const DeviceProfile& profile,
                       const PredictionRequest& request) {
  const std::string why = ": profile " + profile.name + " is of a CPU, which ";
  if (line.has("launch")) throw UsageError("--launch" + why + "has no launch modes");
  if (request.schedules == std::vector<std::string>{"vendor"}) {
    throw UsageError("--schedule vendor" + why + "has no cuSPARSE and cuBLAS");
  }
  if (std::ranges::max(request.devices) > 1) {
    throw UsageError("--devices " + line.get<std::string>("devices") + why +
                     "is one device by the traffic model; use --devices 1, or --model paper");
  }
}

/// Refuses choices for which there are no kernels.
void check_gpu_choices(const PredictionRequest& request) {
  const bool several = std::ranges::max(request.devices) > 1;
  const auto all_layouts = [&](auto there_are) {
    return std::ranges::all_of(request.layouts, there_are);
  };
  if (request.schedules == std::vector<std::string>{"vendor"}) {
    if (several) throw UsageError("--schedule vendor: there is none for several --devices");
    if (!all_layouts([](const Layout& layout) { return layout == Layout{}; })) {
      throw UsageError("--schedule vendor: there is none for other layouts than csr");
    }
  }
  if (request.launches.empty()) return;
  const LaunchMode launch = request.launches.front();
  if (several && launch != LaunchMode::graph) {
    throw UsageError("--launch " + std::string(to_string(launch)) +
                     ": there is none for several --devices, which run graphs");
  }
  if (launch != LaunchMode::persistent) return;
  if (!request.schedules.empty() && request.schedules != std::vector<std::string>{"fused"}) {
    throw UsageError("--launch persistent: there is none for other schedules than fused");
  }
  if (!all_layouts([](const Layout& layout) {
        return block_layout(persistent_block_size(layout.block_size)) == layout;
      })) {
    throw UsageError("--launch persistent: there is none for other layouts than csr and bcsr3");
  }
}

/// Refuses options that would change nothing.
void check_choices(const CommandLine& line, const DeviceProfile& profile,
                   const PredictionRequest& request) {
  require_curves(request.curve, profile);
  if (!profile.traffic) {
    check_curve_choices(line, profile, request);
  } else if (profile.traffic->cpu_threads > 0) {
    check_cpu_choices(line, profile, request);
  } else {
    check_gpu_choices(request);
  }
}

/// The same without a choice of layouts, schedules or launch modes.
PredictionRequest without_choice(PredictionRequest request) {
  request.layouts.clear();
  request.schedules.clear();
  request.launches.clear();
  return request;
}

Forecast predict_file(const CommandLine& line, const DeviceProfile& profile,
                      const PredictionRequest& request, Renumbering how) {
  require_several_devices(how, std::ranges::max(request.devices), "--devices");
  const auto& path = line.get<std::string>("matrix");
  const MatrixMarketFile file = read_square_matrix(path);
  const CsrView<double> matrix = file.matrix.view();
  const MatrixFeatures features = compute_features(matrix);
  Forecast forecast;
  MatrixOrders orders(matrix, features, how);
  forecast.predictions = predict_matrix(orders, profile, request);
  if (line.has("explain")) {
    forecast.alternatives = predict_matrix(orders, profile, without_choice(request));
  }
  for (const Layout& layout : usual_layouts()) {
    if (is_forecast_unasked(features.numbers(layout.format), layout)) {
      forecast.worthwhile.push_back(layout);
    }
  }
  if (!features.symmetric) {
    warn(path + " is not symmetric: conjugate gradients cannot solve with it");
  }
  forecast.subject = path + ": " + format_count(features.rows) + " unknowns, " +
                     format_count(features.nonzeros) + " nonzeros" + order_text(how);
  return forecast;
}

Forecast predict_sizes(const CommandLine& line, const DeviceProfile& profile,
                       const PredictionRequest& request, SystemNumbers numbers) {
  if (line.has("row-deviation")) numbers.rows.deviation = line.get<double>("row-deviation");
  if (line.has("longest-row")) {
    numbers.rows.longest = static_cast<double>(line.get<WholeNumber>("longest-row").value);
    if (numbers.rows.longest < 1) throw UsageError("--longest-row: expected a positive number");
  }
  require_numbers(numbers, profile);
  const auto predict = [&](const PredictionRequest& wanted) {
    return predict_numbers(numbers.unknowns, numbers.elements, numbers.layout, profile, wanted,
                           numbers.rows);
  };
  Forecast forecast;
  forecast.predictions = predict(request);
  if (line.has("explain")) forecast.alternatives = predict(without_choice(request));
  forecast.subject = to_string(numbers);
  if (profile.traffic) forecast.subject += "; estimated pattern of look-ups, wider interval";
  return forecast;
}

std::string origin_text(DeviceProfile::Origin origin) {
  switch (origin) {
    case DeviceProfile::Origin::measured:
      return "measured";
    case DeviceProfile::Origin::published:
      return "published constants";
    case DeviceProfile::Origin::estimated:
      return "an estimate";
  }
  return "";
}

void print_json(const Forecast& forecast, const std::optional<ExplainedPrediction>& explained) {
  JsonArray all;
  for (std::size_t i = 0; i < forecast.predictions.size(); ++i) {
    JsonObject json = to_json(forecast.predictions[i]);
    if (explained && explained->index == i) {
      json.add("explanation", to_json(explained->explanation));
    }
    all.add(json);
  }
  std::cout << all.lines();
}

std::string name_of(const Prediction& prediction) {
  if (prediction.traffic) {
    return to_string(prediction.layout) + ", " + prediction.schedule +
           (prediction.launch ? " by " + std::string(to_string(*prediction.launch)) : "") +
           (prediction.devices > 1 ? " on " + std::to_string(prediction.devices) + " GPUs" : "");
  }
  return to_string(prediction.layout) + " on " + std::to_string(prediction.devices) +
         (prediction.devices == 1 ? " device" : " devices");
}

/// "best" for the fastest, "tie" for what cannot be told apart from it.
std::string mark(const std::optional<BestChoice>& best, const std::vector<Prediction>& predictions,
                 std::size_t index) {
  if (predictions[index].only_compared) return "to compare";
  if (!best) return "";
  if (index == best->index) return "best";
  for (const std::size_t tie : best->ties) {
    if (tie == index) return "tie";
  }
  return "";
}

std::string payoff_text(const std::optional<double>& iterations) {
  if (!iterations) return "-";
  return std::isinf(*iterations) ? "never" : format_count(std::llround(*iterations));
}

/// What tells the rows of tables apart: schedule and launch mode too, by the traffic model; devices
/// where it was asked for several.
struct ChoiceColumns {
  bool traffic = false;
  bool devices = true;

  explicit ChoiceColumns(const std::vector<Prediction>& predictions)
      : traffic(predictions.front().traffic.has_value()),
        devices(!traffic || std::ranges::any_of(
                                predictions, [](const Prediction& p) { return p.devices > 1; })) {}

  std::vector<std::string> header() const {
    std::vector<std::string> names{"layout"};
    if (devices) names.emplace_back("devices");
    if (traffic) names.insert(names.end(), {"schedule", "launch"});
    return names;
  }
  std::vector<std::string> cells(const Prediction& prediction) const {
    std::vector<std::string> all{to_string(prediction.layout)};
    if (devices) all.push_back(std::to_string(prediction.devices));
    if (traffic) {
      all.push_back(prediction.schedule);
      // A CPU has no launch modes.
      all.push_back(prediction.launch ? std::string(to_string(*prediction.launch)) : "-");
    }
    return all;
  }
};

/// The table of times, with the columns about which something is known.
void print_times(const std::vector<Prediction>& predictions,
                 const std::optional<BestChoice>& best) {
  const auto any = [&](auto known) {
    for (const Prediction& prediction : predictions) {
      if (known(prediction)) return true;
    }
    return false;
  };
  const bool intervals = any([](const Prediction& p) { return p.interval_seconds.has_value(); });
  const bool memory = any([](const Prediction& p) { return p.fits.has_value(); });
  const bool conversion = any([](const Prediction& p) { return p.conversion_seconds.has_value(); });
  const bool upload = any([](const Prediction& p) { return p.upload_seconds.has_value(); });
  const bool totals = any([](const Prediction& p) { return p.total_seconds.has_value(); });
  const bool payoff = any([](const Prediction& p) { return p.pays_after_iterations.has_value(); });

  const ChoiceColumns columns(predictions);
  std::vector<std::string> header = columns.header();
  header.emplace_back("time/iteration");
  if (intervals) header.emplace_back("90 % interval");
  header.emplace_back("raw GFlop/s");
  header.emplace_back("effective");
  if (columns.devices) header.emplace_back("speedup");
  header.emplace_back("memory/device");
  if (memory) header.emplace_back("fits");
  if (conversion) header.emplace_back("conversion");
  if (upload) header.emplace_back("upload");
  if (totals) header.emplace_back("total");
  if (payoff) header.emplace_back("pays after");
  header.emplace_back("");
  Table table(header);
  const auto seconds = [](const std::optional<double>& value) {
    return value ? format_seconds(*value) : std::string("-");
  };
  const auto number = [](const std::optional<double>& value) {
    return value ? format_number(*value) : std::string("-");
  };
  for (std::size_t i = 0; i < predictions.size(); ++i) {
    const Prediction& prediction = predictions[i];
    std::vector<std::string> row = columns.cells(prediction);
    row.push_back(format_seconds(prediction.seconds_per_iteration));
    if (intervals) {
      row.push_back(prediction.interval_seconds
                        ? format_seconds(prediction.interval_seconds->low) + " to " +
                              format_seconds(prediction.interval_seconds->high)
                        : "-");
    }
    row.push_back(format_number(prediction.raw_gflops));
    row.push_back(number(prediction.effective_gflops));
    if (columns.devices) row.push_back(number(prediction.speedup));
    row.push_back(format_bytes(static_cast<double>(prediction.bytes_per_device)));
    if (memory) row.emplace_back(prediction.fits.value_or(true) ? "yes" : "no");
    if (conversion) row.push_back(seconds(prediction.conversion_seconds));
    if (upload) row.push_back(seconds(prediction.upload_seconds));
    if (totals) row.push_back(seconds(prediction.total_seconds));
    if (payoff) {
      row.push_back(payoff_text(prediction.pays_after_iterations));
    }
    row.push_back(mark(best, predictions, i));
    table.add_row(row);
  }
  table.print(std::cout);
}

void print_parts(const std::vector<Prediction>& predictions) {
  const ChoiceColumns columns(predictions);
  std::vector<std::string> header = columns.header();
  for (const char* name : {"SpMV", "vector kernels", "reductions"}) header.emplace_back(name);
  if (columns.devices) header.emplace_back("exchange");
  header.emplace_back(columns.traffic ? "launch, synchronisation" : "synchronisation");
  Table table(header);
  for (const Prediction& prediction : predictions) {
    const double total = prediction.seconds_per_iteration;
    const TimeParts& parts = prediction.parts;
    std::vector<std::string> row = columns.cells(prediction);
    row.push_back(format_percent(parts.spmv / total));
    row.push_back(format_percent(parts.vector_kernels / total));
    row.push_back(format_percent(parts.reductions / total));
    if (columns.devices) row.push_back(format_percent(parts.exchange / total));
    row.push_back(format_percent(parts.synchronisation / total));
    table.add_row(row);
  }
  std::cout << "\nWhere the time goes:\n";
  table.print(std::cout);
}

void print_best(const std::vector<Prediction>& predictions, const BestChoice& best) {
  if (!best.second) return;
  std::cout << "\nBest: " << name_of(predictions[best.index]) << "; the second, "
            << name_of(predictions[*best.second]) << ", is " << format_percent(*best.margin)
            << " slower";
  if (best.ties.empty()) {
    std::cout << ".\n";
  } else if (best.ties.size() == 1 && best.ties.front() == *best.second) {
    std::cout << ": a tie.\n";
  } else {
    std::cout << "; " << best.ties.size() << (best.ties.size() == 1 ? " other" : " others")
              << " cannot be told apart from the best.\n";
  }
}

/// What the table leaves out because the profile does not know it.
void print_notes(const Forecast& forecast, const DeviceProfile& profile,
                 const PredictionRequest& request) {
  const auto missing = [&](auto known) {
    return std::ranges::none_of(forecast.predictions, known);
  };
  if (request.layouts.empty()) {
    std::string absent;
    for (const Layout& layout : forecast.worthwhile) {
      if (std::ranges::find(forecast.predictions, layout, &Prediction::layout) !=
          forecast.predictions.end()) {
        continue;
      }
      absent += (absent.empty() ? "" : ", ") + to_string(layout);
    }
    if (!absent.empty()) {
      std::cout << (profile.traffic ? "No parameters in profile " : "No curves in profile ")
                << profile.name
                << (absent.find(',') == std::string::npos ? " for layout " : " for layouts ")
                << absent << ".\n";
    }
  }
  if (missing([](const Prediction& p) { return p.interval_seconds.has_value(); })) {
    std::cout << "No interval: profile " << profile.name
              << " does not know how well it predicts.\n";
  }
  if (request.iterations == 0) return;
  if (missing([](const Prediction& p) { return p.conversion_seconds.has_value(); })) {
    std::cout << "No conversion time, no total: profile " << profile.name
              << " does not know what conversion costs.\n";
  }
  if (missing([](const Prediction& p) { return p.upload_seconds.has_value(); })) {
    std::cout << "No upload time, no total: profile " << profile.name
              << " does not know the speed from host to device.\n";
  }
}

void print_table(const Forecast& forecast, const DeviceProfile& profile,
                 const PredictionRequest& request,
                 const std::optional<ExplainedPrediction>& explained) {
  std::cout << forecast.subject << "\nprofile " << profile.name << ": " << profile.device << ", "
            << origin_text(profile.origin) << "; " << to_string(request.precision) << ", ";
  if (!profile.traffic) {
    std::cout << (request.curve == CurveKind::average ? "average" : "maximum") << " curves, ";
  }
  std::cout << profile.model() << " model";
  if (request.iterations > 0)
    std::cout << "; " << format_count(request.iterations) << " iterations";
  std::cout << "\n\n";
  std::optional<BestChoice> best;
  std::string refusal;
  try {
    best = best_choice(forecast.predictions);
  } catch (const Error& error) {
    refusal = error.what();
  }
  print_times(forecast.predictions, best);
  print_parts(forecast.predictions);
  if (best) print_best(forecast.predictions, *best);
  if (!refusal.empty()) std::cout << "\nNo best choice: " << refusal << ".\n";
  print_notes(forecast, profile, request);
  if (explained) {
    print_explanation(std::cout, forecast.predictions[explained->index], explained->explanation);
  }
}

int run_predict(std::span<const std::string> arguments) {
  CommandLine line = make_command_line();
  if (!line.parse(arguments)) return 0;
  const Renumbering how = parse_renumbering_option("--renumber", line.get<std::string>("renumber"));
  const DeviceProfile profile =
      read_profile_for(line.get<std::string>("profile"), line.get_or("model", ""));
  const PredictionRequest request = make_request(line, profile);
  check_choices(line, profile, request);
  const std::optional<SystemNumbers> numbers = numbers_of(line, request.layouts);
  if (numbers) {
    require_matrix_to_renumber(how);
  } else if (line.has("row-deviation") || line.has("longest-row")) {
    throw UsageError("--row-deviation and --longest-row go with --unknowns and --elements");
  }
  const Forecast forecast = numbers ? predict_sizes(line, profile, request, *numbers)
                                    : predict_file(line, profile, request, how);

  if (profile.origin == DeviceProfile::Origin::estimated) {
    warn("profile " + profile.name + " is an estimate: nothing was measured");
  }
  std::set<std::string> said;
  for (const Prediction& prediction : forecast.predictions) {
    for (const std::string& warning : prediction.warnings) {
      if (said.insert(warning).second) warn(warning);
    }
  }
  std::optional<ExplainedPrediction> explained;
  if (line.has("explain")) {
    const std::vector<Prediction>& all = forecast.predictions;
    const std::size_t index = best_choice(all).index;
    explained = {index, explain(all[index], forecast.alternatives)};
  }
  if (line.has("json")) {
    print_json(forecast, explained);
  } else {
    print_table(forecast, profile, request, explained);
  }
  return 0;
}

}  // namespace

extern const Command predict_command{
    "predict", "time per iteration of a matrix on devices of a profile", run_predict};

}  // namespace sparsecast::cli
