#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "bench/gpu_cases.hpp"
#include "core/base/precision.hpp"
#include "core/base/stopwatch.hpp"

/// @file
/// What the GPU benchmark has measured, as numbers, as CSV, as tables and against the bars.

namespace sparsecast {

/// What all results of one matrix in one precision share.
struct MeasuredCase {
  std::string matrix;
  GpuCase::Kind kind = GpuCase::Kind::file;
  Precision precision = Precision::f64;
  std::int64_t rows = 0;
  std::int64_t nonzeros = 0;

  /// "lp f32"
  std::string text() const { return matrix + ' ' + std::string(to_string(precision)); }
};

/// The conversion from CSR, of arrays that are on the GPU already.
struct ConversionTime {
  double seconds = 0;        ///< median of those after the first
  double first_seconds = 0;  ///< of this matrix: may load kernels and take memory from the system
};

/// How long one contestant took.
struct MeasuredTime {
  std::string name;
  std::string order;  ///< of the matrix: "given", or of `Renumbering`
  bool ours = false;
  double seconds = 0;  ///< median of the rounds
  double spread = 0;   ///< interquartile range over median
  std::int64_t rounds = 0;
  double bytes = 0;           ///< that a product reads and writes; of SpMV
  ConversionTime conversion;  ///< of ours; of SpMV

  void set(const Timing& timing) {
    seconds = timing.median_seconds;
    spread = timing.relative_spread;
    rounds = std::ssize(timing.round_seconds);
  }
};

/// How many times faster one is than another: the median of the rounds' ratios, and their spread.
struct MeasuredRatio {
  double median = 0;  ///< 0: not measured
  double spread = 0;

  MeasuredRatio() = default;
  explicit MeasuredRatio(const Timing& ratios)
      : median(ratios.median_seconds), spread(ratios.relative_spread) {}
};

/// Fractions of the read stream are of products of matrices that take more, in CSR.
inline constexpr double fewest_streaming_bytes = 250e6;

struct SpmvResult {
  MeasuredCase about;
  double csr_bytes = 0;         ///< of CSR with 4-byte indices and both vectors: the working set
  bool above_l2 = false;        ///< it is larger than the L2 cache
  std::string cache;            ///< "hot", "mixed" or "cold"
  double sectors_an_entry = 0;  ///< of 32 bytes, that 32 lanes gather of the vector, an entry;
                                ///< 0: not counted, as no bar asks for it
  std::vector<MeasuredTime> times;
  std::string best_ours;          ///< of the order given
  std::string best_peer;          ///< the same
  MeasuredRatio ratio;            ///< of these two
  std::string best_in_any_order;  ///< of ours, and its order; empty where only one was tried
  std::string best_order;
  MeasuredRatio any_order;  ///< of the best of each side in any order
  double of_stream = 0;     ///< fewest bytes of our layouts, over the time of the best, over what a
                            ///< kernel that only reads as many bytes reaches; 0: not measured
  std::vector<std::string> layouts;  ///< the fastest of ours in each order

  /// In the order given.
  const MeasuredTime& time(const std::string& name) const;
};

struct CgResult {
  MeasuredCase about;
  bool surrogate_values = false;
  std::int64_t iterations = 0;  ///< a round
  std::vector<MeasuredTime> times;
  std::string best_ours;          ///< in the order given
  MeasuredRatio to_graph;         ///< of the best of ours, to the vendor's, both in the order given
  MeasuredRatio to_host;          ///< the same
  std::string best_in_any_order;  ///< of ours, and its order
  std::string best_order;
  MeasuredRatio any_order;  ///< of the best of ours to the vendor's graph, each in its best order
};

struct GpuResults {
  std::string environment;                              ///< one line
  std::vector<std::pair<std::string, double>> streams;  ///< cold read streams, bytes per second
  std::vector<SpmvResult> spmv;
  std::vector<CgResult> cg;
  std::vector<std::string> failures;  ///< what is missing or wrong, a line each
  double seconds = 0;                 ///< of the whole run
};

std::string spmv_csv(const GpuResults& results);
std::string cg_csv(const GpuResults& results);

/// In Markdown: environment, bars, SpMV, CG.
std::string tables(const GpuResults& results);

}  // namespace sparsecast
