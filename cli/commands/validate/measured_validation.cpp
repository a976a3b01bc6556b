#include "cli/commands/validate/measured_validation.hpp"

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <future>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <tuple>
#include <utility>

#include "cli/commands/validate/raw_data.hpp"
#include "cli/commands/validate/validation_options.hpp"
#include "cli/commands/validate/validation_sources.hpp"
#include "cli/counting/iteration_counts.hpp"
#include "cli/counting/right_hand_side.hpp"
#include "cli/interrupt.hpp"
#include "cli/rank_system.hpp"
#include "cli/ranks.hpp"
#include "cli/reports/progress.hpp"
#include "cli/reports/table.hpp"
#include "core/base/files/text_file.hpp"
#include "core/base/stopwatch.hpp"
#include "core/base/threads/thread_team.hpp"
#include "core/base/visits.hpp"
#include "core/cpu/machine.hpp"
#include "core/cuda/device/gpu_devices.hpp"
#include "core/engine/device_list.hpp"
#include "core/matrix/files/file_kind.hpp"
#include "core/open_backend.hpp"
#include "predict/validation/cases_on_ranks.hpp"
#include "predict/validation/data/validation_csv.hpp"
#include "predict/validation/solution/solution_run.hpp"
#include "predict/validation/validation_run.hpp"
#include "predict/validation/validation_supply.hpp"

namespace sparsecast::cli {

namespace {

/// Of raw data that was written before all cases were measured.
constexpr const char* unfinished_key = "unfinished";

/// The device of this process: that of --device, or of a rank its own. All ranks call it.
std::string own_device(const CommandLine& line) {
  if (ranks() == nullptr) return device_of(line);
  const std::optional<GpuPart> gpu = device_of_rank(device_of(line));
  return gpu ? to_string(*gpu) : device_of(line);
}

/// Those that ranks measure together, by what this rank has. All of them call it.
std::unique_ptr<CasesOnRanks> join_ranks(const ValidationRequest& request,
                                         const std::string& device) {
  std::optional<GpuPart> gpu;
  if (request.gpu) gpu = gpu_of(device);
  const auto open = [&request, gpu](const RankPart& part, LaunchMode launch) {
    CudaPolicy policy;
    policy.launch_mode = launch;
    policy.exchange = request.exchange;
    return open_rank_backend(part, gpu, available_threads(), policy);
  };
  return std::make_unique<CasesOnRanks>(*ranks(), request, open);
}

/// Measures all matrices; what was measured is in `data` whatever happens.
class ValidationRun {
 public:
  ValidationRun(const CommandLine& line, const std::vector<MatrixFile>& files, ValidationData& data)
      : files_(files),
        data_(data),
        line_(line),
        profile_(profile_of(line)),
        device_(own_device(line)),
        request_(make_request(line, profile_, device_)) {
    if (const auto options = count_options(line)) {
      require_countable(std::span(&profile_, 1), false);
      rules_ = SolutionRules{options->rules,
                             [this](std::int64_t rows) { return right_hand_side(line_, rows); }};
      rules_->count.compete = false;
      counting_ = open_device(options->device, 0, {}, "--count-on");
    }
    if (ranks() != nullptr) on_ranks_ = join_ranks(request_, device_);
    sources_ = make_sources(line, files, request_.devices);
    if (request_.gpu) mix(sources_, line);
    describe_run();
    price(data_, profile_, line_);  // an unknown model is found before anything runs
    for (std::size_t i = 0; i < data_.rows.size(); ++i) places_[case_key(data_.rows[i])] = i;
  }

