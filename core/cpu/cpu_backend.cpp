#include "core/cpu/cpu_backend.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#ifdef __SSE2__
#include <immintrin.h>
#endif

#include "core/analysis/partition.hpp"
#include "core/base/buffer.hpp"
#include "core/base/error.hpp"
#include "core/base/threads/split_by_weight.hpp"
#include "core/base/threads/thread_team.hpp"
#include "core/cpu/cpu_matrix.hpp"
#include "core/cpu/cpu_plan.hpp"
#include "core/cpu/cpu_registry.hpp"
#include "core/cpu/instruction_sets.hpp"
#include "core/cpu/machine.hpp"

namespace sparsecast {
namespace {

/// In messages.
constexpr std::string_view cpu_name = "the CPU";

using Clock = std::chrono::steady_clock;

constexpr std::int64_t cache_line_bytes = 64;
constexpr int most_sums = sizeof(PartialSums) / sizeof(double);

template <class To, class From>
To round_up(From value, To multiple) {
  return (static_cast<To>(value) + multiple - 1) / multiple * multiple;
}

/// While it lives, this thread's arithmetic takes and gives zero in place of denormal numbers,
/// which would slow a run of many iterations down when its residual has become tiny.
class DenormalsAreZero {
 public:
#ifdef __SSE2__
  DenormalsAreZero() : saved_(_mm_getcsr()) {
    _mm_setcsr(saved_ | 0x8040u);
  }
  ~DenormalsAreZero() {
    _mm_setcsr(saved_);
  }

 private:
  unsigned saved_;
#endif
};

struct Rows {
  std::int64_t begin = 0;
  std::int64_t end = 0;
};

/// One list of steps (setup or iteration), planned.
struct Program {
  std::span<const Step> steps;
  std::vector<PlanItem> items;
  std::vector<std::int64_t> runs;   ///< per item: how often it ran
  std::vector<double> thread_sums;  ///< per item and thread: parts of a kernel's sum
};

/// A segment in the memory of its device.
template <class T>
struct DeviceMemory {
  Segment segment;
  std::unique_ptr<CpuMatrix<T>> matrix;  ///< null for a schedule of vectors only
  Buffer<T> arena;
  std::vector<T*> vectors;  ///< per slot, the first value held (full: of row 0)
  std::array<std::vector<CpuCall<T>>, 2> calls;    ///< setup and iteration, per step
  std::array<std::vector<Rows>, 2> thread_rows;    ///< per `RowSplit` and thread
  std::array<std::atomic<std::int64_t>, 2> parts;  ///< handed out of self-scheduled steps
  std::unique_ptr<Barrier> barrier;
  std::int64_t bytes = 0;
};

template <class T>
class CpuPreparedSchedule final : public PreparedSchedule<T> {
 public:
  /// `matrix` is null for a schedule of vectors only.
  CpuPreparedSchedule(const Schedule& schedule, const CsrView<T>* matrix, const Layout& layout,
                      std::int64_t unknowns, int devices, int threads_per_device,
                      const CpuPolicy& policy)
      : schedule_(schedule), layout_(layout), policy_(policy), rows_(unknowns) {
    columns_ = matrix != nullptr ? matrix->columns : unknowns;
    check_schedule(schedule_);
    describe_steps();
    require_square_where_needed();
    for (int i = 0; i < devices; ++i) devices_.push_back(std::make_unique<DeviceMemory<T>>());
    const auto start = Clock::now();
    cut_into_segments(matrix);
    require_memory(matrix);
    if (uses_matrix_) {
      for (auto& device : devices_) {
        device->matrix = cpu_format<T>(layout_).convert(*matrix, device->segment, layout_);
      }
      conversion_seconds_ = std::chrono::duration<double>(Clock::now() - start).count();
    }
    choose_threads(threads_per_device);
    plan(setup_, schedule_.setup, 0, false);
    plan(iteration_, schedule_.iteration, 1, true);
    allocate();
    bind_calls(0, schedule_.setup);
    bind_calls(1, schedule_.iteration);
  }

  void set_vector(std::string_view name, std::span<const T> values) override {
    const VectorSlot slot = vector_slot(schedule_, name);
    require_size(slot, values.size());
    for (auto& device : devices_) {
      T* to = device->vectors[static_cast<std::size_t>(slot)];
      const Rows held = held_rows(*device, slot);
      std::copy(values.begin() + held.begin, values.begin() + held.end, to);
    }
  }

