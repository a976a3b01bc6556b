#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/precision.hpp"
#include "core/schedule/iteration_counts.hpp"

/// @file
/// What `bench fusion` measured, and its file.

namespace sparsecast::cli {

/// One measurement, or why there is none.
struct FusionMeasurement {
  /// "iteration" of conjugate gradients; "dots": dot products of one vector with a basis;
  /// "gram-schmidt": those and what takes the basis off the vector; "solve".
  std::string what;
  std::string matrix;     ///< "grid", "elasticity" or the name of a file; empty of vectors
  std::int64_t size = 0;  ///< unknowns as asked for; 0 of a file
  std::int64_t rows = 0;
  std::int64_t nonzeros = 0;  ///< 0 of vectors

  std::string device;       ///< "cuda:0", "cpu"
  std::string description;  ///< of the device, for people
  Precision precision = Precision::f64;
  /// Of an iteration and a solve: `FusionSolver::name`. Of a Gram-Schmidt step the solver that
  /// makes it so: "gmres-blas1" or "gmres"; empty of dot products.
  std::string solver;
  std::string launch;      ///< "host", "graph", "persistent"; empty on a CPU
  std::int64_t basis = 0;  ///< vectors; 0 of conjugate gradients
  std::int64_t dots = 0;   ///< dot products a pass, at most; 0 of conjugate gradients

  IterationCounts counted;  ///< of the schedule; not of a solve
  double launches = 0;      ///< an iteration, as it ran; 0 on a CPU, and of a solve
  double host_waits = 0;    ///< the same

  std::string reason;  ///< why nothing was measured; then what follows is 0
  double seconds = 0;  ///< the median of rounds; of a solve: of all its iterations
  double spread = 0;   ///< of the rounds: interquartile range over median
  std::int64_t rounds = 0;
  std::int64_t repeats = 0;     ///< a round
  double bytes = 0;             ///< that kernels read and write, each array once a kernel
  std::int64_t iterations = 0;  ///< of a solve
  std::string outcome;          ///< of a solve
  double residual = 0;          ///< of a solve: ||b - A x|| over ||b||

  bool measured() const { return reason.empty(); }
};

/// Its outcome is that it has converged.
bool is_solved(const FusionMeasurement& m);

/// One line a measurement under a header line, and back. Rates are written for readers and not read
/// again. `parse_fusion_csv` throws `Error` that names `name` and the line.
std::string fusion_measurements_to_csv(std::span<const FusionMeasurement> measurements);
std::vector<FusionMeasurement> parse_fusion_csv(std::string_view text, const std::string& name);

}  // namespace sparsecast::cli
