#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/precision.hpp"
#include "core/schedule/schedule.hpp"
#include "core/workload/access_pattern.hpp"
#include "core/workload/cpu_execution.hpp"
#include "core/workload/gpu_execution.hpp"
#include "core/workload/launch_mode.hpp"
#include "core/workload/layout.hpp"
#include "model/persistent_price.hpp"
#include "model/step_traffic.hpp"
#include "model/traffic_parameters.hpp"

/// @file
/// The traffic model: the time of an iteration on one GPU, or on a CPU, from what its steps really
/// move and wait for. Equations and the meaning of all parameters: docs/model.md, "The traffic
/// model".

namespace sparsecast {

/// One segment as the model sees it: plain numbers, of a matrix that nobody needs to have uploaded.
struct TrafficCase {
  Layout layout;  ///< that it is stored in
  SegmentShape shape;
  AccessPattern pattern;
  GpuExecution execution;
  std::optional<CpuExecution>
      cpu{};  ///< there: on a CPU, and what is said of a GPU is of no matter
};

/// What a step waits for longest.
enum class Bound {
  launch,        ///< launch, first loads, sums: what small systems pay
  longest_row,   ///< passes over the longest row
  memory,        ///< bytes from and to memory
  cache,         ///< bytes through the last-level cache
  gather,        ///< looked-up values of the multiplied vector
  near_cache,    ///< a GPU's first-level caches: lines that warps load
  instructions,  ///< of the multiprocessors, or of the CPU's cores
  waiting,       ///< of a CPU's threads for each other
};
std::string_view to_string(Bound bound);

/// The price of a step. Its parts overlap: `seconds` is `fixed_seconds`, `remainder_seconds` and
/// less than the sum of the others; in an iteration, with its share of what iterations leave.
struct StepPrice {
  std::string name;
  double seconds = 0;
  double fixed_seconds = 0;        ///< launch, sums, and the next three
  double longest_row_seconds = 0;  ///< of these, the passes over the longest row
  double turn_seconds = 0;         ///< and the threads' starts, turn by turn, and crowds of them
  double waiting_seconds = 0;      ///< and what threads of a CPU wait for each other
  double memory_seconds = 0;
  double cache_seconds = 0;
  double gather_seconds = 0;
  double near_cache_seconds = 0;
  double instruction_seconds = 0;
  double remainder_seconds = 0;  ///< more than all these, or less: as similar products took
  BytesByKind bytes;             ///< moved in principle
  double memory_bytes = 0;       ///< of all, from and to memory, sectors looked up again included
  double cache_bytes = 0;        ///< of all, those that only the last-level cache moves
  double gathered_bytes = 0;     ///< of looked-up sectors, from the last-level cache
  Bound bound = Bound::launch;
};

/// The price of an iteration: steps, and seconds of other parts, add up to `seconds`.
struct TrafficPrice {
  double seconds = 0;
  /// Of these, more than the terms or less: as similar iterations took. Of several GPUs that of the
  /// slowest segment alone.
  double remainder_seconds = 0;
  std::vector<StepPrice> steps;  ///< none where one kernel stays for all iterations
  /// Beside the steps: gaps between graphs, plain launches, waits of the host, closed guards.
  /// Of a CPU: steps without rows.
  double launch_seconds = 0;
  /// Of a kernel for all iterations: sums and barriers, then what its segments do.
  double synchronisation_seconds = 0;
  double blocks_seconds = 0;    ///< stored blocks of the segment that has most
  double unknowns_seconds = 0;  ///< of a segment
  double halo_seconds = 0;      ///< what segments look up in others
  double moved_seconds = 0;     ///< what does not stay in shared memory
  /// Of several GPUs (`model/parallel_price.hpp`), each the sum of an iteration.
  double exchange_seconds = 0;    ///< that no other work hides
  double hidden_seconds = 0;      ///< of exchanges behind other work: not in `seconds`
  double device_sum_seconds = 0;  ///< sums over all devices, more than over one
};

/// The key of a step among `TrafficParameters::kernels`: its name with the precision ("CG4-f32"),
/// since threads take rows in packs of 16 bytes, and convert f32 for sums; without it where each
/// takes one row.
std::string kernel_key(const Step& step, Precision precision);

/// The key of a step's product among `TrafficParameters::products`: the layout's name, with
/// "-stream" where warps take rows as one stream and "-sums" where it ends with sums, or
/// "cusparseSpMV". Empty for other steps.
std::string product_key(const Step& step, const Layout& layout, const SpmvExecution& execution);

/// The key of the intervals of whole iterations ("iteration/2": the stratum of the working set),
/// of one kernel for all of them ("persistent/0"), or of a single step ("step/3").
std::string interval_key(const Schedule& schedule, LaunchMode launch, double working_set_bytes);

/// Prices the iterations of one schedule on one segment in the steady state, with any parameters:
/// what does not depend on them is worked out once. The schedule must outlive it.
class TrafficPricer {
 public:
  /// `launch` is not `automatic`; on a CPU it and the GPU are of no matter.
  TrafficPricer(const Schedule& schedule, LaunchMode launch, const TrafficCase& segment,
                const GpuShape& gpu, Precision precision);

