#include "core/cuda/check.cuh"

#include <string>
#include <string_view>

#include "core/error.hpp"

namespace sparsecast::cuda {

void fail(cudaError_t error, const char* call, const char* file, int line) {
  cudaGetLastError();
  std::string_view path = file;
  if (const auto folder = path.rfind("core/"); folder != std::string_view::npos) {
    path.remove_prefix(folder);
  }
  throw Error(std::string(path) + ":" + std::to_string(line) + ": " + call +
              " failed: " + cudaGetErrorString(error) + " (" + cudaGetErrorName(error) + ")");
}

}  // namespace sparsecast::cuda
