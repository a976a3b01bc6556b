#pragma once

#include <exception>
#include <functional>
#include <type_traits>
#include <vector>

#include "calibrate/measure/counted_executions.hpp"
#include "calibrate/plan/matrix_families.hpp"
#include "core/analysis/features.hpp"
#include "core/analysis/matrix_access.hpp"
#include "core/base/threads/work_ahead.hpp"
#include "core/matrix/csr.hpp"

namespace sparsecast {

/// A generated matrix with all that samples say of it.
struct SuppliedMatrix {
  CsrMatrix<double> f64;
  CsrMatrix<float> f32;
  MatrixFeatures features;
  MatrixAccess access;
  CountedExecutions executions;  ///< those that `MatrixSupply` was asked to count

  /// In the precision of T.
  template <class T>
  CsrView<T> view() const {
    if constexpr (std::is_same_v<T, float>) {
      return f32.view();
    } else {
      return f64.view();
    }
  }
};

/// How matrices are generated.
struct SupplyOptions {
  int threads = 1;  ///< of each generator
  /// Generators that work while something else is measured; 0: a matrix is generated when it is
  /// asked for, which disturbs no measurement.
  int generators_ahead = 0;
  double most_bytes_ahead = 0;  ///< of matrices that wait or are measured, about
};

/// Generates the matrices of a plan in the order in which they are needed, ahead of the need where
/// the measured device leaves the host idle.
class MatrixSupply {
 public:
  /// `order`: indices into `recipes`, each once, in the order in which they will be asked for.
  /// `complete(index, matrix)` adds to what is generated, by the thread that generates: of several
  /// matrices at once.
  MatrixSupply(const std::vector<MatrixRecipe>& recipes, std::vector<int> order,
               const SupplyOptions& options,
               std::function<void(int index, SuppliedMatrix& matrix)> complete);

  /// The matrix, which must be among the order's; waits for it. The ones asked for before are gone.
  /// Throws what its generator, or `complete`, threw, every time.
  const SuppliedMatrix& get(int index);

  /// Waits until no generator works, and none will until another matrix is asked for.
  void wait_until_idle() { ahead_.wait_until_idle(); }

 private:
  std::vector<int> order_;
  int index_ = -1;
  SuppliedMatrix current_;
  std::exception_ptr failure_;  ///< of the current one
  WorkAhead<SuppliedMatrix> ahead_;
};

}  // namespace sparsecast
