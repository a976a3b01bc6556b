#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "core/cuda/compile/compiled_pass.cuh"
#include "core/cuda/device/kernel_data.cuh"
#include "core/cuda/run/control.cuh"
#include "core/cuda/run/run_state.cuh"
#include "core/cuda/vector/block_finish.cuh"
#include "core/cuda/vector/vector_kernels.cuh"

namespace sparsecast::cuda {

/// Puts the launches of a list of steps together. Operations between kernels join the reduction or
/// the finishing kernel in front of them (or have a launch of their own behind a kernel that cannot
/// take them, or no more of them); those in front of the first kernel join the end of the iteration
/// before.
class ProgramBuilder {
 public:
  /// Compiles a kernel that carries operations out, if it can; see `compile_pass`.
  using Compile =
      std::function<std::optional<Launch>(std::span<const ControlOperation>, KernelData&)>;

  /// `compile_operations`: of those that have a launch of their own; none: they are interpreted.
  explicit ProgramBuilder(const RunMemory& memory, Compile compile_operations = nullptr)
      : memory_(memory), compile_operations_(std::move(compile_operations)) {}

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
  /// A kernel that is compiled with all that follows it; where it cannot be, what `otherwise` adds.
  void add_compiled_kernel(Compile compile, std::function<void(ProgramBuilder&)> otherwise) {
    close();
    open_ = true;
    compile_ = std::move(compile);
    otherwise_ = std::move(otherwise);
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
    if (make_ && !joins_kernel()) close();
    open_ = true;
    operations_.push_back(operation);
  }

  std::vector<Launch> take_launches() {
    close();
    return std::exchange(launches_, {});
  }
  /// What the launches read, which is then there.
  KernelData take_data() {
    data_.upload();
    return std::exchange(data_, {});
  }

 private:
  /// Whether a kernel can take one more operation: it has room for few, and for few scalars.
  bool joins_kernel() const {
    return operations_.size() < ControlProgram::capacity &&
           memory_.scalar_count <= BlockFinish::most_scalars;
  }

  void close() {
    if (!open_) return;
    if (compile_) return close_compiled();
    if (make_) {
      close_kernel();
    } else {
      close_finish();
    }
    open_ = false;
    finish_ = {};
    make_ = nullptr;
    guard_ = {};
    partials_ = nullptr;
    count_ = 0;
    slot_ = no_sum;
    operations_.clear();
  }

  void close_compiled() {
    const Compile compile = std::exchange(compile_, nullptr);
    const auto otherwise = std::exchange(otherwise_, nullptr);
    const std::vector<ControlOperation> operations = std::exchange(operations_, {});
    open_ = false;
    if (take(compile(operations, data_))) return;
    otherwise(*this);
    for (const ControlOperation& operation : operations) add(operation);
    close();
  }

  bool take(std::optional<Launch> compiled) {
    if (compiled) launches_.push_back(std::move(*compiled));
    return compiled.has_value();
  }

  void close_kernel() {
    if (!operations_.empty()) {
      const ControlProgram program = short_program();
      finish_.program = data_.add(std::span<const ControlProgram>(&program, 1));
    } else if (finish_.slots[0] < 0) {
      finish_ = {};
    }
    launches_.push_back(make_(finish_));
  }

  ControlProgram short_program() const {
    ControlProgram program;
    program.count = static_cast<int>(operations_.size());
    std::ranges::copy(operations_, program.operations);
    return program;
  }

  void close_finish() {
    const auto launch = [this](const auto& program) {
      launches_.push_back([memory = memory_, guard = guard_, partials = partials_, count = count_,
                           slot = slot_, program](cudaStream_t stream) {
        launch_finish(stream, memory, guard, partials, count, slot, program);
      });
    };
    if (slot_ == no_sum && operations_.size() > few_operations && compile_operations_ &&
        take(compile_operations_(operations_, data_))) {
      return;
    }
    if (operations_.size() <= ControlProgram::capacity) {
      launch(short_program());
      return;
    }
    launch(ControlList{data_.add(std::span<const ControlOperation>(operations_)),
                       static_cast<int>(operations_.size())});
  }

  /// A launch that interprets so many is as fast.
  static constexpr std::size_t few_operations = 4;

  RunMemory memory_;
  Compile compile_operations_;
  std::vector<Launch> launches_;
  KernelData data_;
  bool open_ = false;
  Compile compile_;
  std::function<void(ProgramBuilder&)> otherwise_;
  BlockFinish finish_;
  std::function<Launch(const BlockFinish&)> make_;
  DeviceTest guard_;
  const double* partials_ = nullptr;
  std::int64_t count_ = 0;
  int slot_ = no_sum;
  std::vector<ControlOperation> operations_;
};

}  // namespace sparsecast::cuda
