#include "model/traffic/persistent_pricer.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>

#include "core/base/error.hpp"
#include "core/workload/access_pattern.hpp"
#include "core/workload/persistent_steps.hpp"
#include "model/cache_effect.hpp"

namespace sparsecast {
namespace {

constexpr double giga = 1e9;
constexpr double warp = 32;
constexpr double column_bytes = 2;

const std::string shared_group(persistent_group);

/// Waits for memory of a thread for each of its rows, by how often an iteration touches vectors
/// that are not in shared memory. They leave it in this order: two that are read once, with the
/// update of the residual; then the solution, the residual and the product, each read and written,
/// in loops of their own that have two rows under way at once.
double waits_of_row(double accesses) {
  constexpr double touched[] = {0, 1, 2, 4, 6, 8};
  constexpr double waits[] = {0, 1, 1, 1.5, 2, 2};
  const auto above = std::upper_bound(std::begin(touched), std::end(touched), accesses);
  // Other solvers may touch more, in more loops.
  if (above == std::end(touched)) return accesses / 4;
  const auto k = above - std::begin(touched);
  const double share = (accesses - touched[k - 1]) / (touched[k] - touched[k - 1]);
  return waits[k - 1] + share * (waits[k] - waits[k - 1]);
}

/// Rounds that are begun, one at least; smoothly, as where one more begins some thread blocks are
/// done without.
double rounds_begun(double rounds) {
  constexpr double begins_within = 0.1;
  const double whole = std::floor(rounds);
  return std::max(1.0, whole + std::min(1.0, (rounds - whole) / begins_within));
}

}  // namespace

std::string persistent_sums_key(const PersistentExecution& execution) {
  return execution.clustered ? "cluster" : "grid";
}

std::string persistent_steps_key(const PersistentExecution& execution) {
  return execution.block_size == 3 ? "bcsr3" : "csr";
}

PersistentPricer::PersistentPricer(const TrafficCase& segment, Precision precision,
                                   const PersistentNeeds& needs)
    : execution_(segment.execution.persistent),
      needs_(needs),
      precision_(precision),
      blocks_(std::max(1, execution_.blocks)) {
  count_rows(segment);
  count_moved(segment);
  count_halo(segment);
}

void PersistentPricer::count_rows(const TrafficCase& segment) {
  const int n = execution_.block_size;
  const double block_rows = segment.shape.unknowns / n;
  warps_ = std::max(warp, static_cast<double>(execution_.threads)) / warp;
  rows_of_thread_ = segment.shape.unknowns / blocks_ / (warps_ * warp);
  const double slices = block_rows / blocks_ * execution_.lanes / warp;
  slices_of_warp_ = rounds_begun(slices / warps_);
  // The layout may be of larger blocks than the kernel's.
  const auto stored = static_cast<std::int64_t>(segment.shape.elements / (n * n));
  const auto longest =
      static_cast<std::int64_t>(segment.pattern.longest_row * segment.layout.block_size / n);
  const std::int64_t most = most_steps_of_a_row(
      n, stored, static_cast<std::int64_t>(std::ceil(block_rows)), execution_.lanes,
      static_cast<std::int64_t>(execution_.steps * warp / blocks_),
      static_cast<int>(warps_ * warp));
  doublings_ = std::log2(lanes_of_row(longest, execution_.lanes, most));
  // What comes from beyond shared memory is whole slices, of which a warp takes one at a time.
  const double moved_slices = slices * (1 - execution_.resident_share);
  constexpr double rounding = 1e-9;
  if (!(moved_slices > rounding) || !(execution_.steps > 0)) return;
  const double steps_of_slice = execution_.steps / (slices * blocks_);
  const double at_once =
      more_steps_at_once * (n == 1 ? steps_at_once_of_values : steps_at_once_of_blocks);
  load_rounds_ =
      std::ceil(moved_slices / warps_ - rounding) * std::ceil(steps_of_slice / at_once - rounding);
}

void PersistentPricer::count_moved(const TrafficCase& segment) {
  const auto value_bytes = static_cast<double>(bytes_per_value(precision_));
  const double values = static_cast<double>(execution_.block_size) * execution_.block_size;
  const double step_bytes = warp * (values * value_bytes + column_bytes);
  const double matrix = execution_.steps * step_bytes;
  matrix_bytes_ =
      std::min(execution_.moved_bytes, needs_.products * (1 - execution_.resident_share) * matrix);
  vector_bytes_ = execution_.moved_bytes - matrix_bytes_;
  const double vector = segment.shape.unknowns * value_bytes;
  if (!(vector > 0)) return;
  // Vectors have room in shared memory before the matrix: who moves some moves all of the matrix.
  const double most_of_vectors =
      execution_.most_moved_bytes - needs_.products * execution_.most_steps * step_bytes;
  spilled_waits_ =
      rows_of_thread_ * waits_of_row(std::max(vector_bytes_, blocks_ * most_of_vectors) / vector);
}

void PersistentPricer::count_halo(const TrafficCase& segment) {
  if (execution_.blocks < 2) return;
  const auto value_bytes = static_cast<double>(bytes_per_value(precision_));
  const double unknowns = segment.shape.unknowns;
  halo_sectors_ = std::max(0.0, distinct_sectors(segment.pattern, unknowns / blocks_) -
                                    unknowns * value_bytes / sector_bytes);
  uneven_halo_ = std::max(0.0, execution_.largest_halo - execution_.halo / blocks_);
  uneven_lines_ = std::max(0.0, execution_.most_halo_lines - halo_sectors_ / blocks_);
  // In a cluster nobody waits for packets.
  if (execution_.clustered) return;
  const double at_once = halo_values_at_once * warp;
  halo_rounds_ =
      std::max(0.0, execution_.largest_halo - at_once * (warps_ - 1)) / (at_once * warps_);
}

TrafficPrice PersistentPricer::price(const TrafficParameters& parameters) const {
  TrafficPrice price = price_of_terms(parameters);
  const auto residual = parameters.residuals.find(std::string(persistent_iterations_group));
  if (residual == parameters.residuals.end()) return price;
  const KnownResidual known = known_residual(residual->second, traits_of(price));
  const double factor = std::exp(known.expected);
  price.likeness = known.likeness;
  price.residual_seconds = (factor - 1) * price.seconds;
  for (double* const part : {&price.seconds, &price.synchronisation_seconds, &price.blocks_seconds,
                             &price.unknowns_seconds, &price.halo_seconds, &price.moved_seconds}) {
    *part *= factor;
  }
  return price;
}

std::optional<Traits> PersistentPricer::persistent_traits(
    const TrafficParameters& parameters) const {
  return traits_of(price_of_terms(parameters));
}

Traits PersistentPricer::traits_of(const TrafficPrice& terms) const {
  Traits traits(static_cast<std::size_t>(PersistentTrait::count));
  const auto set = [&traits](PersistentTrait trait, double value) {
    traits[static_cast<std::size_t>(trait)] = value;
  };
  set(PersistentTrait::seconds, std::log(terms.seconds));
  set(PersistentTrait::blocks_share, terms.blocks_seconds / terms.seconds);
  set(PersistentTrait::unknowns_share, terms.unknowns_seconds / terms.seconds);
  set(PersistentTrait::halo_share, terms.halo_seconds / terms.seconds);
  set(PersistentTrait::moved_share, terms.moved_seconds / terms.seconds);
  set(PersistentTrait::clustered, execution_.clustered ? 1 : 0);
  set(PersistentTrait::lanes, std::log(std::max(1, execution_.lanes)));
  set(PersistentTrait::doublings, doublings_);
  set(PersistentTrait::steps, std::log1p(execution_.most_steps / warps_));
  set(PersistentTrait::sectors, std::log((1 + halo_sectors_) / (1 + execution_.halo)));
  set(PersistentTrait::value_bytes, std::log(static_cast<double>(bytes_per_value(precision_))));
  set(PersistentTrait::block_size, std::log(execution_.block_size));
  return traits;
}

TrafficPrice PersistentPricer::price_of_terms(const TrafficParameters& parameters) const {
  if (!execution_.fits) {
    throw Error(
        "no kernel for all iterations: the vector that a thread block looks up does not "
        "fit in its shared memory; use another launch mode");
  }
  if (!parameters.persistent) {
    throw Error(
        "the profile's traffic model lacks 'persistent'; calibrate the device with this version, "
        "or use model paper");
  }
  const PersistentCosts& costs = *parameters.persistent;
  const PersistentSums& sums =
      costs_of(parameters.persistent_sums, persistent_sums_key(execution_));
  const PersistentSteps& steps =
      costs_of(parameters.persistent_steps, precision_, persistent_steps_key(execution_));
  const DeviceCosts& device = parameters.device;
  const double missed =
      missing_share({costs.cache_bytes, costs.cache_sharpness}, execution_.moved_bytes);
  const auto from_memory = [&](double bytes) {
    return missed * bytes / (giga * device.memory_read_gbps);
  };

  TrafficPrice price;
  price.synchronisation_seconds =
      share_of_waits() *
      (sums.base_seconds + blocks_ * sums.block_seconds + warps_ * costs.warp_seconds);
  price.blocks_seconds = needs_.products * execution_.most_steps * steps.step_seconds;
  price.unknowns_seconds = share_of_rows() * slices_of_warp_ * costs.slice_seconds +
                           needs_.products * doublings_ * costs.doubling_seconds;
  price.halo_seconds =
      needs_.arrivals *
      (halo_sectors_ / blocks_ * costs.sector_seconds +
       std::hypot(uneven_halo_ * costs.uneven_seconds, uneven_lines_ * costs.sector_seconds) +
       halo_rounds_ * costs.round_seconds + from_memory(sector_bytes * halo_sectors_));
  // Warps that multiply from shared memory and those that wait for the rest share the time.
  const double from_cache = (1 - missed) * matrix_bytes_ / (giga * device.cache_read_gbps);
  const double product =
      std::hypot(price.blocks_seconds, from_memory(matrix_bytes_) + from_cache +
                                           needs_.products * load_rounds_ * costs.load_seconds);
  price.moved_seconds =
      product - price.blocks_seconds +
      std::hypot(from_memory(vector_bytes_), missed * spilled_waits_ * costs.spilled_seconds);
  price.seconds = price.synchronisation_seconds + price.blocks_seconds + price.unknowns_seconds +
                  price.halo_seconds + price.moved_seconds;
  return price;
}

/// Calibration measures fused conjugate gradients: what other solvers do goes by what they do more
/// or less of. Half of the time that does not depend on the size goes to the waits for sums, half
/// to what starts and ends a product.
double PersistentPricer::share_of_waits() const {
  const PersistentNeeds calibrated;
  constexpr double of_products = 0.5;
  return of_products * needs_.products / calibrated.products +
         (1 - of_products) * needs_.waits / calibrated.waits;
}

/// A quarter of what a slice of rows costs goes to its product, the rest to passes over vectors.
double PersistentPricer::share_of_rows() const {
  constexpr double of_product = 0.25;
  const PersistentNeeds calibrated;
  return of_product * needs_.products / calibrated.products +
         (1 - of_product) * needs_.row_accesses / calibrated.row_accesses;
}

double PersistentPricer::part_seconds(std::size_t /*part*/,
                                      const TrafficParameters& parameters) const {
  return price_of_terms(parameters).seconds;
}

bool PersistentPricer::part_depends_on(std::size_t /*part*/, std::string_view /*parameter*/) const {
  return true;
}

std::vector<std::string> PersistentPricer::parameter_groups() const {
  return {"device", shared_group, shared_group + '-' + persistent_sums_key(execution_),
          std::string(to_string(precision_)) + '/' + shared_group + '-' +
              persistent_steps_key(execution_)};
}

}  // namespace sparsecast
