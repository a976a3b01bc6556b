#pragma once

#include <string>

#include "core/engine/ranks/rank_part.hpp"
#include "core/matrix/csr.hpp"
#include "core/schedule/method/lower.hpp"
#include "core/schedule/method/method.hpp"
#include "core/schedule/method/method_names.hpp"

namespace sparsecast {

/// A solver of the user's own (docs/schedules.md) with values of its parameters: what runs is
/// fused, what is priced, too, or the calls of its library.
class OwnSolver {
 public:
  /// Throws like `check_method`, `parameter_values` and `lower`.
  OwnSolver(Method method, NamedNumbers settings);

  const std::string& name() const { return method_.name; }
  const Method& method() const { return method_; }
  const NamedNumbers& settings() const { return settings_; }

  /// For a matrix, of which parameters may be functions; with a `part`, one that ranks share, all
  /// of which call it. Throws like `functions_of`.
  template <class T>
  Solver for_matrix(const CsrView<T>& matrix, const RankPart* part = nullptr) const;

  /// What the model prices: what an iteration costs does not depend on numbers of the matrix, and 1
  /// stands in their place.
  const Solver& priced() const { return priced_; }

 private:
  Method method_;
  NamedNumbers settings_;
  Solver priced_;
};

}  // namespace sparsecast
