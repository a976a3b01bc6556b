#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/error.hpp"
#include "core/base/precision.hpp"
#include "core/workload/gpu_execution.hpp"
#include "model/interval_ratios.hpp"
#include "model/traffic/cpu_costs.hpp"
#include "model/traffic/residual.hpp"

/// @file
/// What the traffic model (`model/traffic/traffic_pricer.hpp`) knows of a GPU, or a CPU. Every
/// parameter has a physical meaning, a unit and bounds; `calibrate/fit/traffic_fit.hpp` fits them.

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
  double grid_stride = 1;        ///< memory's time for vectors, times, where thread blocks stay and
                                 ///< take part after part (`takes_grid_strides`)
  double cache_bytes = 0;        ///< effective capacity of L2: reused after so many, half is missed
  double cache_sharpness = 1;    ///< how steeply misses set in around it
  double overlap = 1;            ///< 1: times add up; the larger, the more they overlap
  double product_overlap = 1;    ///< the same of our products of many waves
  double overlap_waves = 0;      ///< waves of thread blocks with which half is reached
  double whole_waves = 0;   ///< share of a second wave that is a whole one; of later ones powers
  double contention = 0;    ///< of instructions, of thread blocks more than elsewhere
  double uneven_waves = 0;  ///< of a wave's instructions, wherever there is a second one
  double miss_seconds = 0;  ///< of a step that finds all in memory: until it answers
  double memory_wait_seconds = 0;  ///< of a warp for a pass whose data come from memory; the other
                                   ///< warps of the multiprocessor work meanwhile
  double double_seconds = 0;       ///< of a stored value in f64, on one multiprocessor
  double product_seconds = 0;      ///< launch and first loads of a product
  double library_seconds = 0;      ///< of the library's
  double join_seconds = 0;         ///< more where a row's pieces are added up
  double sector_seconds = 0;       ///< of a gathered sector, from L2
  double line_seconds = 0;         ///< of 128 bytes of the vector, from L1
  double l1_bytes = 0;             ///< of the gathered vector that an L1 keeps
  double cache_read_gbps = 0;      ///< by kernels on vectors that find all in L2
  double cache_write_gbps = 0;     ///< and what they write
  double sum_seconds = 0;          ///< more where a product ends with sums ("SpMVDot")
  double sum_pass = 1;             ///< passes of such a product over its longest row, times
  double sum_step = 1;             ///< its warps' passes, times
  double sum_gbps = 0;             ///< what it streams through L2, more slowly than without sums
};

/// What a kind of kernel on vectors costs (`kernel_key`) beside what L2 and memory move for it.
struct KernelCosts {
  double fixed_seconds = 0;   ///< launch and first loads
  double sum_seconds = 0;     ///< more where it ends with sums
  double vector_seconds = 0;  ///< of a pass: each vector that it reads, and each that it writes
  double values = 0;          ///< of the library: 1e9 values a second, of either precision
  double gbps = 0;            ///< of a kernel whose threads take one row each
};

/// What kernels of iterations of passes cost beside what each costs alone (`PassCounts`), launched
/// as graphs.
struct PassCosts {
  double end_seconds = 0;          ///< a kernel behind which something is carried out
  double ticket_seconds = 0;       ///< more where it has no sums
  double iteration_seconds = 0;    ///< an iteration that is counted
  double operation_seconds = 0;    ///< the instructions of an operation, which have to be fetched
  double interpreted_seconds = 0;  ///< an operation behind a product
  double chain_seconds = 0;        ///< an operation that waits for another
  double sum_seconds = 0;          ///< each sum of a pass beside its first and those of blocks
  double guard_seconds = 0;        ///< a kernel that is carried out under a condition
  double fetch_seconds = 0;        ///< a kernel whose instructions are fetched in every iteration
};

