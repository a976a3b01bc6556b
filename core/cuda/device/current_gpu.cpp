#include "core/cuda/device/current_gpu.cuh"

#include <algorithm>
#include <map>
#include <mutex>
#include <optional>
#include <string>

#include "core/base/error.hpp"
#include "core/cuda/device/check.cuh"
#include "core/cuda/vendor/vendor_libraries.cuh"

namespace sparsecast::cuda {
namespace {

int attribute(cudaDeviceAttr which) {
  int value = 0;
  SPARSECAST_CUDA_CHECK(cudaDeviceGetAttribute(&value, which, current_device()));
  return value;
}

/// The part of a GPU with the fewest multiprocessors that are as many or more; nothing where the
/// driver makes none.
std::optional<CUdevResource> least_part(const CUdevResource& all, int multiprocessors) {
  const auto wanted = static_cast<unsigned>(multiprocessors);
  if (wanted == all.sm.smCount) return all;
  CUdevResource part{};
  unsigned parts = 1;
  const bool made =
      driver().cuDevSmResourceSplitByCount(&part, &parts, &all, nullptr, 0, wanted) == CUDA_SUCCESS;
  return made && parts == 1 ? std::optional(part) : std::nullopt;
}

/// The part that has exactly so many.
std::optional<CUdevResource> exact_part(const CUdevResource& all, int multiprocessors) {
  std::optional<CUdevResource> part = least_part(all, multiprocessors);
  if (part && part->sm.smCount != static_cast<unsigned>(multiprocessors)) part.reset();
  return part;
}

[[noreturn]] void refuse(const GpuPart& gpu, const CUdevResource& all) {
  const auto most = static_cast<int>(all.sm.smCount);
  int below = std::min(gpu.multiprocessors - 1, most);
  while (below > 0 && !exact_part(all, below)) --below;
  int above = gpu.multiprocessors + 1;
  while (above <= most && !exact_part(all, above)) ++above;
  std::string nearest;
  if (below > 0) nearest += "'" + to_string(GpuPart(gpu.gpu, below)) + "'";
  if (above <= most) {
    nearest += (below > 0 ? " and '" : "'") + to_string(GpuPart(gpu.gpu, above)) + "'";
  }
  throw Error("no device '" + to_string(gpu) + "'; the nearest parts of this GPU are " + nearest);
}

/// `cudaDeviceSynchronize` in a part waits for no graph (driver 580), so whoever launches one waits
/// for its stream.
CUcontext make_part(const GpuPart& gpu) {
  CUdevResource all{};
  SPARSECAST_VENDOR_CHECK(driver().cuDeviceGetDevResource(gpu.gpu, &all, CU_DEV_RESOURCE_TYPE_SM));
  std::optional<CUdevResource> part = exact_part(all, gpu.multiprocessors);
  if (!part) refuse(gpu, all);
  CUdevResourceDesc description = nullptr;
  SPARSECAST_VENDOR_CHECK(driver().cuDevResourceGenerateDesc(&description, &*part, 1));
  CUgreenCtx made = nullptr;
  SPARSECAST_VENDOR_CHECK(
      driver().cuGreenCtxCreate(&made, description, gpu.gpu, CU_GREEN_CTX_DEFAULT_STREAM));
  CUcontext context = nullptr;
  SPARSECAST_VENDOR_CHECK(driver().cuCtxFromGreenCtx(&context, made));
  return context;
}

/// Those that were used, which live as long as the process.
class Parts {
 public:
  /// Of a GPU that is current.
  CUcontext context(const GpuPart& gpu) {
    const std::scoped_lock lock(turn_);
    CUcontext& context = contexts_[gpu];
    if (context == nullptr) context = make_part(gpu);
    return context;
  }
  bool none() {
    const std::scoped_lock lock(turn_);
    return contexts_.empty();
  }

 private:
  std::mutex turn_;
  std::map<GpuPart, CUcontext> contexts_;
};

Parts& parts() {
  static Parts all;
  return all;
}

}  // namespace

void use_gpu(const GpuPart& gpu) {
  SPARSECAST_CUDA_CHECK(cudaSetDevice(gpu.gpu));
  if (gpu.multiprocessors == 0) return;
  SPARSECAST_VENDOR_CHECK(driver().cuCtxSetCurrent(parts().context(gpu)));
}

int current_device() {
  int device = 0;
  SPARSECAST_CUDA_CHECK(cudaGetDevice(&device));
  return device;
}

int current_multiprocessors() {
  // The driver's own functions are asked for only where they are there.
  if (parts().none()) return attribute(cudaDevAttrMultiProcessorCount);
  CUcontext context = nullptr;
  SPARSECAST_VENDOR_CHECK(driver().cuCtxGetCurrent(&context));
  CUdevResource resource{};
  SPARSECAST_VENDOR_CHECK(
      driver().cuCtxGetDevResource(context, &resource, CU_DEV_RESOURCE_TYPE_SM));
  return static_cast<int>(resource.sm.smCount);
}

GpuShape current_gpu_shape() {
  return {current_multiprocessors(), attribute(cudaDevAttrL2CacheSize),
          attribute(cudaDevAttrMaxSharedMemoryPerBlockOptin)};
}

}  // namespace sparsecast::cuda
