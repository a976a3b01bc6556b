#pragma once

#include <map>
#include <mutex>
#include <optional>
#include <string>

#include "core/schedule/solver.hpp"
#include "core/workload/persistent_needs.hpp"
#include "model/traffic/priced_schedule.hpp"
#include "predict/prediction_request.hpp"

namespace sparsecast {

/// A solver, with what forecasts ask of it for any matrix: worked out once, when it is asked for
/// first. Several threads may ask at once.
class ListedSolver {
 public:
  /// The solver must outlive it.
  explicit ListedSolver(const Solver& solver) : solver_(solver) {}

  const Solver& solver() const { return solver_; }
  const PricedSchedule& priced() const;
  /// What its kernel for all iterations keeps; nothing where it has none.
  const std::optional<PersistentNeeds>& persistent_needs() const;

 private:
  const Solver& solver_;
  mutable std::once_flag priced_once_;
  mutable std::optional<PricedSchedule> priced_;
  mutable std::once_flag needs_once_;
  mutable std::optional<PersistentNeeds> needs_;
};

/// The solvers that forecasts may name: those that come with the program, and the user's own. One
/// list serves all forecasts with the same solvers.
class SolverList {
 public:
  SolverList() = default;
  /// With those of a request, which must outlive this.
  explicit SolverList(const PredictionRequest& request);

  /// One of the user's own, which must outlive this, in place of one of the same name.
  void add(const Solver& solver);

  /// These throw like `built_in` for a name that is none of them.
  const ListedSolver& listed(const std::string& name) const;
  const Solver& at(const std::string& name) const { return listed(name).solver(); }

  /// Floating-point operations of an iteration with so many stored elements: by the paper's count
  /// for conjugate gradients, whatever the schedule, else those of the steps.
  double flops(const std::string& name, double unknowns, double elements) const;

 private:
  std::map<std::string, ListedSolver> own_;
};

}  // namespace sparsecast
