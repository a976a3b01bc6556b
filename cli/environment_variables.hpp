#pragma once

#include <span>

namespace sparsecast::cli {

/// A variable of the environment that the program, or a library for it, reads.
struct EnvironmentVariable {
  const char* name;
  const char* meaning;  ///< what it is for, in a sentence without its full stop
};

/// All of them: what `sparsecast --help` and the manual pages say.
std::span<const EnvironmentVariable> environment_variables();

}  // namespace sparsecast::cli
