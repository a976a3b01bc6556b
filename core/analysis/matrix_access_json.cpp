#include "core/analysis/matrix_access_json.hpp"

#include <algorithm>
#include <cstddef>
#include <string>
#include <vector>

namespace sparsecast {
namespace {

std::size_t place_of(int block_size) {
  return static_cast<std::size_t>(std::ranges::find(block_sizes, block_size) - block_sizes.begin());
}

JsonObject to_json(const BlockRowCounts& rows, int block_size) {
  return {{"block", block_size},
          {"below", -rows.reach.below},
          {"above", rows.reach.above},
          {"warp_steps", amounts_json(rows.warp_steps_natural)},
          {"warp_steps_sorted", amounts_json(rows.warp_steps_sorted)},
          {"longest", amount_json(rows.longest)},
          {"deviation", amount_json(rows.deviation)}};
}

BlockRowCounts read_rows(const JsonPlace& object, int block_size) {
  object.allow_only(std::vector<std::string>{"block", "below", "above", "warp_steps",
                                             "warp_steps_sorted", "longest", "deviation"});
  if (object.at("block").count() != block_size) {
    object.at("block").refuse("expected " + std::to_string(block_size));
  }
  BlockRowCounts rows;
  rows.reach = {-object.at("below").count(), object.at("above").count()};
  object.at("warp_steps").fill(rows.warp_steps_natural);
  object.at("warp_steps_sorted").fill(rows.warp_steps_sorted);
  rows.longest = object.at("longest").amount();
  rows.deviation = object.at("deviation").amount();
  return rows;
}

using SectorGathers = decltype(AccessCounts::lookups_f32);

/// Zeros at the end, that no sector was gathered so far back, are left out.
JsonObject to_json(const SectorGathers& gathers) {
  std::size_t count = gathers.size() - 1;
  while (count > 0 && gathers[count - 1] == 0) --count;
  return {{"again", amounts_json(std::span(gathers).first(count))},
          {"new", amount_json(gathers.back())}};
}

SectorGathers read_gathers(const JsonPlace& object) {
  object.allow_only(std::vector<std::string>{"again", "new"});
  SectorGathers gathers{};
  const JsonPlace again = object.at("again");
  const std::size_t count = again.elements().size();
  if (count >= gathers.size()) {
    again.refuse("expected at most " + std::to_string(gathers.size() - 1) + " numbers, found " +
                 std::to_string(count));
  }
  again.fill(std::span(gathers).first(count));
  gathers.back() = object.at("new").amount();
  return gathers;
}

}  // namespace

JsonObject to_json(const MatrixAccess& access, std::span<const int> sizes) {
  const AccessCounts& counts = access.counts();
  JsonArray rows;
  for (const int size : sizes) rows.add(to_json(counts.rows[place_of(size)], size));
  return {{"gathers",
           JsonObject{{"f32", to_json(counts.lookups_f32)}, {"f64", to_json(counts.lookups_f64)}}},
          {"bandwidth", amount_json(counts.bandwidth)},
          {"rows", rows}};
}

MatrixAccess read_access(const JsonPlace& object, std::span<const int> sizes) {
  object.allow_only(std::vector<std::string>{"gathers", "bandwidth", "rows"});
  AccessCounts counts;
  const JsonPlace gathers = object.at("gathers");
  gathers.allow_only(std::vector<std::string>{"f32", "f64"});
  counts.lookups_f32 = read_gathers(gathers.at("f32"));
  counts.lookups_f64 = read_gathers(gathers.at("f64"));
  counts.bandwidth = object.at("bandwidth").amount();
  const std::vector<JsonPlace> rows = object.at("rows").elements();
  if (rows.size() != sizes.size()) {
    object.at("rows").refuse("expected " + std::to_string(sizes.size()) + " objects, found " +
                             std::to_string(rows.size()));
  }
  for (std::size_t k = 0; k < sizes.size(); ++k) {
    counts.rows[place_of(sizes[k])] = read_rows(rows[k], sizes[k]);
  }
  return MatrixAccess(std::move(counts));
}

}  // namespace sparsecast
