#include "model/traffic/cpu_pricer.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <set>
#include <utility>

#include "core/base/error.hpp"
#include "core/schedule/diagonal_blocks.hpp"
#include "core/workload/access_pattern.hpp"
#include "model/cache_effect.hpp"
#include "model/overlap.hpp"
#include "model/step_kinds.hpp"

namespace sparsecast {
namespace {

/// The kernel whose constants price a step: passes are carried out as those of fused conjugate
/// gradients are, by the same loops; products by diagonal blocks are taken to cost as much a byte.
std::string costs_name(const Step& step) {
  if (!step.pass && !multiplies_by_blocks(step)) return step.name;
  return sums(step) ? "CGResidual" : "CGDirection";
}

constexpr double giga = 1e9;
constexpr double every_row = 0x1p33;

constexpr std::string_view cpu_group = "cpu";

/// What a step streams, by where it comes from and goes to.
struct Streams {
  double bytes = 0;
  double from_private = 0;  ///< beyond the nearest cache
  double from_shared = 0;   ///< beyond the private one
  double reads = 0;         ///< beyond the shared one
  double writes = 0;
};

Streams streams_of(const StepTraffic& traffic, double threads, const CpuCosts& cpu) {
  Streams streams;
  const auto missing_of_thread = [&](double cache_bytes, const ArrayTraffic& array) {
    return missing_share({cache_bytes, cpu.sharpness}, array.reuse_distance / threads);
  };
  const auto add = [&](const ArrayTraffic& array, bool is_written, double& beyond) {
    const double from_private = array.bytes * missing_of_thread(cpu.nearest_bytes, array);
    // Beyond the private cache, what was read before is written at no further cost (measured).
    const bool streamed = !(is_written && array.updated);
    const double from_shared =
        streamed ? array.bytes * missing_of_thread(cpu.private_bytes, array) : 0;
    const double missed = streamed ? array.bytes * missing_share({cpu.shared_bytes, cpu.sharpness},
                                                                 array.reuse_distance)
                                   : 0;
    for (int each = 0; each < array.arrays; ++each) {
      // What is written passes the private cache twice, in and out.
      if (is_written) streams.from_private += from_private;
      streams.bytes += array.bytes;
      if (!streamed) continue;
      streams.from_private += from_private;
      streams.from_shared += from_shared;
      beyond += missed;
    }
  };
  for (const ArrayTraffic& read : traffic.reads) add(read, false, streams.reads);
  if (traffic.gathered.bytes > 0) add(traffic.gathered, false, streams.reads);
  for (const ArrayTraffic& write : traffic.writes) add(write, true, streams.writes);
  return streams;
}

double waiting_seconds(int waits, double threads, const CpuCosts& cpu) {
  if (threads < 2) return 0;
  return waits * (cpu.wait_seconds + (threads - 2) * cpu.thread_seconds);
}

/// Fills in what calls, waits and streams take, and what all parts take together.
void complete(int waits, const Streams& streams, double threads, const CpuCosts& cpu,
              StepPrice& price) {
  price.waiting_seconds = waiting_seconds(waits, threads, cpu);
  price.fixed_seconds = cpu.call_seconds + price.waiting_seconds;
  price.memory_bytes = streams.reads + streams.writes;
  price.cache_bytes = std::max(0.0, streams.from_private - price.memory_bytes);
  const double from_private = streams.from_private / (giga * threads * cpu.private_gbps);
  const double from_shared = streams.from_shared / (giga * cpu.shared_gbps);
  price.cache_seconds = from_private + from_shared;
  price.memory_seconds = streams.reads / (giga * cpu.memory_read_gbps) +
                         streams.writes / (giga * cpu.memory_write_gbps);
  const std::array parts{price.instruction_seconds + price.gather_seconds, from_private,
                         from_shared, price.memory_seconds};
  price.seconds = price.fixed_seconds + overlapped(parts, cpu.overlap);
}

/// Rows of CSR that are not as long as those beside them, about: most of those in groups of 32 that
/// the longest does not fill. The longest row of all is in one group only, and left out.
double uneven_rows(const SegmentShape& shape, const AccessPattern& pattern) {
  constexpr double neighbours = 32;
  constexpr double half = 0.05;  // of a group not filled, where half of its rows are unlike others
  const double mean = shape.blocks / shape.block_rows;
  const double others = mean - (pattern.longest_row - mean) / shape.block_rows;
  const double longest_of_group = (pattern.warp_steps.front() - pattern.longest_row + mean) /
                                  std::ceil(shape.block_rows / neighbours);
  if (!(longest_of_group > others)) return 0;
  const double unfilled = 1 - others / longest_of_group;
  return shape.block_rows * unfilled / (unfilled + half);
}

/// Sectors of the vector that threads look up in another one's rows, of all threads: each looks up
/// its own rows' part anyway, so that what all look up, less the vector once, is others'.
double sectors_of_others(const AccessPattern& pattern, double unknowns, double threads,
                         double at_least_once) {
  // Windows are powers of two, and may cut the rows into more parts than there are threads.
  return std::clamp(distinct_sectors(pattern, unknowns / threads) - at_least_once, 0.0,
                    (threads - 1) * at_least_once);
}

/// How many times the price of one so many sectors of others cost: that price is of one among a
/// thousand. The more there are, the more of them are under way together.
double prices_of_others(double sectors) {
  constexpr double priced = 1000;
  constexpr double growth = 0.8;  // of the time with their number; 1: one after the other
  return priced * std::pow(sectors / priced, growth);
}

}  // namespace

CpuPricer::CpuPricer(const PricedSchedule& schedule, const TrafficCase& segment,
                     Precision precision)
    : segment_(segment),
      threads_(segment.cpu->threads),
      precision_(precision),
      layout_(to_string(segment.layout)) {
  constexpr double offset_bytes = 8;
  const SteadySizes sizes = schedule.steady().sizes(segment.shape, precision, offset_bytes);
  kernels_.reserve(schedule.kernels().size());
  for (const PricedSchedule::Kernel& each : schedule.kernels()) {
    kernels_.push_back({each.step, schedule.steady().traffic(each.touched, sizes),
                        each.multiplies(), each.cpu_waits});
  }
  kernel_of_step_.assign(schedule.kernel_of_step().begin(), schedule.kernel_of_step().end());
  scalar_steps_ =
      static_cast<int>(std::ssize(schedule.schedule().iteration) - std::ssize(kernel_of_step_));
}

StepPrice CpuPricer::price_vectors(const Kernel& kernel, const CpuKernelCosts& costs,
                                   const CpuCosts& cpu) const {
  const Streams streams = streams_of(kernel.traffic, threads_, cpu);
  StepPrice price;
  price.instruction_seconds = streams.bytes / (giga * threads_ * costs.gbps);
  complete(kernel.waits, streams, threads_, cpu, price);
  return price;
}

StepPrice CpuPricer::price_product(const Kernel& kernel, const CpuProductCosts& costs,
                                   const CpuCosts& cpu) const {
  const SegmentShape& shape = segment_.shape;
  const Streams streams = streams_of(kernel.traffic, threads_, cpu);
  StepPrice price;
  price.instruction_seconds =
      (shape.block_rows * costs.row_seconds + shape.blocks * costs.block_seconds) / threads_;
  if (segment_.layout.block_size == 1) {
    price.instruction_seconds +=
        uneven_rows(shape, segment_.pattern) * cpu.uneven_row_seconds / threads_;
  }

  // A window of rows that a thread passes while a cache keeps what it looked up.
  const double bytes_of_row = streams.bytes / std::max(1.0, shape.unknowns);
  const double at_least_once = distinct_sectors(segment_.pattern, every_row);
  const auto again = [&](double capacity) {
    return std::max(0.0,
                    distinct_sectors(segment_.pattern, capacity / bytes_of_row) - at_least_once);
  };
  const double beyond_nearest = again(cpu.nearest_bytes);
  const double beyond_private = std::min(beyond_nearest, again(cpu.private_bytes));
  const double beyond_shared = std::min(beyond_private, again(cpu.shared_bytes / threads_));
  price.gathered_bytes = sector_bytes * (beyond_nearest + at_least_once);
  price.gather_seconds = ((beyond_nearest - beyond_private) * cpu.private_lookup_seconds +
                          (beyond_private - beyond_shared) * cpu.shared_lookup_seconds +
                          beyond_shared * cpu.memory_lookup_seconds) /
                         threads_;
  if (kernel.traffic.gathered_is_written) {
    // The core that wrote them has them in its private cache, as long as that keeps anything.
    const double evicted = missing_share({cpu.private_bytes, cpu.sharpness},
                                         kernel.traffic.gathered.reuse_distance / threads_);
    price.gather_seconds +=
        prices_of_others(
            sectors_of_others(segment_.pattern, shape.unknowns, threads_, at_least_once)) *
        ((1 - evicted) * cpu.remote_lookup_seconds + evicted * cpu.evicted_lookup_seconds) /
        threads_;
  }
  complete(kernel.waits, streams, threads_, cpu, price);
  return price;
}

StepPrice CpuPricer::price_kernel(const Kernel& kernel, const TrafficParameters& parameters) const {
  if (!parameters.cpu) {
    throw Error("the profile's traffic model is of a GPU; calibrate the CPU with this version");
  }
  StepPrice price =
      kernel.multiplies
          ? price_product(kernel, costs_of(parameters.cpu_products, precision_, layout_),
                          *parameters.cpu)
          : price_vectors(kernel,
                          costs_of(parameters.cpu_kernels, precision_, costs_name(*kernel.step)),
                          *parameters.cpu);
  price.name = kernel.step->name;
  price.bytes = kernel.traffic.bytes;
  price.bound = bound_of(price);
  return price;
}

double CpuPricer::scalar_seconds(const TrafficParameters& parameters) const {
  return parameters.cpu ? scalar_steps_ * parameters.cpu->scalar_seconds : 0;
}

TrafficPrice CpuPricer::price(const TrafficParameters& parameters) const {
  std::vector<StepPrice> kinds;
  kinds.reserve(kernels_.size());
  for (const Kernel& kernel : kernels_) kinds.push_back(price_kernel(kernel, parameters));
  TrafficPrice price;
  price.steps.reserve(kernel_of_step_.size());
  for (const std::size_t kind : kernel_of_step_) {
    price.steps.push_back(kinds[kind]);
    price.seconds += price.steps.back().seconds;
  }
  price.launch_seconds = scalar_seconds(parameters);
  price.seconds += price.launch_seconds;
  return price;
}

double CpuPricer::part_seconds(std::size_t part, const TrafficParameters& parameters) const {
  if (part < kernel_of_step_.size()) return price_kernel(kernel_of(part), parameters).seconds;
  return scalar_seconds(parameters);
}

bool CpuPricer::part_depends_on(std::size_t part, std::string_view parameter) const {
  const std::string_view group = parameter.substr(0, parameter.rfind('/'));
  if (group == cpu_group) return (parameter == "cpu/scalar") == (part == kernel_of_step_.size());
  return part < kernel_of_step_.size() && group == group_of(kernel_of(part));
}

std::string CpuPricer::group_of(const Kernel& kernel) const {
  return std::string(to_string(precision_)) + '/' +
         (kernel.multiplies ? "product-" + layout_ : "kernel-" + costs_name(*kernel.step));
}

std::vector<std::string> CpuPricer::parameter_groups() const {
  std::set<std::string> kernels;
  std::set<std::string> products;
  for (const Kernel& kernel : kernels_) {
    (kernel.multiplies ? products : kernels).insert(group_of(kernel));
  }
  std::vector<std::string> groups{std::string(cpu_group)};
  groups.insert(groups.end(), kernels.begin(), kernels.end());
  groups.insert(groups.end(), products.begin(), products.end());
  return groups;
}

}  // namespace sparsecast
