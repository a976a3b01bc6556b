#include "core/cuda_backend.hpp"

#include <string>

#include "core/cuda/check.cuh"
#include "core/cuda/device_run.cuh"
#include "core/cuda/vendor_cg.cuh"
#include "core/error.hpp"
#include "core/gpu_devices.hpp"

namespace sparsecast {
namespace {

using namespace cuda;

template <class T>
class CudaPreparedSchedule final : public PreparedSchedule<T> {
 public:
  /// `matrix` is null for a schedule of vectors only.
  CudaPreparedSchedule(int device, const CudaPolicy& policy, const Schedule& schedule,
                       const CsrView<T>* matrix, const Layout& layout, std::int64_t unknowns)
      : checked_(schedule, layout, policy, unknowns, matrix != nullptr ? matrix->columns : unknowns,
                 matrix != nullptr),
        run_(checked_, matrix, {0, unknowns}, device) {}

  void set_vector(std::string_view name, std::span<const T> values) override {
    const VectorSlot slot = vector_slot(checked_.schedule(), name);
    checked_.require_size(slot, values.size());
    run_.memory().set_vector(slot, values);
  }

  void get_vector(std::string_view name, std::span<T> values) const override {
    const VectorSlot slot = vector_slot(checked_.schedule(), name);
    checked_.require_size(slot, values.size());
    run_.memory().get_vector(slot, values);
  }

  void set_scalar(std::string_view name, double value) override {
    run_.memory().set_scalar(scalar_slot(checked_.schedule(), name), value);
  }

  double scalar(std::string_view name) const override {
    return run_.memory().scalar(scalar_slot(checked_.schedule(), name));
  }

  RunReport run_setup() override { return run_.run_setup(); }
  RunReport run(std::int64_t iterations) override { return run_.run(iterations); }
  RunCounters counters() const override { return run_.counters(); }

  std::vector<SegmentShape> segments() const override { return {run_.memory().shape()}; }
  std::vector<std::int64_t> bytes_per_device() const override { return {run_.bytes()}; }
  double conversion_seconds() const override { return run_.conversion_seconds(); }
  double upload_seconds() const override { return run_.memory().upload_seconds(); }

 private:
  const CheckedSchedule<T> checked_;
  DeviceRun<T> run_;
};

template <class T>
std::unique_ptr<PreparedSchedule<T>> prepare_vectors(int device, const CudaPolicy& policy,
                                                     const Schedule& schedule,
                                                     std::int64_t unknowns) {
  if (unknowns < 0) {
    throw Error("vectors of " + std::to_string(unknowns) + " unknowns; expected 0 or more");
  }
  if (is_vendor_cg(schedule)) {
    return prepare_vendor_vectors<T>(device, policy, schedule, unknowns);
  }
  return std::make_unique<CudaPreparedSchedule<T>>(device, policy, schedule, nullptr, Layout{},
                                                   unknowns);
}

}  // namespace

CudaBackend::CudaBackend(int device, const CudaPolicy& policy) : device_(device), policy_(policy) {
  int count = 0;
  const cudaError_t error = cudaGetDeviceCount(&count);
  cudaGetLastError();
  if (error != cudaSuccess || count == 0) {
    throw Error("no device 'cuda:" + std::to_string(device) + "': " + list_gpus().absence +
                "; use 'cpu'");
  }
  if (device < 0 || device >= count) {
    throw Error("no device 'cuda:" + std::to_string(device) + "'; there are cuda:0" +
                (count > 1 ? " to cuda:" + std::to_string(count - 1) : std::string()) +
                " and 'cpu'");
  }
}

CudaBackend::~CudaBackend() = default;

int CudaBackend::device_count() const {
  return 1;
}

std::string CudaBackend::description() const {
  cudaDeviceProp properties{};
  SPARSECAST_CUDA_CHECK(cudaGetDeviceProperties(&properties, device_));
  return std::string(properties.name) + ", cuda:" + std::to_string(device_);
}

std::unique_ptr<PreparedSchedule<float>> CudaBackend::prepare(const Schedule& schedule,
                                                              const CsrView<float>& matrix,
                                                              const Layout& layout) {
  if (is_vendor_cg(schedule)) {
    return prepare_vendor_cg(device_, policy_, schedule, matrix, layout);
  }
  return std::make_unique<CudaPreparedSchedule<float>>(device_, policy_, schedule, &matrix, layout,
                                                       matrix.rows);
}

std::unique_ptr<PreparedSchedule<double>> CudaBackend::prepare(const Schedule& schedule,
                                                               const CsrView<double>& matrix,
                                                               const Layout& layout) {
  if (is_vendor_cg(schedule)) {
    return prepare_vendor_cg(device_, policy_, schedule, matrix, layout);
  }
  return std::make_unique<CudaPreparedSchedule<double>>(device_, policy_, schedule, &matrix, layout,
                                                        matrix.rows);
}

std::unique_ptr<PreparedSchedule<float>> CudaBackend::prepare_vectors_f32(const Schedule& schedule,
                                                                          std::int64_t unknowns) {
  return prepare_vectors<float>(device_, policy_, schedule, unknowns);
}

std::unique_ptr<PreparedSchedule<double>> CudaBackend::prepare_vectors_f64(const Schedule& schedule,
                                                                           std::int64_t unknowns) {
  return prepare_vectors<double>(device_, policy_, schedule, unknowns);
}

}  // namespace sparsecast
