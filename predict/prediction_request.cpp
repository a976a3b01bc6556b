#include "predict/prediction_request.hpp"

#include <algorithm>

#include "core/base/error.hpp"
#include "core/schedule/built_in_solvers.hpp"
#include "predict/forecast/traffic/parallel_forecast.hpp"

namespace sparsecast {

namespace {

void check_numbers(const PredictionRequest& request) {
  if (request.devices.empty()) throw Error("prediction: no number of devices; expected at least 1");
  for (const int devices : request.devices) {
    if (devices < 1) {
      throw Error("prediction: " + std::to_string(devices) + " devices; expected at least 1");
    }
  }
  if (request.iterations < 0) {
    throw Error("prediction: " + std::to_string(request.iterations) +
                " iterations; expected none or more");
  }
}

/// What the traffic model of a profile does not know.
void check_traffic(const PredictionRequest& request, const DeviceProfile& profile) {
  require_devices(request.devices, profile);
  if (profile.traffic->cpu_threads > 0 && !request.launches.empty()) {
    throw Error("profile '" + profile.name + "' is of a CPU, which has no launch modes");
  }
}

}  // namespace

void require_devices(std::span<const int> devices, const DeviceProfile& profile) {
  if (!profile.traffic) return;
  for (const int count : devices) {
    if (count == 1 || profile.is_on_network(count)) continue;
    if (profile.traffic->cpu_threads > 0) {
      throw Error("profile '" + profile.name + "' is of a CPU, which is one device by the " +
                  "traffic model, not " + std::to_string(count) +
                  "; use 1 device, name the network of several, or use model paper");
    }
    require_links(profile, count);
  }
}

void check_request(const PredictionRequest& request, const DeviceProfile& profile) {
  check_numbers(request);
  if (profile.traffic) {
    check_traffic(request, profile);
    return;
  }
  const bool paper = std::ranges::all_of(
      request.schedules, [](const std::string& name) { return name == algorithm1().name(); });
  if (paper && request.launches.empty()) return;
  throw Error("profile '" + profile.name + "' is priced by the model '" +
              std::string(profile.model()) + "', which knows schedule " + algorithm1().name() +
              " and no launch modes; other schedules and launch "
              "modes need a profile with model traffic");
}

void ask_for_solution(std::span<const CountedSolver> counted, PredictionRequest& request) {
  request.counted.clear();
  request.own.clear();
  request.schedules.clear();
  for (const CountedSolver& each : counted) {
    if (each.count.precision != request.precision || !each.count.solves()) continue;
    request.schedules.push_back(each.count.solver);
    if (each.own) request.own.push_back(*each.own);
    request.counted.push_back(each);
  }
  if (request.counted.empty()) throw Error(why_none_solves(counted));
}

}  // namespace sparsecast
