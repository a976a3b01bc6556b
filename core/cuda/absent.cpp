#include <string>

#include "core/base/error.hpp"
#include "core/cuda/cuda_backend.hpp"
#include "core/cuda/device/gpu_devices.hpp"
#include "core/cuda/ranks/gpu_links.hpp"
#include "core/cuda/vector/two_kernel_dot.hpp"
#include "core/cuda/vendor/vendor_gemv.hpp"
#include "core/cuda/vendor/vendor_spmv.hpp"

/// @file
/// What stands in for the CUDA back end in a build without CUDA.

namespace sparsecast {

GpuList list_gpus() {
  GpuList list;
  list.absence = "this program was built without CUDA";
  return list;
}

class GpuMonitor::Implementation {};
GpuMonitor::GpuMonitor(int) {}
GpuMonitor::GpuMonitor(GpuMonitor&&) noexcept = default;
GpuMonitor& GpuMonitor::operator=(GpuMonitor&&) noexcept = default;
GpuMonitor::~GpuMonitor() = default;
GpuState GpuMonitor::state() const {
  return {};
}

namespace {

[[noreturn]] void refuse(const GpuPart& device) {
  throw Error("no device '" + to_string(device) + "': " + list_gpus().absence +
              "; use 'cpu', or build where a CUDA toolkit is installed");
}

}  // namespace

void require_gpu(const GpuPart& device) {
  refuse(device);
}

std::unique_ptr<MeasuredLinks> nccl_links(Communicator&, const GpuPart& gpu) {
  refuse(gpu);
}

std::unique_ptr<MeasuredLinks> staged_links(Communicator&, const GpuPart& gpu) {
  refuse(gpu);
}

std::unique_ptr<MeasuredLinks> gpu_aware_links(Communicator&, const GpuPart& gpu) {
  refuse(gpu);
}

std::string nccl_version() {
  throw Error(list_gpus().absence);
}

CudaBackend::CudaBackend(const GpuPart& device, const CudaPolicy& policy)
    : CudaBackend(std::vector<GpuPart>{device}, policy) {}

CudaBackend::CudaBackend(const std::vector<GpuPart>& devices, const CudaPolicy& policy)
    : devices_(devices), policy_(policy) {
  refuse(devices.empty() ? GpuPart() : devices[0]);
}

CudaBackend::CudaBackend(const RankPart& part, const GpuPart& device, const CudaPolicy& policy)
    : devices_{device}, policy_(policy), part_(&part) {
  refuse(device);
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

std::unique_ptr<PreparedSchedule<float>> CudaBackend::prepare_beside(const PreparedSchedule<float>&,
                                                                     const Schedule&,
                                                                     const CsrView<float>&,
                                                                     const Layout&) {
  return nullptr;
}

std::unique_ptr<PreparedSchedule<double>> CudaBackend::prepare_beside(
    const PreparedSchedule<double>&, const Schedule&, const CsrView<double>&, const Layout&) {
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

template <class T>
class VendorSpmv<T>::Implementation {};

template <class T>
VendorSpmv<T>::VendorSpmv(const GpuPart& device, const CsrView<T>&, VendorAlgorithm, int) {
  refuse(device);
}
template <class T>
VendorSpmv<T>::VendorSpmv(VendorSpmv&&) noexcept = default;
template <class T>
VendorSpmv<T>& VendorSpmv<T>::operator=(VendorSpmv&&) noexcept = default;
template <class T>
VendorSpmv<T>::~VendorSpmv() = default;
template <class T>
void VendorSpmv<T>::set_input(std::span<const T>) {}
template <class T>
void VendorSpmv<T>::get_output(std::span<T>) const {}
template <class T>
void VendorSpmv<T>::run(std::int64_t) {}
template <class T>
std::int64_t VendorSpmv<T>::bytes_per_product() const {
  return 0;
}
template class VendorSpmv<float>;
template class VendorSpmv<double>;

template <class T>
class VendorGemv<T>::Implementation {};

template <class T>
VendorGemv<T>::VendorGemv(const GpuPart& device, std::int64_t, std::int64_t, std::span<const T>) {
  refuse(device);
}
template <class T>
VendorGemv<T>::VendorGemv(VendorGemv&&) noexcept = default;
template <class T>
VendorGemv<T>& VendorGemv<T>::operator=(VendorGemv&&) noexcept = default;
template <class T>
VendorGemv<T>::~VendorGemv() = default;
template <class T>
void VendorGemv<T>::set_input(std::span<const T>) {}
template <class T>
void VendorGemv<T>::get_output(std::span<T>) const {}
template <class T>
void VendorGemv<T>::run(std::int64_t) {}
template class VendorGemv<float>;
template class VendorGemv<double>;

template <class T>
class TwoKernelDot<T>::Implementation {};

template <class T>
TwoKernelDot<T>::TwoKernelDot(const GpuPart& device, int, std::span<const T>, std::span<const T>) {
  refuse(device);
}
template <class T>
TwoKernelDot<T>::TwoKernelDot(TwoKernelDot&&) noexcept = default;
template <class T>
TwoKernelDot<T>& TwoKernelDot<T>::operator=(TwoKernelDot&&) noexcept = default;
template <class T>
TwoKernelDot<T>::~TwoKernelDot() = default;
template <class T>
void TwoKernelDot<T>::run(std::int64_t) {}
template <class T>
T TwoKernelDot<T>::result() const {
  return 0;
}
template class TwoKernelDot<float>;
template class TwoKernelDot<double>;

}  // namespace sparsecast