  void get_vector(std::string_view name, std::span<T> values) const override {
    const VectorSlot slot = vector_slot(schedule_, name);
    require_size(slot, values.size());
    for (const auto& device : devices_) {
      const T* from = device->vectors[static_cast<std::size_t>(slot)];
      const Rows held = held_rows(*device, slot);
      std::copy(from, from + (held.end - held.begin), values.begin() + held.begin);
    }
  }

  void repeat_in_vector(std::string_view name, std::span<const T> pattern) override {
    const VectorSlot slot = vector_slot(schedule_, name);
    for (auto& device : devices_) {
      T* to = device->vectors[static_cast<std::size_t>(slot)];
      const Rows held = held_rows(*device, slot);
      const std::int64_t count = held.end - held.begin;
      std::int64_t done = std::min(count, std::ssize(pattern));
      for (std::int64_t i = 0; i < done; ++i) {
        to[i] = pattern[static_cast<std::size_t>((held.begin + i) % std::ssize(pattern))];
      }
      for (; done < count; done *= 2) std::copy_n(to, std::min(done, count - done), to + done);
    }
  }

  void set_scalar(std::string_view name, double value) override {
    set_scalar(scalar_slot(schedule_, name), value);
  }
  double scalar(std::string_view name) const override {
    return scalars_of(0)[static_cast<std::size_t>(scalar_slot(schedule_, name))];
  }

  RunReport run_setup() override { return run(setup_, 1, 0); }
  RunReport run(std::int64_t iterations) override {
    const RunReport report = run(iteration_, iterations, 1);
    iterations_ += report.iterations;
    return report;
  }

  RunCounters counters() const override {
    RunCounters counters;
    counters.iterations = iterations_;
    count(setup_, 0, counters);
    count(iteration_, 1, counters);
    return counters;
  }

  std::vector<SegmentShape> segments() const override {
    std::vector<SegmentShape> shapes;
    for (const auto& device : devices_) shapes.push_back(shape(*device));
    return shapes;
  }

  std::vector<std::int64_t> bytes_per_device() const override {
    std::vector<std::int64_t> bytes;
    for (const auto& device : devices_) bytes.push_back(device->bytes);
    return bytes;
  }

  double conversion_seconds() const override { return conversion_seconds_; }
  double upload_seconds() const override { return 0; }  // the matrix is converted in place

 private:
  // --- preparation ---

  /// Looks every step up, so that a schedule that cannot run is refused before anything is done.
  void describe_steps() {
    const auto describe = [this](const std::vector<Step>& steps, std::vector<PlannedStep>& out) {
      for (const Step& step : steps) {
        PlannedStep planned{step.kind, step.guard, step.vectors, {}, false, false, false};
        if (step.kind == StepKind::kernel || step.kind == StepKind::reduce) {
          const KernelSignature& entry = find_kernel(step, cpu_name);
          planned.accesses = entry.accesses(step, layout_.row_order);
          planned.uses_matrix = entry.uses_matrix;
          planned.self_scheduled = entry.self_scheduled;
          planned.sums = entry.sums > 0;
          uses_matrix_ = uses_matrix_ || entry.uses_matrix;
        }
        out.push_back(std::move(planned));
      }
    };
    describe(schedule_.setup, planned_[0]);
    describe(schedule_.iteration, planned_[1]);
  }

  /// A full vector has the matrix's columns, a part its rows: only SpMV may tell them apart.
  void require_square_where_needed() const {
    if (rows_ == columns_) return;
    for (const auto& steps : planned_) {
      for (const PlannedStep& step : steps) {
        bool touches_full = step.kind == StepKind::exchange;
        for (std::size_t i = 0; i < step.accesses.size(); ++i) {
          touches_full = touches_full || (is_full(step.vectors[i]) && by_row(step.accesses[i]));
        }
        if (touches_full) {
          throw Error("schedule '" + schedule_.name + "' needs a square matrix; this one has " +
                      std::to_string(rows_) + " rows and " + std::to_string(columns_) + " columns");
        }
      }
    }
  }

