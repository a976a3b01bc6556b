#include <algorithm>
#include <array>
#include <cmath>
#include <iostream>
#include <iterator>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "cli/command.hpp"
#include "cli/command_files.hpp"
#include "cli/commands.hpp"
#include "cli/commands/predict/request_options.hpp"
#include "cli/counting/iteration_counts.hpp"
#include "cli/exports/export_options.hpp"
#include "cli/forecast_options.hpp"
#include "cli/forecast_subject.hpp"
#include "cli/layout_options.hpp"
#include "cli/matrix_source.hpp"
#include "cli/own_schedule.hpp"
#include "cli/reports/json_output.hpp"
#include "cli/reports/prediction_report.hpp"
#include "cli/reports/table.hpp"
#include "cli/reports/table_options.hpp"
#include "cli/reports/verbosity.hpp"
#include "core/base/error.hpp"
#include "core/base/files/file_output.hpp"
#include "core/base/text/json_text.hpp"
#include "core/matrix/files/file_kind.hpp"
#include "core/schedule/built_in_solvers.hpp"
#include "core/workload/layout.hpp"
#include "predict/advice/best_choice.hpp"
#include "predict/advice/best_choice_json.hpp"
#include "predict/advice/explanation_json.hpp"
#include "predict/predict_numbers.hpp"
#include "predict/prediction.hpp"
#include "predict/prediction_json.hpp"
#include "predict/prediction_request.hpp"
#include "predict/warning_lines.hpp"

