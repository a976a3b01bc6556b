#include "model/traffic/gpu_pricer.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <set>
#include <utility>

#include "core/workload/access_pattern.hpp"
#include "model/cache_effect.hpp"
#include "model/overlap.hpp"
#include "model/step_kinds.hpp"
#include "model/traffic/kernel_key.hpp"

namespace sparsecast {
namespace {

constexpr double giga = 1e9;

/// Of groups of parameters of products, before their key.
constexpr std::string_view product_prefix = "product/";

constexpr double warp = 32;

/// A GPU keeps row offsets in 4 bytes where there are no more values than this
/// (`CudaPolicy::most_values_with_32_bit_offsets`).
constexpr double most_values_with_short_offsets = 0x1p31 - 4096;

double offset_bytes_of(const TrafficCase& segment) {
  return segment.shape.elements > most_values_with_short_offsets ? 8 : 4;
}

/// What memory fetches for a sector whose neighbours nobody asks for.
constexpr double least_fetched_bytes = 64;

/// Rows of a library's product that share a first-level cache are not known; about as many as a
/// thread block of ours has.
constexpr double library_rows_per_block = 128;

/// Without `PassCosts`: of what lies between the three kernels of the fused schedule and those of
/// the next iteration, the share of a kernel in iterations of passes.
constexpr double share_of_kernel = 1.0 / 6;

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
double second_wave(double waves) {
  constexpr double begins_within = 0.1;
  return std::clamp((waves - 1) / begins_within, 0.0, 1.0);
}

/// Turns of thread blocks after the first. A second one lasts as long as a whole one, however few
/// thread blocks it has; later they no longer begin and end together.
double further_waves(double waves, double whole) {
  if (waves <= 1) return 0;
  const double begun = std::ceil(waves);
  return waves - 1 + (begun - waves) * std::pow(whole, begun - 2);
}

std::string key_of(const Layout& layout, const ProductGeometry& geometry) {
  const std::string kernels =
      geometry.priced_as.empty() ? product_key(layout) : std::string(geometry.priced_as);
  return kernels + std::string(geometry.kind);
}

/// A product of one kernel is one part.
std::vector<ProductPart> parts_of(const TrafficCase& segment) {
  if (!segment.parts.empty()) return segment.parts;
  return {{segment.shape, segment.pattern, segment.execution.product, segment.geometry}};
}

void add(const StepPrice& part, StepPrice& sum) {
  for (double StepPrice::*each :
       {&StepPrice::seconds, &StepPrice::fixed_seconds, &StepPrice::longest_row_seconds,
        &StepPrice::wave_seconds, &StepPrice::memory_seconds, &StepPrice::cache_seconds,
        &StepPrice::gather_seconds, &StepPrice::l1_seconds, &StepPrice::instruction_seconds,
        &StepPrice::memory_bytes, &StepPrice::cache_bytes, &StepPrice::gathered_bytes}) {
    sum.*each += part.*each;
  }
}

}  // namespace

std::string product_key(const Layout& layout) {
  Layout kind = layout;
  kind.block_size = 1;
  if (layout.slice_height > 1) {
    kind.slice_height = 1;
    kind.row_order = RowOrder::natural;
    kind.sorting_window = 0;
  }
  return to_string(kind);
}

std::string layout_key(Precision precision, const Layout& layout) {
  return std::string(to_string(precision)) + '/' + to_string(layout);
}

GpuPricer::GpuPricer(const PricedSchedule& schedule, LaunchMode launch, const TrafficCase& segment,
                     const GpuShape& gpu, Precision precision)
    : schedule_(schedule),
      launch_(launch),
      segment_(segment),
      gpu_(gpu),
      precision_(precision),
      product_(segment, gpu),
      sizes_(schedule.steady().sizes(segment.shape, precision, offset_bytes_of(segment))) {
  const std::string product = key_of(segment.layout, segment.geometry);
  for (const ProductPart& part : parts_of(segment)) {
    const TrafficCase alone{
        segment.layout, part.shape, part.pattern, {part.execution, {}}, part.geometry,
        std::nullopt,   {}};
    parts_.push_back({key_of(segment.layout, part.geometry), part.shape, part.pattern,
                      part.execution, segment.parts.empty() ? product_ : GpuProduct(alone, gpu),
                      part.launches});
  }
  kernels_.reserve(schedule.kernels().size());
  for (const PricedSchedule::Kernel& each : schedule.kernels()) {
    Kernel kernel{&each, schedule.steady().bytes(each.touched, sizes_)};
    kernel.grid_strides = takes_grid_strides(*each.step, segment.shape.unknowns, precision, gpu);
    if (each.multiplies() && each.step->name == library_product) {
      kernel.product = library_product;
    } else if (each.multiplies()) {
      kernel.product = product;
      if (!segment.parts.empty() || !segment.geometry.sums) split_traffic(kernel);
    }
    has_passes_ = has_passes_ || each.step->pass;
    has_products_ = has_products_ || each.multiplies();
    kernels_.push_back(std::move(kernel));
  }
  for (std::size_t step = 0; step < step_count(); ++step) {
    const Kernel& kernel = kernel_of(step);
    launches_ += launches_of(kernel.step()) + further_launches(kernel);
    sums_ += kernel.scheduled->sums ? 1 : 0;
  }
  for (const Step* step : schedule.skipped()) {
    ++skipped_;
    skipped_bytes_ += bytes_moved(*step, segment.shape, precision).total();
  }
}

void GpuPricer::split_traffic(Kernel& kernel) const {
  const double value_bytes = static_cast<double>(bytes_per_value(precision_));
  const double results = value_bytes * segment_.shape.unknowns;
  const StepTraffic whole = schedule_.steady().traffic(kernel.scheduled->touched, sizes_);
  double before = 0;  // bytes that the kernel before touches
  for (const ProductPart& part : parts_of(segment_)) {
    StepTraffic moved = whole;
    const double matrix = matrix_bytes(bytes_moved(kernel.step(), part.shape, precision_));
    if (segment_.shape.elements > 0) moved.reads.back().bytes = matrix;
    double touched = matrix + results;
    if (!kernel.parts.empty()) {
      // It finds the results stored, of which it reads and writes some again.
      const double updated = value_bytes * part.updated_rows;
      touched = matrix + updated;
      const ArrayTraffic again{updated, (before + touched) / 2, true};
      // Of the arrays that are read only the matrix is, if there is one.
      if (moved.reads.size() > 1) moved.reads.erase(moved.reads.begin(), moved.reads.end() - 1);
      moved.reads.push_back(again);
      std::vector<ArrayTraffic>& stores = kernel.parts.back().writes;
      stores.front().bytes -= updated;
      moved.writes = {{updated, stores.front().reuse_distance, true}};
      stores.push_back(again);
    }
    before = touched;
    kernel.parts.push_back(std::move(moved));
  }
  if (kernel.scheduled->sums && !segment_.geometry.sums) {
    const ArrayTraffic vector{results, before, false};
    kernel.sums.emplace().reads = {vector, vector};
  }
}

void GpuPricer::Streams::add_read(double array_bytes, double missed_share, int arrays) {
  const double missed_bytes = array_bytes * missed_share;
  for (int array = 0; array < arrays; ++array) {
    bytes += array_bytes;
    reads += missed_bytes;
  }
}

void GpuPricer::Streams::add_write(double array_bytes, double missed_share, int arrays) {
  const double missed_bytes = array_bytes * missed_share;
  for (int array = 0; array < arrays; ++array) {
    bytes += array_bytes;
    written += array_bytes;
    writes += missed_bytes;
  }
}

double GpuPricer::Streams::missed_share() const {
  return bytes > 0 ? std::min(1.0, (reads + writes) / bytes) : 0;
}

double GpuPricer::add_gathers(const Kernel& kernel, const Part* part, const Streams& streams,
                              Pricing& pricing, StepPrice& price) const {
  const DeviceCosts& device = pricing.device();
  const GpuProduct& product = part == nullptr ? product_ : part->product;
  const AccessPattern& pattern = part == nullptr ? segment_.pattern : part->pattern;
  const double at_least_once = product.looked_up_sectors();
  const double sectors = part != nullptr ? product.gathered_sectors(device.l1_bytes)
                                         : distinct_sectors(pattern, library_rows_per_block);
  price.gathered_bytes = sector_bytes * sectors;
  price.gather_seconds = sectors * device.sector_seconds;
  const auto& gathered = kernel.scheduled->touched.gathered;
  // What is looked up again after more than the cache holds comes from memory again.
  const double bytes_of_row = streams.bytes / std::max(1.0, segment_.shape.unknowns);
  const double again =
      std::min(sectors, distinct_sectors(pattern, device.cache_bytes / bytes_of_row)) -
      at_least_once;
  return least_fetched_bytes * std::max(0.0, again) +
         sector_bytes * at_least_once * (gathered ? pricing.missed(gathered->distance) : 0);
}

double GpuPricer::add_library_product(const ProductCosts& costs, const Streams& streams,
                                      const DeviceCosts& device, StepPrice& price) const {
  const double value_bytes = static_cast<double>(bytes_per_value(precision_));
  price.instruction_seconds =
      segment_.shape.elements * value_bytes * costs.byte_seconds / gpu_.multiprocessors;
  price.cache_seconds = streams.bytes / (giga * costs.gbps);
  price.fixed_seconds += device.library_seconds;
  return device.overlap;
}

double GpuPricer::add_product(const Part& part, bool with_sums, const ProductCosts& costs,
                              const Streams& streams, const DeviceCosts& device,
                              StepPrice& price) const {
  const double value_bytes = static_cast<double>(bytes_per_value(precision_));
  const double multiprocessors = gpu_.multiprocessors;
  const bool is_double = precision_ == Precision::f64;
  const GpuProduct& product = part.product;
  price.instruction_seconds =
      part.shape.elements * value_bytes * costs.byte_seconds / multiprocessors;
  price.cache_seconds = streams.bytes / (giga * costs.gbps);
  const double room = product.resident_blocks(with_sums);
  const WarpLoads& loads = part.execution.loads;
  const double warps = room * std::max(1.0, part.execution.threads / warp);
  // What a warp waits for is hidden by the others that the multiprocessor has.
  const double wait =
      with_sums ? costs.sum_wait_seconds : streams.missed_share() * device.memory_wait_seconds;
  const double step = costs.step_seconds * (with_sums ? device.sum_step : 1) + wait / warps;
  price.instruction_seconds += (loads.passes * step + part.shape.blocks * costs.entry_seconds +
                                (is_double ? part.shape.elements * device.double_seconds : 0)) /
                               multiprocessors;
  price.longest_row_seconds = product.passes() * costs.pass_seconds *
                                  (is_double ? costs.double_pass : 1) *
                                  (with_sums ? device.sum_pass : 1) +
                              (product.joins_pieces() ? device.join_seconds : 0);
  const double waves = product.blocks_each() / room;
  // Only behind itself.
  const bool alone = step_count() == 1 && parts_.size() == 1 && !with_sums;
  const double contention = alone ? product.contention() : 0;
  const double next_wave =
      costs.next_wave_seconds + (with_sums ? product.passes_of_warp() * costs.sum_wave_seconds : 0);
  price.wave_seconds =
      further_waves(waves, device.whole_waves) * next_wave +
      (device.contention * contention + device.uneven_waves * second_wave(waves) * room) *
          price.instruction_seconds / product.blocks_each();
  price.l1_seconds = product.unevenness() / multiprocessors * loads.lines * device.line_seconds;
  price.fixed_seconds += device.product_seconds + price.longest_row_seconds + price.wave_seconds +
                         (with_sums ? device.sum_seconds + costs.sum_seconds : 0);
  price.cache_seconds += with_sums ? streams.bytes / (giga * device.sum_gbps) : 0;
  // Threads that have all begun together all wait for the same: those of the next waves do not.
  return 1 + (device.product_overlap - 1) * waves / (waves + device.overlap_waves);
}

void GpuPricer::add_vectors(std::string_view key, double vectors, bool with_sums,
                            const KernelCosts& costs, const Streams& streams,
                            const DeviceCosts& device, StepPrice& price) const {
  price.fixed_seconds +=
      costs.fixed_seconds + vectors * costs.vector_seconds + (with_sums ? costs.sum_seconds : 0);
  if (key == library_kind) {
    price.cache_seconds =
        streams.bytes / static_cast<double>(bytes_per_value(precision_)) / (giga * costs.values);
  } else if (key == library_row_kind) {
    price.cache_seconds = streams.bytes / (giga * costs.gbps);
  } else {
    price.cache_seconds = (streams.bytes - streams.written) / (giga * device.cache_read_gbps) +
                          streams.written / (giga * device.cache_write_gbps);
  }
}

StepPrice GpuPricer::price_terms(const Kernel& kernel, const Streams& streams, const Part* part,
                                 bool with_sums, Pricing& pricing) const {
  const TrafficParameters& parameters = pricing.parameters();
  const DeviceCosts& device = parameters.device;
  StepPrice price;
  double reads = streams.reads;
  price.fixed_seconds = streams.missed_share() * device.miss_seconds;
  double overlap = device.overlap;
  if (part != nullptr) {
    const ProductCosts& costs = costs_of(parameters.products, part->key);
    reads += add_gathers(kernel, part, streams, pricing, price);
    overlap = add_product(*part, with_sums, costs, streams, device, price);
  } else if (kernel.product == library_product) {
    const ProductCosts& costs = costs_of(parameters.products, kernel.product);
    reads += add_gathers(kernel, part, streams, pricing, price);
    overlap = add_library_product(costs, streams, device, price);
  } else {
    const std::string_view key = kernel.product.empty() ? kernel.scheduled->key : vector_kind;
    add_vectors(key, kernel.scheduled->vectors, with_sums,
                costs_of(parameters.kernels, std::string(key)), streams, device, price);
  }
  price.memory_bytes = reads + streams.writes;
  price.cache_bytes = std::max(0.0, streams.bytes + price.gathered_bytes - price.memory_bytes);
  price.memory_seconds = (reads / (giga * device.memory_read_gbps) +
                          streams.writes / (giga * device.memory_write_gbps)) *
                         (kernel.grid_strides && part == nullptr ? device.grid_stride : 1);
  const std::array parts{price.memory_seconds, price.cache_seconds + price.gather_seconds,
                         price.instruction_seconds, price.l1_seconds};
  price.seconds = price.fixed_seconds + overlapped(parts, overlap);
  return price;
}

StepPrice GpuPricer::price_parts(const Kernel& kernel, Pricing& pricing) const {
  const bool sums_within = kernel.scheduled->sums && segment_.geometry.sums;
  StepPrice price;
  for (std::size_t i = 0; i < parts_.size(); ++i) {
    const Streams streams = pricing.streams_of(kernel.parts[i]);
    add(price_terms(kernel, streams, &parts_[i], sums_within, pricing), price);
    if (parts_[i].launches == 0) continue;
    const double launches =
        parts_[i].launches *
        costs_of(pricing.parameters().kernels, std::string(vector_kind)).fixed_seconds;
    price.fixed_seconds += launches;
    price.seconds += launches;
  }
  if (kernel.sums) {
    add(price_terms(kernel, pricing.streams_of(*kernel.sums), nullptr, true, pricing), price);
  }
  return price;
}

StepPrice GpuPricer::price_kernel(const Kernel& kernel, Pricing& pricing) const {
  const Streams streams = pricing.streams_of(kernel);
  StepPrice price = kernel.parts.empty()
                        ? price_terms(kernel, streams, is_ours(kernel) ? &parts_.front() : nullptr,
                                      kernel.scheduled->sums, pricing)
                        : price_parts(kernel, pricing);
  price.name = kernel.step().name;
  price.bytes = kernel.bytes;
  if (const auto known = pricing.residual(kernel, streams.missed_share())) {
    const double terms = price.seconds;
    price.seconds *= std::exp(known->expected);
    price.likeness = known->likeness;
    price.residual_seconds = price.seconds - terms;
  }
  price.bound = bound_of(price);
  return price;
}

bool GpuPricer::is_ours(const Kernel& kernel) {
  return !kernel.product.empty() && kernel.product != library_product;
}

Traits GpuPricer::traits_of(const Kernel& kernel, double missed_share) const {
  return product_.traits(kernel.scheduled->sums, static_cast<double>(bytes_per_value(precision_)),
                         gathered_bytes_of(kernel), missed_share);
}

GpuPricer::Pricing::Pricing(const GpuPricer& pricer, const TrafficParameters& parameters)
    : pricer_(pricer), parameters_(parameters), missed_(pricer.sizes_.distances.size(), -1) {}

double GpuPricer::Pricing::missed(std::size_t distance) {
  double& share = missed_[distance];
  if (share < 0) share = sparsecast::missed(device(), pricer_.sizes_.distances[distance]);
  return share;
}

GpuPricer::Streams GpuPricer::Pricing::streams_of(const Kernel& kernel) {
  const SteadyStep& touched = kernel.scheduled->touched;
  const SteadySizes& sizes = pricer_.sizes_;
  Streams streams;
  for (const TouchedVectors& read : touched.reads) {
    streams.add_read(sizes.segment_bytes, missed(read.distance), read.count);
  }
  if (touched.matrix_distance) {
    streams.add_read(matrix_bytes(kernel.bytes), missed(*touched.matrix_distance), 1);
  }
  for (const TouchedVectors& write : touched.writes) {
    streams.add_write(sizes.segment_bytes, missed(write.distance), write.count);
  }
  return streams;
}

GpuPricer::Streams GpuPricer::Pricing::streams_of(const StepTraffic& traffic) const {
  Streams streams;
  for (const ArrayTraffic& read : traffic.reads) {
    streams.add_read(read.bytes, sparsecast::missed(device(), read.reuse_distance), read.arrays);
  }
  for (const ArrayTraffic& write : traffic.writes) {
    streams.add_write(write.bytes, sparsecast::missed(device(), write.reuse_distance),
                      write.arrays);
  }
  return streams;
}

std::optional<KnownResidual> GpuPricer::Pricing::residual(const Kernel& kernel,
                                                          double missed_share) {
  if (!is_ours(kernel)) return std::nullopt;
  if (!residual_) {
    residual_ = residual_of_group(products_group(pricer_.segment_.layout), parameters_);
  }
  if (*residual_ == nullptr) return std::nullopt;
  const bool with_sums = kernel.scheduled->sums;
  const double vector_bytes = pricer_.gathered_bytes_of(kernel);
  auto section = std::ranges::find_if(sections_, [&](const Section& each) {
    return each.with_sums == with_sums && each.vector_bytes == vector_bytes;
  });
  if (section == sections_.end()) {
    constexpr auto varied = static_cast<std::size_t>(ProductTrait::missed);
    sections_.push_back(
        {with_sums, vector_bytes, {**residual_, pricer_.traits_of(kernel, missed_share), varied}});
    section = sections_.end() - 1;
  }
  return section->residual.at(missed_share);
}

double GpuPricer::gathered_bytes_of(const Kernel& kernel) const {
  const auto& gathered = kernel.scheduled->touched.gathered;
  return gathered ? sizes_.gathered_bytes(*gathered) : 0;
}

const Residual* GpuPricer::residual_of_group(const std::string& group,
                                             const TrafficParameters& parameters) {
  const auto found = parameters.residuals.find(group);
  return found == parameters.residuals.end() ? nullptr : &found->second;
}

std::optional<Traits> GpuPricer::product_traits(const TrafficParameters& parameters) const {
  if (step_count() != 1 || !is_ours(kernels_.front())) return std::nullopt;
  Pricing pricing(*this, parameters);
  return traits_of(kernels_.front(), pricing.streams_of(kernels_.front()).missed_share());
}

double GpuPricer::launch_seconds(const TrafficParameters& parameters) const {
  const DeviceCosts& device = parameters.device;
  // The host decides itself what is skipped.
  if (launch_ == LaunchMode::host) {
    return schedule_.waits() * device.wait_seconds + launches_ * device.plain_seconds;
  }
  const double seconds =
      skipped_ * device.skipped_seconds + skipped_bytes_ / (giga * device.skipped_gbps);
  if (launch_ == LaunchMode::graph) {
    if (has_passes_) return seconds + pass_seconds(parameters);
    return step_count() < 2 ? seconds : seconds + device.graph_seconds;
  }
  return seconds + (launches_ + skipped_) * device.plain_seconds;
}

bool GpuPricer::has_pass_costs() const {
  return launch_ == LaunchMode::graph && has_passes_ &&
         (has_products_ || schedule_.passes().kernels > 0);
}

double GpuPricer::pass_seconds(const TrafficParameters& parameters) const {
  // Where there are passes only, their own costs have what they end with.
  if (!has_pass_costs()) return 0;
  if (!parameters.passes) {
    const double kernels = has_products_ ? static_cast<double>(step_count()) : 0;
    return kernels * share_of_kernel * parameters.device.graph_seconds;
  }
  const PassCosts& costs = *parameters.passes;
  const PassCounts& counts = schedule_.passes();
  return counts.kernels * costs.end_seconds + counts.unsummed * costs.ticket_seconds +
         (counts.iteration ? costs.iteration_seconds : 0) +
         counts.operations * costs.operation_seconds +
         counts.interpreted * costs.interpreted_seconds + counts.chain * costs.chain_seconds +
         counts.further_sums * costs.sum_seconds + counts.guarded * costs.guard_seconds +
         counts.fetched * costs.fetch_seconds;
}

bool GpuPricer::is_iteration(const TrafficParameters& parameters) const {
  return (!has_passes_ || parameters.passes) && launch_ == LaunchMode::graph && step_count() > 1 &&
         std::ranges::any_of(kernels_, [](const Kernel& each) { return !each.product.empty(); });
}

Traits GpuPricer::traits_of(const TrafficPrice& price) const {
  double product = 0;
  double bytes = 0;
  double memory_bytes = 0;
  for (std::size_t i = 0; i < step_count(); ++i) {
    const StepPrice& step = price.steps[i];
    if (!kernel_of(i).product.empty()) product += step.seconds;
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
  set(IterationTrait::value_bytes, std::log(static_cast<double>(bytes_per_value(precision_))));
  set(IterationTrait::bytes, std::log(std::max(1.0, bytes)));
  set(IterationTrait::sums, sums_);
  set(IterationTrait::block_size, std::log(segment_.layout.block_size));
  set(IterationTrait::lanes, std::log(std::max(1, segment_.execution.product.lanes)));
  set(IterationTrait::passes, has_passes_ ? 1 : 0);
  return traits;
}

std::optional<Traits> GpuPricer::iteration_traits(const TrafficParameters& parameters) const {
  if (!is_iteration(parameters)) return std::nullopt;
  return traits_of(price_of_terms(parameters));
}

TrafficPrice GpuPricer::price(const TrafficParameters& parameters) const {
  TrafficPrice price = price_of_terms(parameters);
  const Residual* residual = is_iteration(parameters)
                                 ? residual_of_group(iterations_group(segment_.layout), parameters)
                                 : nullptr;
  if (residual == nullptr) return price;
  const KnownResidual known = known_residual(*residual, traits_of(price));
  const double factor = std::exp(known.expected);
  price.likeness = std::min(price.likeness, known.likeness);
  price.residual_seconds = (factor - 1) * price.seconds;
  price.seconds *= factor;
  price.launch_seconds *= factor;
  for (StepPrice& step : price.steps) step.seconds *= factor;
  return price;
}

TrafficPrice GpuPricer::price_of_terms(const TrafficParameters& parameters) const {
  Pricing pricing(*this, parameters);
  std::vector<StepPrice> kinds;
  kinds.reserve(kernels_.size());
  for (const Kernel& kernel : kernels_) kinds.push_back(price_kernel(kernel, pricing));
  TrafficPrice price;
  price.steps.reserve(step_count());
  for (const std::size_t kind : schedule_.kernel_of_step()) {
    price.steps.push_back(kinds[kind]);
    price.seconds += price.steps.back().seconds;
    price.likeness = std::min(price.likeness, price.steps.back().likeness);
  }
  price.launch_seconds = launch_seconds(parameters);
  price.seconds += price.launch_seconds;
  return price;
}

double GpuPricer::part_seconds(std::size_t part, const TrafficParameters& parameters) const {
  if (part < step_count()) {
    Pricing pricing(*this, parameters);
    return price_kernel(kernel_of(part), pricing).seconds;
  }
  return launch_seconds(parameters);
}

bool GpuPricer::part_depends_on(std::size_t part, std::string_view parameter) const {
  const std::string_view group = parameter.substr(0, parameter.rfind('/'));
  if (group == passes_group) return part == step_count() && has_pass_costs();
  if (group != "device") {
    if (part == step_count()) return false;
    const Kernel& kernel = kernel_of(part);
    return vector_group(kernel) == group || has_product_group(kernel, group);
  }
  // What `launch_seconds` takes, and no step.
  constexpr std::array<std::string_view, 5> of_launch{"device/wait", "device/graph", "device/plain",
                                                      "device/skipped", "device/skipped_rate"};
  return (std::ranges::find(of_launch, parameter) != of_launch.end()) == (part == step_count());
}

int GpuPricer::further_launches(const Kernel& kernel) const {
  if (kernel.parts.empty()) return 0;
  int launches = static_cast<int>(kernel.parts.size()) - 1 + (kernel.sums ? 1 : 0);
  for (const Part& part : parts_) launches += part.launches;
  return launches;
}

std::string_view GpuPricer::vector_group(const Kernel& kernel) const {
  if (kernel.product.empty()) return kernel.scheduled->key;
  const bool launches =
      std::ranges::any_of(parts_, [](const Part& part) { return part.launches > 0; });
  return kernel.sums || (!kernel.parts.empty() && launches) ? vector_kind : std::string_view();
}

bool GpuPricer::has_product_group(const Kernel& kernel, std::string_view group) const {
  if (!group.starts_with(product_prefix)) return false;
  const std::string_view key = group.substr(product_prefix.size());
  return is_ours(kernel) ? std::ranges::find(parts_, key, &Part::key) != parts_.end()
                         : !kernel.product.empty() && kernel.product == key;
}

std::vector<std::string> GpuPricer::parameter_groups() const {
  std::set<std::string_view> kernels;
  std::set<std::string_view> products;
  for (const Kernel& kernel : kernels_) {
    if (const std::string_view group = vector_group(kernel); !group.empty()) kernels.insert(group);
    if (!is_ours(kernel)) {
      if (!kernel.product.empty()) products.insert(kernel.product);
      continue;
    }
    for (const Part& part : parts_) products.insert(part.key);
  }
  std::vector<std::string> groups{"device"};
  groups.insert(groups.end(), kernels.begin(), kernels.end());
  if (has_pass_costs()) groups.emplace_back(passes_group);
  for (const std::string_view key : products) {
    groups.push_back(std::string(product_prefix) + std::string(key));
  }
  return groups;
}

}  // namespace sparsecast
