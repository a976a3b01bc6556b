#include "core/cuda/run/prepared_schedule.cuh"

#include <algorithm>
#include <iterator>
#include <map>
#include <mutex>
#include <string>

#include "core/analysis/exchange_plan.hpp"
#include "core/base/error.hpp"
#include "core/cuda/compile/compiled_kernel.cuh"

namespace sparsecast::cuda {
namespace {

void require_launch_mode_for_several(const CudaPolicy& policy) {
  if (policy.launch_mode == LaunchMode::persistent) {
    throw Error("launch mode persistent runs on one GPU; use graph on several");
  }
  const bool staged =
      policy.exchange == ExchangeMode::automatic || policy.exchange == ExchangeMode::staged;
  if (policy.launch_mode == LaunchMode::host && !staged) {
    throw Error("launch mode host exchanges through host memory, not '" +
                std::string(to_string(policy.exchange)) + "'; use exchange staged, or graph");
  }
}

/// Rows that another matrix needs besides; they are exchanged for every product.
void add_needed(const std::vector<SegmentHalo>& more, std::vector<SegmentHalo>& halos) {
  for (std::size_t i = 0; i < halos.size(); ++i) {
    for (std::size_t k = 0; k < halos[i].needed.size(); ++k) {
      std::vector<std::int32_t> both;
      std::ranges::set_union(halos[i].needed[k], more[i].needed[k], std::back_inserter(both));
      halos[i].needed[k] = std::move(both);
    }
  }
}

}  // namespace

ExchangeMode wanted_exchange(const CudaPolicy& policy) {
  return policy.launch_mode == LaunchMode::host ? ExchangeMode::staged : policy.exchange;
}

template <class T>
CudaPreparedSchedule<T>::CudaPreparedSchedule(const std::vector<GpuPart>& devices,
                                              const CudaPolicy& policy, const Schedule& schedule,
                                              const CsrView<T>* matrix, const Layout& layout,
                                              std::int64_t unknowns,
                                              const CudaPreparedSchedule* other)
    : checked_(schedule, layout, policy, unknowns, matrix != nullptr ? matrix->columns : unknowns,
               matrix != nullptr),
      devices_(devices),
      group_(devices, possible_exchange(wanted_exchange(policy), devices),
             policy.device_patience_seconds) {
  if (checked_.compiles_passes()) load_compiler();
  if (devices_.size() > 1) {
    require_launch_mode_for_several(policy);
    team_.emplace(group_.size());
  }
  const MatrixOperators<T> operators(matrix, multiplies_by_transpose(schedule));
  cut_into_segments(matrix);
  find_exchange(operators);
  runs_.resize(devices_.size());
  DeviceMatrices<T> shared;
  if (other != nullptr && devices_.size() == 1 && other->devices_ == devices_) {
    shared = other->runs_[0]->memory().matrices();
  }
  on_every_device([&](int place) {
    const auto i = static_cast<std::size_t>(place);
    runs_[i] =
        std::make_unique<DeviceRun<T>>(checked_, operators, segments_[i], devices_[i], shared);
    if (meeting_) return;
    SegmentMemory<T>& memory = runs_[i]->memory();
    memory.set_links(group_.links(place, memory.state()));
  });
  if (meeting_) {
    on_every_device([&](int place) {
      DeviceRun<T>& run = *runs_[static_cast<std::size_t>(place)];
      run.prepare(matrix, Exchange<T>(), {run.memory().vectors()});
      run.meet({&*meeting_, place});
    });
    return;
  }
  std::vector<std::vector<T*>> vectors;
  for (const auto& run : runs_) vectors.push_back(run->memory().vectors());
  // Segments that share a GPU take turns: what one records must not meet the other's waits.
  std::map<int, std::mutex> turns;
  for (const GpuPart& device : devices_) turns[device.gpu];
  on_every_device([&](int place) {
    const std::lock_guard turn(turns.at(devices_[static_cast<std::size_t>(place)].gpu));
    DeviceRun<T>& run = *runs_[static_cast<std::size_t>(place)];
    run.memory().use_device();
    run.prepare(matrix,
                Exchange<T>(partners_in_process(segments_, halos_, place), place, staging_.data()),
                vectors);
  });
  halos_.clear();
}

template <class T>
void CudaPreparedSchedule<T>::cut_into_segments(const CsrView<T>* matrix) {
  const std::int64_t rows = checked_.rows();
  if (devices_.size() == 1) {
    segments_ = {{0, rows}};
  } else if (matrix != nullptr) {
    segments_ = partition(*matrix, checked_.layout(), group_.size(), gpu_row_alignment);
  } else {
    const std::int64_t units = (rows + gpu_row_alignment - 1) / gpu_row_alignment;
    const auto row = [&](std::int64_t place) {
      return std::min(rows, units * place / group_.size() * gpu_row_alignment);
    };
    for (int place = 0; place < group_.size(); ++place) {
      segments_.push_back({row(place), row(place + 1)});
    }
  }
}

template <class T>
void CudaPreparedSchedule<T>::find_exchange(const MatrixOperators<T>& operators) {
  if (devices_.size() == 1) return;
  const CsrView<T>* const matrix = operators.matrix();
  const bool looks_up = matrix != nullptr && matrix->rows == matrix->columns;
  const bool sends_halos = group_.exchange() == ExchangeMode::halo && looks_up;
  if (sends_halos) {
    halos_ = find_halos<T>(*matrix, segments_, checked_.layout());
    if (operators.transpose() != nullptr) {
      add_needed(find_halos<T>(*operators.transpose(), segments_, checked_.layout()), halos_);
    }
  }
  // Without a matrix nobody knows what is looked up.
  const ExchangeMode mode = sends_halos || group_.exchange() == ExchangeMode::staged
                                ? group_.exchange()
                                : ExchangeMode::peer;
  const std::int64_t others = std::ssize(segments_) - 1;
  for (std::size_t device = 0; device < segments_.size(); ++device) {
    // As much is sent as is received, by all together.
    const std::int64_t halo = sends_halos ? halos_[device].needed_rows() : 0;
    const ExchangeVolume volume =
        exchange_volume(segments_[device].rows(), segments_.back().end_row, others, {halo, halo});
    values_per_exchange_ += volume.in(mode).received + volume.in(mode).sent;
  }
  if (checked_.policy().launch_mode == LaunchMode::host) {
    meeting_.emplace(segments_, sizeof(T));
  } else if (group_.exchange() == ExchangeMode::staged) {
    const auto values = static_cast<std::size_t>(checked_.rows() + gpu_row_alignment);
    staging_ = PinnedArray<T>(values);
    std::fill_n(staging_.data(), values, T{0});
  }
}

template <class T>
void CudaPreparedSchedule<T>::on_every_device(const std::function<void(int place)>& body) {
  if (!team_) return body(0);
  if (group_.stopped()) {
    throw Error("this run on several GPUs has been stopped by an error; prepare it again");
  }
  std::vector<std::string> errors(devices_.size());
  team_->run([&](int place) {
    try {
      body(place);
    } catch (const std::exception& error) {
      errors[static_cast<std::size_t>(place)] = error.what();
      group_.stop();
      if (meeting_) meeting_->stop();
    }
  });
  // One that breaks down may take with it those that reach its memory: all are named.
  std::string names;
  std::string what;
  for (std::size_t i = 0; i < errors.size(); ++i) {
    if (errors[i].empty()) continue;
    names += (names.empty() ? "" : ", ") + to_string(devices_[i]);
    if (what.empty()) what = errors[i];
  }
  if (!names.empty()) throw Error(names + ": " + what);
}

template <class T>
void CudaPreparedSchedule<T>::set_vector(std::string_view name, std::span<const T> values) {
  const VectorSlot slot = vector_slot(checked_.schedule(), name);
  checked_.require_size(slot, values.size());
  for (const auto& run : runs_) run->memory().set_vector(slot, values);
}

template <class T>
void CudaPreparedSchedule<T>::repeat_in_vector(std::string_view name, std::span<const T> pattern) {
  const VectorSlot slot = vector_slot(checked_.schedule(), name);
  for (const auto& run : runs_) run->memory().repeat_in_vector(slot, pattern);
}

template <class T>
void CudaPreparedSchedule<T>::get_vector(std::string_view name, std::span<T> values) const {
  const VectorSlot slot = vector_slot(checked_.schedule(), name);
  checked_.require_size(slot, values.size());
  for (const auto& run : runs_) run->memory().get_vector(slot, values);
}

template <class T>
void CudaPreparedSchedule<T>::set_scalar(std::string_view name, double value) {
  const ScalarSlot slot = scalar_slot(checked_.schedule(), name);
  for (const auto& run : runs_) run->memory().set_scalar(slot, value);
}

template <class T>
double CudaPreparedSchedule<T>::scalar(std::string_view name) const {
  return runs_[0]->memory().scalar(scalar_slot(checked_.schedule(), name));
}

template <class T>
RunReport CudaPreparedSchedule<T>::run_setup() {
  return run_on_all([](DeviceRun<T>& run) { return run.run_setup(); });
}

template <class T>
RunReport CudaPreparedSchedule<T>::run(std::int64_t iterations) {
  return run_on_all([&](DeviceRun<T>& run) { return run.run(iterations); });
}

template <class T>
void CudaPreparedSchedule<T>::run_finish() {
  if (checked_.finish().steps.empty()) return;
  run_on_all([](DeviceRun<T>& run) { return run.run_finish(); });
}

/// All devices carry out the same scalar arithmetic on the same sums: they end alike.
template <class T>
RunReport CudaPreparedSchedule<T>::run_on_all(const std::function<Result(DeviceRun<T>&)>& run) {
  std::vector<Result> results(runs_.size());
  on_every_device([&](int place) {
    const auto i = static_cast<std::size_t>(place);
    results[i] = run(*runs_[i]);
    if (results[i].ended < 0) group_.stop();
  });
  for (const Result& result : results) group_.require_answers(result.ended);
  return {static_cast<Outcome>(results[0].ended - 1), results[0].iterations};
}

template <class T>
RunCounters CudaPreparedSchedule<T>::counters() const {
  RunCounters counters = runs_[0]->counters();
  for (std::size_t i = 1; i < runs_.size(); ++i) {
    const RunCounters other = runs_[i]->counters();
    counters.submitted_launches += other.submitted_launches;
    counters.host_waits += other.host_waits;
    counters.bytes.values += other.bytes.values;
    counters.bytes.indices += other.bytes.indices;
    counters.bytes.row_pointers += other.bytes.row_pointers;
    counters.bytes.vector_reads += other.bytes.vector_reads;
    counters.bytes.vector_writes += other.bytes.vector_writes;
  }
  counters.exchanged_values = counters.exchanges * values_per_exchange_;
  counters.bytes.exchanged =
      static_cast<double>(counters.exchanged_values) * static_cast<double>(sizeof(T));
  return counters;
}

template <class T>
std::vector<SegmentShape> CudaPreparedSchedule<T>::segments() const {
  std::vector<SegmentShape> shapes;
  for (const auto& run : runs_) shapes.push_back(run->memory().shape());
  return shapes;
}

template <class T>
std::vector<std::int64_t> CudaPreparedSchedule<T>::bytes_per_device() const {
  std::vector<std::int64_t> bytes;
  for (const auto& run : runs_) bytes.push_back(run->bytes() + group_.bytes());
  return bytes;
}

template <class T>
double CudaPreparedSchedule<T>::conversion_seconds() const {
  double most = 0;
  for (const auto& run : runs_) most = std::max(most, run->conversion_seconds());
  return most;
}

template <class T>
double CudaPreparedSchedule<T>::upload_seconds() const {
  double most = 0;
  for (const auto& run : runs_) most = std::max(most, run->memory().upload_seconds());
  return most;
}

template class CudaPreparedSchedule<float>;
template class CudaPreparedSchedule<double>;

}  // namespace sparsecast::cuda
