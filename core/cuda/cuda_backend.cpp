#include "core/cuda/cuda_backend.hpp"

#include <algorithm>
#include <string>

#include "core/analysis/partition.hpp"
#include "core/base/error.hpp"
#include "core/cuda/device/check.cuh"
#include "core/cuda/device/current_gpu.cuh"
#include "core/cuda/device/gpu_devices.hpp"
#include "core/cuda/ranks/peer_memory.cuh"
#include "core/cuda/ranks/rank_schedule.cuh"
#include "core/cuda/run/prepared_schedule.cuh"
#include "core/cuda/several/device_group.cuh"
#include "core/cuda/vendor/vendor_cg.cuh"
#include "core/engine/ranks/rank_errors.hpp"
#include "core/engine/ranks/rank_lists.hpp"

namespace sparsecast {
namespace {

using namespace cuda;

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

CudaBackend::CudaBackend(const RankPart& part, const GpuPart& device, const CudaPolicy& policy)
    : devices_{device}, policy_(policy) {
  Communicator& ranks = *part.ranks;
  std::string name;
  do_together(ranks, [&] {
    require_gpu(device);
    name = name_of(device);
    if (part.own.begin_row % gpu_row_alignment != 0) {
      throw Error("a part whose own rows begin at " + std::to_string(part.own.begin_row) +
                  "; expected a multiple of " + std::to_string(gpu_row_alignment));
    }
    use_gpu(device);
  });
  if (ranks.size() == 1) return;
  part_ = &part;
  ExchangeMode possible = ExchangeMode::staged;
  if (may_exchange(policy, ExchangeMode::halo)) {
    const std::string why = ranks.size() > most_devices
                                ? "they are more than " + std::to_string(most_devices)
                                : why_not_reached(ranks);
    if (why.empty()) possible = ExchangeMode::halo;
    if (!why.empty()) why_not_ = "GPUs do not reach each other's memory: " + why;
    if (!why.empty() && policy.exchange == ExchangeMode::halo) {
      throw Error("the ranks' " + why_not_ + "; use exchange nccl or staged");
    }
  }
  if (possible == ExchangeMode::staged && may_exchange(policy, ExchangeMode::nccl)) {
    try {
      use_gpu(device);
      nccl_ = std::make_shared<NcclGroup>(ranks);
      possible = ExchangeMode::nccl;
    } catch (const Error& error) {
      if (policy.exchange == ExchangeMode::nccl) throw;
      why_not_ += "; NCCL does not join them: " + std::string(error.what());
    }
  }
  // Only where it is asked for: some MPIs say that they take memory of GPUs, and crash.
  if (policy.exchange == ExchangeMode::gpu_aware) {
    if (!ranks.carries_gpu_memory()) {
      throw Error(
          "this MPI does not take memory of GPUs (Open MPI built --with-cuda); use exchange nccl "
          "or staged");
    }
    possible = ExchangeMode::gpu_aware;
  }
  policy_ = policy_of_ranks(policy, possible, why_not_);
  std::vector<std::string> different;
  for (const std::string& theirs : gather_texts(ranks, name)) {
    if (std::ranges::find(different, theirs) == different.end()) different.push_back(theirs);
  }
  for (const std::string& each : different) names_ += (names_.empty() ? "" : ", ") + each;
}

CudaBackend::~CudaBackend() = default;

int CudaBackend::device_count() const {
  return static_cast<int>(devices_.size());
}

std::string CudaBackend::description() const {
  if (part_ != nullptr) {
    return names_ + ", " + std::to_string(part_->ranks->size()) + " ranks, exchange " +
           std::string(to_string(policy_.exchange)) +
           (why_not_.empty() ? "" : " (" + why_not_ + ")");
  }
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

template <class T>
std::unique_ptr<PreparedSchedule<T>> CudaBackend::prepare_matrix(const Schedule& schedule,
                                                                 const CsrView<T>& matrix,
                                                                 const Layout& layout,
                                                                 const PreparedSchedule<T>* other) {
  if (is_vendor_cg(schedule)) {
    return prepare_vendor_cg(only_device(schedule), policy_, schedule, matrix, layout);
  }
  if (part_ != nullptr) {
    return std::make_unique<RankSchedule<T>>(*part_, devices_[0], policy_, nccl_.get(), schedule,
                                             matrix, layout);
  }
  return std::make_unique<CudaPreparedSchedule<T>>(
      devices_, policy_, schedule, &matrix, layout, matrix.rows,
      dynamic_cast<const CudaPreparedSchedule<T>*>(other));
}

template <class T>
std::unique_ptr<PreparedSchedule<T>> CudaBackend::prepare_vectors(const Schedule& schedule,
                                                                  std::int64_t unknowns) {
  if (unknowns < 0) {
    throw Error("vectors of " + std::to_string(unknowns) + " unknowns; expected 0 or more");
  }
  if (is_vendor_cg(schedule)) {
    return prepare_vendor_vectors<T>(only_device(schedule), policy_, schedule, unknowns);
  }
  if (part_ != nullptr) {
    throw Error("schedule '" + schedule.name + "' of vectors alone does not run on several ranks");
  }
  return std::make_unique<CudaPreparedSchedule<T>>(devices_, policy_, schedule, nullptr, Layout{},
                                                   unknowns);
}

const GpuPart& CudaBackend::only_device(const Schedule& schedule) const {
  if (devices_.size() > 1 || part_ != nullptr) {
    throw Error("schedule '" + schedule.name +
                "' runs on one GPU; use fused or algorithm1 on several");
  }
  return devices_[0];
}

std::unique_ptr<PreparedSchedule<float>> CudaBackend::prepare(const Schedule& schedule,
                                                              const CsrView<float>& matrix,
                                                              const Layout& layout) {
  return prepare_matrix(schedule, matrix, layout);
}

std::unique_ptr<PreparedSchedule<double>> CudaBackend::prepare(const Schedule& schedule,
                                                               const CsrView<double>& matrix,
                                                               const Layout& layout) {
  return prepare_matrix(schedule, matrix, layout);
}

std::unique_ptr<PreparedSchedule<float>> CudaBackend::prepare_beside(
    const PreparedSchedule<float>& other, const Schedule& schedule, const CsrView<float>& matrix,
    const Layout& layout) {
  return prepare_matrix(schedule, matrix, layout, &other);
}

std::unique_ptr<PreparedSchedule<double>> CudaBackend::prepare_beside(
    const PreparedSchedule<double>& other, const Schedule& schedule, const CsrView<double>& matrix,
    const Layout& layout) {
  return prepare_matrix(schedule, matrix, layout, &other);
}

std::unique_ptr<PreparedSchedule<float>> CudaBackend::prepare_vectors_f32(const Schedule& schedule,
                                                                          std::int64_t unknowns) {
  return prepare_vectors<float>(schedule, unknowns);
}

std::unique_ptr<PreparedSchedule<double>> CudaBackend::prepare_vectors_f64(const Schedule& schedule,
                                                                           std::int64_t unknowns) {
  return prepare_vectors<double>(schedule, unknowns);
}

}  // namespace sparsecast
