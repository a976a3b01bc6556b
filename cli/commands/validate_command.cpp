#include <algorithm>
#include <filesystem>
#include <initializer_list>
#include <iostream>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "cli/command.hpp"
#include "cli/command_files.hpp"
#include "cli/commands.hpp"
#include "cli/interrupt.hpp"
#include "cli/matrix_files.hpp"
#include "cli/matrix_source.hpp"
#include "cli/plots/validation_plot.hpp"
#include "cli/reports/progress.hpp"
#include "cli/reports/table.hpp"
#include "cli/reports/validation_report.hpp"
#include "core/base/files/file_output.hpp"
#include "core/base/random_stream.hpp"
#include "core/base/stopwatch.hpp"
#include "core/base/threads/thread_team.hpp"
#include "core/base/visits.hpp"
#include "core/cpu/machine.hpp"
#include "core/cuda/cuda_backend.hpp"
#include "core/cuda/device/gpu_devices.hpp"
#include "core/engine/device_list.hpp"
#include "core/matrix/market/matrix_market.hpp"
#include "core/open_backend.hpp"
#include "core/schedule/cg_schedule.hpp"
#include "predict/validation/case_price.hpp"
#include "predict/validation/data/validation_csv.hpp"
#include "predict/validation/data/validation_data.hpp"
#include "predict/validation/held_out_matrices.hpp"
#include "predict/validation/summary/validation_json.hpp"
#include "predict/validation/summary/validation_summary.hpp"
#include "predict/validation/validation_run.hpp"
#include "predict/validation/validation_supply.hpp"

