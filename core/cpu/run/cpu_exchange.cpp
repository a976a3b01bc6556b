#include "core/cpu/run/cpu_exchange.hpp"

#include <algorithm>

namespace sparsecast {
namespace {

/// Copies values [begin, end) of those that are left of the whole vector without `own`.
template <class T>
void copy_foreign(const T* host, T* whole, const Segment& own, std::int64_t begin,
                  std::int64_t end) {
  const auto copy = [&](std::int64_t from, std::int64_t to) {
    if (from < to) std::copy(host + from, host + to, whole + from);
  };
  copy(begin, std::min(end, own.begin_row));
  copy(std::max(begin, own.begin_row) + own.rows(), end + own.rows());
}

}  // namespace

template <class T>
CpuExchange<T>::CpuExchange(ThreadTeam& team, int devices, std::int64_t rows, const RankPart* part)
    : team_(team), devices_(devices), rows_(rows), part_(part) {
  if (devices == 1) return;
  for (auto& buffer : host_) buffer.resize(static_cast<std::size_t>(rows));
}

template <class T>
void CpuExchange<T>::exchange(const Step& step, const CpuDevice<T>& device, int lane, int turn) {
  if (devices_ > 1) exchange_in_process(step, device, lane, turn);
  if (part_ == nullptr) return;
  // All of the own values are there, and nobody reads the halo's old ones any more.
  team_.barrier();
  if (lane != 0) return;
  const auto rows = static_cast<std::size_t>(device.segment().rows());
  const T* own = device.vectors().at_row(step.vectors[0], device.segment().begin_row);
  fetch_halo(*part_, std::span<const T>(own, rows), device.vectors().data(step.vectors.back()),
             packed_);
}

template <class T>
std::int64_t CpuExchange<T>::values() const {
  if (part_ != nullptr) return part_->halo.values();
  return devices_ > 1 ? rows_ * devices_ : 0;
}

template <class T>
void CpuExchange<T>::exchange_in_process(const Step& step, const CpuDevice<T>& device, int lane,
                                         int turn) {
  Buffer<T>& host = host_[static_cast<std::size_t>(turn)];
  const Segment& own = device.segment();
  T* whole = device.vectors().data(step.vectors.back());
  const T* part =
      step.vectors.size() == 1 ? whole + own.begin_row : device.vectors().data(step.vectors[0]);
  const RowRange rows = device.rows(RowSplit::equal_rows, lane);
  std::copy(part + rows.begin, part + rows.end, host.data() + own.begin_row + rows.begin);
  team_.barrier();
  const std::int64_t foreign = rows_ - own.rows();
  copy_foreign(host.data(), whole, own, foreign * lane / device.threads(),
               foreign * (lane + 1) / device.threads());
}

template class CpuExchange<float>;
template class CpuExchange<double>;

}  // namespace sparsecast
