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
  std::string model = "paper";
  double seconds_per_iteration = 0;
  std::optional<Interval> interval_seconds;  ///< 90 %; absent where the profile knows none
  double raw_gflops = 0;
  double effective_gflops = 0;        ///< equals raw where the density is unknown
  double speedup = 1;                 ///< over one device, same block size
  std::int64_t bytes_per_device = 0;  ///< of the fullest device: matrix and vectors
  std::optional<bool> fits;           ///< absent where the device's memory is unknown
  TimeParts parts;
  std::vector<std::string> warnings;
};

/// Predicts from the matrix itself: exact blocks, and the real partition for several devices.
std::vector<Prediction> predict_matrix(const CsrView<double>& matrix,
                                       const MatrixFeatures& features, const DeviceProfile& profile,
                                       const PredictionRequest& request);

/// Predicts from numbers alone: x unknowns, e block elements of N x N blocks, equal segments.
std::vector<Prediction> predict_numbers(double unknowns, double elements, int block,
                                        const DeviceProfile& profile,
                                        const PredictionRequest& request);

/// Index of the fastest prediction that fits, and how much slower the second best is (relative;
/// absent if there is only one). Throws `Error` if none fits, with what is needed and there.
struct BestChoice {
  std::size_t index = 0;
  std::optional<double> margin;
};
BestChoice best_choice(std::span<const Prediction> predictions);

}  // namespace sparsecast
