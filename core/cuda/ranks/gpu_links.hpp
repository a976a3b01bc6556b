#pragma once

#include <memory>
#include <string>

#include "core/engine/device_list.hpp"
#include "core/engine/ranks/communicator.hpp"
#include "core/engine/ranks/measured_links.hpp"

/// @file
/// What carries halos and sums between ranks with a GPU each, to be timed. `gpu` is this rank's;
/// all ranks call these functions, which keep a reference to the communicator. They throw `Error`,
/// as `nccl_links` does the same on all ranks where the library is missing or does not join them.

namespace sparsecast {

/// By NCCL, several times in a graph, as in an iteration by exchange `nccl`.
std::unique_ptr<MeasuredLinks> nccl_links(Communicator& ranks, const GpuPart& gpu);

/// Through the hosts, as by exchange `staged`. A sum is one of numbers that hosts have.
std::unique_ptr<MeasuredLinks> staged_links(Communicator& ranks, const GpuPart& gpu);

/// By the hosts from one GPU's memory to another's, as by exchange `gpu_aware`; the communicator
/// carries that (`carries_gpu_memory`). A sum as above.
std::unique_ptr<MeasuredLinks> gpu_aware_links(Communicator& ranks, const GpuPart& gpu);

/// That of the library, "2.27.3". Throws `Error` where it is missing.
std::string nccl_version();

}  // namespace sparsecast
