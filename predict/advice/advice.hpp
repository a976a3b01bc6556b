#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "core/analysis/features.hpp"
#include "core/analysis/matrix_numbers.hpp"
#include "core/matrix/csr.hpp"
#include "core/schedule/solver.hpp"
#include "core/workload/layout.hpp"
#include "model/profile/device_profile.hpp"
#include "predict/counted_solver.hpp"
#include "predict/features/forecast_features.hpp"
#include "predict/matrix_orders.hpp"
#include "predict/prediction.hpp"

/// @file
/// How many devices of which kind: the fastest choice that still uses its devices well.

namespace sparsecast {

/// What to compare, and what counts as using devices well.
struct AdviceRequest {
  /// Tried: 1, 2, 4, ... and this number; of a CPU without a network always one. Absent: as many as
  /// a machine of the profile has (`DeviceProfile::device_count_max`), 8 where that is not known;
  /// with a network 1024.
  std::optional<int> max_devices{};
  double min_efficiency = 0.7;    ///< parallel efficiency that a choice must keep, (0, 1]
  std::vector<Layout> layouts{};  ///< `PredictionRequest::layouts`
  Precision precision = Precision::f64;
  CurveKind curve = CurveKind::average;
  std::int64_t iterations = 0;  ///< K: compare whole solves of K iterations; 0: one iteration
  /// In place of ours the user's solver (`OwnSolver::priced`).
  std::optional<Solver> own{};
  /// Not empty: compare times to solution by these solvers, in their precisions, in place of the
  /// solver, the precision and K above.
  std::vector<CountedSolver> counted{};
};

/// A number of devices of one profile, with its fastest solver, precision and layout.
struct DeviceChoice {
  std::string profile;
  DeviceProfile::Kind kind = DeviceProfile::Kind::gpu;
  Prediction prediction;
  /// What choices are compared by: seconds of an iteration, with K of a whole solve (without
  /// conversion and upload unless all profiles know them).
  double seconds = 0;
  /// 90 % interval of `seconds`; absent where the profile knows none.
  std::optional<Interval> interval_seconds;
  /// Speedup per device over the fewest devices of the same profile that hold the matrix.
  double efficiency = 1;

  /// What it costs: of all devices together, in seconds of one.
  double device_seconds() const { return prediction.devices * seconds; }
  /// One CPU; of several each is a device.
  bool is_one_cpu() const { return kind == DeviceProfile::Kind::cpu && prediction.devices == 1; }
  /// How many GPUs: the devices, or 0 for a CPU.
  int gpus() const { return kind == DeviceProfile::Kind::cpu ? 0 : prediction.devices; }
  /// False only where the device's memory is known and too small.
  bool fits() const { return prediction.fits.value_or(true); }
};

/// The numbers of devices that are tried of a profile, for at most so many; rising, 1 first.
std::vector<int> advised_devices(const DeviceProfile& profile, std::optional<int> max_devices = {});

struct Advice {
  std::vector<DeviceChoice> choices;  ///< by profile in the given order, then by devices
  std::size_t fewest = 0;             ///< choice with the fewest devices that hold the matrix
  std::size_t recommended = 0;
  std::vector<std::size_t> ties;  ///< choices that are as good as the recommended one (`is_tie`)
  /// With K: `seconds` counts conversion and upload too, known of every profile.
  bool setup_included = false;
  std::string reason;  ///< one sentence: what limits it
  /// Where more devices of the recommended profile take longer ("speedup ends at ...", "there is no
  /// speedup over ..."), and why, a sentence; empty where they do not, or where too few numbers of
  /// them were compared to say so.
  std::string speedup_end;
};

/// Picks from priced choices. Sets their efficiencies; recommends the fastest of those that fit and
/// reach the minimum efficiency, and among ties with it the one with the fewest GPUs (a CPU has
/// none), then the fastest. Throws `Error` if the matrix fits on none: what is needed and there.
Advice choose_devices(std::vector<DeviceChoice> choices, const AdviceRequest& request);

/// What was predicted of one profile, for its `advised_devices`.
struct ProfileForecast {
  const DeviceProfile* profile = nullptr;
  std::vector<Prediction> predictions;
};

/// Advice from predictions that are there, of what a request asks for. Throws `Error` when the
/// matrix fits nowhere.
Advice advise(std::span<const ProfileForecast> forecasts, const AdviceRequest& request);

/// Advice for a matrix (exact blocks, real partitions). Throws `Error` for a request out of range,
/// a profile without the precision, and when the matrix fits nowhere.
Advice advise(const CsrView<double>& matrix, const MatrixFeatures& features,
              std::span<const DeviceProfile> profiles, const AdviceRequest& request);

/// The same after a renumbering, for each number of devices in its own order.
Advice advise(MatrixOrders& orders, std::span<const DeviceProfile> profiles,
              const AdviceRequest& request);

/// The same from what was counted of a matrix (`predict_features`).
Advice advise(const ForecastFeatures& features, std::span<const DeviceProfile> profiles,
              const AdviceRequest& request);

/// Advice from numbers alone: x unknowns, e elements of the layout's N x N blocks, and what is
/// known of the rows (`predict_numbers`).
Advice advise_numbers(double unknowns, double elements, const Layout& layout,
                      std::span<const DeviceProfile> profiles, const AdviceRequest& request,
                      const RowNumbers& rows = {});

}  // namespace sparsecast
