#pragma once

#include <cstddef>
#include <functional>
#include <span>

namespace sparsecast::cuda {

/// Copies host memory to the current device, and returns when it is there. What the default stream
/// has begun ends first; other streams must not use the memory.
///
/// The driver copies memory that is not pinned on one thread, at what that reads from memory. Here
/// several threads fill pinned pieces, each copied while its thread fills the next one: as fast as
/// the link, and nearly so whether or not the caches of the host hold the values.
void copy_to_device(void* to, const void* from, std::size_t bytes);

/// The same of bytes that are made on the way: `write(first, piece)` writes those from `first` on,
/// each once, on several threads at a time, in pieces that begin and end at multiples of 64 bytes
/// or at the end.
void write_to_device(
    void* to, std::size_t bytes,
    const std::function<void(std::size_t first, std::span<std::byte> piece)>& write);

/// Makes ready what later copies to the current device need, once in a process: some milliseconds.
void prepare_copies();

}  // namespace sparsecast::cuda
