#include "core/cuda/device/check.cuh"

#include <string>
#include <string_view>

#include "core/base/error.hpp"
#include "core/cuda/device/failed_call.hpp"

namespace sparsecast::cuda {

void fail_call(const std::string& words, const char* call, const char* file, int line) {
  std::string_view path = file;
  if (const auto folder = path.rfind("core/"); folder != std::string_view::npos) {
    path.remove_prefix(folder);
  }
  throw Error(std::string(path) + ":" + std::to_string(line) + ": " + call + " failed: " + words);
}

void fail(cudaError_t error, const char* call, const char* file, int line) {
  cudaGetLastError();
  fail_call(std::string(cudaGetErrorString(error)) + " (" + cudaGetErrorName(error) + ")", call,
            file, line);
}

}  // namespace sparsecast::cuda
