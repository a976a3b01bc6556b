#pragma once

#include <array>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/precision.hpp"
#include "core/schedule/operands.hpp"
#include "core/schedule/outcome.hpp"
#include "core/schedule/scalar_arithmetic.hpp"
#include "core/schedule/scalar_test.hpp"
#include "core/schedule/vector_pass.hpp"
#include "core/workload/segment_shape.hpp"

/// @file
/// What one iteration of a solver does, as plain data. A back end prepares and runs a schedule
/// (`core/engine/backend.hpp`); the model prices the very same one
/// (`model/paper/iteration_time.hpp`). A solver is written once, as a function that returns a
/// `Schedule`
/// (`core/schedule/cg_schedule.hpp`).

namespace sparsecast {

/// What a step is.
enum class StepKind {
  kernel,       ///< one kernel over the device's segment
  reduce,       ///< sum of a vector over all devices into a scalar slot (Algorithm 2)
  exchange,     ///< every device gets the other devices' parts of a full vector
  barrier,      ///< all devices wait for each other
  host_scalar,  ///< arithmetic on scalar slots
  check,        ///< may end the run with an outcome
};

/// Whether a device holds only its own part of a vector, or all of it.
enum class VectorScope { segment, full };

struct VectorDeclaration {
  std::string name;
  VectorScope scope = VectorScope::segment;
};

struct ScalarDeclaration {
  std::string name;
  double initial = 0;  ///< value before the setup steps
};

/// Arithmetic of a `host_scalar` step. All scalars are double, whatever the precision of vectors.
struct ScalarAssignment {
  ScalarSlot target = -1;
  ScalarOperation operation = ScalarOperation::copy;
  ScalarSlot a = -1;
  ScalarSlot b = -1;  ///< second operand of the operations that have one
  ScalarSlot c = -1;  ///< third
};

std::string_view to_string(Outcome outcome);

/// All of them. Not beside `Outcome`, whose header kernels read that NVRTC compiles.
inline constexpr std::array outcomes{
    Outcome::iteration_limit, Outcome::converged, Outcome::not_positive_definite,
    Outcome::not_finite,      Outcome::stagnated, Outcome::nonpositive_diagonal,
    Outcome::breakdown};

/// One exit of a `check` step: if the test holds, the run ends with the outcome.
struct StopTest {
  ScalarTest test;
  Outcome outcome = Outcome::converged;
};

/// A quantity that grows with the segment: `per_unknown * x + per_element * e`, with `x` the
/// unknowns of the segment and `e` the matrix values that its layout stores and moves (Table 2 and
/// Table 3 give these factors for transferred elements m and for flops).
struct LinearCount {
  double per_unknown = 0;
  double per_element = 0;
};

/// Numbers of things that a step moves, by kind. Unlike the paper's m, this counts what the memory
/// system sees in principle: a matrix value is one value, its share of an index is apart, and the
/// looked-up vector of SpMV counts once per unknown of the system.
struct Traffic {
  double vector_reads_per_unknown = 0;     ///< values read, per unknown of the segment
  double vector_writes_per_unknown = 0;    ///< values written, per unknown of the segment
  double gathered_per_total_unknown = 0;   ///< values of a full vector read by lookup
  double values_per_element = 0;           ///< matrix values read, per stored element
  double indices_per_block = 0;            ///< 4-byte column indices read, per stored block
  double offsets_per_block_row = 0;        ///< 8-byte row offsets read, per block row
  double exchanged_per_total_unknown = 0;  ///< values of the full vector that an exchange completes

  friend bool operator==(const Traffic&, const Traffic&) = default;
};

/// One step. Which fields matter depends on `kind`; the others keep their defaults.
struct Step {
  StepKind kind = StepKind::kernel;

  /// The name of the kernel in back ends' registries and of its curve in a profile ("SpMV",
  /// "CG4", "Red", ...). For `exchange`, `barrier`, `host_scalar` and `check` a label.
  std::string name;