  TrafficPricer(Schedule&&, LaunchMode, const TrafficCase&, const GpuShape&, Precision) = delete;

  /// Throws `Error` that names what the parameters lack.
  TrafficPrice price(const TrafficParameters& parameters) const;

  /// What `price(parameters).seconds` adds up where nothing is known to be left of iterations: each
  /// step, and last all that comes beside them. A fit that changes one parameter prices again only
  /// what depends on it.
  std::size_t part_count() const { return steps_.size() + 1; }
  double part_seconds(std::size_t part, const TrafficParameters& parameters) const;
  /// False where the part is the same with any value of this parameter ("CG4-f32/fixed").
  bool part_depends_on(std::size_t part, std::string_view parameter) const;

  /// Of one product of ours alone, on a GPU; of anything else nothing.
  std::optional<Traits> product_traits(const TrafficParameters& parameters) const;
  /// Of an iteration of several kernels with a product, as a graph on a GPU; of anything else
  /// nothing.
  std::optional<Traits> iteration_traits(const TrafficParameters& parameters) const;

  /// The groups of parameters that the price depends on ("device", "CG4-f64", "f64/csr"), in the
  /// order of `parameter_list`.
  std::vector<std::string> parameter_groups() const;

 private:
  /// A step that runs in every iteration.
  struct PricedStep {
    const Step* step = nullptr;
    StepTraffic traffic;
    BytesByKind bytes;
    std::string product;  ///< key, or empty
    int waits = 0;        ///< of a CPU's threads for each other
  };

  /// Bytes of a step's arrays, and what of them memory moves.
  struct Streams {
    double bytes = 0;
    double reads = 0;
    double writes = 0;
    double missed_share() const;
  };
  static Streams streams_of(const PricedStep& step, const DeviceCosts& device);

  /// A product of a GPU by our kernels.
  bool is_ours(const PricedStep& step) const;
  Traits traits_of(const PricedStep& step, double missed_share) const;
  /// What is known to be left of products like this one; null: nothing.
  const Remainder* remainder_of(const PricedStep& step, const TrafficParameters& parameters) const;
  const Remainder* remainder_of_group(std::string_view group,
                                      const TrafficParameters& parameters) const;
  /// Whether iterations like this one are learned from.
  bool is_iteration() const;
  Traits traits_of(const TrafficPrice& price) const;
  /// Without what is left of iterations.
  TrafficPrice price_of_terms(const TrafficParameters& parameters) const;
  StepPrice price_step_on_cpu(const PricedStep& step, const TrafficParameters& parameters) const;
  StepPrice price_step(const PricedStep& step, const TrafficParameters& parameters) const;
  double launch_seconds(const TrafficParameters& parameters) const;
  std::string group_of(const PricedStep& step) const;
  void count_product();
  /// Thread blocks of a product of ours that a multiprocessor has registers for.
  double resident_blocks(const Step& step) const;
  /// Thread blocks of a product that launch follows launch of, which the fullest multiprocessor has
  /// beyond its share: where there is no room for all of the next launch beside this one, or two of
  /// them, those that come late go where there is room first.
  double crowd_of(const Step& step) const;
  /// Sectors that a product looks up in the last-level cache, where a first-level cache keeps so
  /// many bytes of the vector. What a multiprocessor's thread blocks look up is spread over all of
  /// the vector as if by chance; the fewer places it has, the more of them were there before.
  double gathered_sectors(double near_bytes) const;

  const Schedule& schedule_;
  LaunchMode launch_;
  TrafficCase segment_;
  GpuShape gpu_;
  Precision precision_;
  std::optional<PersistentPricer> persistent_;  ///< then there are no steps
  std::vector<PricedStep> steps_;
  double passes_ = 0;             ///< of its longest row, one after the other
  bool joins_pieces_ = false;     ///< of a row
  double blocks_each_ = 0;        ///< thread blocks of a multiprocessor, in the mean
  double unevenness_ = 1;         ///< thread blocks of the fullest multiprocessor over their mean
  double block_sectors_ = 0;      ///< distinct in each thread block
  double looked_up_sectors_ = 0;  ///< distinct ones, at least once
  int scalar_steps_ = 0;          ///< of a CPU: without rows, or with a closed guard
  int launches_ = 0;              ///< of an iteration
  int waits_ = 0;                 ///< of the host for sums
  int skipped_ = 0;               ///< kernels whose guards are closed
  double skipped_bytes_ = 0;      ///< that they would move
};

}  // namespace sparsecast
