#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <utility>
#include <vector>

#include "core/cuda/device/device_array.cuh"
#include "core/cuda/run/run_state.cuh"
#include "core/cuda/vector/block_finish.cuh"
#include "core/cuda/vector/vector_kernels.cuh"

namespace sparsecast::cuda {

/// Puts the launches of a list of steps together. Operations between kernels join the reduction or
/// the finishing kernel in front of them (or have a launch of their own behind a kernel that cannot
/// take them); those in front of the first kernel join the end of the iteration before.
class ProgramBuilder {
 public:
  explicit ProgramBuilder(const RunMemory& memory) : memory_(memory) {}

  /// A kernel that only works on vectors and matrix.
  void add_kernel(Launch launch) {
    close();
    launches_.push_back(std::move(launch));
  }
  /// A kernel that ends as `make` is told, if there is anything for it to end with. One with a
  /// guard takes no operations, which run whether it does or not.
  void add_finishing_kernel(const BlockFinish& finish, bool guarded,
                            std::function<Launch(const BlockFinish&)> make) {
    close();
    open_ = true;
    finish_ = finish;
    make_ = std::move(make);
    if (guarded) close();
  }
  /// The second half of a reduction.
  void add_finish(const DeviceTest& guard, const double* partials, std::int64_t count, int slot) {
    close();
    open_ = true;
    guard_ = guard;
    partials_ = partials;
    count_ = count;
    slot_ = slot;
  }
  /// All devices wait for each other, if the guard holds.
  void add_meeting(const DeviceTest& guard) { add_finish(guard, nullptr, 0, only_meet); }
  void add(const ControlOperation& operation) {
    if (open_ && program_.count == ControlProgram::capacity) close();
    open_ = true;
    program_.operations[program_.count++] = operation;
  }

  std::vector<Launch> take_launches() {
    close();
    return std::exchange(launches_, {});
  }
  /// Device memory that the launches read.
  std::vector<DeviceArray<ControlProgram>> take_programs() { return std::exchange(programs_, {}); }

 private:
  void close() {
    if (!open_) return;
    if (make_) {
      if (program_.count > 0) {
        programs_.emplace_back(std::span<const ControlProgram>(&program_, 1));
        finish_.program = programs_.back().data();
      } else if (finish_.slots[0] < 0) {
        finish_ = {};
      }
      launches_.push_back(make_(finish_));
    } else {
      launches_.push_back([memory = memory_, guard = guard_, partials = partials_, count = count_,
                           slot = slot_, program = program_](cudaStream_t stream) {
        launch_finish(stream, memory, guard, partials, count, slot, program);
      });
    }
    open_ = false;
    finish_ = {};
    make_ = nullptr;
    guard_ = {};
    partials_ = nullptr;
    count_ = 0;
    slot_ = no_sum;
    program_ = {};
  }

  RunMemory memory_;
  std::vector<Launch> launches_;
  std::vector<DeviceArray<ControlProgram>> programs_;
  bool open_ = false;
  BlockFinish finish_;
  std::function<Launch(const BlockFinish&)> make_;
  DeviceTest guard_;
  const double* partials_ = nullptr;
  std::int64_t count_ = 0;
  int slot_ = no_sum;
  ControlProgram program_;
};

}  // namespace sparsecast::cuda
