#pragma once

#include <string>
#include <vector>

namespace sparsecast::cuda {

/// A header that kernels compiled at run time include.
struct DeviceHeader {
  std::string name;  ///< as it is included
  std::string text;
};

/// `pass_body.cuh` and all that it includes of this project, as they were when the program was
/// built (`cmake/embed_headers.cmake`).
const std::vector<DeviceHeader>& device_headers();

}  // namespace sparsecast::cuda
