#include "core/cpu/run/cpu_team.hpp"

#include <utility>

namespace sparsecast {

template <class T>
CpuTeam<T>::CpuTeam(std::vector<std::unique_ptr<CpuDevice<T>>> its_devices,
                    std::span<const ScalarDeclaration> declarations, std::int64_t rows,
                    const RankPart* part)
    : devices(std::move(its_devices)),
      threads_per_device(devices[0]->threads()),
      size(static_cast<int>(devices.size()) * threads_per_device),
      threads(size),
      scalars(declarations, size),
      reduction(threads, static_cast<int>(devices.size()), threads_per_device,
                part != nullptr ? part->ranks : nullptr),
      exchange(threads, static_cast<int>(devices.size()), rows, part) {
  threads.run([this](int index) {
    const CpuThread cleared = thread(index);
    devices[cleared.device]->vectors().clear(cleared.lane, threads_per_device);
  });
}

template <class T>
CpuThread CpuTeam<T>::thread(int index) {
  CpuThread thread;
  thread.index = index;
  thread.lane = index % threads_per_device;
  thread.device = static_cast<std::size_t>(index / threads_per_device);
  thread.scalars = scalars.of(index);
  return thread;
}

template struct CpuTeam<float>;
template struct CpuTeam<double>;

}  // namespace sparsecast
