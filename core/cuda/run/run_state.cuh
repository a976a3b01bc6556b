#pragma once

#include <cstddef>
#include <cstdint>

#include "core/base/host_device.hpp"
#include "core/cuda/several/device_links.cuh"
#include "core/schedule/outcome.hpp"
#include "core/schedule/scalar_arithmetic.hpp"
#include "core/schedule/scalar_test.hpp"

/// @file
/// What a run knows of itself, in device memory: how far it is, and whether it has ended.

namespace sparsecast::cuda {

struct RunState {
  std::int32_t ended = 0;       ///< 0: no; 1 + outcome; negative: as `ended_without` says
  std::int32_t kernel_ran = 0;  ///< in this iteration
  std::int64_t iterations = 0;  ///< of this call of `run`
  std::int64_t limit = 0;
};

/// Scalars of a schedule, and steps of its lists, at most: `finish` holds all scalars in shared
/// memory, and operations name both in 16 bits.
inline constexpr std::size_t most_schedule_scalars = 4096;
inline constexpr std::size_t most_schedule_steps = 32767;

/// Scalar operands of a test, on the device and in kernel arguments.
struct DeviceTest {
  std::int16_t a = -1;  ///< negative: holds always
  std::int16_t b = -1;
  Comparison comparison = Comparison::less;

  DeviceTest() = default;
  explicit DeviceTest(const ScalarTest& test)
      : a(static_cast<std::int16_t>(test.a)),
        b(static_cast<std::int16_t>(test.b)),
        comparison(test.comparison) {}

  SPARSECAST_HOST_DEVICE bool holds(const double* scalars) const {
    if (a < 0) return true;
    return comparison == Comparison::less ? scalars[a] < scalars[b] : scalars[a] <= scalars[b];
  }
};

/// What every kernel of a step gets, to know whether it is to run.
struct Gate {
  RunState* state = nullptr;
  const double* scalars = nullptr;
  std::int64_t* runs = nullptr;  ///< of the step; null: not counted here
  DeviceTest guard;
};

/// One thing that happens between kernels.
struct ControlOperation {
  enum class Kind : std::int16_t {
    assign,         ///< one assignment of a `host_scalar` step
    stop,           ///< one test of a `check` step
    count,          ///< an exchange or barrier that there is nothing to do for
    end_iteration,  ///< the iteration is complete
  };
  Kind kind = Kind::end_iteration;
  ScalarOperation operation = ScalarOperation::copy;
  std::int16_t target = -1;
  std::int16_t a = -1;
  std::int16_t b = -1;
  std::int16_t c = -1;
  std::int16_t step = -1;  ///< `count`: whose run it is
  DeviceTest test;
  Outcome outcome = Outcome::converged;
  DeviceTest guard;
};

/// Operations that one thread carries out in order.
struct ControlList {
  const ControlOperation* operations = nullptr;
  int count = 0;
};

/// A short list: passed to kernels by value, or copied to shared memory at once.
struct ControlProgram {
  static constexpr int capacity = 40;
  int count = 0;
  ControlOperation operations[capacity];
};

/// Everything that kernels need to change a run's state.
struct RunMemory {
  RunState* state = nullptr;
  double* scalars = nullptr;
  std::int64_t* runs = nullptr;  ///< per step of the list
  int scalar_count = 0;
  DeviceLinks links;
};

}  // namespace sparsecast::cuda
