#include "predict/forecast/requested_forecasts.hpp"

#include <algorithm>
#include <iterator>
#include <optional>
#include <string>
#include <utility>

#include "core/base/error.hpp"
#include "core/formats/registry.hpp"
#include "core/schedule/built_in_solvers.hpp"
#include "core/workload/layout.hpp"
#include "predict/unasked_layouts.hpp"

namespace sparsecast {

namespace {

/// The layouts of the request, or all of whose products the profile knows.
std::vector<Layout> layouts_of(const PredictionRequest& request, const DeviceProfile& profile) {
  if (!request.layouts.empty()) return request.layouts;
  std::vector<Layout> layouts;
  for (const Layout& layout : usual_layouts()) {
    if (knows_products(profile, request.precision, layout)) layouts.push_back(layout);
  }
  return layouts;
}

/// Throws `Error` for a layout that devices do not store the matrix in.
void require_stored(Predictor& predictor, const PredictionRequest& request) {
  for (const Layout& layout : request.layouts) {
    for (const int devices : request.devices) {
      const std::string refusal = predictor.refusal(layout, devices);
      if (!refusal.empty()) throw Error(refusal);
    }
  }
}

}  // namespace

std::vector<Prediction> predict_by_traffic(Predictor& predictor, const DeviceProfile& profile,
                                           const PredictionRequest& request) {
  std::vector<std::string> schedules = request.schedules;
  if (schedules.empty()) schedules = {fused_cg().name()};
  std::vector<std::string> libraries;
  const auto calls_libraries = [&](const std::string& name) {
    return predictor.calls_libraries(name);
  };
  std::ranges::copy_if(schedules, std::back_inserter(libraries), calls_libraries);
  std::erase_if(schedules, calls_libraries);
  std::vector<std::optional<LaunchMode>> launches(request.launches.begin(), request.launches.end());
  if (launches.empty()) launches = default_launches(profile);
  require_stored(predictor, request);
  const bool asked = !request.layouts.empty();
  const std::vector<Layout> layouts = layouts_of(request, profile);

  std::vector<Prediction> predictions;
  for (const Layout& layout : layouts) {
    for (const int devices : request.devices) {
      if (asked ? !knows_products(profile, request.precision, layout)
                : !predictor.is_unasked(layout, devices)) {
        continue;
      }
      for (const std::string& name : schedules) {
        for (const std::optional<LaunchMode> launch : launches) {
          auto prediction = predictor.predict_if_known({layout, devices, name, launch});
          if (prediction) predictions.push_back(std::move(*prediction));
        }
      }
    }
  }
  const bool ours = !predictions.empty();
  const bool one_device = std::ranges::find(request.devices, 1) != request.devices.end();
  for (const std::string& name : libraries) {
    if (!one_device || (asked && std::ranges::count(layouts, Layout{}) == 0)) continue;
    const std::vector<std::optional<LaunchMode>> plain{LaunchMode::plain};
    for (const std::optional<LaunchMode> launch : predictor.is_library(name) ? plain : launches) {
      auto prediction = predictor.predict_if_known({{}, 1, name, launch});
      if (!prediction) continue;
      prediction->only_compared = ours;
      predictions.push_back(std::move(*prediction));
    }
  }
  if (predictions.empty()) {
    throw Error("nothing to predict: of what is asked for, profile '" + profile.name +
                "' has parameters for none in " + std::string(to_string(request.precision)) +
                ", or there are no kernels (persistent: layouts csr and bcsr3, systems "
                "whose parts fit in shared memory, no arrays of vectors and no transpose; vendor: "
                "csr; several GPUs: neither, launch graph)");
  }
  for (const Layout& layout : request.layouts) {
    if (std::ranges::find(predictions, layout, &Prediction::layout) != predictions.end()) continue;
    throw Error(
        "layout " + to_string(layout) + ": profile '" + profile.name +
        "' has no parameters for it in " + std::string(to_string(request.precision)) +
        ", or there are no such kernels; calibrate the device with this version, or leave it out");
  }
  predictor.add_speedups(predictions);
  predictor.add_payoffs(predictions);
  return predictions;
}

std::vector<Prediction> predict_by_curves(Predictor& predictor, const DeviceProfile& profile,
                                          const PredictionRequest& request) {
  require_stored(predictor, request);
  const bool asked = !request.layouts.empty();
  const std::vector<Layout> layouts = layouts_of(request, profile);
  if (layouts.empty()) {
    throw Error("profile '" + profile.name + "' has no SpMV curve in " +
                std::string(to_string(request.precision)) + "; expected SpMV/csr or SpMV/bcsrN");
  }
  std::vector<Prediction> predictions;
  for (const Layout& layout : layouts) {
    for (const int devices : request.devices) {
      if (!asked && !predictor.is_unasked(layout, devices)) continue;
      predictions.push_back(predictor.predict({layout, devices}));
    }
  }
  predictor.add_speedups(predictions);
  predictor.add_payoffs(predictions);
  return predictions;
}

}  // namespace sparsecast
