#include <cstdio>
#include <exception>
#include <string>
#include <vector>

#include "calibrate/fit/traffic_calibration.hpp"
#include "calibrate/sample.hpp"

/// @file
/// What each parameter of the traffic model is worth: fits a device's samples with all of them, and
/// without one kind after the other, and prints the errors on the samples that no fit has seen.
///
///   traffic_variants profiles/nvidia-h200.samples.csv.gz

namespace sparsecast {
namespace {

struct Variant {
  const char* without;
  std::vector<std::string> parameters;
};

const std::vector<Variant> variants{
    {"nothing", {}},
    {"pass (latency of the longest row)", {"pass"}},
    {"step (of a warp's pass)", {"step"}},
    {"byte, entry (of values, of blocks)", {"byte", "entry"}},
    {"double (of f64)", {"device/double", "double_pass"}},
    {"next_wave", {"next_wave"}},
    {"whole_waves (parts of them)", {"device/whole_waves"}},
    {"contention", {"device/contention"}},
    {"uneven_waves", {"device/uneven_waves"}},
    {"memory_wait, miss (latency of memory)", {"device/memory_wait", "device/miss"}},
    {"residual (what those like it left)", {"residual"}},
    {"residual of iterations", {"iterations"}},
    {"sector", {"device/sector"}},
    {"line", {"device/line"}},
    {"l1_capacity", {"device/l1_capacity"}},
    {"line, l1_capacity", {"device/line", "device/l1_capacity"}},
    {"sums of products", {"device/sum"}},
    {"how sums hold a product up",
     {"device/sum_pass", "device/sum_step", "device/sum_stream", "sum_wave", "sum_wait"}},
    {"join", {"join"}},
    {"graph", {"device/graph"}},
    {"skipped", {"device/skipped", "device/skipped_rate"}},
    {"overlap (times add up)", {"device/overlap", "device/product_overlap"}},
    {"overlap_waves", {"device/overlap_waves"}},
    {"l2_sharpness (a step)", {"device/l2_sharpness"}},
    {"l2_capacity (all from memory)", {"device/l2_capacity"}},
    {"persistent: block", {"block"}},
    {"warp, slice", {"warp", "slice"}},
    {"doubling", {"doubling"}},
    {"load", {"load"}},
    {"spilled", {"spilled"}},
    {"sector", {"persistent/sector"}},
    {"uneven", {"uneven"}},
    {"round", {"round"}},
    {"sharpness (a step)", {"persistent/cache_sharpness"}}};

const std::vector<Variant> cpu_variants{
    {"nothing", {}},
    {"private cache (its capacity)", {"cpu/private_capacity"}},
    {"nearest cache", {"cpu/nearest_capacity"}},
    {"waits", {"cpu/wait"}},
    {"rows of products", {"row"}},
    {"overlap (times add up)", {"cpu/overlap"}},
    {"look-ups from the private cache", {"cpu/private_lookup"}},
    {"from the shared cache", {"cpu/shared_lookup"}},
    {"from memory", {"cpu/memory_lookup"}},
    {"of what other threads wrote", {"cpu/remote_lookup", "cpu/evicted_lookup"}},
    {"calls", {"cpu/call"}},
    {"scalars", {"cpu/scalar"}},
    {"sharpness (a step)", {"cpu/sharpness"}},
    {"uneven rows", {"cpu/uneven_row"}}};

void run(const std::string& path) {
  const SampleFile file = read_samples(path);
  const bool cpu = file.origin.kind == DeviceProfile::Kind::cpu;
  std::printf("| without | parameters | fitted: median | held out: mean | median |\n");
  std::printf("|---|---|---|---|---|\n");
  for (const Variant& variant : cpu ? cpu_variants : variants) {
    TrafficFitOptions options;
    options.without = variant.parameters;
    const auto calibration = calibrate_traffic(file, options);
    if (!calibration) return;
    std::printf("| %s | %zu | %.3f | %.3f | %.3f |\n", variant.without,
                calibration->fit.profile.log_errors.size(), calibration->fit.profile.median_error,
                calibration->held_out_mean_error, calibration->held_out_median_error);
    std::fflush(stdout);
  }
}

}  // namespace
}  // namespace sparsecast

int main(int count, char** arguments) {
  if (count != 2) {
    std::fprintf(stderr, "usage: traffic_variants NAME.samples.csv\n");
    return 2;
  }
  try {
    sparsecast::run(arguments[1]);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "traffic_variants: %s\n", error.what());
    return 1;
  }
  return 0;
}
