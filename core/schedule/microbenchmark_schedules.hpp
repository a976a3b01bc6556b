#pragma once

#include <span>
#include <string_view>

#include "core/schedule/schedule.hpp"

/// @file
/// One-step schedules: running them many times times a single kernel exactly as a solver runs it.
/// They are what calibration measures.

namespace sparsecast {

/// Loads `vector_count` vectors and adds their values (Figure 5). `variable`: parts handed out
/// dynamically instead of one fixed part a thread. Vectors `load1`, `load2`, ...; scalar `sum`,
/// known when a run has ended. Throws `Error` unless there is a vector.
Schedule load_schedule(int vector_count, bool variable);

/// Writes `writes` vectors, each the sum of the `reads` vectors: a controlled mix of reads and
/// writes. Vectors `read1`, ..., `write1`, ... Throws `Error` unless there is one of each.
Schedule mixed_schedule(int reads, int writes);

/// Two passes of the user's own solvers (`vector_pass.hpp`), which differ, so that one never finds
/// its own instructions on a multiprocessor: 3 vectors read and 2 written by each, or, with sums,
/// 2 read, 1 written and a sum.
Schedule pass_pair_schedule(bool with_sums);

/// The same of passes that update seven vectors.
Schedule wide_pass_pair_schedule(bool with_sums);

/// How the iterations of the user's own solvers end their kernels, each in other numbers,
/// "PassIteration/" before these names:
/// - "pass": a product, a pass, a check;
/// - "sum": a product, a pass with a sum, a check;
/// - "cg": a product with a sum, a pass with a sum, a pass; scalars and checks behind them as in
///   conjugate gradients; "cg-sums": with four sums in the first pass; "cg-chain": with 24 scalar
///   operations behind it, each of which needs what the one before made; "cg-apart": with 24 that
///   do not; "cg-product": with 24 that do behind the product;
///   "cg-guarded": all kernels under a guard that holds;
/// - "kernels": a product, ten passes of which no two are alike, each with a sum, a check.
std::span<const std::string_view> pass_iteration_names();

bool is_pass_iteration(std::string_view name);

/// The iteration of that name. Its vectors stay where they are. Throws `Error` for other names.
Schedule pass_iteration_schedule(std::string_view name);

/// A pass with a block of so many vectors: their dot products with another one, or one plus factors
/// times them; and a sum.
Schedule block_pass_schedule(bool dots, int vectors);

/// Only the step of Algorithm 1 with this name ("SpMV", "CG1" ... "CG5"), its reduction ("Red"),
/// the step of the fused schedule ("SpMVDot", "CGStart", "CGResidual", "CGDirection"), or the first
/// step of this kind in the libraries' schedule ("cusparseSpMV", "cublasDot", "cublasAxpy",
/// "cublasScal", "cublasCopy", "VendorMultiply"), without guard, in every iteration. Declares the
/// vectors and scalars of that step alone. Products are prepared with a matrix. Throws `Error` for
/// other names.
Schedule single_step_schedule(std::string_view step_name);

/// Only the exchange of the full vector and its barrier; only the barrier.
Schedule exchange_schedule();
Schedule barrier_schedule();

}  // namespace sparsecast
