#pragma once

#include <functional>
#include <string>
#include <vector>

#include "cli/commands/bench/blocks/block_measurement.hpp"
#include "core/base/precision.hpp"
#include "core/matrix/renumbering.hpp"
#include "core/workload/layout.hpp"

namespace sparsecast::cli {

/// What to measure.
struct BlocksRequest {
  std::vector<std::string> devices;   ///< "cpu", "cuda:0"
  std::vector<Layout> layouts;        ///< empty: `block_layouts`
  std::vector<Precision> precisions;  ///< each once
  std::vector<Renumbering> orders;    ///< each once; solvers run in the first
  std::vector<int> dots;              ///< values a block, of `two_kernel_dot_sizes`
  std::vector<double> scales;         ///< vertices over the meshes'
  int threads = 0;                    ///< of the CPU; 0: all
};

/// The layouts of Buatois, Caumon and Levy, cuSPARSE's on a GPU, and two more of ours: blocks of
/// 3 x 3 and slices of rows.
std::vector<Layout> block_layouts(const std::string& device);

/// Whether a layout is one that we would recommend: no vendor's, and none that is for comparison.
bool is_usual(const Layout& layout);

/// Values of the vectors that "saxpy" and "dot" are measured on: the paper's, and more than caches
/// hold.
std::vector<std::int64_t> measured_vector_sizes(double scale);

/// Iterations of a history, and between two of its measurements.
inline constexpr int history_iterations = 500;
inline constexpr int history_step = 25;

/// Measures products of all stand-ins in all layouts and orders, each matrix made once; in the
/// first order an iteration of Jacobi-CG by schedules/cnc.json in 4 x 4 blocks, on a GPU by calls
/// and recorded, and one of our fused solver in the fastest of our layouts; residuals of such a
/// solve of the largest mesh's parameterization, in f32; vector sums, and on GPUs dot products in
/// two kernels. What a layout refuses, and what does not fit in memory, has a reason in place of a
/// time. `progress(fraction, what)` hears of every measurement and says whether to go on. Throws
/// `Error` without such devices.
std::vector<BlockMeasurement> measure_blocks(
    const BlocksRequest& request, const std::function<bool(double, const std::string&)>& progress);

}  // namespace sparsecast::cli