  void cut_into_segments(const CsrView<T>* matrix) {
    const int count = static_cast<int>(devices_.size());
    if (matrix != nullptr) {
      const std::vector<Segment> segments = partition(*matrix, layout_, count);
      for (int i = 0; i < count; ++i) devices_[i]->segment = segments[i];
    } else {
      for (int i = 0; i < count; ++i) {
        devices_[i]->segment = {rows_ * i / count, rows_ * (i + 1) / count};
      }
    }
  }

  /// Values from the beginning of one vector to the next: padded for kernels that read over the
  /// end, and shifted so that vectors do not all meet in the same sets of the caches.
  std::int64_t vector_stride(const DeviceMemory<T>& device, VectorSlot slot) const {
    constexpr auto line = cache_line_bytes / static_cast<std::int64_t>(sizeof(T));
    const Rows held = held_rows(device, slot);
    return round_up(held.end - held.begin + input_padding, line) + 5 * line;
  }
  std::int64_t arena_values(const DeviceMemory<T>& device) const {
    std::int64_t values = 0;
    for (VectorSlot slot = 0; slot < vector_count(); ++slot) values += vector_stride(device, slot);
    return values;
  }

  void require_memory(const CsrView<T>* matrix) const {
    const auto value_bytes = static_cast<std::int64_t>(sizeof(T));
    std::int64_t vectors = devices_.size() > 1 ? 2 * rows_ * value_bytes : 0;
    for (const auto& device : devices_) vectors += arena_values(*device) * value_bytes;
    const auto matrix_bytes = [&](bool counted) {
      std::int64_t bytes = 0;
      for (const auto& device : devices_) {
        if (!uses_matrix_) continue;
        bytes += cpu_format<T>(layout_).bytes_bound(*matrix, device->segment, layout_, counted);
      }
      return bytes;
    };
    // What is stored is counted only if a bound without does not suffice.
    std::int64_t needed = vectors + matrix_bytes(false);
    constexpr std::int64_t never_too_much = 64 << 20;
    if (needed <= never_too_much) return;
    const std::int64_t free = describe_cpu().available_bytes;
    if (free <= 0 || needed <= free) return;
    needed = vectors + matrix_bytes(true);
    if (needed > free) {
      const auto gigabytes = [](std::int64_t bytes) {
        const std::string digits = std::to_string(bytes / 100'000'000 + 1);
        return (digits.size() > 1 ? digits.substr(0, digits.size() - 1) : "0") + "." +
               digits.back() + " GB";
      };
      throw Error("schedule '" + schedule_.name + "' in layout " + to_string(layout_) + " needs " +
                  gigabytes(needed) + " of memory, " + gigabytes(free) +
                  " are free; use f32, or a layout with fewer stored elements");
    }
  }

  void choose_threads(int available) {
    threads_per_device_ = 1;
    for (const auto& device : devices_) {
      threads_per_device_ =
          std::max(threads_per_device_, policy_.threads(shape(*device), available));
    }
    threads_ = static_cast<int>(devices_.size()) * threads_per_device_;
    team_ = std::make_unique<ThreadTeam>(threads_);
    for (auto& device : devices_) {
      device->barrier = std::make_unique<Barrier>(threads_per_device_);
      split_rows(*device);
    }
    constexpr int doubles_per_line = cache_line_bytes / sizeof(double);
    scalar_stride_ = round_up(schedule_.scalars.size() + 1, std::size_t{doubles_per_line});
    scalars_.assign(scalar_stride_ * static_cast<std::size_t>(threads_), 0);
    for (std::size_t i = 0; i < schedule_.scalars.size(); ++i) {
      set_scalar(static_cast<ScalarSlot>(i), schedule_.scalars[i].initial);
    }
    sum_stride_ = round_up(most_sums * threads_per_device_, doubles_per_line);
    for (auto& sums : partial_sums_) {
      sums.assign(static_cast<std::size_t>(sum_stride_) * devices_.size(), 0);
    }
  }

