#include "core/cpu/run/cpu_vectors.hpp"

#include <algorithm>
#include <utility>

#include "core/base/round_up.hpp"
#include "core/cpu/run/cache_line.hpp"
#include "core/engine/kernel_table.hpp"

namespace sparsecast {

template <class T>
CpuVectorLayout lay_out_vectors(std::span<const VectorDeclaration> vectors, const Segment& segment,
                                std::int64_t columns, bool square) {
  constexpr std::int64_t line = values_per_line<T>;
  CpuVectorLayout layout{{}, {}, {0}};
  const RowRange rows{segment.begin_row, segment.end_row};
  for (const VectorDeclaration& vector : vectors) {
    const bool full = vector.scope == VectorScope::full;
    const RowRange held = full ? RowRange{0, columns} : rows;
    layout.held.push_back(held);
    layout.own.push_back(full && !square ? held : rows);
    layout.offsets.push_back(layout.values() + round_up(held.count() + input_padding, line) +
                             5 * line);
  }
  return layout;
}

template <class T>
CpuVectors<T>::CpuVectors(CpuVectorLayout layout) : layout_(std::move(layout)) {
  values_.resize(static_cast<std::size_t>(layout_.values()));
  for (std::size_t i = 0; i < layout_.held.size(); ++i) {
    data_.push_back(values_.data() + layout_.offsets[i]);
  }
}

template <class T>
void CpuVectors<T>::clear(int thread, int threads) {
  for (std::size_t i = 0; i < data_.size(); ++i) {
    const std::int64_t count = layout_.offsets[i + 1] - layout_.offsets[i];
    std::fill(data_[i] + count * thread / threads, data_[i] + count * (thread + 1) / threads, T{0});
  }
}

template <class T>
void CpuVectors<T>::set(VectorSlot slot, std::span<const T> whole) {
  const RowRange rows = held(slot);
  std::copy(whole.begin() + rows.begin, whole.begin() + rows.end, data(slot));
}

template <class T>
void CpuVectors<T>::get(VectorSlot slot, std::span<T> whole) const {
  const RowRange rows = layout_.own[static_cast<std::size_t>(slot)];
  std::copy_n(at_row(slot, rows.begin), rows.count(), whole.begin() + rows.begin);
}

template <class T>
void CpuVectors<T>::repeat(VectorSlot slot, std::span<const T> pattern) {
  T* to = data(slot);
  const RowRange rows = held(slot);
  const std::int64_t count = rows.count();
  std::int64_t done = std::min(count, std::ssize(pattern));
  for (std::int64_t i = 0; i < done; ++i) {
    to[i] = pattern[static_cast<std::size_t>((rows.begin + i) % std::ssize(pattern))];
  }
  for (; done < count; done *= 2) std::copy_n(to, std::min(done, count - done), to + done);
}

template <class T>
std::int64_t CpuVectors<T>::bytes() const {
  return layout_.values() * static_cast<std::int64_t>(sizeof(T));
}

template CpuVectorLayout lay_out_vectors<float>(std::span<const VectorDeclaration> vectors,
                                                const Segment& segment, std::int64_t columns,
                                                bool square);
template CpuVectorLayout lay_out_vectors<double>(std::span<const VectorDeclaration> vectors,
                                                 const Segment& segment, std::int64_t columns,
                                                 bool square);
template class CpuVectors<float>;
template class CpuVectors<double>;

}  // namespace sparsecast
