#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "core/base/precision.hpp"
#include "core/schedule/solver.hpp"
#include "core/workload/launch_mode.hpp"
#include "core/workload/layout.hpp"
#include "model/paper/iteration_time.hpp"
#include "model/profile/device_profile.hpp"
#include "predict/counted_solver.hpp"

namespace sparsecast {

/// What to predict; every combination of layout, device count, schedule and launch mode that
/// there are kernels for is one prediction.
struct PredictionRequest {
  /// Empty: every layout that the profile knows in natural row order, of formats other than CSR and
  /// BCSR those that may pay for the pattern (`Format::may_pay`).
  std::vector<Layout> layouts;
  std::vector<int> devices{1};
  Precision precision = Precision::f64;
  CurveKind curve = CurveKind::average;
  std::int64_t iterations = 0;  ///< K; 0: time per iteration only
  /// Solvers that come with the program (`built_in`), and of `own`. Empty: fused by the traffic
  /// model, algorithm1 by the others, which know no other.
  std::vector<std::string> schedules;
  std::vector<Solver> own;  ///< the user's (`OwnSolver::priced`), by the traffic model only
  /// For times to solution (`ask_for_solution`): what was counted of each of the solvers above, in
  /// this precision, in place of K.
  std::vector<CountedSolver> counted;
  /// By the traffic model only. Empty: graph, and persistent where there is such a kernel. Several
  /// GPUs run graphs only.
  std::vector<LaunchMode> launches;
};

/// Throws `Error` for several devices where the traffic model of the profile knows no link for so
/// many, or is of a CPU.
void require_devices(std::span<const int> devices, const DeviceProfile& profile);

/// Throws `Error` for a request without devices or with numbers out of range, for what only the
/// traffic model knows where the profile has another, and like `require_devices`.
void check_request(const PredictionRequest& request, const DeviceProfile& profile);

/// Asks for the time to solution by those of these that converged in the request's precision, in
/// place of whatever solvers it asks for. Throws `Error` where none did.
void ask_for_solution(std::span<const CountedSolver> counted, PredictionRequest& request);

}  // namespace sparsecast
