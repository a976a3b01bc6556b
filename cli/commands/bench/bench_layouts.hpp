#pragma once

#include <span>
#include <string>

#include "cli/command.hpp"
#include "cli/commands/bench/bench_options.hpp"

namespace sparsecast::cli {

/// A thing to measure in every layout on every matrix. Both print what they measured and return the
/// exit status; Ctrl-C ends them early, keeps what was measured and throws `Interrupted`.
struct Benchmark {
  const char* name;
  int (*run_f32)(const CommandLine&, const BenchOptions&);
  int (*run_f64)(const CommandLine&, const BenchOptions&);
};

/// "spmv" and "cg".
std::span<const Benchmark> benchmarks();

}  // namespace sparsecast::cli
