#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "core/base/precision.hpp"
#include "core/base/text/json_text.hpp"
#include "core/base/text/json_tree.hpp"
#include "core/schedule/method/method_names.hpp"
#include "core/schedule/outcome.hpp"

/// @file
/// How many iterations a solver takes to a tolerance. They hardly depend on the device, so that
/// they may be counted on another one than the solver is to run on. What the rounding of another
/// device may do to them shows in right-hand sides that differ by about as much.

namespace sparsecast {

/// What was counted of one solver. Amounts of iterations are fractions where iterations are cycles
/// of steps: the last cycle by its share of steps.
struct IterationCount {
  std::string solver;     ///< `Solver::name`
  NamedNumbers settings;  ///< given to its parameters
  Precision precision = Precision::f64;
  double tolerance = 0;         ///< ||b - A x|| <= tolerance ||b||
  std::string right_hand_side;  ///< "ones", "random", or the name of its file

  Outcome outcome = Outcome::iteration_limit;  ///< for b as given
  std::int64_t iterations = 0;                 ///< for b as given
  std::optional<std::int64_t> cycle_steps{};   ///< that the last iteration came to, where it is one
  double amount = 0;  ///< `iterations` less what the last one does not come to
  double fewest = 0;  ///< the amount for any right-hand side that converged; 0: none did
  double most = 0;
  int runs = 0;                  ///< right-hand sides that were tried, b among them
  int converged = 0;             ///< of these
  bool out_of_time = false;      ///< the outcome is `iteration_limit` as time was up
  double relative_residual = 0;  ///< ||b - A x|| / ||b|| at the end

  /// What another device, which rounds otherwise, is expected to take: the middle of `fewest` and
  /// `most`, as b is one right-hand side among others; `amount` where none converged.
  double expected() const;
  /// That of the outcome, or "out of time".
  std::string_view outcome_name() const;
  /// Whether all right-hand sides that were tried converged: what fails for one that differs by
  /// rounding may fail on another device.
  bool solves() const { return outcome == Outcome::converged && converged == runs; }
  /// Whether it may be taken for another device's: several right-hand sides converged, in amounts
  /// that differ by at most a tenth, and by one where there are few.
  bool is_stable() const;
  /// "17619 (17333 to 17686)", for messages and tables.
  std::string text() const;
};

/// An amount of iterations, a fraction with as many digits as mean something: "17619", "2.5".
std::string amount_text(double amount);

/// An object with what is counted, by the names above.
JsonObject to_json(const IterationCount& count);

/// Reads it again. Throws `Error` with the place for what `to_json` does not write.
IterationCount read_iteration_count(const JsonPlace& object);

}  // namespace sparsecast
