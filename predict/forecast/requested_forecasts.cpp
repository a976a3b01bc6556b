#include "predict/forecast/requested_forecasts.hpp"

#include <algorithm>
#include <optional>
#include <string>
#include <utility>

#include "core/base/error.hpp"
#include "core/workload/layout.hpp"

namespace sparsecast {

namespace {

/// The block sizes that the profile has curves for.
std::vector<int> known_blocks(const DeviceProfile& profile, Precision precision) {
  const auto& curves = profile.at(precision).curves;
  std::vector<int> blocks;
  for (const int block : block_sizes) {
    if (curves.contains(spmv_curve_key(to_string(block_layout(block))))) blocks.push_back(block);
  }
  if (blocks.empty()) {
    throw Error("profile '" + profile.name + "' has no SpMV curve in " +
                std::string(to_string(precision)) + "; expected SpMV/csr or SpMV/bcsrN");
  }
  return blocks;
}

}  // namespace

std::vector<Prediction> predict_by_traffic(Predictor& predictor, const DeviceProfile& profile,
                                           const PredictionRequest& request) {
  std::vector<std::string> schedules = request.schedules;
  if (schedules.empty()) schedules = {fused_name};
  const bool with_vendor = std::erase(schedules, vendor_name) > 0;
  std::vector<std::optional<LaunchMode>> launches(request.launches.begin(), request.launches.end());
  if (launches.empty()) launches = default_launches(profile);
  std::vector<int> blocks = request.blocks;
  if (blocks.empty()) blocks.assign(block_sizes.begin(), block_sizes.end());

  std::vector<Prediction> predictions;
  for (const int block : blocks) {
    for (const int devices : request.devices) {
      for (const std::string& name : schedules) {
        for (const std::optional<LaunchMode> launch : launches) {
          auto prediction = predictor.predict_if_known({block, devices, name, launch});
          if (prediction) predictions.push_back(std::move(*prediction));
        }
      }
    }
  }
  const bool ours = !predictions.empty();
  const bool one_device = std::ranges::find(request.devices, 1) != request.devices.end();
  if (with_vendor && one_device && std::ranges::find(blocks, 1) != blocks.end()) {
    for (const std::optional<LaunchMode> launch : launches) {
      auto prediction = predictor.predict_if_known({1, 1, vendor_name, launch});
      if (!prediction) continue;
      prediction->only_compared = ours;
      predictions.push_back(std::move(*prediction));
    }
  }
  if (predictions.empty()) {
    throw Error("nothing to predict: of what is asked for, profile '" + profile.name +
                "' has parameters for none in " + std::string(to_string(request.precision)) +
                ", or there are no kernels (persistent: schedule fused, block sizes 1 and 3, "
                "systems whose parts fit in shared memory; vendor: "
                "block size 1; several GPUs: neither, launch graph)");
  }
  for (const int block : request.blocks) {
    if (std::ranges::find(predictions, block, &Prediction::block) != predictions.end()) continue;
    throw Error("block size " + std::to_string(block) + ": profile '" + profile.name +
                "' has no parameters for it in " + std::string(to_string(request.precision)) +
                ", or there are no such kernels; leave it out");
  }
  predictor.add_speedups(predictions);
  return predictions;
}

std::vector<Prediction> predict_by_curves(Predictor& predictor, const DeviceProfile& profile,
                                          const PredictionRequest& request) {
  const std::vector<int> blocks =
      request.blocks.empty() ? known_blocks(profile, request.precision) : request.blocks;
  std::vector<Prediction> predictions;
  for (const int block : blocks) {
    for (const int devices : request.devices) {
      predictions.push_back(predictor.predict({block, devices}));
      if (request.iterations > 0) predictor.add_payoff(predictions.back());
    }
  }
  predictor.add_speedups(predictions);
  return predictions;
}

}  // namespace sparsecast
