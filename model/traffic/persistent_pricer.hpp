#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/base/precision.hpp"
#include "core/workload/gpu_execution.hpp"
#include "core/workload/persistent_needs.hpp"
#include "model/traffic/pricer.hpp"
#include "model/traffic/traffic_case.hpp"

/// @file
/// The price of a kernel that stays on the GPU for all iterations: each of its thread blocks works
/// on a segment of rows, with as much of it in shared memory as fits
/// (`core/analysis/persistent_cut.hpp`).

namespace sparsecast {

/// How its thread blocks add sums up, a key of `TrafficParameters::persistent_sums`: "cluster"
/// where they are one, else "grid".
std::string persistent_sums_key(const PersistentExecution& execution);

/// In which blocks it keeps the matrix, a key of `TrafficParameters::persistent_steps`: "csr" or
/// "bcsr3".
std::string persistent_steps_key(const PersistentExecution& execution);

/// What such a kernel has to do on one matrix, counted once, for prices with any parameters.
class PersistentPricer final : public Pricer {
 public:
  /// `needs`: what its solver keeps.
  PersistentPricer(const TrafficCase& segment, Precision precision, const PersistentNeeds& needs);

  /// Of an iteration. Throws `Error` where there is no such kernel, or that names what the
  /// parameters lack.
  TrafficPrice price(const TrafficParameters& parameters) const override;
  /// One, which depends on all parameters.
  std::size_t part_count() const override { return 1; }
  double part_seconds(std::size_t part, const TrafficParameters& parameters) const override;
  bool part_depends_on(std::size_t part, std::string_view parameter) const override;
  std::vector<std::string> parameter_groups() const override;
  std::optional<Traits> persistent_traits(const TrafficParameters& parameters) const override;

 private:
  void count_rows(const TrafficCase& segment);
  void count_moved(const TrafficCase& segment);
  void count_halo(const TrafficCase& segment);
  double share_of_waits() const;
  double share_of_rows() const;
  TrafficPrice price_of_terms(const TrafficParameters& parameters) const;
  Traits traits_of(const TrafficPrice& terms) const;

  PersistentExecution execution_;
  PersistentNeeds needs_;
  Precision precision_;
  double warps_ = 1;           ///< of a thread block
  double blocks_ = 1;          ///< thread blocks
  double rows_of_thread_ = 0;  ///< unknowns
  double slices_of_warp_ = 0;  ///< of rows, begun
  double doublings_ = 0;       ///< log2 of the lanes that share the longest row
  double load_rounds_ = 0;     ///< of matrix from beyond shared memory, one after the other
  double matrix_bytes_ = 0;    ///< that move
  double vector_bytes_ = 0;    ///< that move
  double spilled_waits_ = 0;   ///< of a thread of the segment that moves most, for vectors
  double halo_sectors_ = 0;    ///< of all segments
  double uneven_halo_ = 0;     ///< values of the largest segment beyond the mean
  double uneven_lines_ = 0;    ///< lines that they come in
  double halo_rounds_ = 0;     ///< of its loads, after those behind the sums
};

}  // namespace sparsecast
