#include "core/cuda/run/device_program.cuh"

#include <algorithm>
#include <numeric>
#include <optional>
#include <tuple>
#include <utility>

#include "core/cuda/run/control_operations.hpp"
#include "core/cuda/vector/block_kernel.cuh"
#include "core/cuda/vector/fused_cg_kernels.cuh"
#include "core/cuda/vector/pass_kernel.cuh"
#include "core/cuda/vector/product_dot.cuh"
#include "core/schedule/diagonal_blocks.hpp"
#include "core/schedule/split_pass.hpp"
#include "core/workload/polls.hpp"

namespace sparsecast::cuda {
namespace {

template <class T>
class ProgramMaker {
 public:
  ProgramMaker(const CheckedSchedule<T>& checked, const CheckedSteps& list,
               const SegmentMemory<T>& memory, const RunPeers<T>& peers)
      : checked_(checked),
        memory_(memory),
        peers_(peers),
        rank_steps_(peers.nccl != nullptr ? summing_into_totals(list.steps) : std::vector<Step>()),
        steps_(peers.nccl != nullptr ? std::span<const Step>(rank_steps_) : list.steps),
        // To compile what runs once costs more than it saves.
        compiles_(checked.policy().compile_passes && &list == &checked.iteration()) {
    if (peers.nccl != nullptr && &list == &checked.iteration()) {
      carried_ = checked.carried_exchanges();
    }
    program_.checked = &list;
    program_.host_runs.assign(steps_.size(), 0);
    program_.launches.assign(steps_.size(), 0);
    const auto count = std::ssize(steps_);
    program_.runs = DeviceArray<std::int64_t>::zeros(count);
    program_.tickets = DeviceArray<std::int32_t>::zeros(count);
    std::vector<std::int64_t> ends;
    for (const Step& step : steps_) {
      ends.push_back((ends.empty() ? 0 : ends.back()) + memory.kernel_sum_count(step));
    }
    program_.sums = DeviceArray<double>::zeros(ends.empty() ? 0 : ends.back());
    for (std::int64_t begin = 0; const std::int64_t end : ends) {
      program_.kernel_sums.emplace_back(program_.sums.data() + begin, program_.sums.data() + end);
      begin = end;
    }
  }

  DeviceProgram make() {
    if (checked_.policy().launch_mode == LaunchMode::host) {
      make_single_steps();
    } else {
      make_whole_iterations();
    }
    return std::move(program_);
  }

 private:
  RunMemory run_memory() const {
    RunMemory memory = memory_.run_memory(program_.runs);
    // What carries operations out reads totals, too.
    if (peers_.nccl != nullptr) memory.scalar_count = memory_.first_total() + memory_.totals();
    return memory;
  }

  void make_single_steps() {
    ProgramBuilder builder(run_memory());
    for (std::size_t i = 0; i < steps_.size(); ++i) {
      if (is_kernel(steps_[i])) add_kernel(i, builder);
      program_.by_step.push_back(builder.take_launches());
    }
    program_.data = builder.take_data();
  }

  /// Of a device that is alone, which has nothing to exchange and nobody to wait for.
  static bool only_counts(const Step& step) {
    return (step.kind == StepKind::exchange || step.kind == StepKind::barrier) && !step.guard;
  }

  bool alone() const { return !linked() && peers_.nccl == nullptr; }
  /// Whether kernels reach those of other devices.
  bool linked() const { return peers_.exchange != nullptr; }

  /// Whether there is more to do for the step than what one thread does between kernels.
  bool has_launch(const Step& step) const {
    if (step.kind == StepKind::exchange) {
      return !alone() && &step != sent_by_kernel_ && !is_carried(step);
    }
    return is_kernel(step) || (step.kind == StepKind::barrier && linked());
  }

