#pragma once

#include <cstddef>
#include <functional>
#include <span>
#include <vector>

/// @file
/// How host memory comes to a device.
///
/// The driver copies memory that is not pinned on one thread, as fast as that reads it. Here
/// several threads fill pinned pieces, each copied while its thread fills the next one: nearly as
/// fast as the link, whether or not the host's caches hold the values.

namespace sparsecast::cuda {

/// Arrays that are copied together, which costs less than one after the other.
class HostCopies {
 public:
  using Write = std::function<void(std::size_t first, std::span<std::byte> piece)>;

  /// Both stay where they are until `run` is done.
  void add(void* to, const void* from, std::size_t bytes);
  /// Of bytes that are made on the way: `write(first, piece)` writes those from `first` on, each
  /// once, on several threads at a time, in pieces that begin and end at multiples of 64 bytes or
  /// at the end.
  void add(void* to, std::size_t bytes, Write write);

  /// Copies all to the current device, and returns when they are there. What the default stream has
  /// begun ends first; other streams must not use the memory.
  void run() const;

 private:
  struct Copy {
    std::byte* to;
    std::size_t bytes;
    const std::byte* from;  ///< nullptr: `write` makes them
    Write write;
  };
  std::vector<Copy> copies_;
};

/// One array alone.
void copy_to_device(void* to, const void* from, std::size_t bytes);

/// Makes ready what later copies to the current device need, once in a process: some milliseconds.
void prepare_copies();

}  // namespace sparsecast::cuda
