#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "bench/cuda_cases.hpp"
#include "core/base/precision.hpp"

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
};

/// The conversion from CSR, of arrays that are on the GPU already.
struct ConversionTime {
  double seconds = 0;        ///< median of those after the first
  double first_seconds = 0;  ///< of this matrix: may load kernels and take memory from the system
};

/// How long one contestant took.
struct MeasuredTime {
  std::string name;
  bool ours = false;
  double seconds = 0;  ///< median of the rounds
  double spread = 0;   ///< interquartile range over median
  std::int64_t rounds = 0;
  double bytes = 0;           ///< that a product reads and writes; of SpMV
  ConversionTime conversion;  ///< of ours; of SpMV
};

/// How many times faster one is than another: the median of the rounds' ratios, and their spread.
struct MeasuredRatio {
  double median = 0;  ///< 0: not measured
  double spread = 0;
};

struct SpmvResult {
  MeasuredCase about;
  double csr_bytes = 0;  ///< of CSR with 4-byte indices and both vectors: the working set
  std::string cache;     ///< "hot", "mixed" or "cold"
  std::vector<MeasuredTime> times;
  std::string best_ours;
  std::string best_peer;
  MeasuredRatio ratio;       ///< of these two
  MeasuredRatio ratio_of_3;  ///< of 3 x 3 blocks, if there are
  const MeasuredTime& time(const std::string& name) const;
};

struct CgResult {
  MeasuredCase about;
  bool surrogate_values = false;
  std::int64_t iterations = 0;  ///< a round
  std::vector<MeasuredTime> times;
  std::string best_ours;
  MeasuredRatio to_graph;  ///< of the best of ours, to the vendor's
  MeasuredRatio to_host;
  const MeasuredTime& time(const std::string& name) const;
};

struct GpuResults {
  std::string environment;                              ///< one line
  std::map<Precision, double> stream;                   ///< cold read stream, bytes per second
  std::vector<std::pair<std::string, double>> streams;  ///< each that was measured
  std::vector<SpmvResult> spmv;
  std::vector<CgResult> cg;
  double seconds = 0;  ///< of the whole run
};

std::string spmv_csv(const GpuResults& results);
std::string cg_csv(const GpuResults& results);

/// In Markdown: environment, bars, SpMV, CG.
std::string tables(const GpuResults& results);

}  // namespace sparsecast
