#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <utility>
#include <vector>

#include "core/cuda/device/check.cuh"
#include "core/cuda/device/pinned_memory.cuh"

namespace sparsecast::cuda {

/// Owns a handle of the CUDA runtime.
template <class Handle, cudaError_t (*destroy)(Handle)>
class Owned {
 public:
  Owned() = default;
  explicit Owned(Handle handle) : handle_(handle) {}
  Owned(Owned&& other) noexcept : handle_(std::exchange(other.handle_, nullptr)) {}
  Owned& operator=(Owned&& other) noexcept {
    std::swap(handle_, other.handle_);
    return *this;
  }
  ~Owned() {
    if (handle_ != nullptr) destroy(handle_);
  }
  Handle get() const { return handle_; }
  explicit operator bool() const { return handle_ != nullptr; }

 private:
  Handle handle_ = nullptr;
};

struct Stream : Owned<cudaStream_t, cudaStreamDestroy> {
  using Owned::Owned;
  static Stream create() {
    cudaStream_t stream = nullptr;
    SPARSECAST_CUDA_CHECK(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
    return Stream(stream);
  }
  /// Its thread blocks get to multiprocessors before those of other streams.
  static Stream create_first() {
    int last = 0;
    int first = 0;
    SPARSECAST_CUDA_CHECK(cudaDeviceGetStreamPriorityRange(&last, &first));
    cudaStream_t stream = nullptr;
    SPARSECAST_CUDA_CHECK(cudaStreamCreateWithPriority(&stream, cudaStreamNonBlocking, first));
    return Stream(stream);
  }
};

struct Event : Owned<cudaEvent_t, cudaEventDestroy> {
  using Owned::Owned;
  /// Without a time: for waiting only.
  static Event create() {
    cudaEvent_t event = nullptr;
    SPARSECAST_CUDA_CHECK(cudaEventCreateWithFlags(&event, cudaEventDisableTiming));
    return Event(event);
  }
};

/// Launches that were recorded once, ready to be launched together.
struct Graph : Owned<cudaGraphExec_t, cudaGraphExecDestroy> {
  using Owned::Owned;
  static Graph capture(cudaStream_t stream, const std::function<void()>& launch) {
    SPARSECAST_CUDA_CHECK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal));
    cudaGraph_t recorded = nullptr;
    try {
      launch();
    } catch (...) {
      cudaStreamEndCapture(stream, &recorded);
      if (recorded != nullptr) cudaGraphDestroy(recorded);
      throw;
    }
    SPARSECAST_CUDA_CHECK(cudaStreamEndCapture(stream, &recorded));
    const Owned<cudaGraph_t, cudaGraphDestroy> graph(recorded);
    cudaGraphExec_t executable = nullptr;
    // Of streams that come first (`Stream::create_first`), too.
    SPARSECAST_CUDA_CHECK(
        cudaGraphInstantiate(&executable, graph.get(), cudaGraphInstantiateFlagUseNodePriority));
    Graph result(executable);
    result.kernels_ = count_kernels(graph.get());
    return result;
  }
  /// How many it launches.
  std::int64_t kernels() const { return kernels_; }
  void launch(cudaStream_t stream) const { SPARSECAST_CUDA_CHECK(cudaGraphLaunch(get(), stream)); }

 private:
  static std::int64_t count_kernels(cudaGraph_t graph) {
    std::size_t size = 0;
    SPARSECAST_CUDA_CHECK(cudaGraphGetNodes(graph, nullptr, &size));
    std::vector<cudaGraphNode_t> nodes(size);
    SPARSECAST_CUDA_CHECK(cudaGraphGetNodes(graph, nodes.data(), &size));
    std::int64_t count = 0;
    for (const cudaGraphNode_t node : nodes) {
      cudaGraphNodeType type{};
      SPARSECAST_CUDA_CHECK(cudaGraphNodeGetType(node, &type));
      count += type == cudaGraphNodeTypeKernel ? 1 : 0;
    }
    return count;
  }

  std::int64_t kernels_ = 0;
};

/// Owns an array in host memory that the GPU can copy to while the host goes on.
template <class T>
class PinnedArray {
 public:
  PinnedArray() = default;
  explicit PinnedArray(std::size_t size)
      : data_(static_cast<T*>(allocate_pinned(size * sizeof(T)))), bytes_(size * sizeof(T)) {}
  PinnedArray(PinnedArray&& other) noexcept
      : data_(std::exchange(other.data_, nullptr)), bytes_(std::exchange(other.bytes_, 0)) {}
  PinnedArray& operator=(PinnedArray&& other) noexcept {
    std::swap(data_, other.data_);
    std::swap(bytes_, other.bytes_);
    return *this;
  }
  ~PinnedArray() { free_pinned(data_, bytes_); }
  T* data() const { return data_; }

 private:
  T* data_ = nullptr;
  std::size_t bytes_ = 0;
};

}  // namespace sparsecast::cuda