  /// Operands in the order in which the kernel documents them (`core/cpu/cpu_kernels.hpp`).
  /// `reduce`: the vector to sum. `exchange`: the segment's part, then the full vector; or the full
  /// vector alone, in which every device has already written its own part.
  std::vector<VectorSlot> vectors;
  /// What it does with each of them, in the same order. Empty: not stated, and priced as if read.
  std::vector<VectorAccess> accesses;
  /// Scalar operands of a kernel; `reduce`: the slot that receives the sum.
  std::vector<ScalarSlot> scalars;
  /// Of a kernel: slots that receive sums over all rows and devices (dot products), in the order in
  /// which the kernel documents them. The next step may use them.
  std::vector<ScalarSlot> sums;

  /// Of a product: by the transpose of the matrix.
  bool transposed = false;

  /// Of a kernel named `pass_kernel`: what it does; `pass_step` makes such steps.
  std::optional<VectorPass> pass;

  std::vector<ScalarAssignment> assignments;  ///< `host_scalar`, carried out in order
  std::vector<StopTest> stop_tests;           ///< `check`, tried in order

  /// The step runs only in iterations where this holds.
  std::optional<ScalarTest> guard;
  /// That is so in most iterations, and the model prices the step as if it always were; else as if
  /// it never were.
  bool guard_mostly_holds = false;

  LinearCount elements;  ///< transferred elements m (Tables 2 and 3)
  LinearCount flops;
  Traffic traffic;
  int launches = 0;  ///< kernel launches that a device back end needs for it

  /// How many times an iteration the paper charges the step (equation 6 and 11). For a guarded
  /// step this is not how often it runs: CG2 is charged every iteration, its reduction never.
  double charged_per_iteration = 1;
};

/// A solver as data: `setup` runs once, `iteration` until a check ends the run, `finish` once,
/// however that ended.
struct Schedule {
  std::string name;
  std::vector<VectorDeclaration> vectors;
  std::vector<ScalarDeclaration> scalars;
  std::vector<Step> setup;
  std::vector<Step> iteration;
  std::vector<Step> finish;
};

/// Whether a step of any section multiplies by the transpose.
bool multiplies_by_transpose(const Schedule& schedule);

/// Transferred elements m, or flops, of a step on a segment.
double evaluate(const LinearCount& count, const SegmentShape& shape);

/// Bytes that a step moves on one segment, by kind.
struct BytesByKind {
  double values = 0;        ///< matrix values
  double indices = 0;       ///< column indices
  double row_pointers = 0;  ///< row offsets
  double vector_reads = 0;  ///< streamed and gathered vector values
  double vector_writes = 0;
  double exchanged = 0;  ///< values that this device sends and receives in an exchange

  double total() const {
    return values + indices + row_pointers + vector_reads + vector_writes + exchanged;
  }
};
BytesByKind bytes_moved(const Step& step, const SegmentShape& shape, Precision precision);

/// Carries out one assignment on the values of all scalar slots.
void apply(const ScalarAssignment& assignment, std::span<double> scalars);

/// Whether the test holds for the values of all scalar slots; false whenever one is NaN.
bool holds(const ScalarTest& test, std::span<const double> scalars);

/// How a `check` step ends the run, if it does: `not_finite` when a scalar that it tests is no
/// number or infinite, otherwise by the first test that holds.
std::optional<Outcome> checked(const Step& step, std::span<const double> scalars);

/// The slot with this name. Throws `Error` that names schedule and slot if there is none.
VectorSlot vector_slot(const Schedule& schedule, std::string_view name);
ScalarSlot scalar_slot(const Schedule& schedule, std::string_view name);

/// Checks that slots exist, operand counts fit the kinds, and passes can be carried out. Throws
/// `Error` naming the step.
void check_schedule(const Schedule& schedule);

}  // namespace sparsecast
