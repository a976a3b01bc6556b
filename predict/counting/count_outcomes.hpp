#pragma once

#include <span>
#include <string>
#include <vector>

#include "core/engine/iteration_count.hpp"
#include "predict/counting/count_words.hpp"

/// @file
/// What users are told of how counts ended.

namespace sparsecast {

/// Of counts of a matrix, `subject`, a sentence for each that another device may not have.
std::vector<std::string> warnings_of_counts(const std::string& subject,
                                            std::span<const IterationCount> counts,
                                            const CountWords& words);

/// Why no solver converged, with the outcome of each and what to do; empty where one did.
std::string why_none_solves(std::span<const IterationCount> counts, const CountWords& words);

/// The same thrown as an `Error` that names the matrix; nothing where one did.
void require_one_solves(const std::string& subject, std::span<const IterationCount> counts,
                        const CountWords& words);

}  // namespace sparsecast
