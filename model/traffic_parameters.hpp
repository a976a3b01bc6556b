#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/gpu_execution.hpp"
#include "core/precision.hpp"
#include "model/cpu_costs.hpp"
#include "model/interval_ratios.hpp"

/// @file
/// What the traffic model (`model/traffic_model.hpp`) knows of a GPU, or a CPU. Every parameter has
/// a physical meaning, a unit and bounds; `calibrate/traffic_fit.hpp` fits them.

namespace sparsecast {

/// What holds for all that runs on the device.
struct DeviceCosts {
  double wait_seconds = 0;       ///< of the host for a sum, in launch mode `host`
  double graph_seconds = 0;      ///< an iteration's share of the gap between graphs
  double plain_seconds = 0;      ///< of a kernel that is launched plainly, more than in a graph
  double skipped_seconds = 0;    ///< of a kernel whose guard is closed
  double skipped_gbps = 0;       ///< and of its thread blocks, by the bytes that they would move
  double memory_read_gbps = 0;   ///< from memory
  double memory_write_gbps = 0;  ///< to memory
  double cache_bytes = 0;        ///< effective capacity: reused after so many, half is missed
  double cache_sharpness = 1;    ///< how steeply misses set in around it
  double overlap = 1;            ///< 1: times add up; the larger, the more they overlap
  double miss_seconds = 0;       ///< of a step that finds all in memory: until it answers
  double product_seconds = 0;    ///< launch and first loads of a product
  double library_seconds = 0;    ///< of the library's
  double sum_seconds = 0;        ///< more where a product ends with sums ("SpMVDot")
  double join_seconds = 0;       ///< more where a row's pieces are added up
  double sector_seconds = 0;     ///< of a looked-up sector, from the last-level cache
  double lookup_seconds = 0;     ///< of a sector that a row looks up, wherever it is found
  double spilled_gbps = 0;  ///< vectors of a persistent kernel, from and to the last-level cache
  double spilled_memory_gbps = 0;  ///< and from and to memory
};

/// What a kernel on vectors costs where all that it moves is in the last-level cache.
struct KernelCosts {
  double fixed_seconds = 0;  ///< launch, first loads, and sums where it has such
  double gbps = 0;
};

/// What a multiplication with one kind of storage costs where all is in the last-level cache.
struct ProductCosts {
  double pass_seconds = 0;  ///< of a pass over the longest row that is not cut
  double step_seconds = 0;  ///< of a warp's pass, on one multiprocessor
  double miss_seconds = 0;  ///< more of such a pass whose data come from memory
  double turn_seconds = 0;  ///< of as many threads as the device holds: their start and first loads
  double gbps = 0;          ///< of what is streamed
};

/// What an iteration of a kernel that stays on the GPU for all of them costs.
struct PersistentCosts {
  double base_seconds = 0;     ///< sums over all thread blocks, and their barriers
  double block_seconds = 0;    ///< more for each thread block
  double step_seconds = 0;     ///< of 32 stored blocks of the segment that has most
  double unknown_seconds = 0;  ///< of an unknown of a segment
  double halo_seconds = 0;     ///< of a value of others that the segment that has most looks up
  double moved_gbps = 0;       ///< of matrix that does not stay in shared memory, from the cache
};

/// All that is fitted.
struct TrafficParameters {
  DeviceCosts device;           ///< of a GPU
  std::optional<CpuCosts> cpu;  ///< of a CPU, which has only this, and what begins with `cpu`
  std::map<std::string, KernelCosts> kernels;  ///< by `kernel_key`
  /// By precision and `product_key`.
  std::map<Precision, std::map<std::string, ProductCosts>> products;
  /// By precision and `persistent_key`.
  std::map<Precision, std::map<std::string, PersistentCosts>> persistent;
  /// By precision and the step's name, or layout.
  std::map<Precision, std::map<std::string, CpuKernelCosts>> cpu_kernels;
  std::map<Precision, std::map<std::string, CpuProductCosts>> cpu_products;
};

/// One parameter among all.
struct TrafficParameter {
  std::string name;     ///< "device/submit", "CG4/fixed", "f32/csr/step", "f64/persistent/base"
  const char* unit;     ///< "s", "GB/s", "B", ""
  const char* meaning;  ///< a few words
  double* value;        ///< in the parameters that were listed
  double least;         ///< physical bounds
  double most;
  double neutral;  ///< the value at which it has no effect
};

/// All parameters, in a fixed order: of the device, kernels, products, persistent kernels.
std::vector<TrafficParameter> parameter_list(TrafficParameters& parameters);

/// Makes room for what a parameter of this name belongs to, unless it is there. Throws `Error` for
/// a name that no parameter has.
void add_parameter(TrafficParameters& parameters, std::string_view name);

/// The traffic model's part of a profile.
struct TrafficProfile {
  GpuShape gpu;         ///< of a GPU
  int cpu_threads = 0;  ///< of a CPU, at most; 0: it is a GPU
  TrafficParameters parameters;
  std::map<std::string, double> log_errors;  ///< standard errors of the logarithms, by name
  int samples = 0;                           ///< that were fitted
  double median_error = 0;                   ///< of time, over them
  /// By `interval_key`.
  std::map<std::string, IntervalRatios> intervals;
};

}  // namespace sparsecast