  void split_rows(DeviceMemory<T>& device) const {
    const std::int64_t rows = device.segment.rows();
    const int threads = threads_per_device_;
    // Whole cache lines, so that no two threads write to one.
    constexpr auto line = cache_line_bytes / static_cast<std::int64_t>(sizeof(T));
    auto& equal = device.thread_rows[static_cast<std::size_t>(RowSplit::equal_rows)];
    const std::int64_t lines = round_up(rows, line) / line;
    for (int i = 0; i < threads; ++i) {
      equal.push_back({std::min(rows, lines * i / threads * line),
                       std::min(rows, lines * (i + 1) / threads * line)});
    }
    auto& by_elements = device.thread_rows[static_cast<std::size_t>(RowSplit::equal_elements)];
    if (!uses_matrix_) {
      by_elements = equal;
      return;
    }
    // Bytes of what is stored, and of four vectors that SpMV, CG3 and the sum touch.
    const std::int64_t n = device.matrix->rows_together();
    Buffer<std::int64_t> weights = device.matrix->stored_before();
    for (std::size_t k = 0; k < weights.size(); ++k) {
      weights[k] += static_cast<std::int64_t>(k * n * 4 * sizeof(T));
    }
    const std::vector<std::int64_t> boundaries = split_by_weight(weights, threads);
    for (int i = 0; i < threads; ++i) {
      by_elements.push_back(
          {std::min(rows, boundaries[i] * n), std::min(rows, boundaries[i + 1] * n)});
    }
  }

  void plan(Program& program, const std::vector<Step>& steps, std::size_t which, bool repeated) {
    program.steps = steps;
    program.items = plan_steps(planned_[which], repeated, devices_.size() > 1);
    program.runs.assign(program.items.size(), 0);
    program.thread_sums.assign(program.items.size() * static_cast<std::size_t>(threads_) *
                                   cache_line_bytes / sizeof(double),
                               0);
  }

  /// All vectors are 0, and every page belongs to the thread that will use it.
  void allocate() {
    if (devices_.size() > 1) {
      for (auto& buffer : host_) buffer.resize(static_cast<std::size_t>(rows_));
    }
    for (auto& device : devices_) {
      const std::int64_t values = arena_values(*device);
      device->arena.resize(static_cast<std::size_t>(values));
      device->bytes = values * static_cast<std::int64_t>(sizeof(T));
      if (device->matrix != nullptr) device->bytes += device->matrix->bytes();
      std::int64_t offset = 0;
      for (VectorSlot slot = 0; slot < vector_count(); ++slot) {
        device->vectors.push_back(device->arena.data() + offset);
        offset += vector_stride(*device, slot);
      }
    }
    team_->run([this](int thread) {
      DeviceMemory<T>& device = device_of(thread);
      const int lane = thread % threads_per_device_;
      for (VectorSlot slot = 0; slot < vector_count(); ++slot) {
        T* begin = device.vectors[static_cast<std::size_t>(slot)];
        const std::int64_t count = vector_stride(device, slot);
        std::fill(begin + count * lane / threads_per_device_,
                  begin + count * (lane + 1) / threads_per_device_, T{0});
      }
    });
  }

  void bind_calls(std::size_t which, const std::vector<Step>& steps) {
    for (auto& device : devices_) {
      for (std::size_t i = 0; i < steps.size(); ++i) {
        const PlannedStep& planned = planned_[which][i];
        CpuCall<T> call;
        call.kernels = &cpu_kernels<T>();
        call.matrix = device->matrix.get();
        call.scalars = steps[i].scalars;
        for (std::size_t k = 0; k < planned.vectors.size(); ++k) {
          const VectorSlot slot = planned.vectors[k];
          T* vector = device->vectors[static_cast<std::size_t>(slot)];
          const bool own_part = k < planned.accesses.size() && by_row(planned.accesses[k]);
          if (is_full(slot) && own_part) vector += device->segment.begin_row;
          call.vectors.push_back(vector);
        }
        call.reads = static_cast<int>(std::ranges::count(planned.accesses, Access::read));
        device->calls[which].push_back(std::move(call));
      }
    }
    for (const Step& step : steps) {
      const bool on_rows = step.kind == StepKind::kernel || step.kind == StepKind::reduce;
      functions_[which].push_back(on_rows ? cpu_function<T>(step) : nullptr);
      sums_at_end_[which].push_back(step.kind == StepKind::kernel &&
                                    find_kernel(step, cpu_name).sums_at_end);
      sums_[which].push_back(step.kind == StepKind::reduce ? step.scalars : step.sums);
    }
  }

