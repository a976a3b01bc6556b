#include <algorithm>
#include <cmath>
#include <cstdint>
#include <iostream>
#include <nlohmann/json.hpp>
#include <set>
#include <string>
#include <vector>

#include "cli/command.hpp"
#include "cli/commands.hpp"
#include "cli/json_output.hpp"
#include "cli/matrix_source.hpp"
#include "cli/table.hpp"
#include "core/features.hpp"
#include "predict/advice.hpp"

namespace sparsecast::cli {

namespace {

using Json = nlohmann::ordered_json;

CommandLine make_command_line() {
  namespace po = boost::program_options;
  CommandLine line(
      "advise", "(MATRIX | --unknowns X --elements E --block N) --profile P [--profile Q ...]",
      "Says how many devices of which profile to use: the fastest choice that keeps\n"
      "the parallel efficiency; choices that cannot be told apart go to fewer devices.\n"
      "A CPU counts as 0 GPUs.",
      "sparsecast advise --unknowns 72000 --elements 39336485 --block 4 "
      "--profile gtx280 --max-devices 4");
  line.add()("matrix", po::value<std::string>(), "Matrix Market file, plain or .gz")(
      "profile,p", po::value<std::vector<std::string>>()->composing(),
      "profile: a .json file or a shipped name (gtx280); may be given several times")(
      "max-devices", po::value<int>()->default_value(8), "most devices to consider")(
      "min-efficiency", po::value<double>()->default_value(0.7, "0.7"),
      "parallel efficiency that a choice must keep")(
      "iterations,k", po::value<std::int64_t>(),
      "iterations K: compare whole solves, with conversion and upload where profiles know them")(
      "precision", po::value<std::string>(), "f32 or f64; default f64 if all profiles have it")(
      "model", po::value<std::string>(),
      "traffic, cache or paper, of every profile; default the best that each has")(
      "curve", po::value<std::string>()->default_value("average"),
      "average: what to expect; maximum: the best case")(
      "block,b", po::value<std::string>(), "block sizes N, as 1,4; default all of a profile")(
      "unknowns", po::value<double>(), "instead of a matrix: its unknowns x")(
      "elements", po::value<double>(), "instead of a matrix: its block elements e")(
      "renumber", po::value<std::string>()->default_value("none"),
      "advise for MATRIX after a renumbering: none, random, rcm, or metis (for each number of "
      "devices; on one as given)")("json", "print an object with the choices");
  line.positional("matrix", 1);
  return line;
}

/// f64 if every profile has it, else a precision that all have.
Precision common_precision(const std::vector<DeviceProfile>& profiles) {
  for (const Precision precision : {Precision::f64, Precision::f32}) {
    if (std::ranges::all_of(profiles, [&](const DeviceProfile& profile) {
          return profile.precisions.contains(precision);
        })) {
      return precision;
    }
  }
  throw Error("the profiles have no precision in common, so their times cannot be compared");
}

struct Asked {
  std::string subject;
  Advice advice;
};

Asked advise_on(const CommandLine& line, const std::vector<DeviceProfile>& profiles,
                const AdviceRequest& request) {
  const Renumbering how = parse_renumbering_option("--renumber", line.get<std::string>("renumber"));
  if (!line.has("unknowns") && !line.has("elements")) {
    require_several_devices(how, request.max_devices, "--max-devices");
    const auto& path = line.get<std::string>("matrix");
    const MatrixMarketFile file = read_square_matrix(path);
    const MatrixFeatures features = compute_features(file.matrix.view());
    if (!features.symmetric) {
      warn(path + " is not symmetric: conjugate gradients cannot solve with it");
    }
    MatrixOrders orders(file.matrix, features, how);
    return {path + ": " + format_count(features.rows) + " unknowns, " +
                format_count(features.nonzeros) + " nonzeros" + order_text(how),
            advise(orders, profiles, request)};
  }
  if (line.has("matrix")) {
    throw UsageError("expected a matrix or --unknowns and --elements, not both");
  }
  require_matrix_to_renumber(how);
  if (request.blocks.size() != 1) {
    throw UsageError("--unknowns and --elements need --block N: one block size");
  }
  const auto unknowns = line.get<double>("unknowns");
  const auto elements = line.get<double>("elements");
  const int block = request.blocks.front();
  return {format_count(std::llround(unknowns)) + " unknowns, " +
              format_count(std::llround(elements)) + " block elements of " + std::to_string(block) +
              " x " + std::to_string(block) + " blocks",
          advise_numbers(unknowns, elements, block, profiles, request)};
}

std::string name_of(const DeviceChoice& choice) {
  if (choice.kind == DeviceProfile::Kind::cpu) return "the CPU, " + choice.profile;
  return std::to_string(choice.gpus()) + " x " + choice.profile;
}

Json to_json(const DeviceChoice& choice) {
  const Prediction& prediction = choice.prediction;
  Json json;
  json["profile"] = choice.profile;
  json["gpus"] = choice.gpus();
  json["devices"] = prediction.devices;
  json["renumbering"] = to_string(prediction.renumbering);
  json["block"] = prediction.block;
  json["schedule"] = prediction.schedule;
  json["launch"] = prediction.launch ? Json(to_string(*prediction.launch)) : Json(nullptr);
  json["seconds_per_iteration"] = prediction.seconds_per_iteration;
  json["compared_seconds"] = choice.seconds;
  json["interval_seconds"] = choice.interval_seconds
                                 ? Json{choice.interval_seconds->low, choice.interval_seconds->high}
                                 : Json(nullptr);
  json["efficiency"] = choice.efficiency;
  json["bytes_per_device"] = prediction.bytes_per_device;
  json["fits"] = prediction.fits ? Json(*prediction.fits) : Json(nullptr);
  return json;
}

void print_json(const Advice& advice) {
  Json json;
  json["recommended"] = to_json(advice.choices[advice.recommended]);
  json["reason"] = advice.reason;
  json["fewest_that_fit"] = to_json(advice.choices[advice.fewest]);
  json["ties"] = Json::array();
  for (const std::size_t tie : advice.ties) json["ties"].push_back(to_json(advice.choices[tie]));
  json["setup_included"] = advice.setup_included;
  json["choices"] = Json::array();
  for (const DeviceChoice& choice : advice.choices) json["choices"].push_back(to_json(choice));
  std::cout << json_text(json);
}

std::string mark(const Advice& advice, std::size_t index) {
  if (index == advice.recommended) return "<- recommended";
  if (std::ranges::find(advice.ties, index) != advice.ties.end()) return "tie";
  return advice.choices[index].fits() ? "" : "does not fit";
}

void print_table(const Asked& asked, const AdviceRequest& request) {
  const Advice& advice = asked.advice;
  std::cout << asked.subject << "; " << to_string(request.precision);
  // The traffic model has no curves.
  if (std::ranges::any_of(advice.choices, [](const DeviceChoice& choice) {
        return choice.prediction.model != "traffic";
      })) {
    std::cout << (request.curve == CurveKind::average ? ", average curves" : ", maximum curves");
  }
  std::cout << "\n\n";
  const bool intervals = std::ranges::any_of(advice.choices, [](const DeviceChoice& choice) {
    return choice.interval_seconds.has_value();
  });
  const bool totals = request.iterations > 0;

  std::vector<std::string> header{"profile", "GPUs", "block", "time/iteration"};
  if (totals) header.push_back("time for " + format_count(request.iterations));
  if (intervals) header.emplace_back("90 % interval");
  for (const char* name : {"efficiency", "memory/device", ""}) header.emplace_back(name);
  Table table(header);
  for (std::size_t i = 0; i < advice.choices.size(); ++i) {
    const DeviceChoice& choice = advice.choices[i];
    const Prediction& prediction = choice.prediction;
    std::vector<std::string> row{choice.profile, std::to_string(choice.gpus()),
                                 std::to_string(prediction.block),
                                 format_seconds(prediction.seconds_per_iteration)};
    if (totals) row.push_back(format_seconds(choice.seconds));
    if (intervals) {
      row.push_back(choice.interval_seconds
                        ? format_seconds(choice.interval_seconds->low) + " to " +
                              format_seconds(choice.interval_seconds->high)
                        : "-");
    }
    row.push_back(choice.fits() ? format_number(choice.efficiency) : "-");
    row.push_back(format_bytes(static_cast<double>(prediction.bytes_per_device)));
    row.push_back(mark(advice, i));
    table.add_row(row);
  }
  table.print(std::cout);

  const DeviceChoice& chosen = advice.choices[advice.recommended];
  const std::string block = std::to_string(chosen.prediction.block);
  std::cout << "\nUse " << name_of(chosen) << ", " << block << " x " << block << " blocks"
            << (chosen.prediction.launch
                    ? ", launch " + std::string(to_string(*chosen.prediction.launch))
                    : std::string())
            << ": " << advice.reason << ".\n";
  for (const std::size_t tie : advice.ties) {
    const DeviceChoice& other = advice.choices[tie];
    std::cout << "A tie: " << name_of(other) << " takes " << format_seconds(other.seconds)
              << " against " << format_seconds(chosen.seconds)
              << ", which the forecast cannot tell apart.\n";
  }
  std::cout << "Fewest devices that hold the matrix: " << name_of(advice.choices[advice.fewest])
            << ".\n";
  if (totals && !advice.setup_included) {
    std::cout << "Conversion and upload are left out: not every profile knows them.\n";
  }
}

int run_advise(std::span<const std::string> arguments) {
  CommandLine line = make_command_line();
  if (!line.parse(arguments)) return 0;
  AdviceRequest request;
  request.max_devices = line.get<int>("max-devices");
  if (request.max_devices < 1) throw UsageError("--max-devices: expected at least 1");
  request.min_efficiency = line.get<double>("min-efficiency");
  if (!(request.min_efficiency > 0 && request.min_efficiency <= 1)) {
    throw UsageError("--min-efficiency: expected more than 0 and at most 1");
  }
  if (line.has("iterations")) {
    request.iterations = line.get<std::int64_t>("iterations");
    if (request.iterations < 1) throw UsageError("--iterations: expected a positive whole number");
  }
  if (line.has("block")) {
    request.blocks = parse_int_list("--block", line.get<std::string>("block"));
  }
  request.curve = parse_curve("--curve", line.get<std::string>("curve"));
  std::vector<DeviceProfile> profiles;
  for (const std::string& name : line.get<std::vector<std::string>>("profile")) {
    profiles.push_back(
        read_profile_for(name, line.has("model") ? line.get<std::string>("model") : ""));
  }
  request.precision = line.has("precision")
                          ? parse_precision("--precision", line.get<std::string>("precision"))
                          : common_precision(profiles);
  const Asked asked = advise_on(line, profiles, request);

  std::set<std::string> said;
  for (const DeviceChoice& choice : asked.advice.choices) {
    for (const std::string& warning : choice.prediction.warnings) {
      const bool named = warning.find(choice.profile) != std::string::npos;
      if (said.insert(warning).second) warn(named ? warning : choice.profile + ": " + warning);
    }
  }
  if (line.has("json")) {
    print_json(asked.advice);
  } else {
    print_table(asked, request);
  }
  return 0;
}

}  // namespace

extern const Command advise_command{"advise", "how many devices of which kind to use", run_advise};

}  // namespace sparsecast::cli
