#pragma once

#include <stdexcept>
#include <string>

namespace sparsecast {

/// The one exception type of the library. `what()` is a single line a person can act on: what is
/// wrong, where (file and line where there is one), and what was expected or what to do.
class Error : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

}  // namespace sparsecast
