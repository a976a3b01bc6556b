#pragma once

#include <cstdint>
#include <string>

namespace sparsecast::cuda {

/// Throws `Error` ("WHAT needs A GB of GPU memory, B GB are free on cuda:0; ADVICE") unless so many
/// bytes, and what graphs and small allocations take besides, are free on the current device.
void require_free_memory(std::int64_t bytes, int device, const std::string& what,
                         const std::string& advice);

}  // namespace sparsecast::cuda