  // --- the run, on every thread ---

  /// What one thread knows of its run.
  struct Thread {
    int index = 0;
    int lane = 0;  ///< within the device
    int device_index = 0;
    DeviceMemory<T>* device = nullptr;
    std::span<double> scalars;  ///< its own copy of all slots
    int reductions = 0;         ///< so far: they alternate between two sets of slots
    int exchanges = 0;          ///< and these between two host buffers
    int self_scheduled = 0;
  };

  RunReport run(Program& program, std::int64_t iterations, std::size_t which) {
    RunReport report;
    const std::function<void(int)> body = [&](int thread) {
      const DenormalsAreZero denormals_are_zero;
      const RunReport mine = run_thread(program, iterations, which, thread);
      if (thread == 0) report = mine;
    };
    team_->run(body);
    add_up_kernel_sums(program, which);
    return report;
  }

  RunReport run_thread(Program& program, std::int64_t iterations, std::size_t which, int index) {
    Thread thread;
    thread.index = index;
    thread.device_index = index / threads_per_device_;
    thread.lane = index % threads_per_device_;
    thread.device = &device_of(index);
    thread.scalars = scalars_of(index);
    std::int64_t* runs = index == 0 ? program.runs.data() : nullptr;
    RunReport report;
    for (; report.iterations < iterations; ++report.iterations) {
      bool kernel_ran = false;
      for (std::size_t i = 0; i < program.items.size(); ++i) {
        const PlanItem& item = program.items[i];
        if (item.barrier_before) device_barrier(thread);
        const Step& first = program.steps[static_cast<std::size_t>(item.first)];
        if (first.guard && !holds(*first.guard, thread.scalars)) continue;
        if (runs != nullptr) ++runs[i];
        switch (first.kind) {
          case StepKind::kernel:
          case StepKind::reduce:
            run_group(program, i, which, thread);
            kernel_ran = true;
            break;
          case StepKind::exchange:
            if (devices_.size() > 1) exchange(first, thread);
            break;
          case StepKind::barrier:
            barrier();
            break;
          case StepKind::host_scalar:
            for (const ScalarAssignment& assignment : first.assignments) {
              apply(assignment, thread.scalars);
            }
            break;
          case StepKind::check:
            if (const auto outcome = checked(first, thread.scalars)) {
              report.outcome = *outcome;
              report.iterations += kernel_ran ? 1 : 0;
              return report;
            }
            break;
        }
      }
    }
    return report;
  }

  void run_group(Program& program, std::size_t item_index, std::size_t which, Thread& thread) {
    const PlanItem& item = program.items[item_index];
    const auto first = static_cast<std::size_t>(item.first);
    const auto last = static_cast<std::size_t>(item.last) - 1;
    if (planned_[which][first].self_scheduled) {
      store_sum(program, item_index, thread, run_self_scheduled(first, which, thread));
      return;
    }
    const Rows rows = thread.device->thread_rows[static_cast<std::size_t>(item.split)]
                                                [static_cast<std::size_t>(thread.lane)];
    const CpuCall<T>* calls = thread.device->calls[which].data();
    const CpuFunction<T>* functions = functions_[which].data();
    PartialSums parts;
    for (std::size_t i = first; i <= last; ++i) {
      parts = functions[i](calls[i], thread.scalars, rows.begin, rows.end);
    }
    if (!sums_[which][last].empty()) {
      reduce(parts, sums_[which][last], thread);
    } else if (sums_at_end_[which][last]) {
      store_sum(program, item_index, thread, parts.values[0]);
    }
  }

  /// Algorithm 2: a slot for every part, one synchronisation, and everybody adds all parts in the
  /// same order. The next reduction uses the other set of slots; before the one after it can write
  /// here again, all have passed that one's synchronisation, so nobody still reads.
  void reduce(const PartialSums& mine, const std::vector<ScalarSlot>& targets, Thread& thread) {
    const auto target = [&](std::size_t k) -> double& {
      return thread.scalars[static_cast<std::size_t>(targets[k])];
    };
    if (threads_ == 1) {
      for (std::size_t k = 0; k < targets.size(); ++k) target(k) = mine.values[k];
      return;
    }
    std::vector<double>& sums = partial_sums_[static_cast<std::size_t>(thread.reductions++ % 2)];
    double* slots = sums.data() + thread.device_index * sum_stride_ + thread.lane * most_sums;
    for (std::size_t k = 0; k < targets.size(); ++k) slots[k] = mine.values[k];
    barrier();
    for (std::size_t k = 0; k < targets.size(); ++k) {
      double total = 0;
      for (std::size_t device = 0; device < devices_.size(); ++device) {
        const double* parts = sums.data() + device * static_cast<std::size_t>(sum_stride_) + k;
        double sum = 0;
        for (int lane = 0; lane < threads_per_device_; ++lane) sum += parts[lane * most_sums];
        total += sum;
      }
      target(k) = total;
    }
  }

