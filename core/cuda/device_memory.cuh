#pragma once

#include <cstdint>
#include <string>

namespace sparsecast::cuda {

/// Bytes that are free on the current device, less what graphs and small allocations take.
std::int64_t usable_memory();

/// Throws `Error` ("WHAT needs A GB of GPU memory, B GB are free on cuda:0; ADVICE") when more than
/// those are needed.
void require_memory_for(const std::string& what, std::int64_t bytes, int device,
                        const std::string& advice);

}  // namespace sparsecast::cuda
