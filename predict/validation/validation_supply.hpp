#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "core/analysis/features.hpp"
#include "core/analysis/matrix_access.hpp"
#include "core/base/threads/work_ahead.hpp"
#include "core/engine/backend.hpp"
#include "core/matrix/csr.hpp"
#include "core/matrix/renumbering.hpp"

namespace sparsecast {

/// A matrix to validate on.
struct ValidationMatrix {
  std::string name;
  CsrMatrix<double> matrix;
  bool pattern_only = false;  ///< the file has no values
};

/// Where one comes from.
struct ValidationSource {
  std::string name;
  double nonzeros = 0;  ///< about so many, for the memory that it takes
  /// Reads or generates it, on so many threads (0: all).
  std::function<ValidationMatrix(int threads)> load;
  std::vector<Renumbering> renumberings{Renumbering::none};
  std::vector<int> metis_devices;  ///< numbers of devices that METIS orders for
  bool generated = false;          ///< symmetric and positive definite, which is not tried then
  bool keeps_values = false;       ///< whatever solves with them; only a pattern gets others
};

/// One renumbering of a matrix, ready to be measured.
struct ValidationInput {
  std::string matrix;
  std::string pattern;  ///< `pattern_key` of the matrix as it was loaded
  Renumbering renumbering = Renumbering::none;
  int devices = 0;  ///< the number that it is ordered for; 0: any
  bool surrogate_values = false;
  bool generated = false;
  CsrMatrix<double> f64;
  Buffer<float> f32_values;
  MatrixFeatures features;
  MatrixAccess access;

  /// The same in f32, which shares the pattern.
  CsrView<float> f32() const {
    return {f64.rows, f64.columns, f64.row_offsets, f64.column_indices, f32_values};
  }
};

/// The key of a pattern, 16 hex digits, for matrices that are in a set twice.
std::string pattern_key(const CsrView<double>& matrix);

/// Whether conjugate gradients make progress with these values, in both precisions: symmetric, a
/// full positive diagonal, no NaN, and 20 iterations on the back end without p.Ap <= 0.
bool can_be_solved(const CsrView<double>& matrix, const MatrixFeatures& features, Backend& backend);

/// All renumberings of a source, METIS's one after the other for the numbers of devices. A matrix
/// that CG cannot solve keeps its pattern and gets surrogate values. Throws `Error` for a matrix
/// that is not square or empty, and what `load` throws.
std::vector<ValidationInput> prepare_inputs(const ValidationSource& source, int threads);

/// Prepares matrices on threads of its own while others are measured.
class ValidationSupply {
 public:
  /// What came of one source: its inputs, or why there are none.
  struct Result {
    std::size_t source = 0;  ///< its index
    std::vector<ValidationInput> inputs;
    std::string failure;
  };

  /// `workers` threads begin with the first sources, as long as those in their hands or waiting
  /// take less than `most_bytes`; 0 workers: each is prepared when it is asked for, on all threads.
  ValidationSupply(std::vector<ValidationSource> sources, int workers, double most_bytes);

  const std::vector<ValidationSource>& sources() const { return sources_; }

  /// Any that is ready, the first of several; waits for one. Nothing after the last. Each is handed
  /// out once.
  std::optional<Result> next();

 private:
  std::vector<ValidationSource> sources_;
  WorkAhead<Result> ahead_;
};

}  // namespace sparsecast