  /// Lines 11 to 13 of Algorithm 1, through one of two host buffers in turn.
  void exchange(const Step& step, Thread& thread) {
    Buffer<T>& host = host_[static_cast<std::size_t>(thread.exchanges++ % 2)];
    const DeviceMemory<T>& device = *thread.device;
    const auto& vectors = device.vectors;
    T* whole = vectors[static_cast<std::size_t>(step.vectors.back())];
    const T* part = step.vectors.size() == 1 ? whole + device.segment.begin_row
                                             : vectors[static_cast<std::size_t>(step.vectors[0])];
    const Rows rows = device.thread_rows[static_cast<std::size_t>(RowSplit::equal_rows)]
                                        [static_cast<std::size_t>(thread.lane)];
    const Segment& own = device.segment;
    std::copy(part + rows.begin, part + rows.end, host.data() + own.begin_row + rows.begin);
    barrier();
    const std::int64_t foreign = rows_ - own.rows();
    copy_foreign(host.data(), whole, own, foreign * thread.lane / threads_per_device_,
                 foreign * (thread.lane + 1) / threads_per_device_);
  }

  /// Copies values [begin, end) of those that are left of the whole vector without `own`.
  static void copy_foreign(const T* host, T* whole, const Segment& own, std::int64_t begin,
                           std::int64_t end) {
    const auto copy = [&](std::int64_t from, std::int64_t to) {
      if (from < to) std::copy(host + from, host + to, whole + from);
    };
    copy(begin, std::min(end, own.begin_row));
    copy(std::max(begin, own.begin_row) + own.rows(), end + own.rows());
  }

  double run_self_scheduled(std::size_t step, std::size_t which, Thread& thread) {
    DeviceMemory<T>& device = *thread.device;
    const auto turn = static_cast<std::size_t>(thread.self_scheduled++ % 2);
    const CpuCall<T>& call = device.calls[which][step];
    const std::int64_t rows = device.segment.rows();
    double sum = 0;
    while (true) {
      const std::int64_t begin =
          device.parts[turn].fetch_add(1, std::memory_order_relaxed) * policy_.rows_per_part;
      if (begin >= rows) break;
      const std::int64_t end = std::min(rows, begin + policy_.rows_per_part);
      sum += functions_[which][step](call, thread.scalars, begin, end).values[0];
    }
    device_barrier(thread);
    // Nobody takes from here again before the next such step's barrier.
    if (thread.lane == 0) device.parts[turn].store(0, std::memory_order_relaxed);
    return sum;
  }

  void device_barrier(const Thread& thread) {
    if (threads_per_device_ > 1) thread.device->barrier->wait();
  }
  void barrier() {
    if (threads_ > 1) team_->barrier();
  }

  // --- sums of kernels such as LoadFixed ---

  double& sum_slot(Program& program, std::size_t item, int thread) {
    constexpr std::size_t stride = cache_line_bytes / sizeof(double);
    return program.thread_sums[(item * static_cast<std::size_t>(threads_) +
                                static_cast<std::size_t>(thread)) *
                               stride];
  }
  void store_sum(Program& program, std::size_t item, const Thread& thread, double sum) {
    sum_slot(program, item, thread.index) = sum;
  }
  void add_up_kernel_sums(Program& program, std::size_t which) {
    for (std::size_t item = 0; item < program.items.size(); ++item) {
      const auto last = static_cast<std::size_t>(program.items[item].last) - 1;
      if (!sums_at_end_[which][last] || program.runs[item] == 0) continue;
      double total = 0;
      for (int thread = 0; thread < threads_; ++thread) total += sum_slot(program, item, thread);
      set_scalar(program.steps[last].scalars[0], total);
    }
  }

