#pragma once

#include <functional>
#include <optional>
#include <string>

#include "core/engine/ranks/communicator.hpp"

namespace sparsecast {

/// Which rank could not do its part, and why.
struct RankError {
  int rank = 0;
  std::string text;
  bool of_all = false;  ///< all ranks say the same
};

/// Does a rank's part, and returns what it says when it throws `Error` or finds no memory; else
/// nothing. For `first_error`.
std::string failure_of(const std::function<void()>& part);

/// That of the lowest rank whose `error` is not empty; nothing where none has one. The same on all
/// ranks, which all call it.
std::optional<RankError> first_error(Communicator& ranks, const std::string& error);

/// Has every rank do its part. When one of them throws `Error`, or finds no memory, all throw an
/// `Error` that says what the lowest such rank said, and, unless all said the same, names it. All
/// ranks call it. The part itself does not use the communicator; where
/// it meets other ranks in another way, as by NCCL, who fails lets them wait for their own
/// patience.
void do_together(Communicator& ranks, const std::function<void()>& part);

}  // namespace sparsecast
