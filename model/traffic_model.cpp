#include "model/traffic_model.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <set>
#include <utility>

#include "core/base/error.hpp"
#include "core/workload/spmv_geometry.hpp"
#include "model/cache_effect.hpp"
#include "model/cpu_traffic.hpp"
#include "model/overlap.hpp"
#include "model/step_kinds.hpp"
#include "model/working_set.hpp"

namespace sparsecast {
namespace {

constexpr double giga = 1e9;
constexpr double sector_bytes = 32;
constexpr double warp = 32;
constexpr double every_row = 0x1p33;

/// A GPU keeps row offsets in 4 bytes where there are no more values than this
/// (`CudaPolicy::most_values_with_32_bit_offsets`).
constexpr double most_values_with_short_offsets = 0x1p31 - 4096;

double offset_bytes_of(const TrafficCase& segment) {
  return segment.cpu || segment.shape.elements > most_values_with_short_offsets ? 8 : 4;
}

/// Rows and columns of the blocks that are stored; 0 of a segment that stores none.
int block_size_of(const TrafficCase& segment) {
  return segment.shape.blocks > 0 ? segment.layout.block_size : 0;
}

/// What memory fetches for a sector whose neighbours nobody asks for.
constexpr double least_fetched_bytes = 64;

/// Rows of a library's product that share a first-level cache are not known; about as many as a
/// thread block of ours has.
constexpr double library_rows_per_block = 128;

const std::string library_product = "cusparseSpMV";

/// Its threads take one row each, in both precisions.
const std::string row_by_row_kernel = "VendorMultiply";

/// Kernels that a GPU back end launches for it: a reduction is one there.
int launches_of(const Step& step) {
  return step.kind == StepKind::reduce ? 1 : step.launches;
}

/// Share of what is touched again after so many bytes that the cache no longer has.
double missed(const DeviceCosts& device, double reuse_distance) {
  return missing_share({device.cache_bytes, device.cache_sharpness}, reuse_distance);
}

/// Whether there is a second turn, smoothly: the first of its thread blocks begin where others are
/// done early.
double second_turn(double turns) {
  constexpr double begins_within = 0.1;
  return std::clamp((turns - 1) / begins_within, 0.0, 1.0);
}

/// Turns of thread blocks after the first. A second one lasts as long as a whole one, however few
/// thread blocks it has; later they no longer begin and end together.
double further_turns(double turns, double whole) {
  if (turns <= 1) return 0;
  const double begun = std::ceil(turns);
  return turns - 1 + (begun - turns) * std::pow(whole, begun - 2);
}

Bound bound_of(const StepPrice& price) {
  const std::array parts{
      std::pair{price.fixed_seconds - price.longest_row_seconds - price.turn_seconds -
                    price.waiting_seconds,
                Bound::launch},
      std::pair{price.longest_row_seconds, Bound::longest_row},
      std::pair{price.memory_seconds, Bound::memory},
      std::pair{price.cache_seconds, Bound::cache},
      std::pair{price.gather_seconds, Bound::gather},
      std::pair{price.near_cache_seconds, Bound::near_cache},
      std::pair{price.instruction_seconds + price.turn_seconds, Bound::instructions},
      std::pair{price.waiting_seconds, Bound::waiting}};
  return std::ranges::max_element(parts, {}, &std::pair<double, Bound>::first)->second;
}

}  // namespace

std::string_view to_string(Bound bound) {
  switch (bound) {
    case Bound::launch:
      return "launch";
    case Bound::longest_row:
      return "longest row";
    case Bound::memory:
      return "memory";
    case Bound::cache:
      return "cache";
    case Bound::gather:
      return "gather";
    case Bound::near_cache:
      return "first-level cache";
    case Bound::instructions:
      return "instructions";
    case Bound::waiting:
      break;
  }
  return "waiting";
}

std::string kernel_key(const Step& step, Precision precision) {
  if (step.name == row_by_row_kernel) return step.name;
  return step.name + '-' + std::string(to_string(precision));
}

std::string product_key(const Step& step, const Layout& layout, const SpmvExecution& execution) {
  if (!(step.traffic.values_per_element > 0)) return {};
  if (step.name == library_product) return library_product;
  return to_string(layout) + (execution.streams ? "-stream" : "") + (sums(step) ? "-sums" : "");
}

std::string interval_key(const Schedule& schedule, LaunchMode launch, double working_set_bytes) {
  const std::string kind = launch == LaunchMode::persistent ? "persistent"
                           : schedule.iteration.size() == 1 ? "step"
                                                            : "iteration";
  return kind + '/' + std::to_string(working_set_stratum(working_set_bytes));
}

TrafficPricer::TrafficPricer(const Schedule& schedule, LaunchMode launch,
                             const TrafficCase& segment, const GpuShape& gpu, Precision precision)
    : schedule_(schedule), launch_(launch), segment_(segment), gpu_(gpu), precision_(precision) {
  if (!segment.cpu && launch == LaunchMode::persistent) {
    persistent_.emplace(segment, precision);
    return;
  }
  looked_up_sectors_ = distinct_sectors(segment.pattern, every_row);
  for (StepTraffic& traffic :
       steady_traffic(schedule, segment.shape, precision, offset_bytes_of(segment))) {
    PricedStep priced;
    priced.step = &schedule.iteration[traffic.step];
    priced.traffic = std::move(traffic);
    priced.bytes =
        bytes_with_offsets(*priced.step, segment.shape, precision, offset_bytes_of(segment));
    priced.product = product_key(*priced.step, segment.layout, segment.execution.product);
    // A CPU's kinds of products are the layouts.
    if (segment.cpu && !priced.product.empty()) priced.product = to_string(segment.layout);
    launches_ += launches_of(*priced.step);
    waits_ += sums(*priced.step) ? 1 : 0;
    steps_.push_back(std::move(priced));
  }
  for (const Step& step : schedule.iteration) {
    if (!step.guard || !runs_kernel(step)) continue;
    ++skipped_;
    skipped_bytes_ += bytes_moved(step, segment.shape, precision).total();
  }
  if (segment.cpu) {
    const std::vector<int> waits = cpu_waits(schedule);
    for (PricedStep& priced : steps_) priced.waits = waits[priced.traffic.step];
    scalar_steps_ = static_cast<int>(std::ssize(schedule.iteration) - std::ssize(steps_));
    return;
  }
  count_product();
  const double rows_of_block_row = segment.shape.unknowns / std::max(1.0, segment.shape.block_rows);
  block_sectors_ = distinct_sectors(
      segment.pattern,
      rows_of_block_row * static_cast<double>(segment.execution.product.rows_per_block));
}

void TrafficPricer::count_product() {
  const SpmvExecution& product = segment_.execution.product;
  const SegmentShape& shape = segment_.shape;
  const int n = block_size_of(segment_);
  const auto value_bytes = static_cast<int>(bytes_per_value(precision_));
  const double before = blocks_before_row(n);
  const double in_pass = blocks_of_pass(n, value_bytes, std::max(1, product.lanes));
  if (product.streams) {
    const double rows_of_warp =
        static_cast<double>(product.rows_per_block) * warp / static_cast<double>(product.threads);
    const double mean = std::min(shape.blocks / std::max(1.0, shape.block_rows),
                                 static_cast<double>(product.longest_short_row));
    passes_ = std::ceil(mean * rows_of_warp / blocks_of_stream_pass(n, value_bytes));
  } else {
    const double longest =
        std::min(segment_.pattern.longest_row, static_cast<double>(product.longest_short_row));
    // It begins anywhere in a group of aligned elements.
    for (double first = 0; first <= before; ++first) {
      passes_ += std::ceil((longest + first) / in_pass) / (before + 1);
    }
  }
  if (product.pieces > 0) {
    // A warp finds out which piece is its own; rows are found before the kernel may begin.
    constexpr double to_find_a_piece = 2;
    const double lanes = std::max(1, product.lanes);
    const double piece =
        std::min(static_cast<double>(product.piece_length), segment_.pattern.longest_row);
    passes_ =
        std::max(passes_, to_find_a_piece + std::ceil((piece + before) / (in_pass / lanes * warp)));
    joins_pieces_ = segment_.pattern.longest_row > static_cast<double>(product.piece_length);
  }
  blocks_each_ =
      static_cast<double>(std::max<std::int64_t>(1, product.blocks + product.piece_blocks())) /
      std::max(1, gpu_.multiprocessors);
  unevenness_ = std::ceil(blocks_each_) / blocks_each_;
}

double TrafficPricer::resident_blocks(const Step& step) const {
  return resident_thread_blocks(block_size_of(segment_),
                                static_cast<int>(bytes_per_value(precision_)),
                                segment_.execution.product.streams, sums(step));
}

double TrafficPricer::crowd_of(const Step& step) const {
  const double room = resident_blocks(step);
  if (steps_.size() > 1 || sums(step) || blocks_each_ > room) return 0;
  if (2 * blocks_each_ > room) return room - blocks_each_;
  return 3 * blocks_each_ > room ? room - 2 * blocks_each_ : 0;
}

double TrafficPricer::gathered_sectors(double near_bytes) const {
  constexpr double nearly = 1 - 1e-9;
  const auto blocks =
      static_cast<double>(std::max<std::int64_t>(1, segment_.execution.product.blocks));
  const double blocks_each = blocks / std::max(1, gpu_.multiprocessors);
  const double each = std::min(block_sectors_ / blocks, looked_up_sectors_);
  if (blocks_each <= 1 || !(each > 0)) return block_sectors_;
  // Until the cache is full, every thread block leaves so much of what was not there yet.
  const double left = std::log1p(-std::min(each / looked_up_sectors_, nearly));
  const double kept = std::min(near_bytes / (sector_bytes * looked_up_sectors_), nearly);
  const double until_full = std::max(1.0, std::log1p(-kept) / left);
  const double missed = looked_up_sectors_ * -std::expm1(std::min(blocks_each, until_full) * left) +
                        std::max(0.0, blocks_each - until_full) * each * (1 - kept);
  return block_sectors_ * std::min(1.0, missed / (blocks_each * each));
}

TrafficPricer::Streams TrafficPricer::streams_of(const PricedStep& priced,
                                                 const DeviceCosts& device) {
  Streams streams;
  for (const ArrayTraffic& read : priced.traffic.reads) {
    streams.bytes += read.bytes;
    streams.reads += read.bytes * missed(device, read.reuse_distance);
  }
  for (const ArrayTraffic& write : priced.traffic.writes) {
    streams.bytes += write.bytes;
    streams.writes += write.bytes * missed(device, write.reuse_distance);
  }
  return streams;
}

double TrafficPricer::Streams::missed_share() const {
  return bytes > 0 ? std::min(1.0, (reads + writes) / bytes) : 0;
}

StepPrice TrafficPricer::price_step(const PricedStep& priced,
                                    const TrafficParameters& parameters) const {
  if (segment_.cpu) return price_step_on_cpu(priced, parameters);
  const DeviceCosts& device = parameters.device;
  StepPrice price;
  price.name = priced.step->name;
  price.bytes = priced.bytes;
  const Streams streams = streams_of(priced, device);
  const double streamed = streams.bytes;
  double reads = streams.reads;
  const double writes = streams.writes;
  const double missed_share = streams.missed_share();
  price.fixed_seconds = missed_share * device.miss_seconds;
  double gbps = 0;
  double overlap = device.overlap;
  if (priced.product.empty()) {
    const KernelCosts& costs = costs_of(parameters.kernels, kernel_key(*priced.step, precision_));
    price.fixed_seconds += costs.fixed_seconds;
    gbps = costs.gbps;
  } else {
    const ProductCosts& costs = costs_of(parameters.products, precision_, priced.product);
    const bool by_library = priced.product == library_product;
    const double sectors = by_library ? distinct_sectors(segment_.pattern, library_rows_per_block)
                                      : gathered_sectors(device.near_bytes);
    // What is looked up again after more than the cache holds comes from memory again.
    const double bytes_of_row = streamed / std::max(1.0, segment_.shape.unknowns);
    const double again =
        std::min(sectors, distinct_sectors(segment_.pattern, device.cache_bytes / bytes_of_row)) -
        looked_up_sectors_;
    reads +=
        least_fetched_bytes * std::max(0.0, again) +
        sector_bytes * looked_up_sectors_ * missed(device, priced.traffic.gathered.reuse_distance);
    price.gathered_bytes = sector_bytes * sectors;
    price.gather_seconds = sectors * device.sector_seconds;
    const WarpLoads& loads = segment_.execution.product.loads;
    const double passes = by_library ? segment_.shape.blocks / warp : loads.passes;
    price.instruction_seconds =
        passes * (costs.step_seconds + missed_share * costs.miss_seconds) / gpu_.multiprocessors;
    if (by_library) {
      price.fixed_seconds += device.library_seconds;
    } else {
      price.longest_row_seconds =
          passes_ * costs.pass_seconds + (joins_pieces_ ? device.join_seconds : 0);
      price.instruction_seconds +=
          segment_.shape.blocks * costs.entry_seconds / gpu_.multiprocessors;
      const double room = resident_blocks(*priced.step);
      const double turns = blocks_each_ / room;
      price.turn_seconds = std::min(turns, 1.0) * costs.turn_seconds +
                           further_turns(turns, device.whole_turns) * costs.next_turn_seconds +
                           (device.crowding * crowd_of(*priced.step) +
                            device.uneven_turns * second_turn(turns) * room) *
                               price.instruction_seconds / blocks_each_;
      price.near_cache_seconds =
          unevenness_ / gpu_.multiprocessors * loads.lines * device.line_seconds;
      // Threads that have all begun together all wait for the same: those of the next turns do not.
      overlap = 1 + (device.product_overlap - 1) * turns / (turns + device.overlap_turns);
      price.fixed_seconds += device.product_seconds + price.longest_row_seconds +
                             price.turn_seconds + (sums(*priced.step) ? device.sum_seconds : 0);
    }
    gbps = costs.gbps;
  }
  price.memory_bytes = reads + writes;
  price.cache_bytes = std::max(0.0, streamed + price.gathered_bytes - price.memory_bytes);
  price.memory_seconds =
      reads / (giga * device.memory_read_gbps) + writes / (giga * device.memory_write_gbps);
  price.cache_seconds = streamed / (giga * gbps);
  const std::array parts{price.memory_seconds, price.cache_seconds + price.gather_seconds,
                         price.instruction_seconds, price.near_cache_seconds};
  price.seconds = price.fixed_seconds + overlapped(parts, overlap);
  if (const Remainder* remainder = remainder_of(priced, parameters)) {
    const double terms = price.seconds;
    price.seconds *= std::exp(expected_remainder(*remainder, traits_of(priced, missed_share)));
    price.remainder_seconds = price.seconds - terms;
  }
  price.bound = bound_of(price);
  return price;
}

bool TrafficPricer::is_ours(const PricedStep& priced) const {
  return !segment_.cpu && !priced.product.empty() && priced.product != library_product;
}

Traits TrafficPricer::traits_of(const PricedStep& priced, double missed_share) const {
  const SegmentShape& shape = segment_.shape;
  const SpmvExecution& product = segment_.execution.product;
  const auto value_bytes = static_cast<int>(bytes_per_value(precision_));
  const int n = block_size_of(segment_);
  const int lanes = std::max(1, product.lanes);
  const double warps = std::max(1.0, static_cast<double>(product.blocks) * product.threads / warp);
  const double in_pass = product.streams ? blocks_of_stream_pass(n, value_bytes)
                                         : blocks_of_pass(n, value_bytes, lanes) * warp / lanes;
  const double passes = std::max(1.0, product.loads.passes);
  // Less than that of a pass is of a few warps with rows.
  constexpr double least_passes = 0.05;
  constexpr double most_filling = 1.2;
  Traits traits(static_cast<std::size_t>(ProductTrait::count));
  const auto set = [&traits](ProductTrait trait, double value) {
    traits[static_cast<std::size_t>(trait)] = value;
  };
  set(ProductTrait::turns, std::log(blocks_each_ / resident_blocks(*priced.step)));
  set(ProductTrait::passes, std::log(std::max(least_passes, product.loads.passes / warps)));
  set(ProductTrait::lines, std::log(std::max(1.0, product.loads.lines) / passes));
  set(ProductTrait::sectors,
      std::log(std::max(1.0, block_sectors_) / std::max(1.0, shape.elements)));
  set(ProductTrait::missed, missed_share);
  set(ProductTrait::longest_row, std::log(std::max(1.0, passes_)));
  set(ProductTrait::filling, std::min(most_filling, shape.blocks / (passes * in_pass)));
  set(ProductTrait::vector_bytes, std::log(std::max(1.0, priced.traffic.gathered.bytes)));
  set(ProductTrait::bandwidth,
      std::log(std::max(1.0, segment_.pattern.bandwidth) / std::max(1.0, shape.unknowns)));
  return traits;
}

const Remainder* TrafficPricer::remainder_of(const PricedStep& priced,
                                             const TrafficParameters& parameters) const {
  if (!is_ours(priced)) return nullptr;
  return remainder_of_group(remainder_group(block_size_of(segment_)), parameters);
}

const Remainder* TrafficPricer::remainder_of_group(std::string_view group,
                                                   const TrafficParameters& parameters) const {
  const auto precision = parameters.remainders.find(precision_);
  if (precision == parameters.remainders.end()) return nullptr;
  const auto found = precision->second.find(std::string(group));
  return found == precision->second.end() ? nullptr : &found->second;
}

std::optional<Traits> TrafficPricer::product_traits(const TrafficParameters& parameters) const {
  if (persistent_ || steps_.size() != 1 || !is_ours(steps_.front())) return std::nullopt;
  return traits_of(steps_.front(), streams_of(steps_.front(), parameters.device).missed_share());
}

double TrafficPricer::launch_seconds(const TrafficParameters& parameters) const {
  if (segment_.cpu) return scalar_steps_ * parameters.cpu->scalar_seconds;
  const DeviceCosts& device = parameters.device;
  // The host decides itself what is skipped.
  if (launch_ == LaunchMode::host) {
    return waits_ * device.wait_seconds + launches_ * device.plain_seconds;
  }
  const double seconds =
      skipped_ * device.skipped_seconds + skipped_bytes_ / (giga * device.skipped_gbps);
  if (launch_ == LaunchMode::graph) return seconds + (steps_.size() > 1 ? device.graph_seconds : 0);
  return seconds + (launches_ + skipped_) * device.plain_seconds;
}

StepPrice TrafficPricer::price_step_on_cpu(const PricedStep& priced,
                                           const TrafficParameters& parameters) const {
  if (!parameters.cpu) {
    throw Error("the profile's traffic model is of a GPU; calibrate the CPU with this version");
  }
  const CpuStep step{*priced.step, priced.traffic, priced.waits};
  StepPrice price =
      priced.product.empty()
          ? cpu_kernel_price(step, segment_,
                             costs_of(parameters.cpu_kernels, precision_, priced.step->name),
                             *parameters.cpu)
          : cpu_product_price(step, segment_,
                              costs_of(parameters.cpu_products, precision_, priced.product),
                              *parameters.cpu);
  price.bytes = priced.bytes;
  price.bound = bound_of(price);
  return price;
}

bool TrafficPricer::is_iteration() const {
  return !segment_.cpu && launch_ == LaunchMode::graph && steps_.size() > 1 &&
         std::ranges::any_of(steps_, [](const PricedStep& step) { return !step.product.empty(); });
}

Traits TrafficPricer::traits_of(const TrafficPrice& price) const {
  double product = 0;
  double bytes = 0;
  double memory_bytes = 0;
  for (std::size_t i = 0; i < steps_.size(); ++i) {
    const StepPrice& step = price.steps[i];
    if (!steps_[i].product.empty()) product += step.seconds;
    bytes += step.bytes.total();
    memory_bytes += step.memory_bytes;
  }
  Traits traits(static_cast<std::size_t>(IterationTrait::count));
  const auto set = [&traits](IterationTrait trait, double value) {
    traits[static_cast<std::size_t>(trait)] = value;
  };
  set(IterationTrait::launches, std::log(std::max(1, launches_)));
  set(IterationTrait::unknowns, std::log(std::max(1.0, segment_.shape.unknowns)));
  set(IterationTrait::product_share, product / price.seconds);
  set(IterationTrait::missed, memory_bytes / std::max(1.0, bytes));
  return traits;
}

std::optional<Traits> TrafficPricer::iteration_traits(const TrafficParameters& parameters) const {
  if (!is_iteration()) return std::nullopt;
  return traits_of(price_of_terms(parameters));
}

TrafficPrice TrafficPricer::price(const TrafficParameters& parameters) const {
  TrafficPrice price = price_of_terms(parameters);
  const Remainder* remainder =
      is_iteration() ? remainder_of_group(iterations_group, parameters) : nullptr;
  if (remainder == nullptr) return price;
  const double factor = std::exp(expected_remainder(*remainder, traits_of(price)));
  price.remainder_seconds = (factor - 1) * price.seconds;
  price.seconds *= factor;
  price.launch_seconds *= factor;
  for (StepPrice& step : price.steps) step.seconds *= factor;
  return price;
}

TrafficPrice TrafficPricer::price_of_terms(const TrafficParameters& parameters) const {
  if (persistent_) return persistent_->price(parameters);
  TrafficPrice price;
  for (const PricedStep& step : steps_) {
    price.steps.push_back(price_step(step, parameters));
    price.seconds += price.steps.back().seconds;
  }
  price.launch_seconds = launch_seconds(parameters);
  price.seconds += price.launch_seconds;
  return price;
}

double TrafficPricer::part_seconds(std::size_t part, const TrafficParameters& parameters) const {
  if (part < steps_.size()) return price_step(steps_[part], parameters).seconds;
  return persistent_ ? persistent_->price(parameters).seconds : launch_seconds(parameters);
}

bool TrafficPricer::part_depends_on(std::size_t part, std::string_view parameter) const {
  if (persistent_) return true;
  const std::string_view group = parameter.substr(0, parameter.rfind('/'));
  if (group == "cpu") return (parameter == "cpu/scalar") == (part == steps_.size());
  if (group != "device") return part < steps_.size() && group == group_of(steps_[part]);
  // What `launch_seconds` takes, and no step.
  constexpr std::array<std::string_view, 5> of_launch{"device/wait", "device/graph", "device/plain",
                                                      "device/skipped", "device/skipped_rate"};
  return (std::ranges::find(of_launch, parameter) != of_launch.end()) == (part == steps_.size());
}

std::string TrafficPricer::group_of(const PricedStep& step) const {
  const std::string prefix = std::string(to_string(precision_)) + '/';
  if (segment_.cpu) {
    return prefix +
           (step.product.empty() ? "kernel-" + step.step->name : "product-" + step.product);
  }
  return step.product.empty() ? kernel_key(*step.step, precision_) : prefix + step.product;
}

std::vector<std::string> TrafficPricer::parameter_groups() const {
  if (persistent_) return persistent_->parameter_groups();
  std::set<std::string> kernels;
  std::set<std::string> products;
  for (const PricedStep& step : steps_) {
    (step.product.empty() ? kernels : products).insert(group_of(step));
  }
  std::vector<std::string> groups{segment_.cpu ? "cpu" : "device"};
  groups.insert(groups.end(), kernels.begin(), kernels.end());
  groups.insert(groups.end(), products.begin(), products.end());
  return groups;
}

}  // namespace sparsecast
