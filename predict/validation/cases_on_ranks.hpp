#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>

#include "core/base/precision.hpp"
#include "core/engine/backend.hpp"
#include "core/engine/ranks/communicator.hpp"
#include "core/engine/ranks/rank_matrix.hpp"
#include "core/workload/launch_mode.hpp"
#include "predict/validation/case_measurement.hpp"
#include "predict/validation/validation_request.hpp"
#include "predict/validation/validation_supply.hpp"

namespace sparsecast {

/// Cases that ranks measure together, with a device each. Rank 0 has the matrices, which their
/// forecasts need whole; it says which case comes next, and sends the others their rows. All of
/// them have the same request.
class CasesOnRanks {
 public:
  /// What runs a part on this rank, in a launch mode.
  using OpenBackend = std::function<std::unique_ptr<Backend>(const RankPart&, LaunchMode)>;

  /// Throws what `open` does, so that ranks which cannot run together say so at once. All ranks
  /// call it. `request` stays where it is.
  CasesOnRanks(Communicator& ranks, const ValidationRequest& request, OpenBackend open);

  /// Rank 0: measures a case of a matrix. Throws `Error` where all ranks say that it cannot be
  /// measured, and `std::runtime_error` where only some do: those do not go on together.
  CaseMeasurement measure(const ValidationInput& input, const ValidationRow& row,
                          LaunchMode launch);
  /// Rank 0: goes on to another matrix, where the last one was.
  void forget_matrix() { cut_.reset(); }
  /// Rank 0: tells the others that it is there, who wait for it no longer than for any rank.
  void keep_waiting();
  /// Rank 0: there are no more cases.
  void finish();

  /// The others: take part until rank 0 has finished. Throws `std::runtime_error` as above.
  void serve();

 private:
  enum class Task { wait, measure, finish };
  /// What rank 0 tells the others.
  struct Order {
    Task task = Task::wait;
    bool cuts = false;       ///< the matrix comes first
    std::size_t solver = 0;  ///< of the request's
    std::size_t layout = 0;  ///< `layout_index`
    Precision precision = Precision::f64;
  };
  /// For which the matrix has been cut into parts.
  struct Cut {
    int block_size = 1;
    bool by_transpose = false;
    int rows_together = 1;
    friend bool operator==(const Cut&, const Cut&) = default;
  };

  Cut cut_for(std::size_t solver, const Layout& layout) const;
  CaseMeasurement carry_out(const Order& order, const CsrView<double>& whole);
  CaseMeasurement measure_part(const Order& order, const CsrView<double>& whole);

  Communicator& ranks_;
  const ValidationRequest& request_;
  const OpenBackend open_;
  std::optional<Cut> cut_;
  RankMatrix mine_;
  std::map<LaunchMode, std::unique_ptr<Backend>> backends_;  ///< of `mine_`
};

}  // namespace sparsecast
