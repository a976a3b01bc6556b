#include "predict/counting/count_outcomes.hpp"

#include "core/base/error.hpp"

namespace sparsecast {

std::vector<std::string> warnings_of_counts(const std::string& subject,
                                            std::span<const IterationCount> counts,
                                            const CountWords& words) {
  std::vector<std::string> warnings;
  for (const IterationCount& count : counts) {
    if (count.outcome != Outcome::converged || count.is_stable()) continue;
    const std::string what = subject + ": iterations of " + count.solver + " in " +
                             std::string(to_string(count.precision));
    if (!count.solves()) {
      warnings.push_back(what + " depend on rounding: " + std::to_string(count.converged) + " of " +
                         std::to_string(count.runs) + " right-hand sides converged; left out");
    } else if (count.runs < 2) {
      warnings.push_back(what + ": no time was left to see how rounding moves them; raise " +
                         words.seconds);
    } else {
      warnings.push_back(what + " depend on rounding: " + count.text() +
                         "; another device may take others");
    }
  }
  return warnings;
}

std::string why_none_solves(std::span<const IterationCount> counts, const CountWords& words) {
  std::string names;
  bool out_of_time = false;
  for (const IterationCount& count : counts) {
    if (count.solves()) return "";
    out_of_time = out_of_time || count.out_of_time;
    names +=
        (names.empty() ? "" : ", ") + count.solver + " in " +
        std::string(to_string(count.precision)) + ": " +
        (count.outcome == Outcome::converged ? "converged for " + std::to_string(count.converged) +
                                                   " of " + std::to_string(count.runs)
                                             : std::string(count.outcome_name()));
  }
  return "no solver converged (" + names + "); allow more " +
         (out_of_time ? "time (" + words.seconds + ")" : "iterations") +
         ", a larger tolerance, or another solver";
}

void require_one_solves(const std::string& subject, std::span<const IterationCount> counts,
                        const CountWords& words) {
  const std::string why = why_none_solves(counts, words);
  if (!why.empty()) throw Error(subject + ": " + why);
}

}  // namespace sparsecast