  // --- small things ---

  int vector_count() const { return static_cast<int>(schedule_.vectors.size()); }
  bool is_full(VectorSlot slot) const {
    return schedule_.vectors[static_cast<std::size_t>(slot)].scope == VectorScope::full;
  }
  Rows held_rows(const DeviceMemory<T>& device, VectorSlot slot) const {
    if (is_full(slot)) return {0, columns_};
    return {device.segment.begin_row, device.segment.end_row};
  }
  void require_size(VectorSlot slot, std::size_t size) const {
    const std::int64_t expected = is_full(slot) ? columns_ : rows_;
    if (static_cast<std::int64_t>(size) != expected) {
      throw Error("vector '" + schedule_.vectors[static_cast<std::size_t>(slot)].name + "' has " +
                  std::to_string(expected) + " values; got " + std::to_string(size));
    }
  }
  DeviceMemory<T>& device_of(int thread) {
    return *devices_[static_cast<std::size_t>(thread / threads_per_device_)];
  }
  std::span<double> scalars_of(int thread) {
    return {scalars_.data() + scalar_stride_ * static_cast<std::size_t>(thread),
            schedule_.scalars.size()};
  }
  std::span<const double> scalars_of(int thread) const {
    return {scalars_.data() + scalar_stride_ * static_cast<std::size_t>(thread),
            schedule_.scalars.size()};
  }
  void set_scalar(ScalarSlot slot, double value) {
    for (int thread = 0; thread < threads_; ++thread) {
      scalars_of(thread)[static_cast<std::size_t>(slot)] = value;
    }
  }

  SegmentShape shape(const DeviceMemory<T>& device) const {
    if (device.matrix != nullptr) return device.matrix->shape();
    SegmentShape shape;
    shape.unknowns = static_cast<double>(device.segment.rows());
    shape.total_unknowns = static_cast<double>(columns_);
    return shape;
  }

  void count(const Program& program, std::size_t which, RunCounters& counters) const {
    const bool several = devices_.size() > 1;
    for (std::size_t i = 0; i < program.items.size(); ++i) {
      const std::int64_t runs = program.runs[i];
      for (int k = program.items[i].first; k < program.items[i].last; ++k) {
        const Step& step = program.steps[static_cast<std::size_t>(k)];
        const bool reduces = step.kind == StepKind::reduce;
        const bool exchanges = step.kind == StepKind::exchange;
        counters.launches += runs * step.launches;
        if (step.kind == StepKind::kernel || reduces) counters.kernels += runs;
        if (reduces) counters.reductions += runs;
        if (exchanges) counters.exchanges += runs;
        if (reduces || exchanges || step.kind == StepKind::barrier || !step.sums.empty()) {
          counters.barriers += runs;
        }
        if (exchanges && several) {
          const std::int64_t values = runs * rows_ * static_cast<std::int64_t>(devices_.size());
          counters.exchanged_values += values;
          counters.bytes.exchanged += static_cast<double>(values) * sizeof(T);
        }
        count_bytes(planned_[which][static_cast<std::size_t>(k)], static_cast<double>(runs),
                    counters.bytes);
      }
    }
  }

  void count_bytes(const PlannedStep& step, double runs, BytesByKind& bytes) const {
    for (const auto& device : devices_) {
      const auto rows = static_cast<double>(device->segment.rows());
      for (std::size_t i = 0; i < step.accesses.size(); ++i) {
        const Access access = step.accesses[i];
        const bool gathers = access == Access::gather && is_full(step.vectors[i]);
        const double values = gathers ? static_cast<double>(columns_) : rows;
        if (reads(access)) bytes.vector_reads += runs * values * sizeof(T);
        if (writes(access)) bytes.vector_writes += runs * values * sizeof(T);
      }
      if (!step.uses_matrix) continue;
      const BytesByKind read = device->matrix->bytes_read();
      bytes.values += runs * read.values;
      bytes.indices += runs * read.indices;
      bytes.row_pointers += runs * read.row_pointers;
    }
  }

