#include "core/cpu/cpu_backend.hpp"

#include <memory>
#include <string>

#include "core/base/error.hpp"
#include "core/cpu/cpu_registry.hpp"
#include "core/cpu/machine.hpp"
#include "core/cpu/run/cpu_prepared_schedule.hpp"
#include "core/engine/kernel_table.hpp"
#include "core/engine/ranks/rank_errors.hpp"

namespace sparsecast {
namespace {

template <class T>
std::unique_ptr<PreparedSchedule<T>> prepare_matrix(const Schedule& schedule,
                                                    const CsrView<T>& matrix, const Layout& layout,
                                                    const CpuDevices& devices) {
  std::unique_ptr<PreparedSchedule<T>> prepared;
  const auto make = [&] {
    prepared =
        std::make_unique<CpuPreparedSchedule<T>>(schedule, &matrix, layout, matrix.rows, devices);
  };
  if (devices.part != nullptr) {
    do_together(*devices.part->ranks, make);
  } else {
    make();
  }
  return prepared;
}

template <class T>
std::unique_ptr<PreparedSchedule<T>> prepare_vectors(const Schedule& schedule,
                                                     std::int64_t unknowns,
                                                     const CpuDevices& devices) {
  if (unknowns < 0) {
    throw Error("vectors of " + std::to_string(unknowns) + " unknowns; expected 0 or more");
  }
  if (devices.part != nullptr) {
    throw Error("schedule '" + schedule.name + "' of vectors alone does not run on several ranks");
  }
  for (const auto* steps : {&schedule.setup, &schedule.iteration}) {
    for (const Step& step : *steps) {
      if (step.kind == StepKind::kernel && find_kernel(step, cpu_name).uses_matrix) {
        throw Error("schedule '" + schedule.name + "' multiplies ('" + step.name +
                    "'): prepare it with a matrix");
      }
    }
  }
  return std::make_unique<CpuPreparedSchedule<T>>(schedule, nullptr, Layout{}, unknowns, devices);
}

}  // namespace

CpuBackend::CpuBackend(int devices, int threads_per_device, const CpuPolicy& policy)
    : devices_{devices, threads_per_device, policy} {
  if (devices < 1 || threads_per_device < 1) {
    throw Error("a CPU of " + std::to_string(devices) + " devices with " +
                std::to_string(threads_per_device) + " threads each; expected at least one");
  }
}

CpuBackend::CpuBackend(const RankPart& part, int threads, const CpuPolicy& policy)
    : CpuBackend(1, threads, policy) {
  devices_.part = &part;
}

CpuBackend::~CpuBackend() = default;

int CpuBackend::device_count() const {
  return devices_.count;
}

std::string CpuBackend::description() const {
  const std::string threads =
      std::to_string(devices_.threads_each) + (devices_.threads_each == 1 ? " thread" : " threads");
  if (devices_.part != nullptr) {
    return describe_cpu().name + ", " + std::to_string(devices_.part->ranks->size()) +
           " ranks of " + threads;
  }
  return describe_cpu().name + ", " +
         (devices_.count == 1 ? threads
                              : std::to_string(devices_.count) + " devices of " + threads);
}

std::unique_ptr<PreparedSchedule<float>> CpuBackend::prepare(const Schedule& schedule,
                                                             const CsrView<float>& matrix,
                                                             const Layout& layout) {
  return prepare_matrix(schedule, matrix, layout, devices_);
}

std::unique_ptr<PreparedSchedule<double>> CpuBackend::prepare(const Schedule& schedule,
                                                              const CsrView<double>& matrix,
                                                              const Layout& layout) {
  return prepare_matrix(schedule, matrix, layout, devices_);
}

std::unique_ptr<PreparedSchedule<float>> CpuBackend::prepare_vectors_f32(const Schedule& schedule,
                                                                         std::int64_t unknowns) {
  return prepare_vectors<float>(schedule, unknowns, devices_);
}

std::unique_ptr<PreparedSchedule<double>> CpuBackend::prepare_vectors_f64(const Schedule& schedule,
                                                                          std::int64_t unknowns) {
  return prepare_vectors<double>(schedule, unknowns, devices_);
}

}  // namespace sparsecast
