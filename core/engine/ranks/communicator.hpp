#pragma once

#include <cstddef>
#include <span>

namespace sparsecast {

/// Bytes for another rank, and room for those that another rank sends.
struct OutgoingBytes {
  int to = 0;
  std::span<const std::byte> bytes;
};
struct IncomingBytes {
  int from = 0;
  std::span<std::byte> bytes;
};

/// Processes that solve one system together, each with a rank from 0 on. Every function but `rank`,
/// `size` and `knows_gpu_memory` is called by all of them, in the same order; by one thread of each
/// at a time.
///
/// A rank whose partner fails does not come back from here: whoever implements this ends all
/// processes and says why.
class Communicator {
 public:
  virtual ~Communicator() = default;

  virtual int rank() const = 0;
  virtual int size() const = 0;

  /// Sends and receives, at most one message each way between two ranks, none to oneself. Both
  /// sides know how long a message is. Where `carries_gpu_memory` says so, bytes may lie in the
  /// memory of this rank's GPU, which is then the current one: in an allocation of cudaMalloc that
  /// no work of the GPU touches meanwhile.
  virtual void exchange(std::span<const OutgoingBytes> out, std::span<const IncomingBytes> in) = 0;

  /// Replaces every value by its sum over all ranks: the same bits on all of them and every time,
  /// for the order of the additions depends on the number of ranks alone.
  void sum(std::span<double> values);
  double sum(double value);
  /// The smallest, or largest, of all ranks' values, none of which is NaN.
  double minimum(double value);
  double maximum(double value);
  /// Whether some rank says so.
  bool any(bool mine) { return maximum(mine ? 1 : 0) == 1; }
  /// Returns when all ranks have called it.
  void barrier();

  /// Whether this rank's messages may lie in the memory of GPUs.
  virtual bool knows_gpu_memory() const { return false; }
  /// Whether those of all ranks may.
  bool carries_gpu_memory() { return !any(!knows_gpu_memory()); }

 private:
  template <class Combine>
  void combine(std::span<double> values, const Combine& combine);
};

}  // namespace sparsecast