namespace sparsecast::cli {

namespace {

namespace fs = std::filesystem;

CommandLine make_command_line() {
  namespace po = boost::program_options;
  CommandLine line(
      "validate", "(MATRIX... [--generated] --profile P | --from FILE.csv [--profile P]) [options]",
      "Runs solvers and products on the CPU, or on a GPU of this machine (--device cuda:0), and "
      "sets\n"
      "the measured time of an iteration beside the one that a profile predicts. Matrices that CG "
      "cannot solve keep their pattern and get other\n"
      "values; complex and non-square ones are skipped. With --csv raw data is kept every ten "
      "seconds:\nwhatever ends the run, --resume goes on from there. With --from nothing runs: raw "
      "data is analysed,\nand priced again where a profile is given.",
      "sparsecast validate matrices/ --profile cpu.json --csv raw.csv --plot figure10.svg");
  line.add()("matrix", po::value<std::vector<std::string>>(),
             "Matrix Market files, plain or .gz, or folders of them")(
      "generated",
      "also some 180 generated matrices that calibration does not use; for several GPUs more "
      "large ones")("largest", po::value<double>(),
                    "leave out generated matrices of more nonzeros; default 5e8")(
      "seed", po::value<std::uint64_t>(),
      "other generated matrices of the same kinds, as 2; default 1")(
      "profile,p", po::value<std::string>(), "profile: a .json file or a shipped name")(
      "model", po::value<std::string>(),
      "model that prices: traffic, cache or paper; default the best that the profile has")(
      "from", po::value<std::vector<std::string>>(),
      "raw data of an earlier run: analyse it, run nothing; several runs on one kind of device, as "
      "--from a.csv --from b.csv, are one, with the fastest of each case (needs --profile)")(
      "device", po::value<std::string>(), "run on: cpu (default) or cuda:0, ...")(
      "devices,d", po::value<std::string>(),
      "numbers of devices, as 1,2; default 1; a CPU is cut into that many groups of threads")(
      "precision", po::value<std::string>(), "f32, f64 or f32,f64; default all of the profile")(
      "block,b", po::value<std::string>(),
      "block sizes N, as 1,4; default all, on a GPU those worth a thought")(
      "schedule", po::value<std::string>(),
      "what runs, as algorithm1,fused,vendor,spmv, or all; default all that the device has")(
      "exchange", po::value<std::string>(), "of several GPUs: halo (default), peer or staged")(
      "launch", po::value<std::string>(),
      "on a GPU: host,plain,graph,persistent, or all; default graph,persistent")(
      "renumber", po::value<std::string>(),
      "orders of the unknowns of files, as none,random,rcm,metis, or all; default none; metis for "
      "each number of several --devices")(
      "curve", po::value<std::string>(),
      "average: what to expect (default); maximum: the best case")(
      "seconds-per-case", po::value<double>(),
      "longest measurement of one case; default 0.5, on a GPU 0.01")(
      "csv", po::value<std::string>(),
      "write the raw data to this file; -: to standard output, and the report to standard error")(
      "resume", "go on with the cases that the --csv file does not hold yet")(
      "force", "overwrite a --csv file that is there")(
      "plot", po::value<std::string>(), "draw Figure 10 into this file: .svg, .png or .pdf")(
      "scatter", po::value<std::string>(),
      "draw predicted against measured time, by working set, into this file")(
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

/// The positive, finite number of an option.
double positive_of(const CommandLine& line, const char* option, double otherwise) {
  if (!line.has(option)) return otherwise;
  const double number = line.get<double>(option);
  if (!(number > 0 && number < 1e300)) {
    throw UsageError("--" + std::string(option) + ": expected a positive number");
  }
  return number;
}

/// Throws `UsageError` for options that mean nothing together.
void refuse_combinations(const CommandLine& line) {
  const bool from = line.has("from");
  if (from && (line.has("matrix") || line.has("generated"))) {
    throw UsageError("--from reads what was measured: no matrix and no --generated with it");
  }
  const auto refuse = [&](std::initializer_list<const char*> options, const std::string& why) {
    for (const char* option : options) {
      if (line.has(option)) throw UsageError("--" + std::string(option) + ": " + why);
    }
  };
  if (from) {
    refuse({"largest", "seed", "device", "devices", "precision", "block", "schedule", "exchange",
            "launch", "renumber", "seconds-per-case", "resume"},
           "of a measurement; --from runs nothing");
    if (!line.has("profile")) {
      refuse({"model", "curve"}, "prices raw data again; give the --profile to do it with");
    }
  } else {
    if (!line.has("generated")) {
      refuse({"largest", "seed"}, "of generated matrices; give --generated");
    }
    if (!line.has("matrix")) refuse({"renumber"}, "of matrix files; name some");
  }
  if (!line.has("csv")) refuse({"resume", "force"}, "of the file that --csv names; give it");
  if (!line.has("resume")) return;
  if (line.has("force"))
    throw UsageError("--resume goes on with what --force overwrites; choose one");
  if (is_standard_output(line.get<std::string>("csv"))) {
    throw UsageError("--resume: there is nothing in --csv -; name a file");
  }
}

/// The file that --csv names, if what is written there stays and can be read back.
bool keeps_raw_data(const CommandLine& line) {
  if (!line.has("csv") || is_standard_output(line.get<std::string>("csv"))) return false;
  std::error_code error;
  const fs::file_type type = fs::status(line.get<std::string>("csv"), error).type();
  return type == fs::file_type::regular || type == fs::file_type::not_found;
}

/// Raw data of an earlier run is not lost without --force.
void refuse_to_overwrite(const CommandLine& line) {
  if (!keeps_raw_data(line) || line.has("resume") || line.has("force")) return;
  const auto& path = line.get<std::string>("csv");
  if (!fs::exists(path)) return;
  throw UsageError("--csv " + path + ": is there already; " +
                   (line.has("from") ? "" : "go on with --resume, ") +
                   "choose another name, or overwrite it with --force");
}

/// The names in an option's list, each of which must be known; "all" means all of them.
std::vector<std::string> parse_choice(const CommandLine& line, const char* option,
                                      const std::vector<std::string>& known) {
  const std::string text = line.get_or(option, "none");
  if (text == "all") return known;
  std::vector<std::string> names = split_names(text);
  for (const std::string& name : names) {
    if (std::ranges::find(known, name) != known.end()) continue;
    std::string list;
    for (const std::string& one : known) list += one + ", ";
    throw UsageError("--" + std::string(option) + ' ' + name + ": expected " + list + "or all");
  }
  return names;
}

std::vector<ValidatedSolver> make_solvers(const CommandLine& line, bool gpu) {
  std::vector<std::string> schedules(cg_schedule_names.begin(), cg_schedule_names.end());
  schedules.emplace_back(product_alone);
  const std::vector<std::string> launches{"host", "plain", "graph", "persistent"};
  std::vector<LaunchMode> modes{LaunchMode::graph, LaunchMode::persistent};
  if (line.has("launch")) {
    if (!gpu) throw UsageError("--launch: a CPU has no launch modes; leave it out");
    modes.clear();
    for (const std::string& name : parse_choice(line, "launch", launches)) {
      modes.push_back(parse_launch_mode(name));
    }
  }
  const auto solvers = validated_solvers(
      line.has("schedule") ? parse_choice(line, "schedule", schedules) : schedules, modes, gpu);
  if (solvers.empty()) {
    throw UsageError("--schedule and --launch: there is no such combination" +
                     std::string(gpu ? "; persistent kernels run the fused schedule only"
                                     : "; the vendor's schedule needs a GPU"));
  }
  return solvers;
}

/// The number in "cuda:0". Throws `UsageError` for what is no GPU.
int gpu_of(const std::string& device) {
  std::vector<int> gpus;
  try {
    gpus = parse_device_list(device, gpu_kind);
  } catch (const Error&) {
    throw UsageError("--device " + device + ": expected cpu, or a GPU as cuda:0");
  }
  if (gpus.size() > 1) {
    throw UsageError("--device " + device +
                     ": expected the first GPU; how many from there on says "
                     "--devices, as --device " +
                     device_list(gpu_kind, std::span(gpus).first(1)) + " --devices 1," +
                     std::to_string(gpus.size()));
  }
  return gpus.front();
}

/// Of a GPU of this machine ("cuda:0"). Throws `Error` when there is no such GPU.
GpuShape gpu_shape(const std::string& device) {
  const int gpu = gpu_of(device);
  open_backend(device);  // says what there is
  return list_gpus().devices.at(static_cast<std::size_t>(gpu)).shape();
}

std::string device_of(const CommandLine& line) {
  return line.get_or("device", "cpu");
}

ValidationRequest make_request(const CommandLine& line, const DeviceProfile& profile) {
  ValidationRequest request;
  if (line.has("block")) {
    request.blocks = parse_block_sizes("--block", line.get<std::string>("block"));
  }
  request.devices = parse_device_counts("--devices", line.get_or("devices", "1"));
  const std::string device = device_of(line);
  if (device != "cpu") request.gpu = gpu_shape(device);
  const int devices = std::ranges::max(request.devices);
  if (!request.gpu && devices > most_cpu_groups) {
    throw UsageError("--devices " + std::to_string(devices) + ": a CPU is cut into at most " +
                     std::to_string(most_cpu_groups) + " groups of threads");
  }
  if (line.has("exchange")) {
    if (!request.gpu) throw UsageError("--exchange: of several GPUs; leave it out");
    request.exchange = parse_exchange_option("--exchange", line.get<std::string>("exchange"));
    if (request.exchange == ExchangeMode::automatic) {
      throw UsageError("--exchange automatic: expected halo, peer or staged");
    }
  }
  request.solvers = make_solvers(line, request.gpu.has_value());
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
  request.seconds_per_case = positive_of(line, "seconds-per-case", request.gpu ? 0.01 : 0.5);
  return request;
}

/// The orders of --renumber; all of them are those that there are for the numbers of devices.
std::vector<Renumbering> renumberings_of(const CommandLine& line, const std::vector<int>& devices) {
  std::vector<std::string> known;
  for (const Renumbering how : all_renumberings) known.emplace_back(to_string(how));
  const int most_devices = std::ranges::max(devices);
  std::vector<Renumbering> renumberings;
  for (const std::string& name : parse_choice(line, "renumber", known)) {
    const Renumbering how = parse_renumbering(name);
    if (line.get_or("renumber", "none") != "all") {
      require_several_devices(how, most_devices, "--devices");
    }
    renumberings.push_back(how);
  }
  return renumberings;
}

/// The matrices to measure, large ones first where they are made ahead.
std::vector<ValidationSource> make_sources(const CommandLine& line,
                                           const std::vector<MatrixFile>& files,
                                           const std::vector<int>& devices) {
  const std::vector<Renumbering> renumberings = renumberings_of(line, devices);
  std::set<int> several(devices.begin(), devices.end());
  several.erase(1);
  std::vector<ValidationSource> sources;
  if (line.has("generated")) {
    const bool for_several = !several.empty() && device_of(line) != "cpu";
    const std::uint64_t seed = line.get_or<std::uint64_t>("seed", 1);
    sources = held_out_matrices(positive_of(line, "largest", 5e8), for_several, seed);
  }
  for (const MatrixFile& file : files) {
    ValidationSource source;
    source.name = file.name;
    // A line of text a nonzero, of which there are two where one half is stored.
    constexpr double bytes_per_nonzero = 6;
    const double packed = file.path.extension() == ".gz" ? 5 : 1;
    std::error_code error;  // a pipe has no size
    const auto bytes = fs::file_size(file.path, error);
    source.nonzeros = error ? 0 : packed * static_cast<double>(bytes) / bytes_per_nonzero;
    source.renumberings = renumberings;
    source.metis_devices.assign(several.begin(), several.end());
    source.load = [file](int) {
      MatrixMarketFile read = read_matrix(file.path.string());
      return ValidationMatrix{file.name, std::move(read.matrix),
                              read.header.field == MatrixMarketField::pattern};
    };
    sources.push_back(std::move(source));
  }
  return sources;
}

/// The order in which matrices are made ahead: those that take long first, the others mixed, so
/// that an interrupted validation has some of every kind.
void mix(std::vector<ValidationSource>& sources) {
  constexpr double takes_long = 4e7;  // nonzeros
  std::ranges::stable_sort(sources, {}, [](const ValidationSource& source) {
    std::uint64_t hash = 0;
    for (const char c : source.name) hash = scramble(hash ^ static_cast<unsigned char>(c));
    return std::pair(source.nonzeros > takes_long ? -source.nonzeros : 0.0, hash);
  });
}

CurveKind curve_of(const CommandLine& line) {
  return parse_curve("--curve", line.get_or("curve", "average"));
}

std::string model_of(const CommandLine& line) {
  const std::string model = line.get_or("model", "");
  if (!model.empty() && model != "traffic" && model != "cache" && model != "paper") {
    throw UsageError("--model " + model + ": expected traffic, cache or paper");
  }
  return model;
}

/// Prices measured rows, and says by what.
void price(ValidationData& data, const DeviceProfile& profile, const CommandLine& line) {
  const CurveKind curve = curve_of(line);
  price_rows(data.rows, profile, model_of(line), curve);
  data.about["profile"] = profile.name;
  data.about["profile device"] = profile.device;
  data.about["model"] = CasePricer(profile, model_of(line), curve).model();
  data.about["curve"] = curve == CurveKind::average ? "average" : "maximum";
}

void write_raw_data(const ValidationData& data, const CommandLine& line) {
  if (!line.has("csv")) return;
  write_file(line.get<std::string>("csv"), validation_to_csv(data));
}

/// Of raw data that was written before all cases were measured.
constexpr const char* unfinished_key = "unfinished";

/// Measures all matrices; what was measured is in `data` whatever happens.
class ValidationRun {
 public:
  ValidationRun(const CommandLine& line, const std::vector<MatrixFile>& files, ValidationData& data)
      : files_(files),
        data_(data),
        line_(line),
        profile_(read_profile(line.get<std::string>("profile"))) {
    device_ = device_of(line);
    if (profile_.kind == DeviceProfile::Kind::gpu && device_ == "cpu") {
      throw UsageError("profile " + profile_.name + " describes " + profile_.device +
                       ", a GPU; measure on one with --device cuda:0, or calibrate this machine's "
                       "CPU and use its profile");
    }
    request_ = make_request(line, profile_);
    sources_ = make_sources(line, files, request_.devices);
    if (request_.gpu) mix(sources_);
    describe_run();
    price(data_, profile_, line_);  // an unknown model is found before anything runs
    for (std::size_t i = 0; i < data_.rows.size(); ++i) places_[case_key(data_.rows[i])] = i;
  }

  /// Returns false when it was interrupted. Cases have as many visits as they need, those of the
  /// run that is resumed among them.
  bool run() {
    const InterruptGuard guard;
    try {
      bool complete = visit(sources_, 1, "validate");
      for (int pass = 2; !request_.gpu && complete && pass <= Visits::most; ++pass) {
        complete =
            visit(unconfirmed_sources(pass), pass,
                  pass <= Visits::of_all ? "validate, again" : "validate, where visits disagree");
      }
      if (complete) {
        data_.about.erase(unfinished_key);
        finish_rows();
      }
      return complete;
    } catch (const std::exception&) {
      save();
      throw;
    }
  }

 private:
  /// Throws where raw data calls a matrix by a name that two files have now: whose it is, is not
  /// known.
  void require_names_of(const std::vector<ValidationRow>& rows, const std::string& path) const {
    std::set<std::string> names;
    for (const ValidationSource& source : sources_) names.insert(source.name);
    for (const MatrixFile& file : files_) {
      const std::string alone = name_alone(file.path);
      const bool known = std::ranges::find(rows, alone, &ValidationRow::matrix) != rows.end();
      if (known && !names.contains(alone)) {
        throw Error(path + ": holds matrix '" + alone +
                    "', and there are several of that name now; " +
                    "name the same files as before, or another --csv");
      }
    }
  }

  /// What is known of where and when; with --resume also what was measured before.
  void describe_run() {
    const std::string run_on = backend(1, LaunchMode::graph).description();
    const Environment environment = describe_environment();
    const std::map<std::string, std::string> about{
        {"run on", run_on},
        {"program", environment.program_version},
        {"compiler", environment.compiler},
        {"operating system", environment.operating_system},
        {"date", environment.date},
        {"seconds per case", format_number(request_.seconds_per_case)}};
    if (line_.has("resume")) {
      const auto& path = line_.get<std::string>("csv");
      data_ = parse_validation_csv(read_file(path), path);
      require_names_of(data_.rows, path);
      const auto expect = [&](const char* key, const std::string& ours, bool same) {
        if (same) return;
        throw Error(path + ": " + key + " '" + data_.about[key] + "'; this is '" + ours +
                    "'; name another file with --csv");
      };
      expect("run on", run_on, same_kind_of_device(data_.about["run on"], run_on));
      expect("profile device", profile_.device, data_.about["profile device"] == profile_.device);
      add_run(data_.about, about);
    } else {
      data_.about = about;
    }
    data_.about[unfinished_key] = "yes";
  }

  /// Writes what was measured so far, where it can be gone on with.
  void save() {
    if (keeps_raw_data(line_) && !data_.rows.empty()) write_raw_data(data_, line_);
    saved_ = steady_seconds();
  }

  /// Takes a case's time. The first is saved at once, so that a run that is killed early leaves
  /// something too.
  void add(ValidationRow row) {
    add_visit(std::move(row), places_, data_.rows);
    constexpr double seconds_between_saves = 10;
    if (!saved_ || steady_seconds() - *saved_ > seconds_between_saves) save();
  }

  /// Sorts, prices and writes what was measured.
  void finish_rows() {
    std::ranges::stable_sort(data_.rows, {}, [](const ValidationRow& row) {
      return std::tie(row.generated, row.matrix, row.renumbering);
    });
    price(data_, profile_, line_);
    if (!data_.rows.empty()) write_raw_data(data_, line_);
  }

  /// Measures what is not confirmed yet of these matrices. Returns false when it was interrupted.
  bool visit(std::vector<ValidationSource> sources, int pass, const char* title) {
    const std::size_t count = sources.size();
    if (count == 0) return true;
    Progress progress(title);
    // On a GPU the host is free: all of its threads but those that measure, and the driver's.
    // Several GPUs also wait for each other's threads, while segments are counted on more.
    const int most_devices = std::ranges::max(request_.devices);
    const int busy = most_devices > 1 ? 2 * most_devices + validation_counting_threads : 2;
    const int workers = request_.gpu ? std::max(1, available_threads() - busy) : 0;
    const double memory = static_cast<double>(describe_cpu().available_bytes);
    constexpr double share_of_memory = 0.6;
    ValidationSupply supply(std::move(sources), workers, share_of_memory * memory);
    std::size_t finished = 0;
    double share_of_matrix = 0;  // that is done before its present order
    double orders = 1;
    ValidationMonitor monitor;
    monitor.backend = [this](int devices, LaunchMode launch) -> Backend& {
      return backend(devices, launch);
    };
    monitor.proceed = [&](const std::string& what, double share_of_order) {
      const double done = static_cast<double>(finished) + share_of_matrix + share_of_order / orders;
      progress.update(done / static_cast<double>(count), what);
      return !InterruptGuard::interrupted();
    };
    monitor.done = [this](ValidationRow row) { add(std::move(row)); };
    monitor.skipped = [&](const std::string& what) {
      if (pass == 1) warn("skipped " + what);
    };
    monitor.wanted = [this, pass](const ValidationRow& row) { return is_wanted(row, pass); };
    std::optional<GpuMonitor> gpu;
    if (request_.gpu) {
      gpu.emplace(gpu_of(device_));
      monitor.state = [&] { return gpu->state(); };
    }
    bool complete = true;
    for (; complete && !InterruptGuard::interrupted(); ++finished) {
      auto result = supply.next();
      if (!result) break;
      if (!result->failure.empty()) {
        if (sources_.size() == 1) throw Error(result->failure);
        if (pass == 1) warn("skipped " + result->failure);
      }
      share_of_matrix = 0;
      orders = static_cast<double>(result->inputs.size());
      for (const ValidationInput& input : result->inputs) {
        complete = complete && validate_matrix(input, request_, monitor);
        share_of_matrix += 1 / orders;
      }
    }
    complete = complete && finished == count;
    // Now: after an interruption the supply waits for what it is making.
    if (!complete) finish_rows();
    return complete;
  }

  /// Whether a pass measures a case: not where it has had as many visits, or two that agree.
  bool is_wanted(const ValidationRow& row, int pass) const {
    const auto place = places_.find(case_key(row));
    if (place == places_.end()) return true;
    const ValidationRow& known = data_.rows[place->second];
    return known.visits < pass && !Visits::agree(known.measured_seconds, known.second_seconds);
  }

  /// Matrices with cases that a later pass measures.
  std::vector<ValidationSource> unconfirmed_sources(int pass) const {
    std::set<std::string> names;
    for (const ValidationRow& row : data_.rows) {
      if (is_wanted(row, pass)) names.insert(row.matrix);
    }
    std::vector<ValidationSource> sources;
    for (const ValidationSource& source : sources_) {
      if (names.contains(source.name)) sources.push_back(source);
    }
    return sources;
  }

  Backend& backend(int devices, LaunchMode launch) {
    auto& place = backends_[{devices, request_.gpu ? launch : LaunchMode::automatic}];
    if (!place) {
      CudaPolicy policy;
      policy.launch_mode = launch;
      if (devices > 1) policy.exchange = request_.exchange;
      place = open_backend(consecutive_devices(device_, devices), 0, policy);
    }
    return *place;
  }

  const std::vector<MatrixFile>& files_;
  ValidationData& data_;
  const CommandLine& line_;
  DeviceProfile profile_;
  ValidationRequest request_;
  std::string device_;
  std::vector<ValidationSource> sources_;
  std::map<std::string, std::size_t> places_;  ///< of cases in `data_`
  std::optional<double> saved_;                ///< when, as `steady_seconds`
  std::map<std::pair<int, LaunchMode>, std::unique_ptr<Backend>> backends_;
};

/// Raw data of earlier runs, priced again where a profile is given.
ValidationData read_runs(const CommandLine& line) {
  const auto& paths = line.get<std::vector<std::string>>("from");
  if (paths.size() > 1 && !line.has("profile")) {
    throw UsageError("--from: several runs are priced again; give the --profile to do it with");
  }
  std::vector<ValidationData> runs;
  for (const std::string& path : paths) {
    runs.push_back(parse_validation_csv(read_file(path), path));
  }
  ValidationData data = merge_validations(std::move(runs), paths);
  if (line.has("profile")) {
    price(data, read_profile(line.get<std::string>("profile")), line);
  }
  return data;
}

/// What an interrupted validation keeps, and how to go on.
std::string interrupted_text(const CommandLine& line, std::size_t cases) {
  if (cases == 0) return "interrupted before anything was measured";
  const std::string count = std::to_string(cases);
  if (!keeps_raw_data(line)) {
    return "interrupted: the figures are of the " + count + " cases measured so far";
  }
  return "interrupted: the " + count + " cases measured so far are in " +
         line.get<std::string>("csv") + "; go on with --resume";
}

int run_validate(std::span<const std::string> arguments) {
  CommandLine line = make_command_line();
  if (!line.parse(arguments)) return 0;
  refuse_combinations(line);
  CommandFiles files;
  std::vector<MatrixFile> matrices;
  if (line.has("from")) {
    refuse_repeated_files("--from", line.get<std::vector<std::string>>("from"));
    files.reads(line, "from");
  } else if (line.has("matrix") || !line.has("generated")) {
    matrices = find_matrix_files(line.get<std::vector<std::string>>("matrix"));
    for (const MatrixFile& matrix : matrices) files.reads("MATRIX", matrix.path.string());
  }
  files.reads(line, "profile");
  files.writes(line, "csv");
  for (const char* drawing : {"plot", "scatter"}) files.draws(line, drawing);
  files.check(line.has("json"));
  refuse_to_overwrite(line);

  ValidationData data;
  bool complete = true;
  if (line.has("from")) {
    data = read_runs(line);
    write_raw_data(data, line);
  } else {
    complete = ValidationRun(line, matrices, data).run();
  }
  if (data.rows.empty()) {
    if (!complete) throw Interrupted(interrupted_text(line, 0));
    throw Error("nothing was measured");
  }

  const ValidationSummary summary = summarize_validation(data.rows);
  if (line.has("json")) {
    std::cout << to_json(data, summary).lines();
  } else {
    const bool raw_data_printed =
        line.has("csv") && is_standard_output(line.get<std::string>("csv"));
    print_validation(data, summary, raw_data_printed ? std::cerr : std::cout);
  }
  if (line.has("plot")) draw_validation(line.get<std::string>("plot"), data.rows);
  if (line.has("scatter")) draw_forecasts(line.get<std::string>("scatter"), data.rows);
  if (!complete) throw Interrupted(interrupted_text(line, data.rows.size()));
  return 0;
}

}  // namespace

extern const Command validate_command{"validate", "measured beside predicted on real matrices",
                                      run_validate};

}  // namespace sparsecast::cli