/// The kinds of kernels on vectors.
inline constexpr std::string_view vector_kind = "vector";      ///< ours, made ahead of time
inline constexpr std::string_view pass_kind = "pass";          ///< compiled for a schedule
inline constexpr std::string_view dots_kind = "block-dots";    ///< with blocks of many vectors
inline constexpr std::string_view terms_kind = "block-terms";  ///< the same of linear combinations
inline constexpr std::string_view library_kind = "library";
inline constexpr std::string_view library_row_kind = "library-multiply";

/// The library's multiplication, and what keys of kernels end with whose warps take their rows as
/// one stream (`ProductGeometry::kind`).
inline constexpr std::string_view library_product = "cusparseSpMV";
inline constexpr std::string_view stream_kind = "-stream";

/// What a kind of multiplication costs (`product_key`) beside what caches and memory move for it,
/// of all block sizes and both precisions.
struct ProductCosts {
  double pass_seconds = 0;       ///< of a pass over the longest row that is not cut
  double double_pass = 1;        ///< the same in f64, times
  double step_seconds = 0;       ///< of a warp's pass, on one multiprocessor
  double byte_seconds = 0;       ///< of a byte of stored values, on one multiprocessor
  double entry_seconds = 0;      ///< of a stored block, on one multiprocessor
  double next_wave_seconds = 0;  ///< of a further wave of thread blocks
  double sum_seconds = 0;        ///< more than `DeviceCosts::sum_seconds` where it ends with sums
  double sum_wave_seconds = 0;   ///< with sums, of a warp's mean passes in each further wave
  double sum_wait_seconds = 0;   ///< of a warp for a pass, where it ends with sums
  double gbps = 0;               ///< of what is streamed through L2
};

/// What an iteration of a kernel that stays on the GPU for all of them costs, whatever values it
/// works on. Segments are those of thread blocks.
struct PersistentCosts {
  double warp_seconds = 0;      ///< each warp of a thread block: what it does beside rows
  double slice_seconds = 0;     ///< rows that a warp takes at a time, beside their stored blocks
  double doubling_seconds = 0;  ///< for each doubling of the lanes that share the longest row
  double load_seconds = 0;      ///< a warp's loads of matrix that is not in shared memory
  double spilled_seconds = 0;   ///< an unknown of a thread whose vectors come from memory
  double sector_seconds = 0;    ///< 32 bytes of values that a segment looks up in others
  double uneven_seconds = 0;    ///< such a value that the largest segment has beyond the mean
  double round_seconds = 0;     ///< such values that all its threads wait for at once
  double cache_bytes = 0;       ///< effective capacity of the last-level cache for what moves
  double cache_sharpness = 1;   ///< how steeply misses set in: all segments pass theirs at once
};

/// What sums over all its thread blocks and their barriers cost, by how they reach each other.
struct PersistentSums {
  double base_seconds = 0;
  double block_seconds = 0;  ///< more for each thread block
};

/// What its stored blocks cost.
struct PersistentSteps {
  double step_seconds = 0;  ///< of 32 of the segment that has most
};

/// All that is fitted.
struct TrafficParameters {
  DeviceCosts device;           ///< of a GPU
  std::optional<CpuCosts> cpu;  ///< of a CPU, which has only this, and what begins with `cpu`
  std::map<std::string, KernelCosts, std::less<>> kernels;  ///< by `kernel_key`
  /// Of a GPU; absent where calibration was before there were such samples.
  std::optional<PassCosts> passes;
  std::map<std::string, ProductCosts, std::less<>> products;  ///< by `product_key`
  /// The residual model: what these leave of products of ours, of iterations and of kernels for all
  /// iterations, learned after all else is fitted. Empty: the physical terms alone.
  Residuals residuals;
  std::optional<PersistentCosts> persistent;              ///< where the GPU has such kernels
  std::map<std::string, PersistentSums> persistent_sums;  ///< by `persistent_sums_key`
  /// By precision and `persistent_steps_key`.
  std::map<Precision, std::map<std::string, PersistentSteps>> persistent_steps;
  /// By precision and the step's name, or layout.
  std::map<Precision, std::map<std::string, CpuKernelCosts>> cpu_kernels;
  std::map<Precision, std::map<std::string, CpuProductCosts>> cpu_products;
};

