#include "core/cuda/ranks/rank_schedule.cuh"

#include <algorithm>
#include <array>
#include <exception>
#include <string>
#include <utility>

#include "core/analysis/exchange_plan.hpp"
#include "core/base/error.hpp"
#include "core/cuda/compile/compiled_kernel.cuh"
#include "core/engine/ranks/rank_errors.hpp"
#include "core/engine/ranks/rank_lists.hpp"
#include "core/schedule/overlapped_exchange.hpp"

namespace sparsecast::cuda {
namespace {

/// Full vectors that steps exchange.
template <class T>
std::vector<VectorSlot> exchanged_vectors(const CheckedSchedule<T>& checked) {
  std::vector<VectorSlot> slots;
  for (const CheckedSteps* list : {&checked.setup(), &checked.iteration(), &checked.finish()}) {
    for (const Step& step : list->steps) {
      if (step.kind != StepKind::exchange) continue;
      const VectorSlot slot = step.vectors.back();
      if (std::ranges::find(slots, slot) == slots.end()) slots.push_back(slot);
    }
  }
  return slots;
}

/// Where each of the others keeps what it is sent of this rank's values; 0 for those that get none.
/// All ranks call it.
std::vector<std::int64_t> places_at_receivers(const RankPart& part) {
  std::vector<Buffer<std::int64_t>> places(static_cast<std::size_t>(part.ranks->size()), {0});
  for (const HaloExchange::ToReceive& receive : part.halo.receives) {
    places[static_cast<std::size_t>(receive.rank)] = {receive.place};
  }
  std::vector<std::int64_t> at_receivers;
  for (const Buffer<std::int64_t>& each : exchange_lists(*part.ranks, std::move(places))) {
    at_receivers.push_back(each.front());
  }
  return at_receivers;
}

/// Whom the rank exchanges halos with. `places`: as above.
template <class T>
ExchangePartners partners_of_rank(const RankPart& part, std::span<const std::int64_t> places,
                                  const CsrView<T>& matrix, const Layout& layout) {
  ExchangePartners partners;
  partners.own = part.own;
  partners.rows = matrix.rows;
  partners.sends_halos = true;
  partners.packed = true;
  for (const HaloExchange::ToReceive& receive : part.halo.receives) {
    partners.senders |= std::uint32_t{1} << receive.rank;
  }
  for (const HaloExchange::ToSend& send : part.halo.sends) {
    ExchangePartners::Receiver receiver{send.rank, places[static_cast<std::size_t>(send.rank)],
                                        send.places};
    for (std::int32_t& row : receiver.rows) row -= static_cast<std::int32_t>(part.own.begin_row);
    partners.receivers.push_back(std::move(receiver));
  }
  const std::array<Segment, 3> stretches{
      {{0, part.own.begin_row}, part.own, {part.own.end_row, matrix.rows}}};
  partners.outside = find_halos<T>(matrix, stretches, layout)[1].outside;
  return partners;
}

/// Whether exchanges of a schedule overlap with its products. All ranks call it.
template <class T>
bool overlaps(const RankPart& part, const CudaPolicy& policy, const Schedule& schedule) {
  if (policy.exchange != ExchangeMode::nccl) return false;
  std::int64_t sent = 0;
  std::int64_t received = 0;
  for (const HaloExchange::ToSend& each : part.halo.sends) sent += std::ssize(each.places);
  for (const HaloExchange::ToReceive& each : part.halo.receives) received += each.count;
  const double most = part.ranks->maximum(static_cast<double>(std::max(sent, received)));
  return overlaps_products(schedule, most * sizeof(T), policy);
}

}  // namespace

bool may_exchange(const CudaPolicy& policy, ExchangeMode mode) {
  const ExchangeMode asked = policy.exchange;
  if (asked == ExchangeMode::peer) {
    throw Error(
        "no rank has a whole vector to exchange; use exchange halo, nccl, gpu-aware or staged");
  }
  if (policy.launch_mode == LaunchMode::persistent) {
    throw Error("launch mode persistent runs on one GPU; use graph on several ranks");
  }
  const bool by_host = policy.launch_mode == LaunchMode::host;
  if (by_host && !is_by_hosts_of_ranks(asked) && asked != ExchangeMode::automatic) {
    throw Error("in launch mode host the hosts of ranks exchange, not '" +
                std::string(to_string(asked)) + "'; use exchange gpu-aware or staged, or graph");
  }
  if (is_by_hosts_of_ranks(asked) && !by_host && policy.launch_mode != LaunchMode::automatic) {
    throw Error("ranks exchange '" + std::string(to_string(asked)) +
                "' in launch mode host; use it, or exchange halo or nccl");
  }
  return !by_host && (asked == ExchangeMode::automatic || asked == mode);
}

CudaPolicy policy_of_ranks(CudaPolicy policy, ExchangeMode possible, const std::string& why_not) {
  if (is_by_hosts_of_ranks(possible)) {
    const bool asked =
        policy.launch_mode != LaunchMode::automatic && policy.launch_mode != LaunchMode::host;
    if (asked) {
      throw Error("the ranks' " + why_not + "; use launch mode host");
    }
    policy.launch_mode = LaunchMode::host;
  } else if (policy.launch_mode == LaunchMode::automatic) {
    policy.launch_mode = LaunchMode::graph;
  }
  policy.exchange = possible;
  return policy;
}

template <class T>
RankSchedule<T>::RankSchedule(const RankPart& part, const GpuPart& device, const CudaPolicy& policy,
                              NcclGroup* nccl, const Schedule& schedule, const CsrView<T>& matrix,
                              const Layout& layout)
    : part_(part),
      checked_(schedule, layout, policy, matrix.rows, matrix.columns, true,
               overlaps<T>(part, policy, schedule)) {
  do_together(*part.ranks, [&] {
    if (checked_.compiles_passes()) load_compiler();
    prepare(matrix, device);
  });
  if (policy.exchange == ExchangeMode::halo) {
    link(matrix);
  } else if (policy.exchange == ExchangeMode::nccl) {
    run_->memory().use_device();
    nccl_.emplace(*nccl, part, run_->memory().stream());
    do_together(*part.ranks, [&] { run_->prepare(*nccl_, halo_ ? &*halo_ : nullptr); });
    const double most = part.ranks->maximum(static_cast<double>(run_->launches()));
    do_together(*part.ranks, [&] { run_->capture_like_all(static_cast<std::int64_t>(most)); });
  } else {
    meet(matrix);
  }
}

template <class T>
void RankSchedule<T>::prepare(const CsrView<T>& matrix, const GpuPart& device) {
  const auto upload = [&](const CsrView<T>& what) {
    const MatrixOperators<T> operators(&what, multiplies_by_transpose(checked_.schedule()));
    run_ = std::make_unique<DeviceRun<T>>(checked_, operators, part_.own, device);
  };
  if (!checked_.overlaps() || !checked_.uses_matrix()) return upload(matrix);
  const SplitMatrix<T> split = split_at_halo(matrix, part_.own);
  upload(split.own);
  halo_.emplace(split.halo);
}

template <class T>
void RankSchedule<T>::meet(const CsrView<T>& matrix) {
  do_together(*part_.ranks, [&] {
    run_->memory().use_device();
    meeting_.emplace(part_, checked_.policy().exchange == ExchangeMode::gpu_aware
                                ? MessageMemory::gpu
                                : MessageMemory::host);
    run_->prepare(&matrix, Exchange<T>(), {run_->memory().vectors()});
    run_->meet({&*meeting_, part_.ranks->rank()});
  });
}

template <class T>
void RankSchedule<T>::link(const CsrView<T>& matrix) {
  Communicator& ranks = *part_.ranks;
  SegmentMemory<T>& memory = run_->memory();
  memory.use_device();
  links_.emplace(ranks, checked_.policy().device_patience_seconds);
  memory.set_links(links_->of(memory.state()));
  std::vector<std::vector<T*>> vectors(static_cast<std::size_t>(ranks.size()), memory.vectors());
  for (const VectorSlot slot : exchanged_vectors(checked_)) {
    memory.use_device();
    const PeerMemory& peers = exchanged_.emplace_back(ranks, memory.vector(slot));
    for (int rank = 0; rank < ranks.size(); ++rank) {
      vectors[static_cast<std::size_t>(rank)][static_cast<std::size_t>(slot)] =
          static_cast<T*>(peers.of(rank));
    }
  }
  const std::vector<std::int64_t> places = places_at_receivers(part_);
  do_together(ranks, [&] {
    const ExchangePartners partners = partners_of_rank(part_, places, matrix, checked_.layout());
    run_->prepare(&matrix, Exchange<T>(partners, ranks.rank(), nullptr), std::move(vectors));
  });
}

template <class T>
RankSchedule<T>::~RankSchedule() {
  // Who fails does not wait for the others, which wait for it until all processes end.
  const bool fails = std::uncaught_exceptions() > 0;
  if (fails && nccl_) nccl_->group().abort();
  if (links_ && run_) cudaStreamSynchronize(run_->memory().stream());
  exchanged_.clear();
  if (links_) links_->close();
  // Nobody frees what another one has mapped.
  if (!fails) part_.ranks->barrier();
}

template <class T>
void RankSchedule<T>::set_vector(std::string_view name, std::span<const T> values) {
  const VectorSlot slot = vector_slot(checked_.schedule(), name);
  checked_.require_size(slot, values.size());
  run_->memory().set_vector(slot, values);
}

template <class T>
void RankSchedule<T>::repeat_in_vector(std::string_view name, std::span<const T> pattern) {
  run_->memory().repeat_in_vector(vector_slot(checked_.schedule(), name), pattern);
}

template <class T>
void RankSchedule<T>::get_vector(std::string_view name, std::span<T> values) const {
  const VectorSlot slot = vector_slot(checked_.schedule(), name);
  checked_.require_size(slot, values.size());
  run_->memory().get_vector(slot, values);
}

template <class T>
void RankSchedule<T>::set_scalar(std::string_view name, double value) {
  run_->memory().set_scalar(scalar_slot(checked_.schedule(), name), value);
}

template <class T>
double RankSchedule<T>::scalar(std::string_view name) const {
  return run_->memory().scalar(scalar_slot(checked_.schedule(), name));
}

template <class T>
RunReport RankSchedule<T>::run_setup() {
  return run_together([](DeviceRun<T>& run) { return run.run_setup(); });
}

template <class T>
RunReport RankSchedule<T>::run(std::int64_t iterations) {
  return run_together([&](DeviceRun<T>& run) { return run.run(iterations); });
}

template <class T>
void RankSchedule<T>::run_finish() {
  if (checked_.finish().steps.empty()) return;
  run_together([](DeviceRun<T>& run) { return run.run_finish(); });
}

/// All ranks carry out the same scalar arithmetic on the same sums: they end alike.
template <class T>
RunReport RankSchedule<T>::run_together(const std::function<Result(DeviceRun<T>&)>& run) {
  if (stopped_) {
    throw Error("this run on several ranks has been stopped by an error; prepare it again");
  }
  stopped_ = true;  // unless it comes to its end
  Result result;
  if (!links_) {
    // Where one fails the others wait for it, and the communicator ends them.
    result = run(*run_);
  } else {
    Communicator& ranks = *part_.ranks;
    // A kernel may store into the others' vectors as soon as it runs: they have been set.
    ranks.barrier();
    do_together(ranks, [&] { result = run(*run_); });
    do_together(ranks, [&] { links_->require_answers(result.ended); });
  }
  stopped_ = false;
  const auto outcome = static_cast<Outcome>(result.ended - 1);
  if (halo_ && outcome != Outcome::converged && outcome != Outcome::iteration_limit) clear_halos();
  return {outcome, result.iterations};
}

/// The next product by own columns begins before its halo is there: some layouts multiply what is
/// still there by zeros that they store, which must be numbers.
template <class T>
void RankSchedule<T>::clear_halos() {
  for (const VectorSlot slot : exchanged_vectors(checked_)) run_->memory().clear_halo(slot);
}

template <class T>
RunCounters RankSchedule<T>::counters() const {
  RunCounters counters = run_->counters();
  counters.exchanged_values = counters.exchanges * part_.halo.values();
  counters.bytes.exchanged =
      static_cast<double>(counters.exchanged_values) * static_cast<double>(sizeof(T));
  return counters;
}

template <class T>
std::vector<SegmentShape> RankSchedule<T>::segments() const {
  SegmentShape shape = run_->memory().shape();
  if (halo_) {
    shape.elements += static_cast<double>(halo_->entries());
    shape.blocks += static_cast<double>(halo_->entries());
  }
  return {shape};
}

template <class T>
std::vector<std::int64_t> RankSchedule<T>::bytes_per_device() const {
  return {run_->bytes() + (links_ ? links_->bytes() : 0) + (meeting_ ? meeting_->bytes() : 0) +
          (nccl_ ? nccl_->bytes() : 0) + (halo_ ? halo_->bytes() : 0)};
}

template <class T>
double RankSchedule<T>::conversion_seconds() const {
  return run_->conversion_seconds();
}

template <class T>
double RankSchedule<T>::upload_seconds() const {
  return run_->memory().upload_seconds();
}

template class RankSchedule<float>;
template class RankSchedule<double>;

}  // namespace sparsecast::cuda