  void make_whole_iterations() {
    find_reads_before();
    find_sending_kernel();
    const auto first_launch =
        std::ranges::find_if(steps_, [this](const Step& step) { return has_launch(step); });
    // Without any an iteration is one launch of operations.
    const std::size_t leading =
        first_launch == steps_.end() ? 0 : static_cast<std::size_t>(first_launch - steps_.begin());
    const bool checks =
        std::ranges::any_of(steps_, [](const Step& step) { return step.kind == StepKind::check; });
    const bool leads =
        std::any_of(steps_.begin(), steps_.begin() + static_cast<std::ptrdiff_t>(leading),
                    [this](const Step& step) { return !only_counts(step) || is_carried(step); });
    program_.ends_on_device = checks || leads;
    for (std::size_t i = 0; i < steps_.size(); ++i) {
      if (alone() && !program_.ends_on_device && only_counts(steps_[i])) {
        program_.host_counted.push_back(i);
      }
    }

    ProgramBuilder builder(run_memory(), compiles_ ? compile_operations() : nullptr);
    for (std::size_t i = 0; i < leading; ++i) add_operations(i, builder);
    if (sent_by_kernel_ != nullptr) push(sent_by_kernel_ - steps_.data(), nullptr, builder);
    for (const CarriedExchange& each : carried_) {
      for (const VectorSlot slot : steps_[each.assigns].vectors) {
        builder.add_kernel(peers_.nccl->clear_unused_launch(memory_.vector(slot)));
      }
      exchange_by_nccl(steps_[each.exchange], builder);
    }
    program_.leading = builder.take_launches();

    for (std::size_t i = leading; i < steps_.size(); ++i) {
      if (is_kernel(steps_[i])) {
        add_kernel(i, builder);
        if (peers_.nccl != nullptr) add_up_over_ranks(i, builder);
      } else if (steps_[i].kind == StepKind::exchange && linked()) {
        add_exchange(i, builder);
      } else if (has_launch(steps_[i]) && steps_[i].kind == StepKind::exchange) {
        add_exchange_by_nccl(i, builder);
      } else {
        const bool meets = steps_[i].kind == StepKind::barrier && linked();
        if (meets) builder.add_meeting(guard_of(steps_[i]));
        add_operations(i, builder);
      }
      note_reads(steps_[i], program_.checked->accesses[i], others_may_read_);
    }
    receive(builder);
    add_counts(builder);
    if (program_.ends_on_device) {
      builder.add({});  // the end of the iteration
      for (std::size_t i = 0; i < leading; ++i) add_operations(i, builder);
    }
    program_.iteration = builder.take_launches();
    program_.most_launches = std::ssize(program_.iteration);
    program_.data = builder.take_data();
  }

  void add_operations(std::size_t index, ProgramBuilder& builder) const {
    const Step& step = steps_[index];
    for (const ControlOperation& operation : control_operations(step)) builder.add(operation);
    const bool counts = step.kind == StepKind::exchange || step.kind == StepKind::barrier;
    if (counts && (program_.ends_on_device || step.guard || !alone())) {
      ControlOperation operation;
      operation.kind = ControlOperation::Kind::count;
      operation.step = static_cast<std::int16_t>(index);
      operation.guard = guard_of(step);
      builder.add(operation);
    }
  }

  /// Of a launch that is not counted.
  Gate gate_of(const Step& step) const {
    return {memory_.state(), memory_.scalars().data(), nullptr, guard_of(step)};
  }

  // --- exchanges: who may store when, and who must wait ---

  /// Whether a kernel looks values up that other devices store.
  bool gathers(const Step& step, const std::vector<Access>& accesses) const {
    for (std::size_t k = 0; k < accesses.size(); ++k) {
      if (accesses[k] == Access::gather && checked_.is_full(step.vectors[k])) return true;
    }
    return false;
  }

  /// Devices that have added up a sum together know that all have read what they looked up before.
  void note_reads(const Step& step, const std::vector<Access>& accesses,
                  bool& others_may_read) const {
    if (!linked()) return;
    const bool copies = step.kind == StepKind::exchange && peers_.exchange->is_staged();
    if (gathers(step, accesses) || copies) others_may_read = true;
    const bool meets =
        step.kind == StepKind::reduce || step.kind == StepKind::barrier || !step.sums.empty();
    if (meets && !step.guard) others_may_read = false;
  }

  /// The iteration's end precedes its beginning; between setup and iteration all devices meet.
  void find_reads_before() {
    for (std::size_t i = 0; i < steps_.size(); ++i) {
      note_reads(steps_[i], program_.checked->accesses[i], others_may_read_);
    }
  }

