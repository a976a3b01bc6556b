#pragma once

#include <span>
#include <string>
#include <vector>

#include "core/engine/iteration_count.hpp"
#include "core/engine/own_schedule.hpp"
#include "predict/counted_solver.hpp"
#include "predict/counting/count_words.hpp"

namespace sparsecast {

/// Solvers whose iterations are to be counted.
struct SolversToCount {
  std::vector<OwnSchedule> own;
  std::vector<std::string> ours;  ///< of `built_in`, all of which are conjugate gradients
};

/// Takes those out that need a symmetric matrix, which `subject` is not. Returns a sentence that
/// names them; empty where there is none. Throws `Error` where none is left.
std::string leave_out_symmetric(const std::string& subject, SolversToCount& solvers,
                                const CountWords& words);

/// What was counted of them, with what else their times are made of.
std::vector<CountedSolver> counted_solvers(std::span<const IterationCount> counts,
                                           const SolversToCount& solvers);

}  // namespace sparsecast