  /// Returns false when it was interrupted. Cases have as many visits as they need, those of the
  /// run that is resumed among them.
  bool run() {
    // A signal to mpirun ends all ranks.
    std::optional<InterruptGuard> guard;
    if (!on_ranks_) guard.emplace();
    try {
      bool complete = visit(sources_, 1, "validate");
      for (int pass = 2; !request_.gpu && !rules_ && complete && pass <= Visits::most; ++pass) {
        complete =
            visit(unconfirmed_sources(pass), pass,
                  pass <= Visits::of_all ? "validate, again" : "validate, where visits disagree");
      }
      if (complete) {
        data_.about.erase(unfinished_key);
        finish_rows();
      }
      if (on_ranks_) on_ranks_->finish();
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
      const std::string alone = matrix_name(file.path);
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
    std::map<std::string, std::string> about{
        {"run on", run_on},
        {"program", environment.program_version},
        {"compiler", environment.compiler},
        {"operating system", environment.operating_system},
        {"date", environment.date},
        {"seconds per case", format_number(request_.seconds_per_case)}};
    if (rules_) about["iterations counted on"] = counting_->description();
    if (on_ranks_) {
      about["ranks"] = std::to_string(ranks()->size());
      if (profile_.network)
        about[ranks_per_host_key] = std::to_string(profile_.network->ranks_per_host);
    }
    if (line_.has("resume")) {
      const auto& path = line_.get<std::string>("csv");
      data_ = parse_validation_csv(read_text(path), path);
      require_names_of(data_.rows, path);
      const auto expect = [&](const char* key, const std::string& ours, bool same) {
        if (same) return;
        throw Error(path + ": " + key + " '" + data_.about[key] + "'; this is '" + ours +
                    "'; name another file with --csv");
      };
      expect("run on", run_on, same_kind_of_device(data_.about["run on"], run_on));
      expect("profile device", profile_.device, data_.about["profile device"] == profile_.device);
      const auto ranks_of = [](const std::map<std::string, std::string>& run) {
        const auto found = run.find("ranks");
        return found != run.end() ? found->second : "1";
      };
      expect("ranks", ranks_of(about), ranks_of(data_.about) == ranks_of(about));
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
    // Several GPUs also wait for each other's threads, while segments are counted on more. Of ranks
    // with a GPU each, this one has the threads of one.
    const int most_devices = std::ranges::max(request_.devices);
    const int own_devices = on_ranks_ ? 1 : most_devices;
    const int busy = 2 * own_devices + (most_devices > 1 ? validation_counting_threads : 0);
    // Counts, and what the host does in a solve, have all threads to themselves.
    const bool ahead = request_.gpu && !rules_;
    const int workers = ahead ? std::max(1, available_threads() - busy) : 0;
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
    monitor.on_ranks = on_ranks_.get();
    monitor.done = [this](ValidationRow row) { add(std::move(row)); };
    monitor.skipped = [&](const std::string& what) {
      if (pass == 1) warn("skipped " + what);
    };
    monitor.wanted = [this, pass](const ValidationRow& row) { return is_wanted(row, pass); };
    std::optional<GpuMonitor> gpu;
    if (request_.gpu) {
      gpu.emplace(gpu_of(device_).gpu);
      monitor.state = [&] { return gpu->state(); };
    }
    bool complete = true;
    for (; complete && !InterruptGuard::interrupted(); ++finished) {
      auto result = next(supply);
      if (!result) break;
      if (!result->failure.empty()) {
        if (sources_.size() == 1) throw Error(result->failure);
        if (pass == 1) warn("skipped " + result->failure);
      }
      share_of_matrix = 0;
      orders = static_cast<double>(result->inputs.size());
      for (const ValidationInput& input : result->inputs) {
        complete = complete && measure(input, monitor);
        share_of_matrix += 1 / orders;
      }
    }
    complete = complete && finished == count;
    // Now: after an interruption the supply waits for what it is making.
    if (!complete) finish_rows();
    return complete;
  }

  /// The next matrix, while the other ranks wait for it.
  std::optional<ValidationSupply::Result> next(ValidationSupply& supply) {
    if (!on_ranks_) return supply.next();
    auto result = std::async(std::launch::async, [&supply] { return supply.next(); });
    while (result.wait_for(std::chrono::seconds(10)) != std::future_status::ready) {
      on_ranks_->keep_waiting();
    }
    return result.get();
  }

  bool measure(const ValidationInput& input, const ValidationMonitor& monitor) {
    if (!rules_) return validate_matrix(input, request_, monitor);
    return validate_solutions(input, request_, *rules_, *counting_, monitor);
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
  std::string device_;
  ValidationRequest request_;
  std::optional<SolutionRules> rules_;      ///< of times to solution
  std::unique_ptr<Backend> counting_;       ///< of these
  std::unique_ptr<CasesOnRanks> on_ranks_;  ///< nullptr: there is one process
  std::vector<ValidationSource> sources_;
  std::map<std::string, std::size_t> places_;  ///< of cases in `data_`
  std::optional<double> saved_;                ///< when, as `steady_seconds`
  std::map<std::pair<int, LaunchMode>, std::unique_ptr<Backend>> backends_;
};

}  // namespace

bool measure_validation(const CommandLine& line, const std::vector<MatrixFile>& files,
                        ValidationData& data) {
  return ValidationRun(line, files, data).run();
}

void serve_validation(const CommandLine& line) {
  const DeviceProfile profile = profile_of(line);
  const std::string device = own_device(line);
  const ValidationRequest request = make_request(line, profile, device);
  join_ranks(request, device)->serve();
}

}  // namespace sparsecast::cli