  void add_exchange(std::size_t index, ProgramBuilder& builder) {
    if (others_may_read_) builder.add_meeting({});
    receive(builder);
    push(index, program_.runs.data() + index, builder);
    if (peers_.exchange->is_staged()) receive(builder, gate_of(steps_[index]));
  }

  // --- NCCL: in the stream, between kernels ---

  /// Whether a sum carries the exchange.
  bool is_carried(const Step& exchange) const {
    return std::ranges::any_of(
        carried_, [&](const CarriedExchange& each) { return &steps_[each.exchange] == &exchange; });
  }

  /// Whether the step makes a halo, too.
  bool makes_halo(const Step& step) const {
    return std::ranges::any_of(
        carried_, [&](const CarriedExchange& each) { return &steps_[each.assigns] == &step; });
  }

  /// What the kernel of a step works on: own rows, or `whole` vectors.
  std::vector<T*> operands_of(const Step& step, bool whole) const {
    if (!whole) return memory_.operands(step);
    std::vector<T*> operands;
    for (const VectorSlot slot : step.vectors) operands.push_back(memory_.vector(slot));
    return operands;
  }
  std::int64_t rows_of(const Step& step) const {
    return makes_halo(step) ? checked_.columns() : memory_.rows();
  }

  /// Whether the next launch behind an exchange is a product of what is exchanged, by the matrix
  /// in two: it begins while the halo is on its way.
  bool overlaps(std::size_t exchange) const {
    if (peers_.halo == nullptr || steps_[exchange].guard) return false;
    for (std::size_t i = exchange + 1; i < steps_.size(); ++i) {
      if (!has_launch(steps_[i])) continue;
      return adds_halo(steps_[i]) && steps_[i].vectors[0] == steps_[exchange].vectors.back();
    }
    return false;
  }

  /// Whether a product has a second half.
  bool adds_halo(const Step& step) const {
    return peers_.halo != nullptr && step.kind == StepKind::kernel &&
           kernel_signature(step).uses_matrix;
  }

  /// That half, once the halo is there. `finish`: of its part of the sum, if there is one.
  void add_halo_product(std::size_t index, const std::vector<T*>& operands,
                        const BlockFinish& finish, ProgramBuilder& builder) {
    if (on_its_way_) builder.add_kernel(peers_.nccl->await_launch());
    on_its_way_ = false;
    ++program_.launches[index];
    ProductOperands<T> product;
    product.input = operands[0];
    product.output = operands[1];
    product.finish = finish;
    builder.add_kernel(peers_.halo->launch(product, gate_of(steps_[index])));
  }

  void exchange_by_nccl(const Step& step, ProgramBuilder& builder) const {
    for (Launch& launch : peers_.nccl->exchange_launches(memory_.operands(step)[0],
                                                         memory_.vector(step.vectors.back()))) {
      builder.add_kernel(std::move(launch));
    }
  }

  /// It is counted with the kernel behind it, which has operations for other reasons.
  void add_exchange_by_nccl(std::size_t index, ProgramBuilder& builder) {
    if (steps_[index].guard) {
      add_operations(index, builder);
    } else {
      to_count_.push_back(index);
    }
    if (!overlaps(index)) return exchange_by_nccl(steps_[index], builder);
    const Step& step = steps_[index];
    builder.add_kernel(
        peers_.nccl->begin_launch(memory_.operands(step)[0], memory_.vector(step.vectors.back())));
    on_its_way_ = true;
  }

  void add_counts(ProgramBuilder& builder) {
    for (const std::size_t index : to_count_) add_operations(index, builder);
    to_count_.clear();
  }

  /// The scalars that a step sums up.
  static std::span<ScalarSlot> sums_of(Step& step) {
    return step.kind == StepKind::reduce ? std::span(step.scalars).first(1) : std::span(step.sums);
  }

  /// The steps with sums that lie together, so that ranks add them up in one call.
  std::vector<Step> summing_into_totals(std::span<const Step> steps) const {
    std::vector<Step> rewritten(steps.begin(), steps.end());
    for (Step& step : rewritten) {
      const std::span<ScalarSlot> sums = sums_of(step);
      std::iota(sums.begin(), sums.end(), memory_.first_total());
    }
    return rewritten;
  }

