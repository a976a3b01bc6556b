#include "model/device_profile.hpp"

#include <algorithm>
#include <cmath>
#include <cstdlib>

#include "core/base/error.hpp"
#include "core/schedule/cg_schedule.hpp"
#include "core/workload/layout.hpp"
#include "model/step_kinds.hpp"

namespace sparsecast {

namespace {

/// "a, b, c", or "none".
template <class Range, class Name>
std::string listed(const Range& range, Name name) {
  std::string text;
  for (const auto& entry : range) {
    if (!text.empty()) text += ", ";
    text += name(entry);
  }
  return text.empty() ? "none" : text;
}

}  // namespace

std::string product_curve_key(std::string_view kernel, std::string_view layout) {
  return std::string(kernel) + '/' + std::string(layout);
}

std::string spmv_curve_key(std::string_view layout) {
  return product_curve_key("SpMV", layout);
}

Precision DeviceProfile::default_precision() const {
  if (precisions.contains(Precision::f64)) return Precision::f64;
  at(Precision::f32);
  return Precision::f32;
}

const PrecisionProfile& DeviceProfile::at(Precision precision) const {
  const auto found = precisions.find(precision);
  if (found != precisions.end()) return found->second;
  throw Error(
      "profile '" + name + "' has no precision " + std::string(to_string(precision)) + "; it has " +
      listed(precisions, [](const auto& entry) { return std::string(to_string(entry.first)); }));
}

const KernelCurve& DeviceProfile::curve(Precision precision, std::string_view key) const {
  const auto& curves = at(precision).curves;
  const auto found = curves.find(std::string(key));
  if (found != curves.end()) return found->second;
  throw Error("profile '" + name + "' has no curve '" + std::string(key) + "' in " +
              std::string(to_string(precision)) + "; it has " +
              listed(curves, [](const auto& entry) { return entry.first; }));
}

int DeviceProfile::devices_of_link(int devices) const {
  if (links.empty()) {
    throw Error("profile '" + name +
                "' has no links between devices; it can price one device only");
  }
  const auto nearest = std::ranges::min_element(
      links, {}, [devices](const auto& entry) { return std::abs(entry.first - devices); });
  return nearest->first;
}

const Link& DeviceProfile::link(int devices) const {
  return links.at(devices_of_link(devices));
}

namespace {

/// Section 5.1: memory transactions a thread has to start for half of the largest throughput.
constexpr double transactions_per_thread_at_half = 8;

double resident_threads(const DeviceSpecification& device) {
  return static_cast<double>(device.multiprocessors) * device.threads_per_multiprocessor;
}

}  // namespace

double estimated_mu(const DeviceSpecification& device) {
  return std::log2(resident_threads(device) * transactions_per_thread_at_half);
}

double estimated_sigma(const DeviceSpecification& device) {
  return (estimated_mu(device) - std::log2(resident_threads(device))) / 2;
}

DeviceProfile estimated_profile(const DeviceSpecification& device) {
  const auto require = [&device](bool positive, const char* what) {
    if (!positive) {
      throw Error("estimate of '" + device.name + "': " + what + " must be positive");
    }
  };
  require(device.multiprocessors > 0, "the number of multiprocessors");
  require(device.threads_per_multiprocessor > 0, "the number of threads per multiprocessor");
  require(device.bandwidth_gbps > 0 && std::isfinite(device.bandwidth_gbps), "the bandwidth");
  require(device.memory_bytes >= 0, "the memory");

  KernelCurve estimate;
  estimate.average = {estimated_mu(device), estimated_sigma(device), device.bandwidth_gbps};
  estimate.maximum = estimate.average;

  PrecisionProfile precision;
  const auto add_kernels = [&](const std::vector<Step>& steps) {
    for (const Step& step : steps) {
      if (runs_kernel(step) && step.name != "SpMV") precision.curves[step.name] = estimate;
    }
  };
  const Schedule schedule = algorithm1_schedule();
  add_kernels(schedule.setup);
  add_kernels(schedule.iteration);
  for (const int block_size : block_sizes) {
    precision.curves[spmv_curve_key(to_string(block_layout(block_size)))] = estimate;
  }

  DeviceProfile profile;
  profile.name = device.name;
  profile.kind = DeviceProfile::Kind::gpu;
  profile.origin = DeviceProfile::Origin::estimated;
  profile.device = device.name;
  profile.memory_bytes = device.memory_bytes;
  profile.device_count_max = 1;
  profile.environment = {
      {"multiprocessors", std::to_string(device.multiprocessors)},
      {"threads per multiprocessor", std::to_string(device.threads_per_multiprocessor)}};
  profile.notes =
      "An estimate from the number of multiprocessors, their threads and the memory bandwidth "
      "alone (equations 4 and 5 of Verschoor and Jalba 2012): nothing was measured. The largest "
      "throughput is the memory's own, which no kernel quite reaches.";
  profile.precisions = {{Precision::f32, precision}, {Precision::f64, precision}};
  return profile;
}

DeviceProfile DeviceProfile::for_paper_model() const {
  DeviceProfile paper = *this;
  paper.traffic.reset();
  if (!paper.cache) return paper;
  paper.cache.reset();
  for (auto& [precision, calibrated] : paper.precisions) calibrated.intervals.clear();
  return paper;
}

DeviceProfile DeviceProfile::for_model(std::string_view asked) const {
  if (asked.empty() || asked == model()) return *this;
  if (asked == "paper") return for_paper_model();
  if (asked != "traffic" && asked != "cache") {
    throw Error("unknown model '" + std::string(asked) + "'; expected traffic, cache or paper");
  }
  if (asked == "traffic" || !cache) {
    throw Error("profile '" + name + "' has no model '" + std::string(asked) + "'; its best is '" +
                std::string(model()) + "'");
  }
  DeviceProfile reduced = *this;
  reduced.traffic.reset();
  return reduced;
}

}  // namespace sparsecast
