#include "core/cuda/cuda_backend.hpp"

#include <string>

#include "core/base/error.hpp"
#include "core/cuda/device/check.cuh"
#include "core/cuda/device/gpu_devices.hpp"
#include "core/cuda/run/prepared_schedule.cuh"
#include "core/cuda/several/device_group.cuh"
#include "core/cuda/vendor/vendor_cg.cuh"

namespace sparsecast {
namespace {

using namespace cuda;

/// The libraries behind it know one device.
GpuPart only_device(const std::vector<GpuPart>& devices, const Schedule& schedule) {
  if (devices.size() > 1) {
    throw Error("schedule '" + schedule.name +
                "' runs on one GPU; use fused or algorithm1 on several");
  }
  return devices[0];
}

template <class T>
std::unique_ptr<PreparedSchedule<T>> prepare_matrix(const std::vector<GpuPart>& devices,
                                                    const CudaPolicy& policy,
                                                    const Schedule& schedule,
                                                    const CsrView<T>& matrix, const Layout& layout,
                                                    const PreparedSchedule<T>* other = nullptr) {
  if (is_vendor_cg(schedule)) {
    return prepare_vendor_cg(only_device(devices, schedule), policy, schedule, matrix, layout);
  }
  return std::make_unique<CudaPreparedSchedule<T>>(
      devices, policy, schedule, &matrix, layout, matrix.rows,
      dynamic_cast<const CudaPreparedSchedule<T>*>(other));
}

template <class T>
std::unique_ptr<PreparedSchedule<T>> prepare_vectors(const std::vector<GpuPart>& devices,
                                                     const CudaPolicy& policy,
                                                     const Schedule& schedule,
                                                     std::int64_t unknowns) {
  if (unknowns < 0) {
    throw Error("vectors of " + std::to_string(unknowns) + " unknowns; expected 0 or more");
  }
  if (is_vendor_cg(schedule)) {
    return prepare_vendor_vectors<T>(only_device(devices, schedule), policy, schedule, unknowns);
  }
  return std::make_unique<CudaPreparedSchedule<T>>(devices, policy, schedule, nullptr, Layout{},
                                                   unknowns);
}

std::string name_of(const GpuPart& device) {
  cudaDeviceProp properties{};
  SPARSECAST_CUDA_CHECK(cudaGetDeviceProperties(&properties, device.gpu));
  return properties.name;
}

}  // namespace

CudaBackend::CudaBackend(const GpuPart& device, const CudaPolicy& policy)
    : CudaBackend(std::vector<GpuPart>{device}, policy) {}

CudaBackend::CudaBackend(const std::vector<GpuPart>& devices, const CudaPolicy& policy)
    : devices_(devices), policy_(policy) {
  if (devices.empty() || devices.size() > most_devices) {
    throw Error(std::to_string(devices.size()) + " GPUs; expected 1 to " +
                std::to_string(most_devices));
  }
  for (const GpuPart& device : devices) require_gpu(device);
}

CudaBackend::~CudaBackend() = default;

int CudaBackend::device_count() const {
  return static_cast<int>(devices_.size());
}

std::string CudaBackend::description() const {
  std::string description = name_of(devices_[0]) + ", " + to_string(devices_[0]);
  if (devices_.size() == 1) return description;
  for (std::size_t i = 1; i < devices_.size(); ++i) {
    const std::string name = name_of(devices_[i]);
    description +=
        (name == name_of(devices_[0]) ? "," : ", " + name + ", ") + to_string(devices_[i]);
  }
  const ExchangeMode wanted = wanted_exchange(policy_);
  const ExchangeMode mode = possible_exchange(wanted, devices_);
  description += ", exchange " + std::string(to_string(mode));
  if (mode != wanted && mode == ExchangeMode::staged) {
    description += " (they do not reach each other's memory)";
  }
  return description;
}

std::unique_ptr<PreparedSchedule<float>> CudaBackend::prepare(const Schedule& schedule,
                                                              const CsrView<float>& matrix,
                                                              const Layout& layout) {
  return prepare_matrix(devices_, policy_, schedule, matrix, layout);
}

std::unique_ptr<PreparedSchedule<double>> CudaBackend::prepare(const Schedule& schedule,
                                                               const CsrView<double>& matrix,
                                                               const Layout& layout) {
  return prepare_matrix(devices_, policy_, schedule, matrix, layout);
}

std::unique_ptr<PreparedSchedule<float>> CudaBackend::prepare_beside(
    const PreparedSchedule<float>& other, const Schedule& schedule, const CsrView<float>& matrix,
    const Layout& layout) {
  return prepare_matrix(devices_, policy_, schedule, matrix, layout, &other);
}

std::unique_ptr<PreparedSchedule<double>> CudaBackend::prepare_beside(
    const PreparedSchedule<double>& other, const Schedule& schedule, const CsrView<double>& matrix,
    const Layout& layout) {
  return prepare_matrix(devices_, policy_, schedule, matrix, layout, &other);
}

std::unique_ptr<PreparedSchedule<float>> CudaBackend::prepare_vectors_f32(const Schedule& schedule,
                                                                          std::int64_t unknowns) {
  return prepare_vectors<float>(devices_, policy_, schedule, unknowns);
}

std::unique_ptr<PreparedSchedule<double>> CudaBackend::prepare_vectors_f64(const Schedule& schedule,
                                                                           std::int64_t unknowns) {
  return prepare_vectors<double>(devices_, policy_, schedule, unknowns);
}

}  // namespace sparsecast
