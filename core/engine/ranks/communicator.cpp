#include "core/engine/ranks/communicator.hpp"

#include <algorithm>
#include <vector>

namespace sparsecast {

// Up a binomial tree to rank 0, and down again.
template <class Combine>
void Communicator::combine(std::span<double> values, const Combine& combine) {
  const auto bytes = std::as_writable_bytes(values);
  std::vector<double> other(values.size());
  int step = 1;
  for (; step < size(); step *= 2) {
    if (rank() % (2 * step) != 0) {
      const OutgoingBytes up{rank() - step, bytes};
      exchange({&up, 1}, {});
      const IncomingBytes down{rank() - step, bytes};
      exchange({}, {&down, 1});
      break;
    }
    if (rank() + step >= size()) continue;
    const IncomingBytes from_child{rank() + step, std::as_writable_bytes(std::span(other))};
    exchange({}, {&from_child, 1});
    for (std::size_t i = 0; i < values.size(); ++i) values[i] = combine(values[i], other[i]);
  }
  std::vector<OutgoingBytes> to_children;
  for (step /= 2; step > 0; step /= 2) {
    if (rank() + step < size()) to_children.push_back({rank() + step, bytes});
  }
  exchange(to_children, {});
}

void Communicator::sum(std::span<double> values) {
  combine(values, [](double a, double b) { return a + b; });
}

double Communicator::sum(double value) {
  sum({&value, 1});
  return value;
}

double Communicator::minimum(double value) {
  combine({&value, 1}, [](double a, double b) { return std::min(a, b); });
  return value;
}

double Communicator::maximum(double value) {
  return -minimum(-value);
}

void Communicator::barrier() {
  sum(0);
}

}  // namespace sparsecast
