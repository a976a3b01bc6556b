#include "predict/forecast/traffic/estimated_exchange.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdlib>

#include "core/analysis/estimated_access.hpp"

namespace sparsecast {
namespace {

/// Those of one of several devices with so many consecutive rows each that looks up so many values
/// on each side, the nearest first, where there are devices.
std::vector<Neighbour> slab_neighbours(double on_a_side, double own, int device, int devices) {
  const auto reach = static_cast<int>(std::min(std::ceil(on_a_side / own), devices - 1.0));
  std::vector<Neighbour> neighbours;
  const int last = std::min(device + reach, devices - 1);
  for (int other = std::max(device - reach, 0); other <= last; ++other) {
    if (other == device) continue;
    const int between = std::abs(other - device) - 1;
    const double values = std::min(own, on_a_side - between * own);
    neighbours.push_back({other, values, values});
  }
  return neighbours;
}

constexpr int most_dimensions = 3;
using Place = std::array<int, most_dimensions>;

/// The parts that a box has when it is halved along its dimensions in turn until there are enough
/// parts: the bits of a part's number are those of its place, interleaved.
class HalvedBox {
 public:
  HalvedBox(int parts, int dimensions) : parts_(parts), dimensions_(dimensions) {
    const int halvings = std::bit_width(static_cast<unsigned>(parts - 1));
    for (int bit = 0; bit < halvings; ++bit) sides_[axis(bit)] *= 2;
  }

  /// Parts whose corners touch this one's, with whether a face does.
  template <class Visit>
  void each_neighbour(int part, const Visit& visit) const {
    const Place place = place_of(part);
    for (int z = -1; z <= 1; ++z) {
      for (int y = -1; y <= 1; ++y) {
        for (int x = -1; x <= 1; ++x) {
          const int along = std::abs(x) + std::abs(y) + std::abs(z);
          const int other = part_at({place[0] + x, place[1] + y, place[2] + z});
          if (along > 0 && other >= 0 && other < parts_) visit(other, along == 1);
        }
      }
    }
  }

 private:
  std::size_t axis(int bit) const { return static_cast<std::size_t>(bit % dimensions_); }

  Place place_of(int part) const {
    Place place{};
    for (int bit = 0; (part >> bit) != 0; ++bit) {
      place[axis(bit)] |= (part >> bit & 1) << (bit / dimensions_);
    }
    return place;
  }

  /// -1 beside the box.
  int part_at(const Place& place) const {
    int part = 0;
    for (std::size_t k = 0; k < place.size(); ++k) {
      if (place[k] < 0 || place[k] >= sides_[k]) return -1;
      for (int bit = 0; (place[k] >> bit) != 0; ++bit) {
        part |= (place[k] >> bit & 1) << (bit * dimensions_ + static_cast<int>(k));
      }
    }
    return part;
  }

  int parts_;
  int dimensions_;
  Place sides_{1, 1, 1};
};

/// Of a matrix that is no mesh: those with the nearest numbers, all alike.
std::vector<std::vector<Neighbour>> nearest_neighbours(int devices, int count, double halo) {
  std::vector<std::vector<Neighbour>> all(static_cast<std::size_t>(devices));
  const double values = halo / count;
  for (int device = 0; device < devices; ++device) {
    const int first = std::clamp(device - count / 2, 0, devices - 1 - count);
    for (int other = first; other <= first + count; ++other) {
      if (other == device) continue;
      all[static_cast<std::size_t>(device)].push_back({other, values, values});
    }
  }
  return all;
}

/// A face of each neighbour carries as much as another; edges and corners carry next to nothing.
std::vector<std::vector<Neighbour>> compact_neighbours(const MatrixNumbers& numbers, int devices,
                                                       double halo) {
  const auto dimensions = static_cast<int>(std::lround(estimate_dimension(numbers)));
  const auto count = static_cast<int>(std::lround(estimate_compact_neighbours(numbers, devices)));
  constexpr int most_around_a_box = 26;
  if (count > most_around_a_box) return nearest_neighbours(devices, count, halo);
  const HalvedBox box(devices, dimensions);
  std::vector<std::vector<Neighbour>> all(static_cast<std::size_t>(devices));
  std::ptrdiff_t most_faces = 1;
  const auto faces_of = [](const std::vector<Neighbour>& of_device) {
    return std::ranges::count_if(of_device, [](const Neighbour& each) { return each.sent > 0; });
  };
  for (int device = 0; device < devices; ++device) {
    std::vector<Neighbour>& of_device = all[static_cast<std::size_t>(device)];
    box.each_neighbour(device, [&](int other, bool face) {
      of_device.push_back({other, face ? 1.0 : 0.0, face ? 1.0 : 0.0});
    });
    most_faces = std::max(most_faces, faces_of(of_device));
    std::ranges::sort(of_device, {}, &Neighbour::device);
  }
  const double of_a_face = halo / static_cast<double>(most_faces);
  for (std::vector<Neighbour>& of_device : all) {
    for (Neighbour& each : of_device) {
      each.received *= of_a_face;
      each.sent *= of_a_face;
    }
  }
  return all;
}

}  // namespace

EstimatedExchange estimate_exchange(const MatrixNumbers& numbers, int devices, ExchangeMode mode,
                                    Parts parts) {
  const double own = numbers.rows / devices;
  EstimatedExchange exchange;
  exchange.halo = parts == Parts::compact ? estimate_compact_halo(numbers, devices)
                                          : estimate_halo(numbers, devices);
  const bool halos = exchanges_halos(mode);
  const double others = numbers.rows - own;
  exchange.received = halos ? exchange.halo : others;
  exchange.sent = halos ? exchange.halo : mode == ExchangeMode::staged ? own : others;
  // About as many rows look up values of others as there are such values.
  exchange.interior_rows = std::max(0.0, own - exchange.halo);
  exchange.neighbours.resize(static_cast<std::size_t>(devices));
  if (!halos || devices < 2) return exchange;
  if (parts == Parts::compact) {
    exchange.neighbours = compact_neighbours(numbers, devices, exchange.halo);
    return exchange;
  }
  const double on_a_side = devices == 2 ? exchange.halo : exchange.halo / 2;
  for (int device = 0; device < devices; ++device) {
    exchange.neighbours[static_cast<std::size_t>(device)] =
        slab_neighbours(on_a_side, own, device, devices);
  }
  return exchange;
}

}  // namespace sparsecast
