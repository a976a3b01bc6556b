#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/precision.hpp"

/// @file
/// What `bench blocks` measured, and its file.

namespace sparsecast::cli {

/// One measurement, or why there is none.
struct BlockMeasurement {
  /// "product"; "iteration" of a solver; "saxpy"; "dot"; "history": the residuals of a solve.
  std::string what;
  std::string mesh;     ///< as Table 3 prints it; empty of vectors ("saxpy", "dot")
  std::string problem;  ///< `BlockProblem::name`
  std::string order;    ///< of vertices: "none", "rcm", "random"
  double scale = 1;     ///< vertices over the mesh's, nearly; of vectors too
  std::int64_t rows = 0;
  std::int64_t nonzeros = 0;  ///< 0 of vectors

  std::string device;                ///< "cuda:0", "cpu"
  std::string description;           ///< of the device, for people; with a CPU's instruction set
  double peak_bytes_per_second = 0;  ///< of its memory, as data sheets count; 0: not known
  double peak_flops = 0;             ///< in this precision; 0: not known
  double cache_bytes = 0;            ///< of its last-level cache; 0: not known

  Precision precision = Precision::f32;
  /// Of an iteration and a history: "cnc" (on a GPU by calls that the host makes, and waits for
  /// sums), "cnc-graph" (the same kernels recorded), "fused" (ours).
  std::string solver;
  std::string layout;  ///< by name; empty of vectors
  /// Kernels an iteration launches (0 on a CPU); values a block of a dot product; iterations of a
  /// history.
  double number = 0;
  std::string reason;  ///< why nothing was measured; then what follows is 0
  double seconds = 0;  ///< the median of rounds
  double spread = 0;   ///< of the rounds: interquartile range over median
  std::int64_t rounds = 0;
  std::int64_t repeats = 0;    ///< a round
  double stored_elements = 0;  ///< matrix values, padding included
  double flops = 0;            ///< useful ones: of nonzeros, whatever is stored
  double bytes = 0;            ///< that kernels read and write, each array once a kernel
  double recurrence = 0;       ///< of a history: the recurrence's ||r|| over ||b||
  double residual = 0;         ///< of a history: ||b - A x|| over ||b||

  bool measured() const { return reason.empty(); }
  double flops_per_second() const { return seconds > 0 ? flops / seconds : 0; }
  double bytes_per_second() const { return seconds > 0 ? bytes / seconds : 0; }
  /// Of the data sheet's; 0 where that is not known.
  double bandwidth_share() const {
    return peak_bytes_per_second > 0 ? bytes_per_second() / peak_bytes_per_second : 0;
  }
  double flops_share() const { return peak_flops > 0 ? flops_per_second() / peak_flops : 0; }
};

/// One line a measurement under a header line, and back. Rates are written for readers and not read
/// again. `parse_block_csv` throws `Error` that names `name` and the line.
std::string block_measurements_to_csv(std::span<const BlockMeasurement> measurements);
std::vector<BlockMeasurement> parse_block_csv(std::string_view text, const std::string& name);

}  // namespace sparsecast::cli
