#include "cli/commands/predict/request_options.hpp"

#include <algorithm>
#include <string>
#include <vector>

#include "cli/forecast_options.hpp"
#include "cli/layout_options.hpp"
#include "cli/matrix_source.hpp"
#include "cli/own_schedule.hpp"
#include "core/analysis/persistent_cut.hpp"
#include "core/base/text/name_list.hpp"
#include "core/schedule/built_in_solvers.hpp"
#include "core/schedule/persistent/persistent_plan.hpp"
#include "core/workload/launch_mode.hpp"
#include "core/workload/layout.hpp"
#include "predict/forecast/solver_list.hpp"

namespace sparsecast::cli {
namespace {

/// Those of --schedule and --launch; both only of the traffic model.
void add_schedules(const CommandLine& line, PredictionRequest& request) {
  if (names_fused(line)) request.schedules.push_back(fused_cg().name());
  for (const OwnSchedule& own : own_schedules(line, true)) {
    request.own.push_back(own.priced());
    request.schedules.push_back(own.method.name);
  }
  if (request.schedules.empty() && line.has("schedule")) {
    const auto& name = line.get<std::string>("schedule");
    if (name == "all") {
      request.schedules = built_in_names();
    } else if (find_built_in(name) != nullptr) {
      request.schedules = {name};
    } else {
      std::vector<std::string> known = built_in_names();
      known.insert(known.end(), {"all", "a file that ends with .json"});
      throw UsageError("--schedule " + name + ": expected " + one_of(known));
    }
  }
  if (!line.has("launch")) return;
  const auto& name = line.get<std::string>("launch");
  if (name != "host" && name != "plain" && name != "graph" && name != "persistent") {
    throw UsageError("--launch " + name + ": expected graph, persistent, plain or host");
  }
  request.launches = {parse_launch_mode(name)};
}

/// Refuses what another model than the traffic model would not use.
void check_curve_choices(const CommandLine& line, const DeviceProfile& profile,
                         const PredictionRequest& request) {
  const std::string why = ": of the traffic model; profile " + profile.name +
                          " is priced by model " + std::string(profile.model());
  for (const char* option : {"launch", "explain"}) {
    if (line.has(option)) throw UsageError(std::string("--") + option + why);
  }
  if (const std::string option = first_row_option(line); !option.empty()) {
    throw UsageError(option + why);
  }
  const std::string& known = algorithm1().name();
  if (std::ranges::any_of(request.schedules,
                          [&](const std::string& name) { return name != known; })) {
    const char* option = line.has("solver") ? "solver" : "schedule";
    throw UsageError("--" + std::string(option) + ' ' + line.get<std::string>(option) + why +
                     ", which knows " + known);
  }
}

bool is_of_library(const Solver& solver) {
  return solver.library.has_value();
}

bool is_of_vendor_only(const PredictionRequest& request) {
  return !request.schedules.empty() && std::ranges::all_of(request.schedules, is_vendor);
}

void check_cpu_choices(const CommandLine& line, const DeviceProfile& profile,
                       const PredictionRequest& request) {
  const std::string why = ": profile " + profile.name + " is of a CPU, which ";
  if (const auto found = std::ranges::find_if(request.own, is_of_library);
      found != request.own.end()) {
    throw UsageError("--solver " + found->name() + why + found->library->library +
                     " is not forecast on");
  }
  if (line.has("launch")) throw UsageError("--launch" + why + "has no launch modes");
  if (is_of_vendor_only(request)) {
    throw UsageError("--schedule " + request.schedules.front() + why +
                     "has no cuSPARSE and cuBLAS");
  }
  if (std::ranges::max(request.devices) > 1 && !profile.network) {
    throw UsageError("--devices " + line.get<std::string>("devices") + why +
                     "is one device by the traffic model; use --devices 1, --network NAME for "
                     "several, or --model paper");
  }
}

/// Of solvers that a library carries out.
void check_library_choices(const CommandLine& line, const PredictionRequest& request) {
  const auto found = std::ranges::find_if(request.own, is_of_library);
  if (found == request.own.end()) return;
  const std::string by =
      ": " + found->name() + " is carried out by " + found->library->library + ", which ";
  if (line.has("launch")) {
    throw UsageError("--launch " + line.get<std::string>("launch") + by +
                     "calls its kernels one by one; leave it out");
  }
  if (request.schedules.size() > request.own.size()) return;
  if (!std::ranges::all_of(request.own, is_of_library)) return;
  if (std::ranges::max(request.devices) > 1) {
    throw UsageError("--devices " + line.get<std::string>("devices") + by +
                     "is forecast on one; use --devices 1");
  }
  if (!request.layouts.empty() && std::ranges::count(request.layouts, Layout{}) == 0) {
    throw UsageError("--layout " + to_string(request.layouts.front()) + by +
                     "is forecast in csr; use --layout csr");
  }
}

/// Refuses choices for which there are no kernels.
void check_gpu_choices(const PredictionRequest& request) {
  const bool several = std::ranges::max(request.devices) > 1;
  const auto all_layouts = [&](auto there_are) {
    return std::ranges::all_of(request.layouts, there_are);
  };
  if (is_of_vendor_only(request)) {
    const std::string option = "--schedule " + request.schedules.front();
    if (several) throw UsageError(option + ": there is none for several --devices");
    if (!all_layouts([](const Layout& layout) { return layout == Layout{}; })) {
      throw UsageError(option + ": there is none for other layouts than csr");
    }
  }
  if (request.launches.empty()) return;
  const LaunchMode launch = request.launches.front();
  if (several && launch != LaunchMode::graph) {
    throw UsageError("--launch " + std::string(to_string(launch)) +
                     ": there is none for several --devices, which run graphs");
  }
  if (launch != LaunchMode::persistent) return;
  SolverList solvers;
  for (const Solver& own : request.own) solvers.add(own);
  for (const std::string& name : request.schedules) {
    const std::string why = why_not_persistent(solvers.at(name).schedule);
    if (!why.empty())
      throw UsageError("--launch persistent: there is none for " + name + ": " + why);
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
    check_library_choices(line, request);
    check_gpu_choices(request);
  }
}

}  // namespace

PredictionRequest prediction_request(const CommandLine& line,
                                     const std::vector<DeviceProfile>& profiles) {
  PredictionRequest request;
  request.layouts = layouts_of(line);
  request.devices = parse_device_counts("--devices", line.get<std::string>("devices"));
  request.precision = precision_of(line, profiles);
  request.curve = parse_curve("--curve", line.get<std::string>("curve"));
  request.iterations = iterations_of(line);
  add_schedules(line, request);
  for (const DeviceProfile& profile : profiles) check_choices(line, profile, request);
  return request;
}

}  // namespace sparsecast::cli
