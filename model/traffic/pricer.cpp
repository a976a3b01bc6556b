#include "model/traffic/pricer.hpp"

namespace sparsecast {

std::optional<Traits> Pricer::product_traits(const TrafficParameters& /*parameters*/) const {
  return std::nullopt;
}

std::optional<Traits> Pricer::iteration_traits(const TrafficParameters& /*parameters*/) const {
  return std::nullopt;
}

std::optional<Traits> Pricer::persistent_traits(const TrafficParameters& /*parameters*/) const {
  return std::nullopt;
}

}  // namespace sparsecast
