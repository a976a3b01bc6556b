#include <algorithm>
#include <cmath>
#include <filesystem>
#include <iostream>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "cli/command.hpp"
#include "cli/commands.hpp"
#include "cli/interrupt.hpp"
#include "cli/progress.hpp"
#include "cli/table.hpp"
#include "cli/validation_plot.hpp"
#include "core/file_output.hpp"
#include "core/machine.hpp"
#include "core/matrix_market.hpp"
#include "predict/validation_run.hpp"

namespace sparsecast::cli {

namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

CommandLine make_command_line() {
  namespace po = boost::program_options;
  CommandLine line(
      "validate", "(MATRIX... --profile P | --from FILE.csv) [options]",
      "Runs conjugate gradients on the CPU, or on a GPU of this machine (--device cuda:0), and "
      "sets\n"
      "the measured time of an iteration beside the one that a profile predicts. Matrices that CG "
      "cannot solve keep their pattern and get other\n"
      "values; complex and non-square ones are skipped. Ctrl-C keeps what was measured.",
      "sparsecast validate matrices/ --profile cpu.json --csv raw.csv --plot figure10.svg");
  line.add()("matrix", po::value<std::vector<std::string>>(),
             "Matrix Market files, plain or .gz, or folders of them")(
      "profile,p", po::value<std::string>(), "profile: a .json file or a shipped name")(
      "from", po::value<std::string>(), "raw data of an earlier run: analyse it, run nothing")(
      "device", po::value<std::string>()->default_value("cpu"), "run on: cpu or cuda:0, ...")(
      "devices,d", po::value<std::string>()->default_value("1"),
      "numbers of devices, as 1,2; a CPU is cut into that many groups of threads")(
      "precision", po::value<std::string>(), "f32, f64 or f32,f64; default all of the profile")(
      "block,b", po::value<std::string>(), "block sizes N, as 1,4; default all of the profile")(
      "renumber", po::value<std::string>()->default_value("none"),
      "orders of the unknowns, as none,random,rcm")(
      "curve", po::value<std::string>()->default_value("average"),
      "average: what to expect; maximum: the best case")(
      "seconds-per-case", po::value<double>()->default_value(0.5, "0.5"),
      "longest measurement of one case")("csv", po::value<std::string>(),
                                         "write the raw data to this file")(
      "plot", po::value<std::string>(), "draw Figure 10 into this file: .svg, .png or .pdf")(
      "json", "print an object with rows and summaries");
  line.positional("matrix", -1);
  return line;
}

std::vector<std::string> split_names(const std::string& text) {
  std::vector<std::string> names(1);
  for (const char c : text) {
    if (c == ',') {
      names.emplace_back();
    } else {
      names.back() += c;
    }
  }
  return names;
}

bool is_matrix_file(const fs::path& path) {
  const std::string name = path.filename().string();
  return name.ends_with(".mtx") || name.ends_with(".mtx.gz");
}

/// Files as given, folders as the matrix files in them.
std::vector<fs::path> matrix_files(const std::vector<std::string>& arguments) {
  std::vector<fs::path> files;
  for (const std::string& argument : arguments) {
    if (!fs::exists(argument)) throw Error(argument + ": no such file or folder");
    if (!fs::is_directory(argument)) {
      files.emplace_back(argument);
      continue;
    }
    std::vector<fs::path> inside;
    for (const auto& entry : fs::directory_iterator(argument)) {
      if (is_matrix_file(entry.path())) inside.push_back(entry.path());
    }
    if (inside.empty()) throw Error(argument + ": no .mtx or .mtx.gz file in this folder");
    std::ranges::sort(inside);
    files.insert(files.end(), inside.begin(), inside.end());
  }
  return files;
}

/// "bcsstk16" of "folder/bcsstk16.mtx.gz".
std::string matrix_name(const fs::path& file) {
  std::string name = file.filename().string();
  for (const std::string_view ending : {".gz", ".mtx"}) {
    if (name.ends_with(ending)) name.resize(name.size() - ending.size());
  }
  return name;
}

/// "cpu" or "cuda:0" as given, or "cpu:0,cpu:1" for several groups of threads.
std::string device_list(const std::string& device, int devices) {
  if (devices == 1) return device;
  std::string list;
  for (int group = 0; group < devices; ++group) {
    list += (group > 0 ? ",cpu:" : "cpu:") + std::to_string(group);
  }
  return list;
}

ValidationRequest make_request(const CommandLine& line, const DeviceProfile& profile) {
  ValidationRequest request;
  if (line.has("block")) {
    request.blocks = parse_int_list("--block", line.get<std::string>("block"));
  }
  request.devices = parse_int_list("--devices", line.get<std::string>("devices"));
  const std::string device = line.get<std::string>("device");
  if (device != "cpu" && !device.starts_with("cuda:")) {
    throw UsageError("--device " + device + ": expected cpu, or a GPU as cuda:0");
  }
  if (device != "cpu" && request.devices != std::vector<int>{1}) {
    throw UsageError("--devices " + line.get<std::string>("devices") + ": " + device +
                     " is one device; leave the option out");
  }
  request.precisions.clear();
  if (line.has("precision")) {
    for (const std::string& name : split_names(line.get<std::string>("precision"))) {
      request.precisions.push_back(parse_precision("--precision", name));
    }
  } else {
    for (const auto& [precision, unused] : profile.precisions) {
      request.precisions.push_back(precision);
    }
  }
  request.renumberings = split_names(line.get<std::string>("renumber"));
  for (const std::string& how : request.renumberings) {
    if (how != "none" && how != "random" && how != "rcm") {
      throw UsageError("--renumber " + how + ": expected none, random or rcm");
    }
  }
  request.curve = parse_curve("--curve", line.get<std::string>("curve"));
  request.seconds_per_case = line.get<double>("seconds-per-case");
  if (!(request.seconds_per_case > 0)) {
    throw UsageError("--seconds-per-case: expected a positive number");
  }
  return request;
}

std::map<std::string, std::string> describe_run(const DeviceProfile& profile,
                                                const ValidationRequest& request,
                                                const Backend& backend) {
  const Environment environment = describe_environment();
  return {{"profile", profile.name},
          {"profile device", profile.device},
          {"run on", backend.description()},
          {"program", environment.program_version},
          {"compiler", environment.compiler},
          {"operating system", environment.operating_system},
          {"date", environment.date},
          {"curve", request.curve == CurveKind::average ? "average" : "maximum"},
          {"seconds per case", format_number(request.seconds_per_case)}};
}

/// Measures all matrices; what was measured is in `data` whatever happens.
class ValidationRun {
 public:
  ValidationRun(const CommandLine& line, ValidationData& data)
      : data_(data), profile_(read_profile(line.get<std::string>("profile"))) {
    request_ = make_request(line, profile_);
    device_ = line.get<std::string>("device");
    if (profile_.kind == DeviceProfile::Kind::gpu && device_ == "cpu") {
      throw Error("profile " + profile_.name + " describes " + profile_.device +
                  ", a GPU; measure on one with --device cuda:0, or calibrate this machine's CPU "
                  "and use its profile");
    }
    files_ = matrix_files(line.get<std::vector<std::string>>("matrix"));
    if (line.has("csv")) csv_ = line.get<std::string>("csv");
    data_.about = describe_run(profile_, request_, backend(1));
  }

