#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "cli/commands/bench/fusion/fusion_measurement.hpp"
#include "cli/commands/bench/fusion/fusion_systems.hpp"
#include "core/base/precision.hpp"

namespace sparsecast::cli {

/// What to measure.
struct FusionRequest {
  std::vector<std::string> devices;   ///< "cpu", "cuda:0"
  std::vector<Precision> precisions;  ///< each once; systems are solved in f64
  std::vector<std::int64_t> sizes;    ///< unknowns, rising
  std::vector<int> bases;             ///< vectors, rising
  std::vector<FusionSystem> systems;  ///< to solve
  int threads = 0;                    ///< of the CPU; 0: all
};

/// 10^3 to 10^7 unknowns: the paper's Figure 1.
const std::vector<std::int64_t>& figure1_sizes();
/// Values of the vectors of its Figure 2, right.
inline constexpr std::int64_t figure2_size = 1'000'000;
/// 1 to 50 vectors: that figure's.
const std::vector<int>& figure2_bases();
/// That basis of Figure 2, left, which is measured in all sizes.
inline constexpr int figure2_basis = 50;
/// Dot products a pass that are measured; 7 are ViennaCL's. Those of `gmres` are all at once.
const std::vector<int>& measured_dots();

/// The size of Gram-Schmidt steps of all bases: of those the nearest to Figure 2's.
std::int64_t basis_size(const std::vector<std::int64_t>& sizes);

/// Measures an iteration of each of `fusion_solvers` on grids, on a GPU in launch modes host, graph
/// and persistent; dot products and Gram-Schmidt steps by bases and by sizes; and solves systems
/// for b = 1. What an engine refuses, and what does not fit in memory, has a reason in place of a
/// time. `progress(fraction, what)` hears of every measurement and says whether to go on. Throws
/// `Error` without such devices.
std::vector<FusionMeasurement> measure_fusion(
    const FusionRequest& request, const std::function<bool(double, const std::string&)>& progress);

}  // namespace sparsecast::cli
