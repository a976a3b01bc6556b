#include <algorithm>
#include <filesystem>
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
#include "cli/commands.hpp"
#include "cli/interrupt.hpp"
#include "cli/progress.hpp"
#include "cli/table.hpp"
#include "cli/validation_plot.hpp"
#include "cli/validation_report.hpp"
#include "core/cuda_backend.hpp"
#include "core/device_list.hpp"
#include "core/file_output.hpp"
#include "core/gpu_devices.hpp"
#include "core/machine.hpp"
#include "core/matrix_market.hpp"
#include "core/random_stream.hpp"
#include "core/stopwatch.hpp"
#include "core/thread_team.hpp"
#include "core/visits.hpp"
#include "predict/case_price.hpp"
#include "predict/held_out_matrices.hpp"
#include "predict/validation_run.hpp"
#include "predict/validation_supply.hpp"

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
      "values; complex and non-square ones are skipped. Ctrl-C keeps what was measured. With "
      "--from "
      "nothing runs:\nraw data is analysed, and priced again where a profile is given.",
      "sparsecast validate matrices/ --profile cpu.json --csv raw.csv --plot figure10.svg");
  line.add()("matrix", po::value<std::vector<std::string>>(),
             "Matrix Market files, plain or .gz, or folders of them")(
      "generated",
      "also some 180 generated matrices that calibration does not use; for several GPUs more "
      "large ones")("largest", po::value<double>()->default_value(5e8, "5e8"),
                    "leave out generated matrices of more nonzeros")(
      "seed", po::value<std::uint64_t>(),
      "other generated matrices of the same kinds, as 2; default 1")(
      "profile,p", po::value<std::string>(), "profile: a .json file or a shipped name")(
      "model", po::value<std::string>(),
      "model that prices: traffic, cache or paper; default the best that the profile has")(
      "from", po::value<std::vector<std::string>>(),
      "raw data of an earlier run: analyse it, run nothing; several runs on one kind of device, as "
      "--from a.csv --from b.csv, are one, with the fastest of each case (needs --profile)")(
      "device", po::value<std::string>()->default_value("cpu"), "run on: cpu or cuda:0, ...")(
      "devices,d", po::value<std::string>()->default_value("1"),
      "numbers of devices, as 1,2; a CPU is cut into that many groups of threads")(
      "precision", po::value<std::string>(), "f32, f64 or f32,f64; default all of the profile")(
      "block,b", po::value<std::string>(),
      "block sizes N, as 1,4; default all, on a GPU those worth a thought")(
      "schedule", po::value<std::string>(),
      "what runs, as algorithm1,fused,vendor,spmv, or all; default all that the device has")(
      "exchange", po::value<std::string>(), "of several GPUs: halo (default), peer or staged")(
      "launch", po::value<std::string>(),
      "on a GPU: host,plain,graph,persistent, or all; default graph,persistent")(
      "renumber", po::value<std::string>()->default_value("none"),
      "orders of the unknowns of files, as none,random,rcm,metis, or all; metis for each number of "
      "several --devices")("curve", po::value<std::string>()->default_value("average"),
                           "average: what to expect; maximum: the best case")(
      "seconds-per-case", po::value<double>(),
      "longest measurement of one case; default 0.5, on a GPU 0.01")(
      "csv", po::value<std::string>(), "write the raw data to this file")(
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

/// The names in an option's list, each of which must be known; "all" means all of them.
std::vector<std::string> parse_choice(const CommandLine& line, const char* option,
                                      const std::vector<std::string>& known) {
  const auto& text = line.get<std::string>(option);
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
  const std::vector<std::string> schedules{"fused", "algorithm1", "vendor",
                                           std::string(product_alone)};
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

/// The number in "cuda:0".
int gpu_of(const std::string& device) {
  const std::vector<int> gpus = parse_device_list(device, gpu_kind);
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

ValidationRequest make_request(const CommandLine& line, const DeviceProfile& profile) {
  ValidationRequest request;
  if (line.has("block")) {
    request.blocks = parse_int_list("--block", line.get<std::string>("block"));
    for (const int block : request.blocks) block_layout(block);
  }
  request.devices = parse_device_counts("--devices", line.get<std::string>("devices"));
  const std::string device = line.get<std::string>("device");
  if (device != "cpu" && !device.starts_with(gpu_kind)) {
    throw UsageError("--device " + device + ": expected cpu, or a GPU as cuda:0");
  }
  if (device != "cpu") request.gpu = gpu_shape(device);
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
  request.seconds_per_case = request.gpu ? 0.01 : 0.5;
  if (line.has("seconds-per-case")) request.seconds_per_case = line.get<double>("seconds-per-case");
  if (!(request.seconds_per_case > 0)) {
    throw UsageError("--seconds-per-case: expected a positive number");
  }
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
    if (line.get<std::string>("renumber") != "all") {
      require_several_devices(how, most_devices, "--devices");
    }
    renumberings.push_back(how);
  }
  return renumberings;
}

/// The matrices to measure, large ones first where they are made ahead.
std::vector<ValidationSource> make_sources(const CommandLine& line,
                                           const std::vector<int>& devices) {
  const std::vector<Renumbering> renumberings = renumberings_of(line, devices);
  std::set<int> several(devices.begin(), devices.end());
  several.erase(1);
  std::vector<ValidationSource> sources;
  if (line.has("generated")) {
    const bool for_several = !several.empty() && line.get<std::string>("device") != "cpu";
    const std::uint64_t seed = line.has("seed") ? line.get<std::uint64_t>("seed") : 1;
    sources = held_out_matrices(line.get<double>("largest"), for_several, seed);
  } else if (line.has("seed")) {
    throw UsageError("--seed: of generated matrices; give --generated");
  }
  if (!line.has("matrix")) {
    // Asked for, so that the error names it.
    if (sources.empty()) line.get<std::vector<std::string>>("matrix");
    return sources;
  }
  for (const fs::path& file : matrix_files(line.get<std::vector<std::string>>("matrix"))) {
    ValidationSource source;
    source.name = matrix_name(file);
    // A line of text a nonzero, of which there are two where one half is stored.
    constexpr double bytes_per_nonzero = 6;
    const double packed = file.extension() == ".gz" ? 5 : 1;
    source.nonzeros = packed * static_cast<double>(fs::file_size(file)) / bytes_per_nonzero;
    source.renumberings = renumberings;
    source.metis_devices.assign(several.begin(), several.end());
    source.load = [file](int) {
      MatrixMarketFile read = read_matrix_market(file);
      return ValidationMatrix{matrix_name(file), std::move(read.matrix),
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
  return parse_curve("--curve", line.get<std::string>("curve"));
}

std::string model_of(const CommandLine& line) {
  return line.has("model") ? line.get<std::string>("model") : "";
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

/// Measures all matrices; what was measured is in `data` whatever happens.
class ValidationRun {
 public:
  ValidationRun(const CommandLine& line, ValidationData& data)
      : data_(data), line_(line), profile_(read_profile(line.get<std::string>("profile"))) {
    request_ = make_request(line, profile_);
    device_ = line.get<std::string>("device");
    if (profile_.kind == DeviceProfile::Kind::gpu && device_ == "cpu") {
      throw Error("profile " + profile_.name + " describes " + profile_.device +
                  ", a GPU; measure on one with --device cuda:0, or calibrate this machine's CPU "
                  "and use its profile");
    }
    price(data_, profile_, line_);  // an unknown model is found before anything runs
    sources_ = make_sources(line, request_.devices);
    if (request_.gpu) mix(sources_);
    const Environment environment = describe_environment();
    data_.about["run on"] = backend(1, LaunchMode::graph).description();
    data_.about["program"] = environment.program_version;
    data_.about["compiler"] = environment.compiler;
    data_.about["operating system"] = environment.operating_system;
    data_.about["date"] = environment.date;
    data_.about["seconds per case"] = format_number(request_.seconds_per_case);
  }

  /// Returns false when it was interrupted.
  bool run() {
    const InterruptGuard guard;
    bool complete = visit(sources_, true, "validate");
    for (int more = 1; !request_.gpu && complete && more < Visits::of_all; ++more) {
      complete = visit(sources_, false, "validate, again");
    }
    for (int more = Visits::of_all; !request_.gpu && complete && more < Visits::most; ++more) {
      complete = visit(unconfirmed_sources(), false, "validate, where visits disagree");
    }
    if (complete) finish_rows();
    return complete;
  }

 private:
  /// Sorts, prices and writes what was measured.
  void finish_rows() {
    std::ranges::stable_sort(data_.rows, {}, [](const ValidationRow& row) {
      return std::tie(row.generated, row.matrix, row.renumbering);
    });
    price(data_, profile_, line_);
    write_raw_data(data_, line_);
  }

  /// Measures what is not confirmed yet of these matrices. Returns false when it was interrupted.
  bool visit(std::vector<ValidationSource> sources, bool first, const char* title) {
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
    ValidationMonitor monitor;
    monitor.backend = [this](int devices, LaunchMode launch) -> Backend& {
      return backend(devices, launch);
    };
    monitor.proceed = [&](const std::string& what) {
      progress.update(static_cast<double>(finished) / static_cast<double>(count), what);
      return !InterruptGuard::interrupted();
    };
    monitor.done = [this](ValidationRow row) { add_visit(std::move(row), places_, data_.rows); };
    monitor.skipped = [&](const std::string& what) {
      if (first) warn("skipped " + what);
    };
    if (!request_.gpu) {
      monitor.wanted = [this](const ValidationRow& row) { return !confirmed(row); };
    }
    constexpr double seconds_between_writes = 15;
    double written = steady_seconds();
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
        if (first) warn("skipped " + result->failure);
      }
      for (const ValidationInput& input : result->inputs) {
        complete = complete && validate_matrix(input, request_, monitor);
      }
      if (steady_seconds() - written > seconds_between_writes) {
        write_raw_data(data_, line_);
        written = steady_seconds();
      }
    }
    complete = complete && finished == count;
    // Now: after an interruption the supply waits for what it is making.
    if (!complete) finish_rows();
    return complete;
  }

  /// Whether the visits to a case agree.
  bool confirmed(const ValidationRow& row) const {
    const auto place = places_.find(case_key(row));
    if (place == places_.end()) return false;
    const ValidationRow& known = data_.rows[place->second];
    return Visits::agree(known.measured_seconds, known.second_seconds);
  }

  /// Matrices with cases of which no two visits agree.
  std::vector<ValidationSource> unconfirmed_sources() const {
    std::set<std::string> names;
    for (const ValidationRow& row : data_.rows) {
      if (!confirmed(row)) names.insert(row.matrix);
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

  ValidationData& data_;
  const CommandLine& line_;
  DeviceProfile profile_;
  ValidationRequest request_;
  std::string device_;
  std::vector<ValidationSource> sources_;
  std::map<std::string, std::size_t> places_;  ///< of cases in `data_`
  std::map<std::pair<int, LaunchMode>, std::unique_ptr<Backend>> backends_;
};

int run_validate(std::span<const std::string> arguments) {
  CommandLine line = make_command_line();
  if (!line.parse(arguments)) return 0;
  ValidationData data;
  bool complete = true;
  if (line.has("from")) {
    if (line.has("matrix") || line.has("generated")) {
      throw UsageError("--from reads what was measured: no matrix and no --generated with it");
    }
    const auto& paths = line.get<std::vector<std::string>>("from");
    if (paths.size() > 1 && !line.has("profile")) {
      throw UsageError("--from: several runs are priced again; give the --profile to do it with");
    }
    std::vector<ValidationData> runs;
    for (const std::string& path : paths) {
      runs.push_back(parse_validation_csv(read_file(path), path));
    }
    data = merge_validations(std::move(runs), paths);
    if (line.has("profile")) {
      price(data, read_profile(line.get<std::string>("profile")), line);
    } else if (line.has("model")) {
      throw UsageError("--model prices raw data again; give the --profile to do it with");
    }
    write_raw_data(data, line);
  } else {
    complete = ValidationRun(line, data).run();
  }
  if (data.rows.empty()) throw Error("nothing was measured");

  const ValidationSummary summary = summarize_validation(data.rows);
  if (line.has("json")) {
    print_validation_json(data, summary);
  } else {
    print_validation(data, summary);
  }
  if (line.has("plot")) draw_validation(line.get<std::string>("plot"), data.rows);
  if (line.has("scatter")) draw_forecasts(line.get<std::string>("scatter"), data.rows);
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
