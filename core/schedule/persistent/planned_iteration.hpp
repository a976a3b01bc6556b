#pragma once

#include <optional>
#include <vector>

#include "core/schedule/schedule.hpp"
#include "core/workload/persistent_needs.hpp"

/// @file
/// What `plan_persistent` says of a schedule, as plain data.

namespace sparsecast {

/// A vector of the kernel.
struct PlannedVector {
  enum class Kind {
    of_schedule,
    square,     ///< of each value of `slot`, which no iteration changes
    inverse,    ///< the same
    temporary,  ///< known to one pass only
  };
  Kind kind = Kind::of_schedule;
  VectorSlot slot = -1;
  bool assigned = false;  ///< in an iteration
  bool read = false;      ///< in an iteration, by rows
  int window = -1;        ///< place among the vectors that the matrix multiplies; -1: none
  int kept_halo = -1;     ///< place among others whose halo values a block keeps; -1: none
  int published = -1;     ///< place among those whose values go to other blocks; -1: none
};

/// A vector whose halo values come from their owners for the work of an item.
struct HaloArrival {
  int vector = 0;
  /// They are assigned behind the item, and so of the iteration before.
  bool of_iteration_before = false;
  /// They can be awaited while the last sums before the item are.
  bool early = false;
};

struct PlannedStatement {
  PassStatement statement;  ///< operands are places in `PersistentPlan::vectors`
  bool publishes = false;   ///< what it assigns goes to other blocks
  bool on_halo = false;     ///< it is carried out on halo values, too
  bool later = false;       ///< it can be done while the sums behind its pass are waited for
  bool sooner = false;      ///< it can be done while the sums before its pass are waited for
};

/// A part of an iteration.
struct PlannedItem {
  enum class Kind { product, pass, control };
  Kind kind = Kind::control;
  std::vector<int> steps;  ///< of the schedule's iteration; of a product or a pass one

  // --- of a product or a pass ---
  int input = -1;
  int output = -1;
  bool publishes = false;           ///< the output goes to other blocks
  std::optional<ScalarTest> guard;  ///< of a pass
  std::vector<PlannedStatement> statements;
  std::vector<ScalarSlot> sums;       ///< that it adds to, in the order of its dot products
  std::vector<HaloArrival> arrivals;  ///< of a product: of its input
  int early_in = -1;  ///< the control that awaits what arrives early; it may be behind the item
  bool barrier_before = false;   ///< first the blocks of a cluster have read what others wrote
  bool barrier_to_read = false;  ///< its halo work follows writes that no sum has followed yet

  // --- of a control ---
  bool ends_iteration = false;
  std::vector<ScalarSlot> stored;  ///< sums that its scalars may use from then on
  bool waits = false;              ///< for all sums that are not known yet
  /// It is carried out together with the control before; a run that it ends goes on to its place.
  bool joins = false;
};

struct PersistentPlan {
  std::vector<PlannedVector> vectors;
  std::vector<PlannedItem> items;
  int windows = 0;
  int kept_halos = 0;
  int published = 0;
  int most_sums = 0;  ///< of a wait
  int scalars = 0;    ///< of the schedule

  PersistentNeeds needs() const;
  /// Those whose rows a block keeps, in the order of `PersistentNeeds::vectors`.
  std::vector<int> kept_vectors() const;
};

/// The vectors that a statement reads, each once.
std::vector<int> operands_read(const PassStatement& statement);

}  // namespace sparsecast
