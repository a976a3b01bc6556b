#include "model/estimate/estimated_profile.hpp"

#include <cmath>
#include <vector>

#include "core/base/error.hpp"
#include "core/schedule/cg_schedule.hpp"
#include "core/workload/layout.hpp"
#include "model/step_kinds.hpp"

namespace sparsecast {
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

}  // namespace sparsecast