  /// Behind a kernel that has summed up this rank's rows.
  void add_up_over_ranks(std::size_t index, ProgramBuilder& builder) {
    Step step = program_.checked->steps[index];
    const std::span<const ScalarSlot> slots = sums_of(step);
    if (slots.empty()) return add_counts(builder);
    const ScalarSlot first = memory_.first_total();
    const std::size_t totals = slots.size() + (sums_by_halo(step) ? 1 : 0);
    const std::span<double> sums(memory_.scalars().data() + first, totals);
    const auto carries = std::ranges::find(carried_, index, &CarriedExchange::sums);
    if (carries == carried_.end()) {
      builder.add_kernel(peers_.nccl->sum_launch(sums));
    } else {
      T* const whole = memory_.vector(carries->carried);
      const T* const own = whole + memory_.segment().begin_row;
      for (Launch& launch : peers_.nccl->exchange_and_sum_launches(own, whole, sums)) {
        builder.add_kernel(std::move(launch));
      }
    }
    add_counts(builder);
    ControlOperation takes;
    takes.kind = ControlOperation::Kind::assign;
    takes.guard = guard_of(step);
    for (std::size_t k = 0; k < slots.size(); ++k) {
      takes.target = static_cast<std::int16_t>(slots[k]);
      takes.a = static_cast<std::int16_t>(first + static_cast<ScalarSlot>(k));
      if (totals > slots.size()) {
        takes.operation = ScalarOperation::add;
        takes.b = static_cast<std::int16_t>(takes.a + 1);
      }
      builder.add(takes);
    }
  }

  /// Whether the second half of a product sums up what it adds, behind what the first one did.
  bool sums_by_halo(const Step& step) const {
    return adds_halo(step) && step.name == "SpMVDot" && memory_.matrix(step.transposed).sums();
  }

  void push(std::size_t index, std::int64_t* runs, ProgramBuilder& builder) {
    const Step& step = steps_[index];
    exchanged_ = step.vectors.back();
    builder.add_kernel(peers_.exchange->push_launch(
        memory_.operands(step)[0], whole(*exchanged_), gate_of(step), memory_.links(), runs,
        program_.tickets.data() + index, memory_.launch_shape().multiprocessors));
  }

  std::vector<T*> whole(VectorSlot slot) const {
    std::vector<T*> vectors;
    for (const std::vector<T*>& of_device : peers_.vectors) {
      vectors.push_back(of_device[static_cast<std::size_t>(slot)]);
    }
    return vectors;
  }

  /// The place of a vector among those of a kernel that could send it; -1: it could not.
  static int place_of_sent(const Step& step, VectorSlot slot) {
    const auto found = std::ranges::find(step.vectors, slot);
    if (found == step.vectors.end() || !step.sums.empty()) return -1;
    const auto place = static_cast<int>(found - step.vectors.begin());
    if (step.name == "CGDirection") return place == 1 ? place : -1;
    if (!step.pass || !pass_blocks(*step.pass, static_cast<int>(step.vectors.size())).empty()) {
      return -1;
    }
    const bool assigned = std::ranges::find(step.pass->statements, place, &PassStatement::target) !=
                          step.pass->statements.end();
    return assigned ? place : -1;
  }

  /// The last kernel of an iteration can store what the next one begins to exchange itself. Before
  /// the first iteration the exchange has its own launch.
  void find_sending_kernel() {
    const auto last = std::find_if(steps_.rbegin(), steps_.rend(), is_kernel);
    const auto first = std::ranges::find(steps_, StepKind::exchange, &Step::kind);
    if (!linked() || last == steps_.rend() || first == steps_.end()) return;
    const Step& sender = *last;
    const Step& exchange = *first;
    const bool leads = std::none_of(steps_.begin(), first, is_kernel);
    // Then operations follow the kernel, with which the exchange is counted.
    const bool checks =
        std::ranges::any_of(steps_, [](const Step& step) { return step.kind == StepKind::check; });
    const bool last_of_all = std::none_of(
        first + 1, steps_.end(), [](const Step& step) { return step.kind == StepKind::exchange; });
    if (sender.guard || exchange.guard || !leads || !checks || !last_of_all ||
        !peers_.exchange->sends_halos() || exchange.vectors.size() != 1 ||
        place_of_sent(sender, exchange.vectors[0]) < 0) {
      return;
    }
    bool others_may_read = others_may_read_;
    for (const Step& step : steps_) {
      if (&step == &sender) break;
      note_reads(step, program_.checked->accesses[&step - steps_.data()], others_may_read);
    }
    if (others_may_read) return;
    sent_by_kernel_ = &exchange;
    sending_kernel_ = &sender;
  }

