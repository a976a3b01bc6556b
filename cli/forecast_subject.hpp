#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "core/analysis/features.hpp"
#include "core/matrix/market/matrix_market.hpp"
#include "core/matrix/renumbering.hpp"
#include "core/schedule/solver.hpp"
#include "core/workload/layout.hpp"
#include "model/profile/device_profile.hpp"
#include "predict/advice/advice.hpp"
#include "predict/features/forecast_features.hpp"
#include "predict/matrix_orders.hpp"
#include "predict/prediction.hpp"
#include "predict/prediction_request.hpp"

namespace sparsecast::cli {

/// Reads a features file, and warns of formats that it leaves out.
ForecastFeatures read_features(const std::string& path);

/// What MATRIX names for a forecast: a matrix file, or a features file in its place.
class ForecastSubject {
 public:
  /// Reads it. Throws `Error` for a matrix that is not square, and for damaged files; `UsageError`
  /// for a renumbering of a features file.
  ForecastSubject(const std::string& path, Renumbering how);
  ForecastSubject(const ForecastSubject&) = delete;
  ForecastSubject& operator=(const ForecastSubject&) = delete;

  /// Warns, once, of those of these solvers (none: of ours, conjugate gradients) that need a
  /// symmetric matrix where this is none; `leave_out`: they are taken out.
  void check_needs(std::vector<Solver>& solvers, bool leave_out) const;

  /// "box.mtx: 27 000 unknowns, 700 000 nonzeros".
  std::string text() const;
  /// Layouts that a forecast is worth where none is asked for.
  std::vector<Layout> worthwhile() const;

  std::vector<Prediction> predict(const DeviceProfile& profile, const PredictionRequest& request);
  Advice advise(std::span<const DeviceProfile> profiles, const AdviceRequest& request);

 private:
  const MatrixFeatures& features() const;

  std::string path_;
  Renumbering how_;
  std::optional<ForecastFeatures> counted_;  ///< of a features file; else these:
  MatrixMarketFile file_;
  std::optional<MatrixFeatures> features_;
  std::optional<MatrixOrders> orders_;
};

}  // namespace sparsecast::cli
