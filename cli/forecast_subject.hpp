#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "cli/counting/iteration_counts.hpp"
#include "core/analysis/features.hpp"
#include "core/matrix/files/matrix_file.hpp"
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

/// An order of the unknowns, and how long it took to make it.
struct OrderSeconds {
  Renumbering how = Renumbering::none;
  double seconds = 0;
};

/// "box" of "folder/box.mtx.gz" and of "box.features.json", "stdin" of "-".
std::string subject_name(const std::string& path);

/// What MATRIX names for a forecast: a matrix file, or a features file in its place.
class ForecastSubject {
 public:
  /// Reads it. Throws `Error` for a matrix that is not square, and for damaged files; `UsageError`
  /// for a renumbering of a features file.
  ForecastSubject(const std::string& path, Renumbering how);
  ForecastSubject(const ForecastSubject&) = delete;
  ForecastSubject& operator=(const ForecastSubject&) = delete;

  /// Warns, once, of those of these solvers (none: of ours, conjugate gradients) that cannot solve
  /// with it (`unfit_warnings`); `leave_out`: those that need a symmetric matrix are taken out.
  void check_needs(std::vector<Solver>& solvers, bool leave_out) const;

  /// Iterations of these solvers: counted here, or found in the features file. Leaves out, with a
  /// warning, solvers that need a symmetric matrix where this is none; warns of unstable counts.
  /// Throws like `count_iterations`, `find_counts` and `leave_out_symmetric`.
  std::vector<IterationCount> counts(const CommandLine& line, const CountOptions& options,
                                     SolversToCount& solvers,
                                     std::span<const Precision> precisions) const;

  /// What was counted of it, in its first order.
  const MatrixFeatures& features() const;

  /// Those of a features file; nullptr of a matrix.
  const ForecastFeatures* counted() const { return counted_ ? &*counted_ : nullptr; }

  /// The same matrix in another order. Throws `UsageError` for a features file, as above.
  void renumber(Renumbering how);

  /// Where its entries are, as it was given; nothing of a features file. This must outlive it.
  std::optional<PatternView> pattern() const;
  /// "box.mtx: 27 000 unknowns, 700 000 nonzeros", and the orders that it had so far.
  std::string text() const;
  /// Of the orders that were made so far, what that and bringing the matrix into them took here.
  std::vector<OrderSeconds> order_seconds() const;
  /// Layouts that a forecast is worth where none is asked for.
  std::vector<Layout> worthwhile() const;

  std::vector<Prediction> predict(const DeviceProfile& profile, const PredictionRequest& request);
  Advice advise(std::span<const DeviceProfile> profiles, const AdviceRequest& request);

 private:
  void refuse_order_of_features(Renumbering how) const;

  std::string path_;
  std::vector<Renumbering> orders_so_far_;
  std::vector<OrderSeconds> order_seconds_;  ///< of those before the one of now
  std::optional<ForecastFeatures> counted_;  ///< of a features file; else these:
  MatrixFromFile file_;
  std::optional<MatrixFeatures> features_;
  std::optional<MatrixOrders> orders_;
};

}  // namespace sparsecast::cli