namespace sparsecast::cli {

namespace {

CommandLine make_command_line() {
  namespace po = boost::program_options;
  CommandLine line(
      "predict",
      "(MATRIX | --unknowns X --elements E --block N) --profile P [--profile Q ...] [options]",
      "Forecasts the time of one iteration of Jacobi-preconditioned CG for every layout\n"
      "and number of devices, the fastest first. No device is needed, only its profile. A\n"
      "speedup is over our fastest on one device in the same layout and precision. A layout\n"
      "pays after so many iterations over csr, conversion and upload counted. Unless told which "
      "layouts,\n"
      "those that the profile knows; dia where the matrix is not much more than its diagonals.\n"
      "Several profiles are compared in one table. With --rtol, times to solution: which solver,\n"
      "layout and device solves it first.",
      "sparsecast predict --unknowns 72000 --elements 39336485 --block 4 "
      "--profile gtx280 --devices 1,2\n"
      "  sparsecast predict box.mtx --profile nvidia-h200 --solver all --rtol 1e-8\n"
      "  sparsecast inspect box.mtx --features box.features.json && "
      "sparsecast predict box.features.json --profile nvidia-h200 --profile nvidia-h100");
  line.add()("matrix", po::value<std::string>(),
             (matrix_file_help() + "; or a features file (inspect --features)").c_str())(
      "profile,p", po::value<std::vector<std::string>>()->composing(),
      "profile: a .json file or a shipped name (gtx280); may be given several times")(
      "devices,d", po::value<std::string>()->default_value("1"), "numbers of devices, as 1,2,4")(
      "precision", po::value<std::string>(), "f32 or f64; default f64 if all profiles have it");
  add_layouts_option(line);
  add_network_options(line);
  line.add()(
      "model", po::value<std::string>(),
      "hybrid: what steps really move, and what calibration's cases taught beside it; traffic: the "
      "first alone; cache: throughput curves and a last-level cache; paper: equations 3 to 11; "
      "default the best that the profile has")(
      "schedule", po::value<std::string>(),
      "of the traffic model: fused (default), algorithm1, vendor (cuSPARSE + cuBLAS, to compare "
      "with), all, or a solver of your own: FILE.json (docs/schedules.md)")(
      "launch", po::value<std::string>(),
      "of the traffic model: graph, persistent, plain or host; default graph and, "
      "where there is one, persistent")(
      "explain",
      "each step's bytes, where they come from, its floor, what binds it, and advice: "
      "of the best choice (traffic model, one profile)")(
      "curve", po::value<std::string>()->default_value("average"),
      "average: what to expect; maximum: the best case; of other models than traffic")(
      "iterations,k", po::value<WholeNumber>(),
      "iterations K of a whole solve, by which choices are then compared: adds upload and total")(
      "unknowns", po::value<WholeNumber>(), "instead of a matrix: its unknowns x")(
      "elements", po::value<WholeNumber>(),
      "instead of a matrix: the elements e that its layout stores, from N x to x^2");
  add_row_options(line);
  line.add()(
      "renumber", po::value<std::string>()->default_value("none"),
      "forecast for MATRIX after a renumbering: none, random, rcm (reverse Cuthill-McKee), hubs "
      "(of a graph first, then clusters), or metis (for each number of devices parts with small "
      "halos; on one device as given); a list none,rcm,..., or all that may pay, sets orders "
      "beside each other")("json", "print an object with the predictions");
  add_table_options(line);
  add_export_options(line);
  add_solver_options(line, true);
  add_host_call_option(line);
  add_count_options(line,
                    "forecast the time to solution: count here how many iterations each solver "
                    "takes until ||b - Ax|| <= rtol ||b||, from x = 0, and add conversion, upload "
                    "and what the solver does before them");
  line.positional("matrix", 1);
  return line;
}

/// Our own schedules that are asked for; none where the user names other solvers alone.
std::vector<std::string> ours_of(const PredictionRequest& request) {
  if (request.schedules.empty()) return {fused_cg().name()};
  std::vector<std::string> ours = request.schedules;
  for (const Solver& own : request.own) std::erase(ours, own.name());
  return ours;
}

/// Forecasts these alone of the user's own solvers.
void keep_own(std::vector<Solver> kept, PredictionRequest& request) {
  std::vector<std::string> names = ours_of(request);
  for (const Solver& solver : kept) names.push_back(solver.name());
  request.schedules = std::move(names);
  request.own = std::move(kept);
}

/// What is asked for without a choice of layouts, schedules of ours or launch modes.
PredictionRequest without_choice(PredictionRequest request) {
  request.layouts.clear();
  if (request.own.empty() && request.counted.empty()) request.schedules.clear();
  request.launches.clear();
  return request;
}

/// Those of every profile, one after the other.
template <class Predict>
Forecast predict_each(const CommandLine& line, const std::vector<DeviceProfile>& profiles,
                      const PredictionRequest& request, const Predict& predict) {
  Forecast forecast;
  for (const DeviceProfile& profile : profiles) {
    std::ranges::move(predict(profile, request), std::back_inserter(forecast.predictions));
  }
  if (line.has("explain")) {
    forecast.alternatives = predict(profiles.front(), without_choice(request));
  }
  return forecast;
}

/// Those of --renumber.
std::vector<Renumbering> orders_of(const CommandLine& line, int most_devices) {
  const auto& list = line.get<std::string>("renumber");
  if (list == "all") {
    std::vector<Renumbering> orders{Renumbering::none, Renumbering::rcm, Renumbering::hubs};
    if (most_devices > 1) orders.push_back(Renumbering::metis);
    return orders;
  }
  std::vector<Renumbering> orders;
  for (const std::string& word : words_of("--renumber", list)) {
    orders.push_back(parse_renumbering_option("--renumber", word));
    require_several_devices(orders.back(), most_devices, "--devices");
  }
  return orders;
}

/// With --verbose, which layouts are forecast and why.
void say_layouts(const std::vector<Layout>& asked, const std::vector<Layout>& worthwhile) {
  std::string names;
  for (const Layout& layout : asked.empty() ? worthwhile : asked) {
    names += (names.empty() ? "" : ", ") + to_string(layout);
  }
  say("layouts " + names +
      (asked.empty() ? ": those that may pay for this matrix" : ": those that were asked for"));
}

Forecast predict_file(const CommandLine& line, const std::vector<DeviceProfile>& profiles,
                      PredictionRequest request, const std::vector<Renumbering>& orders,
                      const std::optional<CountOptions>& counting) {
  ForecastSubject subject(line.get<std::string>("matrix"), orders.front());
  Forecast forecast;
  if (counting) {
    SolversToCount solvers = solvers_to_count(line, ours_of(request), false);
    forecast.counts = subject.counts(line, *counting, solvers, std::array{request.precision});
    ask_for_solution(counted_solvers(forecast.counts, solvers), request);
  } else {
    std::vector<Solver> own = request.own;
    subject.check_needs(own, takes_all_solvers(line));
    if (!own.empty()) keep_own(std::move(own), request);
  }
  for (const Renumbering how : orders) {
    if (how != orders.front()) subject.renumber(how);
    PredictionRequest of_order = request;
    // METIS leaves the order on one device as it is.
    if (how == Renumbering::metis && std::ranges::count(orders, Renumbering::none) > 0) {
      std::erase(of_order.devices, 1);
    }
    Forecast more =
        predict_each(line, profiles, of_order,
                     [&](const DeviceProfile& profile, const PredictionRequest& wanted) {
                       return subject.predict(profile, wanted);
                     });
    std::ranges::move(more.predictions, std::back_inserter(forecast.predictions));
    std::ranges::move(more.alternatives, std::back_inserter(forecast.alternatives));
  }
  forecast.worthwhile = subject.worthwhile();
  say_layouts(request.layouts, forecast.worthwhile);
  forecast.subject = subject.text();
  forecast.unknowns = static_cast<double>(subject.features().rows);
  forecast.nonzeros = static_cast<double>(subject.features().nonzeros);
  forecast.order_seconds = subject.order_seconds();
  return forecast;
}

Forecast predict_sizes(const CommandLine& line, const std::vector<DeviceProfile>& profiles,
                       const PredictionRequest& request, const SystemNumbers& numbers) {
  for (const DeviceProfile& profile : profiles) require_numbers(numbers, profile);
  Forecast forecast = predict_each(
      line, profiles, request, [&](const DeviceProfile& profile, const PredictionRequest& wanted) {
        return predict_numbers(numbers.unknowns, numbers.elements, numbers.layout, profile, wanted,
                               numbers.rows);
      });
  forecast.subject = to_string(numbers);
  forecast.unknowns = numbers.unknowns;
  forecast.nonzeros = numbers.elements;
  if (std::ranges::any_of(forecast.predictions, &Prediction::estimated_pattern)) {
    forecast.subject += "; estimated pattern of gathers, wider interval";
  }
  return forecast;
}

std::vector<JsonObject> objects_of(const Forecast& forecast,
                                   const std::optional<ExplainedPrediction>& explained) {
  const std::vector<Prediction>& predictions = forecast.predictions;
  const std::vector<JsonObject> ranks = ranks_to_json(predictions, forecast.best);
  std::vector<JsonObject> all;
  for (std::size_t i = 0; i < predictions.size(); ++i) {
    JsonObject json = to_json(predictions[i]);
    json.add_members(ranks[i]);
    if (explained && explained->index == i) {
      json.add("explanation", to_json(explained->explanation));
    }
    all.push_back(json);
  }
  return all;
}

/// The objects of --csv, which have no head that says of which matrix they are.
std::vector<JsonObject> rows_of(const CommandLine& line, const std::vector<JsonObject>& objects) {
  if (!line.has("matrix")) return objects;
  const std::string matrix = file_label(line.get<std::string>("matrix"));
  std::vector<JsonObject> rows;
  for (const JsonObject& object : objects) {
    rows.push_back(JsonObject{{"matrix", matrix}}.add_members(object));
  }
  return rows;
}

/// The name of a matrix that there is none of, for other programs.
std::string numbers_name(double unknowns, double elements) {
  return "unknowns-" + std::to_string(std::llround(unknowns)) + "-elements-" +
         std::to_string(std::llround(elements));
}

/// What --ginkgo and --extra-p hold: whole solves where their iterations are known.
std::vector<TimedCase> timed_cases(const CommandLine& line, const Forecast& forecast,
                                   const std::vector<DeviceProfile>& profiles) {
  const std::string matrix = line.has("matrix")
                                 ? subject_name(line.get<std::string>("matrix"))
                                 : numbers_name(forecast.unknowns, forecast.nonzeros);
  std::vector<TimedCase> cases;
  for (const Prediction& each : forecast.predictions) {
    TimedCase timed;
    timed.matrix = matrix;
    if (each.renumbering != Renumbering::none) timed.order = to_string(each.renumbering);
    timed.system = each.profile;
    timed.on_gpu = std::ranges::any_of(profiles, [&](const DeviceProfile& profile) {
      return profile.name == each.profile && profile.kind == DeviceProfile::Kind::gpu;
    });
    timed.rows = forecast.unknowns;
    timed.nonzeros = forecast.nonzeros;
    timed.solver = each.schedule;
    timed.layout = each.layout;
    if (each.launch) timed.launch = to_string(*each.launch);
    timed.devices = each.devices;
    timed.precision = each.precision;
    timed.forecast_by = each.profile;
    timed.seconds = each.seconds_per_iteration;
    if (each.iterations_seconds) timed.all = {each.iterations, *each.iterations_seconds};
    timed.bytes = static_cast<double>(each.bytes_per_device);
    cases.push_back(timed);
  }
  return cases;
}

int run_predict(const CommandLine& line) {
  const TableStyle style = table_style(line);
  CommandFiles files;
  name_inputs(line, files);
  files.writes(line, "csv");
  name_exports(line, files);
  files.check(line.has("json"));
  const std::vector<DeviceProfile> profiles = read_profiles(line);
  if (profiles.size() > 1 && line.has("explain")) {
    throw UsageError("--explain: of one profile; leave the others out");
  }
  const PredictionRequest request = prediction_request(line, profiles);
  const std::optional<SystemNumbers> numbers = numbers_of(line, request.layouts);
  const std::vector<Renumbering> orders = orders_of(line, std::ranges::max(request.devices));
  if (numbers) std::ranges::for_each(orders, require_matrix_to_renumber);
  const std::optional<CountOptions> counting = count_options(line);
  if (counting) require_countable(profiles, numbers.has_value());
  Forecast forecast = numbers ? predict_sizes(line, profiles, request, *numbers)
                              : predict_file(line, profiles, request, orders, counting);
  try {
    forecast.best = best_choice(forecast.predictions);
  } catch (const Error& error) {
    forecast.no_best = error.what();
  }

  for (const DeviceProfile& profile : profiles) {
    if (profile.origin == DeviceProfile::Origin::estimated && !profile.estimated) {
      warn("profile " + profile.name + " is an estimate: nothing was measured");
    }
  }
  const std::string cycles = cycles_text(own_schedules(line, true));
  if (request.schedules.size() > 1 && !request.own.empty() && !counting) {
    warn("times are of one iteration, of which solvers take different numbers" +
         (cycles.empty() ? "" : "; " + cycles));
  } else if (!cycles.empty()) {
    warn(cycles);
  }
  for (const std::string& warning : warning_lines(forecast.predictions)) warn(warning);
  std::optional<ExplainedPrediction> explained;
  if (line.has("explain")) {
    if (!forecast.best) throw Error(forecast.no_best);
    const std::size_t index = forecast.best->index;
    explained = {index, explain(forecast.predictions[index], forecast.alternatives)};
  }
  std::vector<JsonObject> objects;
  if (line.has("csv") || line.has("json")) objects = objects_of(forecast, explained);
  if (exports(line)) write_exports(line, timed_cases(line, forecast, profiles));
  if (line.has("csv")) write_rows(line.get<std::string>("csv"), rows_of(line, objects));
  if (line.has("json")) {
    JsonArray all;
    for (const JsonObject& each : objects) all.add(each);
    std::cout << json_head("predict")
                     .add_members(asked_to_json(line, profiles, request.precision, request.curve))
                     .add("predictions", all)
                     .lines();
  } else {
    const bool prints_file = prints_export(line) || is_standard_output(line.get_or("csv", ""));
    print_forecast(prints_file ? std::cerr : std::cout, forecast, profiles, request, explained,
                   style);
  }
  return 0;
}

}  // namespace

extern const Command predict_command{"predict",
                                     "time per iteration of a matrix on devices of a profile",
                                     make_command_line, run_predict};

}  // namespace sparsecast::cli