  /// What a kernel sends, and from which of its vectors; nothing: -1.
  std::pair<HaloPush<T>, int> sent_by(const Step& step) const {
    if (&step != sending_kernel_) return {{}, -1};
    const VectorSlot slot = sent_by_kernel_->vectors[0];
    return {peers_.exchange->halo_push(whole(slot), memory_.links(),
                                       program_.tickets.data() + (sent_by_kernel_ - steps_.data())),
            place_of_sent(step, slot)};
  }

  /// Waits for what is on its way.
  void receive(ProgramBuilder& builder) { receive(builder, gate_of({})); }
  void receive(ProgramBuilder& builder, const Gate& gate) {
    if (!exchanged_) return;
    builder.add_kernel(peers_.exchange->wait_launch(gate, memory_.links()));
    if (peers_.exchange->is_staged()) {
      builder.add_kernel(peers_.exchange->copy_launch(memory_.vector(*exchanged_), gate,
                                                      memory_.launch_shape().multiprocessors));
    }
    exchanged_.reset();
  }

  /// What a multiplication by our own kernels waits for; others are launched behind the wait.
  HaloWait halo_wait(const Step& step, const std::vector<Access>& accesses,
                     ProgramBuilder& builder) {
    if (!exchanged_ || !gathers(step, accesses)) return {};
    // Which rows look outside is known of the matrix, not of its transpose.
    const bool waits = kernel_signature(step).uses_matrix && !step.transposed &&
                       memory_.matrix().waits_for_halos() && peers_.exchange->outside() != nullptr;
    if (!waits) {
      receive(builder);
      return {};
    }
    exchanged_.reset();
    return {memory_.links(), peers_.exchange->senders(), peers_.exchange->outside()};
  }

  void add_kernel(std::size_t index, ProgramBuilder& builder) {
    const Step& step = steps_[index];
    Gate gate = gate_of(step);
    gate.runs = program_.runs.data() + index;
    const HaloWait halo = halo_wait(step, program_.checked->accesses[index], builder);
    std::vector<T*> operands = operands_of(step, makes_halo(step));
    const std::span<T* const> all(operands);
    const std::span<double> sums = program_.kernel_sums[index];
    program_.launches[index] = 1;
    if (step.kind == StepKind::reduce) {
      program_.launches[index] = 2;
      const DeviceArray<double>& partials = memory_.partials();
      builder.add_kernel(
          sum_launch<T>(all, memory_.rows(), false, partials.data(), gate, memory_.launch_shape()));
      builder.add_finish(gate.guard, partials.data(), partials.size(), step.scalars[0]);
    } else if (step.name == "SpMVDot" && !memory_.matrix(step.transposed).sums()) {
      program_.launches[index] += add_product(step, operands, halo, gate, builder);
      if (adds_halo(step)) add_halo_product(index, operands, {}, builder);
      add_finishing_kernel(index, gate_of(step), {}, std::move(operands), builder);
    } else if (step.pass) {
      add_pass(index, gate, std::move(operands), builder);
    } else if (step.name == "SpMVDot" || is_fused_cg_kernel(step.name) ||
               multiplies_by_blocks(step)) {
      add_finishing_kernel(index, gate, halo, operands, builder);
      if (adds_halo(step)) {
        BlockFinish finish = finish_of(index, step);
        ++finish.slots[0];
        add_halo_product(index, operands, finish, builder);
      }
    } else if (sums_at_end(step)) {
      builder.add_kernel(sum_launch<T>(all, memory_.rows(), step.name == "LoadVariable",
                                       sums.data(), gate, memory_.launch_shape()));
    } else if (step.name == "SpMV") {
      program_.launches[index] = add_product(step, operands, halo, gate, builder);
      if (adds_halo(step)) add_halo_product(index, operands, {}, builder);
    } else {
      const auto reads =
          static_cast<int>(std::ranges::count(program_.checked->accesses[index], Access::read));
      builder.add_kernel(
          vector_launch<T>(step, all, reads, memory_.rows(), gate, memory_.launch_shape()));
    }
  }

