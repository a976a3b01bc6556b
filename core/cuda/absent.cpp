#include <string>

#include "core/cuda_backend.hpp"
#include "core/error.hpp"
#include "core/gpu_devices.hpp"

/// @file
/// What stands in for the CUDA back end in a build without CUDA.

namespace sparsecast {

GpuList list_gpus() {
  GpuList list;
  list.absence = "this program was built without CUDA";
  return list;
}

CudaBackend::CudaBackend(int device, const CudaPolicy& policy) : device_(device), policy_(policy) {
  throw Error("no device 'cuda:" + std::to_string(device) + "': " + list_gpus().absence +
              "; use 'cpu', or build where a CUDA toolkit is installed");
}

// The constructor threw: there is no object for the rest.
CudaBackend::~CudaBackend() = default;

int CudaBackend::device_count() const {
  return 0;
}

std::string CudaBackend::description() const {
  return {};
}

std::unique_ptr<PreparedSchedule<float>> CudaBackend::prepare(const Schedule&,
                                                              const CsrView<float>&,
                                                              const Layout&) {
  return nullptr;
}

std::unique_ptr<PreparedSchedule<double>> CudaBackend::prepare(const Schedule&,
                                                               const CsrView<double>&,
                                                               const Layout&) {
  return nullptr;
}

std::unique_ptr<PreparedSchedule<float>> CudaBackend::prepare_vectors_f32(const Schedule&,
                                                                          std::int64_t) {
  return nullptr;
}

std::unique_ptr<PreparedSchedule<double>> CudaBackend::prepare_vectors_f64(const Schedule&,
                                                                           std::int64_t) {
  return nullptr;
}

}  // namespace sparsecast
