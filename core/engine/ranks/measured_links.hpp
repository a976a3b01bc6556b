#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <span>

#include "core/engine/ranks/communicator.hpp"

/// @file
/// What ranks do together in an iteration, alone and ready to be timed. calibrate/links measures
/// it.

namespace sparsecast {

/// Something that is done again and again: `times` times for each `count`.
struct LinkWork {
  std::function<void(std::int64_t count)> run;
  int times = 1;
};

/// What carries halos and sums between ranks. All its ranks call every function, in the same order,
/// and run what it returns together; bytes are a multiple of 8. What it returns is gone before it.
class MeasuredLinks {
 public:
  virtual ~MeasuredLinks() = default;

  /// Of two ranks: a message from the first to the second, and when it is there one back.
  virtual LinkWork there_and_back(std::int64_t bytes) = 0;

  /// A message of so many bytes to each of these ranks while one comes from it.
  virtual LinkWork exchange(std::span<const int> neighbours, std::int64_t bytes) = 0;

  /// A sum of so many numbers over all ranks.
  virtual LinkWork sum(int values) = 0;

  /// Some 50 us of a rank's own work, the same each time.
  virtual LinkWork own_work() = 0;
};

/// By the communicator, between the memories of the ranks' hosts. Keeps a reference to it.
std::unique_ptr<MeasuredLinks> host_links(Communicator& ranks);

}  // namespace sparsecast
