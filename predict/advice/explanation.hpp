#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "predict/prediction.hpp"

/// @file
/// Where the time of a forecast goes, and what a person can do about it.

namespace sparsecast {

/// A part of an iteration's time: a step, what lies between steps, or what a kernel for all
/// iterations does in each of them.
struct ExplainedPart {
  std::string name;
  double seconds = 0;
  double floor_seconds = 0;   ///< its bytes from and to memory, at the memory's speed
  BytesByKind bytes;          ///< moved in principle; 0 where it is no step
  double memory_bytes = 0;    ///< that really move from and to memory
  double cache_bytes = 0;     ///< that only the last-level cache moves
  double gathered_bytes = 0;  ///< of the latter and memory's: looked-up sectors of the vector
  std::string bound;          ///< "launch", "longest row", "memory", "cache", "gather",
                              ///< "L1", "instructions", "synchronisation", "halo",
                              ///< "spilling", "exchange", "sums over devices"
};

struct Explanation {
  std::vector<ExplainedPart> parts;  ///< their seconds add up to the iteration's
  std::string bound;                 ///< what binds the parts that take most of the time together
  double bound_share = 0;            ///< of the time, in parts so bound
  std::vector<std::string> advice;   ///< a sentence each
};

/// Explains one of the traffic model's forecasts, beside `all` that were made of the same system: a
/// better one among them is part of the advice.
/// Throws `Error` for a forecast of another model.
Explanation explain(const Prediction& chosen, std::span<const Prediction> all);

}  // namespace sparsecast
