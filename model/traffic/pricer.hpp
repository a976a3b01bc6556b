#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "model/traffic/residual.hpp"
#include "model/traffic/traffic_parameters.hpp"
#include "model/traffic/traffic_price.hpp"

namespace sparsecast {

/// Prices the iterations of one schedule on one segment in the steady state, with any parameters:
/// what does not depend on them is worked out once. There is one for each way in which iterations
/// run: kernels on a GPU (`model/traffic/gpu_pricer.hpp`), one kernel for all iterations
/// (`model/traffic/persistent_pricer.hpp`), and on a CPU (`model/traffic/cpu_pricer.hpp`).
class Pricer {
 public:
  Pricer() = default;
  Pricer(const Pricer&) = delete;
  Pricer& operator=(const Pricer&) = delete;
  virtual ~Pricer() = default;

  /// Throws `Error` that names what the parameters lack.
  virtual TrafficPrice price(const TrafficParameters& parameters) const = 0;

  /// What `price(parameters).seconds` adds up where nothing is known to be left of iterations: each
  /// step, and last all that comes beside them. A fit that changes one parameter prices again only
  /// what depends on it.
  virtual std::size_t part_count() const = 0;
  virtual double part_seconds(std::size_t part, const TrafficParameters& parameters) const = 0;
  /// False where the part is the same with any value of this parameter ("CG4-f32/fixed").
  virtual bool part_depends_on(std::size_t part, std::string_view parameter) const = 0;

  /// The groups of parameters that the price depends on ("device", "CG4-f64", "f64/csr"), in the
  /// order of `parameter_list`.
  virtual std::vector<std::string> parameter_groups() const = 0;

  /// Of one product of ours alone, on a GPU; of anything else nothing.
  virtual std::optional<Traits> product_traits(const TrafficParameters& parameters) const;
  /// Of an iteration of several kernels with a product, as a graph on a GPU; of anything else
  /// nothing.
  virtual std::optional<Traits> iteration_traits(const TrafficParameters& parameters) const;
  /// Of an iteration of one kernel for all of them; of anything else nothing.
  virtual std::optional<Traits> persistent_traits(const TrafficParameters& parameters) const;
};

}  // namespace sparsecast