  const Schedule schedule_;
  const Layout layout_;
  const CpuPolicy policy_;
  const std::int64_t rows_;
  std::int64_t columns_ = 0;
  bool uses_matrix_ = false;
  std::array<std::vector<PlannedStep>, 2> planned_;       ///< setup and iteration
  std::array<std::vector<CpuFunction<T>>, 2> functions_;  ///< per step
  std::array<std::vector<char>, 2> sums_at_end_;          ///< per step: as `KernelSignature` says
  std::array<std::vector<std::vector<ScalarSlot>>, 2> sums_;  ///< per step: what it sums into
  std::vector<std::unique_ptr<DeviceMemory<T>>> devices_;
  std::array<Buffer<T>, 2> host_;
  int threads_per_device_ = 1;
  int threads_ = 1;
  std::unique_ptr<ThreadTeam> team_;
  Program setup_;
  Program iteration_;
  Buffer<double> scalars_;  ///< one copy per thread
  std::size_t scalar_stride_ = 0;
  std::array<std::vector<double>, 2> partial_sums_;
  int sum_stride_ = 0;
  std::int64_t iterations_ = 0;
  double conversion_seconds_ = 0;
};

template <class T>
std::unique_ptr<PreparedSchedule<T>> prepare_vectors(const Schedule& schedule,
                                                     std::int64_t unknowns, int devices,
                                                     int threads, const CpuPolicy& policy) {
  if (unknowns < 0) {
    throw Error("vectors of " + std::to_string(unknowns) + " unknowns; expected 0 or more");
  }
  for (const auto* steps : {&schedule.setup, &schedule.iteration}) {
    for (const Step& step : *steps) {
      if (step.kind == StepKind::kernel && find_kernel(step, cpu_name).uses_matrix) {
        throw Error("schedule '" + schedule.name + "' multiplies ('" + step.name +
                    "'): prepare it with a matrix");
      }
    }
  }
  return std::make_unique<CpuPreparedSchedule<T>>(schedule, nullptr, Layout{}, unknowns, devices,
                                                  threads, policy);
}

}  // namespace

int CpuPolicy::threads(const SegmentShape& segment, int available) const {
  const double values = 20 * segment.unknowns + 2 * segment.elements;
  return static_cast<int>(
      std::clamp(values / values_per_thread, 1.0, static_cast<double>(available)));
}

CpuBackend::CpuBackend(int devices, int threads_per_device, const CpuPolicy& policy)
    : devices_(devices), threads_per_device_(threads_per_device), policy_(policy) {
  if (devices < 1 || threads_per_device < 1) {
    throw Error("a CPU of " + std::to_string(devices) + " devices with " +
                std::to_string(threads_per_device) + " threads each; expected at least one");
  }
}

CpuBackend::~CpuBackend() = default;

int CpuBackend::device_count() const {
  return devices_;
}

std::string CpuBackend::description() const {
  const std::string threads =
      std::to_string(threads_per_device_) + (threads_per_device_ == 1 ? " thread" : " threads");
  return describe_cpu().name + ", " +
         (devices_ == 1 ? threads : std::to_string(devices_) + " devices of " + threads);
}

std::unique_ptr<PreparedSchedule<float>> CpuBackend::prepare(const Schedule& schedule,
                                                             const CsrView<float>& matrix,
                                                             const Layout& layout) {
  return std::make_unique<CpuPreparedSchedule<float>>(schedule, &matrix, layout, matrix.rows,
                                                      devices_, threads_per_device_, policy_);
}

std::unique_ptr<PreparedSchedule<double>> CpuBackend::prepare(const Schedule& schedule,
                                                              const CsrView<double>& matrix,
                                                              const Layout& layout) {
  return std::make_unique<CpuPreparedSchedule<double>>(schedule, &matrix, layout, matrix.rows,
                                                       devices_, threads_per_device_, policy_);
}

std::unique_ptr<PreparedSchedule<float>> CpuBackend::prepare_vectors_f32(const Schedule& schedule,
                                                                         std::int64_t unknowns) {
  return prepare_vectors<float>(schedule, unknowns, devices_, threads_per_device_, policy_);
}

std::unique_ptr<PreparedSchedule<double>> CpuBackend::prepare_vectors_f64(const Schedule& schedule,
                                                                          std::int64_t unknowns) {
  return prepare_vectors<double>(schedule, unknowns, devices_, threads_per_device_, policy_);
}

}  // namespace sparsecast
