#include "core/analysis/counted/segment_counts_json.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "core/analysis/counted/product_counts_json.hpp"
#include "core/analysis/matrix_access_json.hpp"

namespace sparsecast {
namespace {

using Names = std::vector<std::string>;

/// An array for each number: there may be thousands of devices.
JsonObject to_json(const std::vector<CountedNeighbour>& neighbours) {
  JsonArray devices;
  JsonArray received;
  JsonArray sent;
  for (const CountedNeighbour& one : neighbours) {
    devices.add(one.device);
    received.add(one.halo.received);
    sent.add(one.halo.sent);
  }
  return {{"devices", devices}, {"received", received}, {"sent", sent}};
}

/// Those of a device, one of so many, that exchanges so much with them.
std::vector<CountedNeighbour> read_neighbours(const JsonPlace& object, int device, int devices,
                                              const ExchangedValues& halo) {
  object.allow_only(Names{"devices", "received", "sent"});
  const std::vector<JsonPlace> places = object.at("devices").elements();
  const std::vector<JsonPlace> received = object.at("received").elements();
  const std::vector<JsonPlace> sent = object.at("sent").elements();
  if (received.size() != places.size() || sent.size() != places.size()) {
    object.refuse("expected as many numbers received and sent as devices");
  }
  HaloCounts counts;
  for (std::size_t k = 0; k < places.size(); ++k) {
    const std::int64_t other = places[k].count();
    const std::int64_t least = k == 0 ? 0 : std::int64_t{counts.neighbours.back().device} + 1;
    if (other < least || other >= devices || other == device) {
      places[k].refuse("expected other devices of " + std::to_string(devices) + ", rising");
    }
    counts.neighbours.push_back({static_cast<int>(other), {received[k].count(), sent[k].count()}});
  }
  if (counts.exchanged() != halo) object.refuse("is together another halo than that of 'halo'");
  return counts.neighbours;
}

}  // namespace

JsonObject to_json(const PatternNumbers& numbers, const Layout& layout) {
  JsonObject json{{"rows", amount_json(numbers.rows)}, {"nonzeros", amount_json(numbers.nonzeros)}};
  if (layout.block_size > 1) json.add("blocks", amount_json(numbers.blocks_of(layout.block_size)));
  if (!numbers.counts.empty()) {
    JsonObject counts;
    for (const auto& [name, count] : numbers.counts) counts.add(name, amount_json(count));
    json.add("counts", counts);
  }
  return json;
}

PatternNumbers read_numbers(const JsonPlace& object, const Layout& layout, double columns) {
  object.allow_only(Names{"rows", "nonzeros", "blocks", "counts"});
  PatternNumbers numbers;
  numbers.columns = columns;
  numbers.rows = static_cast<double>(object.at("rows").count());
  if (numbers.rows > columns) object.at("rows").refuse("are more than the matrix has");
  numbers.nonzeros = static_cast<double>(object.at("nonzeros").count());
  if (layout.block_size > 1) {
    const auto place = std::ranges::find(block_sizes, layout.block_size) - block_sizes.begin();
    const auto blocks = static_cast<double>(object.at("blocks").count());
    if (blocks > numbers.nonzeros) object.at("blocks").refuse("are more than there are nonzeros");
    numbers.blocks[static_cast<std::size_t>(place)] = blocks;
  }
  if (const auto counts = object.find("counts")) {
    for (const std::string& name : counts->keys()) {
      numbers.counts[name] = static_cast<double>(counts->at(name).count());
    }
  }
  return numbers;
}

JsonObject to_json(const SegmentCounts& counts, const Layout& layout) {
  const std::array sizes{layout.block_size};
  JsonObject json{{"numbers", to_json(counts.numbers, layout)},
                  {"halo", JsonObject{{"received", counts.exchanged.halo.received},
                                      {"sent", counts.exchanged.halo.sent}}}};
  if (counts.neighbours) json.add("neighbours", to_json(*counts.neighbours));
  return json.add_members({{"interior_rows", amount_json(counts.interior_rows)},
                           {"access", to_json(counts.access, sizes)},
                           {"products", to_json(counts.products)}});
}

SegmentCounts read_segment(const JsonPlace& object, const Layout& layout, double columns,
                           int device, int devices) {
  object.allow_only(Names{"numbers", "halo", "neighbours", "interior_rows", "access", "products"});
  SegmentCounts counts;
  counts.numbers = read_numbers(object.at("numbers"), layout, columns);
  const JsonPlace halo = object.at("halo");
  halo.allow_only(Names{"received", "sent"});
  counts.exchanged = exchange_volume(static_cast<std::int64_t>(counts.numbers.rows),
                                     static_cast<std::int64_t>(columns), devices - 1,
                                     {halo.at("received").count(), halo.at("sent").count()});
  if (const auto neighbours = object.find("neighbours")) {
    counts.neighbours = read_neighbours(*neighbours, device, devices, counts.exchanged.halo);
  }
  counts.interior_rows = static_cast<double>(object.at("interior_rows").count());
  const std::array sizes{layout.block_size};
  counts.access = read_access(object.at("access"), sizes);
  counts.products = read_products(object.at("products"));
  return counts;
}

}  // namespace sparsecast
