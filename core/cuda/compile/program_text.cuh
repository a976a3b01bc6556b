#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "core/cuda/run/run_state.cuh"

namespace sparsecast::cuda {

/// Operations between kernels as the body of a function in CUDA C++,
///
///     void operate(double* v, const std::int16_t* p, RunState& state,
///                  const RunProgress& progress, std::int64_t* runs)
///
/// Scalars lie at places of `v`; `progress` is the state's before it. Operations that repeat along
/// arrays become loops; how often, and where the arrays lie, are numbers `p`, so that lists of the
/// same form have the same text.
struct ProgramText {
  std::string text;
  std::vector<std::int16_t> slots;    ///< of the scalars, by place
  std::vector<std::int16_t> numbers;  ///< p
  std::map<int, int> places;          ///< of slots
};

/// The results are those of `run_operations`, to the last bit. The first `scalars` scalars have
/// their slots as places.
ProgramText program_text(std::span<const ControlOperation> operations, int scalars = 0);

}  // namespace sparsecast::cuda