  /// Returns false when it was interrupted.
  bool run() {
    const InterruptGuard guard;
    Progress progress("validate");
    const std::size_t blocks =
        request_.blocks.empty() ? block_sizes.size() : request_.blocks.size();
    const double cases =
        static_cast<double>(files_.size() * blocks * request_.devices.size() *
                            request_.precisions.size() * request_.renumberings.size());
    double started = 0;
    ValidationMonitor monitor;
    monitor.backend = [this](int devices) -> Backend& { return backend(devices); };
    monitor.proceed = [&](const std::string& what) {
      progress.update(started++ / cases, what);
      return !InterruptGuard::interrupted();
    };
    monitor.done = [this](const ValidationRow& row) { data_.rows.push_back(row); };
    monitor.skipped = [](const std::string& what) { warn("skipped " + what); };
    const double cases_per_file = cases / static_cast<double>(files_.size());
    for (std::size_t i = 0; i < files_.size(); ++i) {
      started = static_cast<double>(i) * cases_per_file;
      try {
        MatrixMarketFile file = read_matrix_market(files_[i]);
        const ValidationMatrix input{matrix_name(files_[i]), std::move(file.matrix),
                                     file.header.field == MatrixMarketField::pattern};
        if (!validate_matrix(input, profile_, request_, monitor)) return false;
      } catch (const Error& error) {
        if (files_.size() == 1) throw;
        warn("skipped " + std::string(error.what()));
      }
      if (!csv_.empty()) write_file_atomically(csv_, validation_to_csv(data_));
    }
    return true;
  }

 private:
  Backend& backend(int devices) {
    auto& place = backends_[devices];
    if (!place) place = open_backend(device_list(device_, devices));
    return *place;
  }

