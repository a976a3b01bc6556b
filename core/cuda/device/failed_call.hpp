#pragma once

#include <string>

namespace sparsecast::cuda {

/// Throws `Error` that names the place (from `core/` on), the call and what CUDA or one of its
/// libraries says of it.
[[noreturn]] void fail_call(const std::string& words, const char* call, const char* file, int line);

}  // namespace sparsecast::cuda
