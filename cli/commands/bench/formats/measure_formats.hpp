#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "cli/commands/bench/formats/format_matrices.hpp"
#include "cli/commands/bench/formats/format_measurement.hpp"
#include "core/base/precision.hpp"
#include "core/workload/layout.hpp"

namespace sparsecast::cli {

/// What to measure.
struct FormatsRequest {
  std::vector<FormatMatrix> matrices;
  std::vector<std::string> devices;   ///< "cpu", "cuda:0"
  std::vector<Layout> layouts;        ///< empty: `compared_layouts`
  std::vector<Precision> precisions;  ///< each once
  /// How GPUs load the vector: through the L1 cache ("l1"), past it ("l2", in those layouts that
  /// have such products), or one after the other. CPUs are measured once.
  std::vector<std::string> x{"l1"};
  int threads = 0;  ///< of the CPU; 0: all
};

/// The layout whose products load the vector past the L1 cache; nothing where there is none.
std::optional<Layout> past_l1(const Layout& layout);

/// The layouts of Bell and Garland (PKT on a GPU), and ours that they are compared with: HYB split
/// by cost, CSR, SELL in its usual layouts, BCSR, and cuSPARSE's CSR on a GPU.
std::vector<Layout> compared_layouts(const std::string& device);

/// Measures products of all matrices in all layouts, each matrix made once. Where nobody asked for
/// layouts by name, BCSR is left out where it could not pay, and cuBLAS multiplies dense matrices
/// on GPUs. What a layout refuses, and what does not fit in memory, has a reason in place of a
/// time. `progress(fraction, what)` hears of every product and says whether to go on. Throws
/// `Error` without such devices.
std::vector<FormatMeasurement> measure_formats(
    const FormatsRequest& request, const std::function<bool(double, const std::string&)>& progress);

}  // namespace sparsecast::cli