  ValidationData& data_;
  DeviceProfile profile_;
  ValidationRequest request_;
  std::string device_;
  std::vector<fs::path> files_;
  fs::path csv_;
  std::map<int, std::unique_ptr<Backend>> backends_;
};

std::string percent(double share) {
  return format_number(100 * share) + " %";
}

std::string interval_text(const ValidationRow& row) {
  if (!row.interval_seconds) return "-";
  return format_seconds(row.interval_seconds->low) + " to " +
         format_seconds(row.interval_seconds->high);
}

void print_cases(const std::vector<ValidationRow>& rows) {
  Table table({"matrix", "unknowns", "nonzeros", "order", "block", "devices", "precision",
               "measured", "noise", "predicted", "90 % interval", "error of time", "of performance",
               "GFlop/s", "predicted", "baseline error"});
  bool surrogates = false;
  for (const ValidationRow& row : rows) {
    surrogates = surrogates || row.surrogate_values;
    table.add_row({row.matrix + (row.surrogate_values ? " *" : ""), std::to_string(row.unknowns),
                   std::to_string(row.nonzeros), row.renumbering, std::to_string(row.block),
                   std::to_string(row.devices), std::string(to_string(row.precision)),
                   format_seconds(row.measured_seconds), percent(row.measured_spread),
                   format_seconds(row.predicted_seconds), interval_text(row),
                   percent(time_error(row.predicted_seconds, row.measured_seconds)),
                   percent(performance_error(row.predicted_seconds, row.measured_seconds)),
                   format_number(effective_gflops(row, row.measured_seconds)),
                   format_number(effective_gflops(row, row.predicted_seconds)),
                   percent(time_error(row.baseline_seconds, row.measured_seconds))});
  }
  table.print(std::cout);
  if (surrogates) std::cout << "* the file's pattern with surrogate values\n";
}

std::string coverage_text(const ErrorSummary& summary) {
  return summary.coverage ? percent(*summary.coverage) : "-";
}

/// The columns that all tables of errors share.
std::vector<std::string> error_cells(const ErrorLine& line) {
  const ErrorSummary& model = line.model;
  return {std::to_string(model.matrices),
          format_number(model.mean_performance_error),
          format_number(model.variance_performance_error),
          format_number(model.mean_time_error),
          format_number(model.median_time_error),
          format_number(model.p90_time_error),
          format_number(model.p95_time_error),
          format_number(model.bias),
          coverage_text(model),
          format_number(model.median_noise),
          format_number(line.baseline.mean_performance_error),
          format_number(line.baseline.mean_time_error)};
}

std::vector<std::string> error_header(std::vector<std::string> first) {
  for (const char* name :
       {"matrices", "mean perf. error", "variance", "mean time error", "median", "90 %", "95 %",
        "bias", "coverage", "noise", "baseline perf.", "baseline time"}) {
    first.emplace_back(name);
  }
  return first;
}

void print_summary(const ValidationSummary& summary) {
  std::cout << "\nTable 6: errors of predicted performance and time, a matrix counts once\n";
  Table table6(error_header({"precision", "devices", "block"}));
  for (const ErrorLine& line : summary.table6) {
    std::vector<std::string> cells{std::string(to_string(line.precision)),
                                   std::to_string(line.devices), std::to_string(line.block)};
    std::ranges::copy(error_cells(line), std::back_inserter(cells));
    table6.add_row(cells);
  }
  table6.print(std::cout);

  std::cout << "\nBy working set of an iteration\n";
  Table strata(error_header({"working set"}));
  const auto add = [&](const ErrorLine& line) {
    std::vector<std::string> cells{line.label};
    std::ranges::copy(error_cells(line), std::back_inserter(cells));
    strata.add_row(cells);
  };
  for (const ErrorLine& line : summary.strata) add(line);
  add(summary.overall);
  strata.print(std::cout);

  if (!summary.regrets.empty()) {
    std::cout << "\nRegret: time lost by following the forecast\n";
    Table regrets({"precision", "chosen", "matrices", "mean", "median", "95 %", "max", "best found",
                   "worst"});
    for (const RegretLine& line : summary.regrets) {
      const RegretSummary& regret = line.regret;
      regrets.add_row({std::string(to_string(line.precision)),
                       line.devices == 0 ? "block size and devices"
                                         : "block size, devices: " + std::to_string(line.devices),
                       std::to_string(regret.matrices), percent(regret.mean),
                       percent(regret.median), percent(regret.p95), percent(regret.max),
                       percent(regret.best_share), regret.worst_matrix});
    }
    regrets.print(std::cout);
  }

  std::cout << "\nWorst cases, one a matrix\n";
  print_cases(summary.worst);
}

Json to_json(const ErrorSummary& summary) {
  Json json;
  json["matrices"] = summary.matrices;
  json["cases"] = summary.cases;
  json["mean_performance_error"] = summary.mean_performance_error;
  json["variance_performance_error"] = summary.variance_performance_error;
  json["mean_time_error"] = summary.mean_time_error;
  json["median_time_error"] = summary.median_time_error;
  json["p90_time_error"] = summary.p90_time_error;
  json["p95_time_error"] = summary.p95_time_error;
  json["bias"] = summary.bias;
  json["median_noise"] = summary.median_noise;
  json["coverage"] = summary.coverage ? Json(*summary.coverage) : Json(nullptr);
  return json;
}

Json to_json(const ValidationRow& row) {
  Json json;
  json["matrix"] = row.matrix;
  json["pattern"] = row.pattern;
  json["renumbering"] = row.renumbering;
  json["surrogate_values"] = row.surrogate_values;
  json["unknowns"] = row.unknowns;
  json["nonzeros"] = row.nonzeros;
  json["block_elements"] = row.block_elements;
  json["block"] = row.block;
  json["devices"] = row.devices;
  json["precision"] = to_string(row.precision);
  json["working_set_bytes"] = row.working_set_bytes;
  json["measured_seconds"] = row.measured_seconds;
  json["measured_spread"] = row.measured_spread;
  json["predicted_seconds"] = row.predicted_seconds;
  json["interval_seconds"] = row.interval_seconds
                                 ? Json{row.interval_seconds->low, row.interval_seconds->high}
                                 : Json(nullptr);
  json["baseline_seconds"] = row.baseline_seconds;
  json["time_error"] = time_error(row.predicted_seconds, row.measured_seconds);
  json["performance_error"] = performance_error(row.predicted_seconds, row.measured_seconds);
  json["measured_gflops"] = effective_gflops(row, row.measured_seconds);
  json["predicted_gflops"] = effective_gflops(row, row.predicted_seconds);
  return json;
}

void print_json(const ValidationData& data, const ValidationSummary& summary) {
  Json json;
  json["about"] = data.about;
  json["rows"] = Json::array();
  for (const ValidationRow& row : data.rows) json["rows"].push_back(to_json(row));
  json["table6"] = Json::array();
  for (const ErrorLine& line : summary.table6) {
    json["table6"].push_back({{"precision", to_string(line.precision)},
                              {"devices", line.devices},
                              {"block", line.block},
                              {"model", to_json(line.model)},
                              {"baseline", to_json(line.baseline)}});
  }
  json["working_sets"] = Json::array();
  for (const ErrorLine& line : summary.strata) {
    json["working_sets"].push_back({{"working_set", line.label},
                                    {"model", to_json(line.model)},
                                    {"baseline", to_json(line.baseline)}});
  }
  json["overall"] = {{"model", to_json(summary.overall.model)},
                     {"baseline", to_json(summary.overall.baseline)}};
  json["regret"] = Json::array();
  for (const RegretLine& line : summary.regrets) {
    json["regret"].push_back({{"precision", to_string(line.precision)},
                              {"devices", line.devices == 0 ? Json(nullptr) : Json(line.devices)},
                              {"matrices", line.regret.matrices},
                              {"mean", line.regret.mean},
                              {"median", line.regret.median},
                              {"p95", line.regret.p95},
                              {"max", line.regret.max},
                              {"best_share", line.regret.best_share},
                              {"worst_matrix", line.regret.worst_matrix}});
  }
  std::cout << json.dump(2) << '\n';
}

int run_validate(std::span<const std::string> arguments) {
  CommandLine line = make_command_line();
  if (!line.parse(arguments)) return 0;
  ValidationData data;
  bool complete = true;
  if (line.has("from")) {
    if (line.has("matrix") || line.has("profile")) {
      throw UsageError("--from reads what was measured: no matrix and no --profile with it");
    }
    const auto& path = line.get<std::string>("from");
    data = parse_validation_csv(read_file(path), path);
  } else {
    complete = ValidationRun(line, data).run();
  }
  if (line.has("csv")) {
    write_file_atomically(line.get<std::string>("csv"), validation_to_csv(data));
  }
  if (data.rows.empty()) throw Error("nothing was measured");

  const ValidationSummary summary = summarize_validation(data.rows);
  if (line.has("json")) {
    print_json(data, summary);
  } else {
    for (const auto& [key, value] : data.about) std::cout << key << ": " << value << '\n';
    std::cout << '\n';
    print_cases(data.rows);
    print_summary(summary);
  }
  if (line.has("plot")) draw_validation(line.get<std::string>("plot"), data.rows);
  if (!complete) {
    warn("interrupted: the figures are of the " + std::to_string(data.rows.size()) +
         " cases measured so far");
  }
  return complete ? 0 : 1;
}

}  // namespace

extern const Command validate_command{"validate", "measured beside predicted on real matrices",
                                      run_validate};

}  // namespace sparsecast::cli