  /// A product without a sum. Returns how many launches that are.
  std::int64_t add_product(const Step& step, const std::vector<T*>& operands, const HaloWait& halo,
                           const Gate& gate, ProgramBuilder& builder) const {
    const auto launches = memory_.matrix(step.transposed)
                              .multiply_launches({operands[0], operands[1], halo, {}, 0}, gate);
    for (const Launch& launch : launches) builder.add_kernel(launch);
    return std::ssize(launches);
  }

  Launch product_with_sum(const Step& step, const std::vector<T*>& operands, const HaloWait& halo,
                          const Gate& gate, const BlockFinish& finish) const {
    const std::int64_t most_blocks = memory_.launch_shape().most_finishing_blocks();
    const DeviceMatrix<T>& matrix = memory_.matrix(step.transposed);
    if (!matrix.sums()) {
      return product_dot_launch<T>(operands[0], operands[1], memory_.rows(), gate, finish,
                                   most_blocks);
    }
    return matrix.multiply_launches({operands[0], operands[1], halo, finish, most_blocks}, gate)
        .front();
  }

  // --- passes ---

  ProgramBuilder::Compile compile_operations() const {
    PassTask<T> task;
    task.gate = gate_of({});
    task.memory = run_memory();
    task.tickets = program_.tickets.data();
    return [task, shape = memory_.launch_shape()](std::span<const ControlOperation> operations,
                                                  KernelData& data) {
      return compile_pass(task, operations, shape, data);
    };
  }

  void add_pass(std::size_t index, const Gate& gate, std::vector<T*> operands,
                ProgramBuilder& builder) {
    if (!compiles_) return add_interpreted_pass(index, gate, builder);
    PassTask<T> task;
    task.step = &steps_[index];
    task.size = rows_of(steps_[index]);
    task.gate = gate;
    task.memory = run_memory();
    task.partials = program_.kernel_sums[index].data();
    task.tickets = program_.tickets.data() + index;
    std::tie(task.push, task.sent) = sent_by(steps_[index]);
    builder.add_compiled_kernel(
        [task, operands = std::move(operands), shape = memory_.launch_shape()](
            std::span<const ControlOperation> operations, KernelData& data) mutable {
          task.vectors = operands;
          return compile_pass(task, operations, shape, data);
        },
        [this, index, gate](ProgramBuilder& to) { add_interpreted_pass(index, gate, to); });
  }

  void add_interpreted_pass(std::size_t index, Gate gate, ProgramBuilder& builder) {
    const std::vector<Step> steps = without_blocks(steps_[index]);
    program_.launches[index] = std::ssize(steps);
    // One that sends has no blocks, and stays as it is.
    const auto [push, sent] = sent_by(steps_[index]);
    for (const Step& step : steps) {
      builder.add_finishing_kernel(
          finish_of(index, step), step.guard.has_value(),
          [this, step, operands = operands_of(step, makes_halo(steps_[index])),
           rows = rows_of(steps_[index]), gate, push,
           sent = std::max(sent, 0)](const BlockFinish& complete) {
            return pass_launch<T>(step, operands, rows, gate, complete, memory_.launch_shape(),
                                  push, sent);
          });
      gate.runs = nullptr;  // counted by the first
    }
  }

  BlockFinish finish_of(std::size_t index, const Step& step) const {
    BlockFinish finish;
    finish.memory = run_memory();
    finish.partials = program_.kernel_sums[index].data();
    finish.tickets = program_.tickets.data() + index;
    std::ranges::copy(step.sums, finish.slots);
    return finish;
  }

  // --- other kernels that finish ---

