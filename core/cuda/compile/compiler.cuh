#pragma once

#include <string>
#include <vector>

namespace sparsecast::cuda {

/// The machine code (cubin) of a source for one generation of GPUs ("90": compute capability 9.0),
/// compiled by NVRTC or, if it has been compiled before, from the user's cache. The source may
/// include `device_headers`. Products and sums are not fused. Throws `Error` that says why when
/// NVRTC is not there or refuses.
std::string compile(const std::string& source, int capability);

/// The generations that NVRTC compiles for. Throws `Error` when it is not there.
std::vector<int> known_capabilities();

}  // namespace sparsecast::cuda
