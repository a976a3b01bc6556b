#include "core/analysis/counted/product_counts_json.hpp"

#include <algorithm>
#include <array>
#include <string>

namespace sparsecast {
namespace {

using Names = std::vector<std::string>;

JsonObject to_json(const ProductCounts& counts) {
  JsonObject json{{"lanes", counts.lanes},
                  {"rows_per_block", counts.rows_per_block},
                  {"longest_short_row", counts.longest_short_row},
                  {"passes", amount_json(counts.loads.passes)},
                  {"lines", amount_json(counts.loads.lines)}};
  if (counts.streams) json.add("streams", true);
  if (counts.long_rows > 0) {
    JsonArray pieces;
    for (const PieceCounts& cut : counts.pieces) {
      pieces.add(JsonObject{{"length", cut.length},
                            {"pieces", cut.pieces},
                            {"passes", amount_json(cut.loads.passes)},
                            {"lines", amount_json(cut.loads.lines)},
                            {"sectors", amount_json(cut.loads.piece_sectors)}});
    }
    json.add("long_rows", counts.long_rows)
        .add("spared_sectors", amount_json(counts.loads.spared_sectors))
        .add("cut", pieces);
  }
  return json;
}

ProductCounts read_counts(const JsonPlace& object) {
  object.allow_only(Names{"lanes", "rows_per_block", "longest_short_row", "passes", "lines",
                          "streams", "long_rows", "spared_sectors", "cut"});
  ProductCounts counts;
  const JsonPlace lanes = object.at("lanes");
  constexpr std::array powers{1, 2, 4, 8, 16, 32};
  if (std::ranges::count(powers, lanes.count()) == 0) lanes.refuse("expected 1, 2, 4, 8, 16 or 32");
  counts.lanes = static_cast<int>(lanes.count());
  counts.rows_per_block = object.at("rows_per_block").count();
  counts.longest_short_row = object.at("longest_short_row").count();
  counts.loads = {object.at("passes").amount(), object.at("lines").amount()};
  if (const auto streams = object.find("streams")) counts.streams = streams->truth();
  if (const auto long_rows = object.find("long_rows")) {
    counts.long_rows = long_rows->count();
    if (const auto spared = object.find("spared_sectors")) {
      counts.loads.spared_sectors = spared->amount();
    }
    for (const JsonPlace& cut : object.at("cut").elements()) {
      cut.allow_only(Names{"length", "pieces", "passes", "lines", "sectors"});
      counts.pieces.push_back({cut.at("length").count(),
                               cut.at("pieces").count(),
                               {cut.at("passes").amount(), cut.at("lines").amount()}});
      if (const auto sectors = cut.find("sectors")) {
        counts.pieces.back().loads.piece_sectors = sectors->amount();
      }
    }
  }
  return counts;
}

}  // namespace

JsonObject to_json(const std::map<Precision, std::vector<ProductCounts>>& products) {
  JsonObject json;
  for (const auto& [precision, ways] : products) {
    JsonArray array;
    for (const ProductCounts& way : ways) array.add(to_json(way));
    json.add(to_string(precision), array);
  }
  return json;
}

std::map<Precision, std::vector<ProductCounts>> read_products(const JsonPlace& object) {
  object.allow_only(Names{"f32", "f64"});
  std::map<Precision, std::vector<ProductCounts>> products;
  for (const Precision precision : {Precision::f32, Precision::f64}) {
    for (const JsonPlace& way : object.at(std::string(to_string(precision))).elements()) {
      products[precision].push_back(read_counts(way));
    }
  }
  return products;
}

}  // namespace sparsecast