  Launch finishing_launch(const Step& step, const std::vector<T*>& operands, const HaloWait& halo,
                          const HaloPush<T>& push, const Gate& gate,
                          const BlockFinish& finish) const {
    if (step.name == "SpMVDot") return product_with_sum(step, operands, halo, gate, finish);
    if (multiplies_by_blocks(step)) {
      return block_launch<T>(step, operands, memory_.segment().begin_row, memory_.rows(), gate,
                             finish, memory_.launch_shape());
    }
    return fused_cg_launch<T>(step, operands, rows_of(step), gate, finish, memory_.launch_shape(),
                              push);
  }

  void add_finishing_kernel(std::size_t index, const Gate& gate, const HaloWait& halo,
                            std::vector<T*> operands, ProgramBuilder& builder) const {
    const Step& step = steps_[index];
    builder.add_finishing_kernel(finish_of(index, step), step.guard.has_value(),
                                 [this, push = sent_by(step).first, &step, gate, halo,
                                  operands = std::move(operands)](const BlockFinish& complete) {
                                   return finishing_launch(step, operands, halo, push, gate,
                                                           complete);
                                 });
  }

  const CheckedSchedule<T>& checked_;
  const SegmentMemory<T>& memory_;
  const RunPeers<T>& peers_;
  const std::vector<Step> rank_steps_;
  const std::span<const Step> steps_;
  const bool compiles_;  ///< passes, for what they do
  DeviceProgram program_;
  std::span<const CarriedExchange> carried_;  ///< by NCCL
  std::vector<std::size_t> to_count_;         ///< exchanges that have been launched
  bool on_its_way_ = false;                   ///< a halo that nobody has awaited
  std::optional<VectorSlot> exchanged_;       ///< nobody has waited yet for what others store there
  bool others_may_read_ = false;              ///< what this device's next exchange overwrites
  const Step* sent_by_kernel_ = nullptr;      ///< the exchange that the last kernel does in advance
  const Step* sending_kernel_ = nullptr;      ///< that kernel
};

}  // namespace

std::int64_t DeviceProgram::bytes() const {
  const std::size_t bytes = runs.bytes() + tickets.bytes() + sums.bytes();
  return static_cast<std::int64_t>(bytes) + data.bytes() + (whole != nullptr ? whole->bytes() : 0);
}

template <class T>
DeviceProgram make_program(const CheckedSchedule<T>& checked, const CheckedSteps& list,
                           const SegmentMemory<T>& memory, const RunPeers<T>& peers) {
  return ProgramMaker<T>(checked, list, memory, peers).make();
}

template DeviceProgram make_program(const CheckedSchedule<float>&, const CheckedSteps&,
                                    const SegmentMemory<float>&, const RunPeers<float>&);
template DeviceProgram make_program(const CheckedSchedule<double>&, const CheckedSteps&,
                                    const SegmentMemory<double>&, const RunPeers<double>&);

void capture(DeviceProgram& program, const CudaPolicy& policy, cudaStream_t stream) {
  const bool graph =
      policy.launch_mode == LaunchMode::graph || policy.launch_mode == LaunchMode::automatic;
  if (!graph || program.whole != nullptr || program.iteration.empty()) return;
  const auto capture_times = [&](int count) {
    auto captured = Graph::capture(stream, [&] {
      for (int i = 0; i < count; ++i) {
        for (const Launch& launch : program.iteration) launch(stream);
      }
    });
    // Else its first launch does it, while the solve is timed.
    SPARSECAST_CUDA_CHECK(cudaGraphUpload(captured.get(), stream));
    return captured;
  };
  program.one = capture_times(1);
  program.iterations_of_many = iterations_of_graph(policy, program.most_launches);
  if (program.iterations_of_many > 1) program.many = capture_times(program.iterations_of_many);
}

void load(const DeviceProgram& program, cudaStream_t stream) {
  for (const std::vector<Launch>* launches : {&program.leading, &program.iteration}) {
    if (launches->empty()) continue;
    Graph::capture(stream, [&] {
      for (const Launch& launch : *launches) launch(stream);
    });
  }
  SPARSECAST_CUDA_CHECK(cudaStreamSynchronize(stream));
}

}  // namespace sparsecast::cuda