/// What of a data sheet a parameter follows from a GPU to a relative: rates and capacities grow
/// with it, times fall.
enum class Scaling {
  /// The host, launches, waits, sums, the latency of memory; a first-level cache, which relatives
  /// have alike; numbers without a unit; all of a CPU.
  none,
  memory_bandwidth,
  l2_capacity,
  /// A rate of the last-level cache, which no data sheet gives: multiprocessors times clock; of a
  /// part of a GPU that of the whole, or what its multiprocessors take.
  l2_rate,
  /// Multiprocessors times clock.
  all_multiprocessors,
  /// Cycles of one multiprocessor; prices divide by how many there are.
  clock,
};

/// One parameter among all.
struct TrafficParameter {
  std::string name;     ///< "device/graph", "CG4-f32/fixed", "f32/csr/step", "persistent/warp"
  const char* unit;     ///< "s", "GB/s", "B", ""
  const char* meaning;  ///< a few words
  double* value;        ///< in the parameters that were listed
  double least;         ///< physical bounds
  double most;
  double neutral;   ///< the value at which it has no effect
  Scaling scaling;  ///< from a GPU to a relative (`model/estimate/relative_profile.hpp`)
};

/// Whether a parameter is the device's own, which a few samples tell of a GPU whose relative is
/// known: bandwidths, capacities and latencies of the device, and whatever else follows its cache.
/// All others, numbers without a unit among them, are of kernels.
bool is_device_constant(const TrafficParameter& parameter);

/// The group of `PassCosts`, without which iterations of passes are priced more roughly.
inline constexpr std::string_view passes_group = "passes";
/// The group of `PersistentCosts`.
inline constexpr std::string_view persistent_group = "persistent";

/// All parameters, in a fixed order: of the device, kernels, products, persistent kernels.
std::vector<TrafficParameter> parameter_list(TrafficParameters& parameters);

/// Whether there is a group of parameters ("f32/csr"), what their names have before the last '/'.
bool has_parameter_group(const TrafficParameters& parameters, std::string_view group);

/// Makes room for a group of parameters unless it is there. Throws `Error` for one that there is
/// not.
void add_parameter_group(TrafficParameters& parameters, std::string_view group);

/// Makes room for what a parameter of this name belongs to, unless it is there. Throws `Error` for
/// a name that no parameter has.
void add_parameter(TrafficParameters& parameters, std::string_view name);

/// Those of a key. Throws `Error` where a profile lacks them.
template <class Costs, class Less>
const Costs& costs_of(const std::map<std::string, Costs, Less>& all, const std::string& key) {
  const auto found = all.find(key);
  if (found == all.end()) {
    throw Error("the profile's traffic model lacks '" + key +
                "'; calibrate the device with this version, or use model paper");
  }
  return found->second;
}
template <class Costs>
const Costs& costs_of(const std::map<Precision, std::map<std::string, Costs>>& all,
                      Precision precision, const std::string& key) {
  const auto found = all.find(precision);
  static const std::map<std::string, Costs> none;
  return costs_of(found == all.end() ? none : found->second, key);
}

/// The traffic model's part of a profile.
struct TrafficProfile {
  GpuShape gpu;         ///< of a GPU
  int cpu_threads = 0;  ///< of a CPU, at most; 0: it is a GPU
  TrafficParameters parameters;
  /// Standard errors of the logarithms, by name. Parameters that the samples do not determine have
  /// none, and are without effect.
  std::map<std::string, double> log_errors;
  /// "f64/csr": in which layouts a GPU's products were measured; empty: nobody says.
  std::vector<std::string> layouts;
  int samples = 0;          ///< that were fitted
  double median_error = 0;  ///< of time, over them
  /// By `interval_keys`; and those of the terms alone, without the residual model.
  std::map<std::string, IntervalRatios> intervals;
  std::map<std::string, IntervalRatios> physical_intervals;
};

}  // namespace sparsecast
