#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "core/csr.hpp"
#include "core/features.hpp"
#include "model/device_profile.hpp"
#include "model/iteration_time.hpp"

namespace sparsecast {

/// What to predict; every combination of block size and device count is one prediction.
struct PredictionRequest {
  std::vector<int> blocks;  ///< empty: every block size that the profile has
  std::vector<int> devices{1};
  Precision precision = Precision::f64;
  CurveKind curve = CurveKind::average;
  std::int64_t iterations = 0;  ///< K; 0: time per iteration only
};

struct Interval {
  double low = 0;
  double high = 0;
};

/// The forecast for one layout and number of devices.
struct Prediction {
  int block = 1;
  int devices = 1;
  Precision precision = Precision::f64;
  std::string model = "paper";  ///< or "cache": `DeviceProfile::model`
  double seconds_per_iteration = 0;
  std::optional<Interval> interval_seconds;  ///< 90 %; absent where the profile knows none
  double raw_gflops = 0;
  double effective_gflops = 0;        ///< equals raw where the density is unknown
  double speedup = 1;                 ///< over one device, same block size
  std::int64_t bytes_per_device = 0;  ///< of the fullest device: matrix and vectors
  std::optional<bool> fits;           ///< absent where the device's memory is unknown
  std::int64_t memory_bytes = 0;      ///< of one device; 0: unknown
  TimeParts parts;
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
/// Columns must rise within rows. Throws `Error` for a matrix that is not square, and where the
/// profile lacks the precision, a curve or a link that the request needs.
std::vector<Prediction> predict_matrix(const CsrView<double>& matrix,
                                       const MatrixFeatures& features, const DeviceProfile& profile,
                                       const PredictionRequest& request);

/// Predicts from numbers alone: x unknowns, e block elements of N x N blocks, equal segments. All
/// block elements count as nonzeros; `request.blocks` has no meaning. Throws `Error` also for
/// numbers that no matrix has.
std::vector<Prediction> predict_numbers(double unknowns, double elements, int block,
                                        const DeviceProfile& profile,
                                        const PredictionRequest& request);

/// Two times that differ by no more than this are a tie.
inline constexpr double tie_margin = 0.03;

/// Whether two forecasts cannot be told apart: their times differ by at most `tie_margin`, or each
/// lies in the other's 90 % interval.
bool is_tie(double seconds_a, const std::optional<Interval>& interval_a, double seconds_b,
            const std::optional<Interval>& interval_b);

/// The fastest prediction that fits, and how close the others come. Fastest of whole solves where
/// all predictions have `total_seconds`, else of an iteration.
struct BestChoice {
  std::size_t index = 0;
  std::optional<std::size_t> second;  ///< the next fastest that fits
  std::optional<double> margin;       ///< how much slower the second is (0.1: by 10 %)
  std::vector<std::size_t> ties;      ///< all others that fit and cannot be told apart from it
};

/// Throws `Error` if there is no prediction or none fits: what is needed and what is there.
BestChoice best_choice(std::span<const Prediction> predictions);

}  // namespace sparsecast
