#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "core/analysis/features.hpp"
#include "core/matrix/csr.hpp"
#include "core/workload/exchange_mode.hpp"
#include "core/workload/launch_mode.hpp"
#include "core/workload/segment_work.hpp"
#include "model/paper/iteration_time.hpp"
#include "model/profile/device_profile.hpp"
#include "model/traffic/traffic_case.hpp"
#include "model/traffic/traffic_price.hpp"
#include "predict/matrix_orders.hpp"

namespace sparsecast {

/// What to predict; every combination of block size, device count, schedule and launch mode that
/// there are kernels for is one prediction.
struct PredictionRequest {
  std::vector<int> blocks;  ///< empty: every block size that the profile has
  std::vector<int> devices{1};
  Precision precision = Precision::f64;
  CurveKind curve = CurveKind::average;
  std::int64_t iterations = 0;  ///< K; 0: time per iteration only
  /// "algorithm1", "fused", "vendor"; empty: fused by the traffic model, algorithm1 by the others,
  /// which know no other.
  std::vector<std::string> schedules;
  /// By the traffic model only. Empty: graph, and persistent where there is such a kernel. Several
  /// GPUs run graphs only.
  std::vector<LaunchMode> launches;
};

struct Interval {
  double low = 0;
  double high = 0;
};

/// How the traffic model came to its forecast.
struct TrafficForecast {
  TrafficCase segment;  ///< of several GPUs the first's
  TrafficPrice price;
  std::vector<SegmentWork> segments;  ///< of several GPUs
};

/// The forecast for one layout, number of devices, schedule and launch mode.
struct Prediction {
  int block = 1;
  int devices = 1;
  Renumbering renumbering = Renumbering::none;  ///< what made the order that is priced
  Precision precision = Precision::f64;
  std::string model = "paper";  ///< `DeviceProfile::model`
  std::string schedule = "algorithm1";
  std::optional<LaunchMode> launch;  ///< of the traffic model's
  /// Of the traffic model's for several GPUs: halo, or the first of peer and staged that the
  /// profile knows.
  std::optional<ExchangeMode> exchange;
  /// Shown beside our own (a vendor's library among them): never the best choice, nor a tie.
  bool only_compared = false;
  bool estimated_pattern = false;  ///< the matrix was not there to count look-ups in
  double seconds_per_iteration = 0;
  std::optional<Interval> interval_seconds;  ///< 90 %; absent where the profile knows none
  double raw_gflops = 0;
  std::optional<double> effective_gflops;  ///< absent where the block density is unknown
  /// How many times as fast as our fastest choice on one device with the same block size and
  /// precision, of one device too. That is Algorithm 1 by the paper's model, and by the traffic
  /// model the fused schedule in the launch mode that takes least. Absent where it is not known.
  std::optional<double> speedup;
  std::int64_t bytes_per_device = 0;  ///< of the fullest device: matrix and vectors
  std::optional<bool> fits;           ///< absent where the device's memory is unknown
  std::int64_t memory_bytes = 0;      ///< of one device; 0: unknown
  TimeParts parts;
  std::optional<TrafficForecast> traffic;  ///< of the traffic model's
  std::vector<std::string> warnings;

  std::int64_t iterations = 0;  ///< K as requested
  /// With K iterations, and absent where the profile does not know what they need: bringing the
  /// matrix into the layout on the host, sending it (and x and b) to all devices, one after the
  /// other; and both with K iterations.
  std::optional<double> conversion_seconds;
  std::optional<double> upload_seconds;
  std::optional<double> total_seconds;
  /// With K iterations: from how many on this block size is the better choice over CSR on the same
  /// devices, setup included; infinity: never. Absent for CSR itself, and where it is not known.
  std::optional<double> pays_after_iterations;
};

/// Predicts from the matrix itself: exact blocks, and the real partition for several devices.
/// Columns must rise within rows. By the traffic model, schedule vendor is for block size 1,
/// and persistent kernels are the fused schedule's, for the block sizes 1 and 3 in which they keep
/// the matrix of any layout. Throws `Error` for a matrix that is not
/// square, where the profile lacks the precision, a curve or a link that the request needs, and
/// where nothing is left to predict.
std::vector<Prediction> predict_matrix(const CsrView<double>& matrix,
                                       const MatrixFeatures& features, const DeviceProfile& profile,
                                       const PredictionRequest& request);

/// The same after a renumbering, of each number of devices in its own order. What the renumbering
/// itself takes is not priced.
std::vector<Prediction> predict_matrix(MatrixOrders& orders, const DeviceProfile& profile,
                                       const PredictionRequest& request);

/// Whether the profile can price iterations on more than one device: a CPU is one.
bool prices_several_devices(const DeviceProfile& profile);

/// Says that so many devices are more than the machine of the profile has; empty where they are
/// not, and where that is not known.
std::string machine_warning(const DeviceProfile& profile, int devices);

/// Says that the profile's own interval does not hold the times that equations 3 to 11 forecast in
/// a block size; empty where it does, and by the traffic model.
std::string bias_warning(const DeviceProfile& profile, Precision precision, int block);

/// What else may be known of the rows of a matrix that is not at hand; in entries.
struct RowNumbers {
  double deviation = 0;  ///< standard deviation of row lengths
  double longest = 0;    ///< 0: three deviations above the mean
};

/// Throws `Error` for numbers that no matrix of conjugate gradients has: unknowns and elements must
/// lie from 1 to 1e15 (by the traffic model at most 2^31 unknowns), elements between a diagonal of
/// N x N blocks and a dense matrix; a longest row between the mean one and x, a deviation from 0 to
/// x.
void check_numbers(double unknowns, double elements, int block, const DeviceProfile& profile,
                   const RowNumbers& rows = {});

/// Predicts from numbers alone: x unknowns, e block elements of N x N blocks, equal segments. For
/// conversion and access pattern all block elements count as nonzeros; `request.blocks` has no
/// meaning. The traffic model takes an
/// access pattern that `estimate_access` guesses, and widens the interval by what such guesses cost
/// (`estimate_spread`); `rows` is for it alone. Throws `Error` also for numbers that no matrix has
/// (`check_numbers`).
std::vector<Prediction> predict_numbers(double unknowns, double elements, int block,
                                        const DeviceProfile& profile,
                                        const PredictionRequest& request,
                                        const RowNumbers& rows = {});

/// Two times that differ by no more than this are a tie.
inline constexpr double tie_margin = 0.03;

/// Whether two forecasts cannot be told apart: their times differ by at most `tie_margin`, or each
/// lies in the other's 90 % interval.
bool is_tie(double seconds_a, const std::optional<Interval>& interval_a, double seconds_b,
            const std::optional<Interval>& interval_b);

/// The fastest prediction that fits, but of those for comparison, and how close the others come.
/// Fastest of whole solves where all predictions have `total_seconds`, else of an iteration.
struct BestChoice {
  std::size_t index = 0;
  std::optional<std::size_t> second;  ///< the next fastest that fits
  std::optional<double> margin;       ///< how much slower the second is (0.1: by 10 %)
  std::vector<std::size_t> ties;      ///< all others that fit and cannot be told apart from it
};

/// Throws `Error` if there is no prediction or none fits: what is needed and what is there.
BestChoice best_choice(std::span<const Prediction> predictions);

}  // namespace sparsecast
