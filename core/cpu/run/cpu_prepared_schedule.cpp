#include "core/cpu/run/cpu_prepared_schedule.hpp"

#include <string>
#include <utility>

#include "core/base/error.hpp"
#include "core/cpu/run/cpu_counters.hpp"

namespace sparsecast {

template <class T>
CpuPreparedSchedule<T>::CpuPreparedSchedule(const Schedule& schedule, const CsrView<T>* matrix,
                                            const Layout& layout, std::int64_t unknowns,
                                            const CpuDevices& devices)
    : schedule_(schedule),
      rows_(unknowns),
      columns_(matrix != nullptr ? matrix->columns : unknowns),
      programs_(make_cpu_programs(schedule_, layout.row_order, rows_, columns_, devices.several())),
      placement_(place(schedule_, programs_.uses_matrix,
                       MatrixOperators<T>(matrix, multiplies_by_transpose(schedule_)), layout,
                       unknowns, devices)),
      team_(std::move(placement_.devices), schedule_.scalars, rows_, devices.part),
      setup_(programs_.setup, team_, devices.policy.rows_per_part),
      iteration_(programs_.iteration, team_, devices.policy.rows_per_part),
      finish_(programs_.finish, team_, devices.policy.rows_per_part) {}

template <class T>
void CpuPreparedSchedule<T>::set_vector(std::string_view name, std::span<const T> values) {
  const VectorSlot slot = vector_slot(schedule_, name);
  require_size(slot, values.size());
  for (const auto& device : team_.devices) device->vectors().set(slot, values);
}

template <class T>
void CpuPreparedSchedule<T>::get_vector(std::string_view name, std::span<T> values) const {
  const VectorSlot slot = vector_slot(schedule_, name);
  require_size(slot, values.size());
  for (const auto& device : team_.devices) device->vectors().get(slot, values);
}

template <class T>
void CpuPreparedSchedule<T>::repeat_in_vector(std::string_view name, std::span<const T> pattern) {
  const VectorSlot slot = vector_slot(schedule_, name);
  for (const auto& device : team_.devices) device->vectors().repeat(slot, pattern);
}

template <class T>
void CpuPreparedSchedule<T>::set_scalar(std::string_view name, double value) {
  team_.scalars.set(scalar_slot(schedule_, name), value);
}

template <class T>
double CpuPreparedSchedule<T>::scalar(std::string_view name) const {
  return team_.scalars.of(0)[static_cast<std::size_t>(scalar_slot(schedule_, name))];
}

template <class T>
RunReport CpuPreparedSchedule<T>::run_setup() {
  return setup_.run(1);
}

template <class T>
RunReport CpuPreparedSchedule<T>::run(std::int64_t iterations) {
  const RunReport report = iteration_.run(iterations);
  iterations_ += report.iterations;
  return report;
}

template <class T>
void CpuPreparedSchedule<T>::run_finish() {
  finish_.run(1);
}

template <class T>
RunCounters CpuPreparedSchedule<T>::counters() const {
  RunCounters counters;
  counters.iterations = iterations_;
  count<T>(programs_.setup, setup_.item_runs(), team_.devices, team_.exchange.values(), counters);
  count<T>(programs_.iteration, iteration_.item_runs(), team_.devices, team_.exchange.values(),
           counters);
  count<T>(programs_.finish, finish_.item_runs(), team_.devices, team_.exchange.values(), counters);
  return counters;
}

template <class T>
std::vector<SegmentShape> CpuPreparedSchedule<T>::segments() const {
  return placement_.shapes;
}

template <class T>
std::vector<std::int64_t> CpuPreparedSchedule<T>::bytes_per_device() const {
  std::vector<std::int64_t> bytes;
  for (const auto& device : team_.devices) bytes.push_back(device->bytes());
  return bytes;
}

template <class T>
double CpuPreparedSchedule<T>::conversion_seconds() const {
  return placement_.conversion_seconds;
}

template <class T>
double CpuPreparedSchedule<T>::upload_seconds() const {
  return 0;  // the matrix is converted in place
}

template <class T>
void CpuPreparedSchedule<T>::require_size(VectorSlot slot, std::size_t size) const {
  const VectorDeclaration& vector = schedule_.vectors[static_cast<std::size_t>(slot)];
  const std::int64_t expected = vector.scope == VectorScope::full ? columns_ : rows_;
  if (static_cast<std::int64_t>(size) != expected) {
    throw Error("vector '" + vector.name + "' has " + std::to_string(expected) + " values; got " +
                std::to_string(size));
  }
}

template class CpuPreparedSchedule<float>;
template class CpuPreparedSchedule<double>;

}  // namespace sparsecast
