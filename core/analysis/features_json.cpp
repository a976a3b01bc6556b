#include "core/analysis/features_json.hpp"

#include <cstdint>
#include <string>

namespace sparsecast {

namespace {

JsonObject to_json(const RowLengths& lengths) {
  JsonArray histogram;
  for (std::size_t k = 0; k < lengths.histogram.size(); ++k) {
    const auto [from, to] = row_length_range(k);
    histogram.add(JsonObject{{"from", from}, {"to", to}, {"rows", lengths.histogram[k]}});
  }
  return {{"min", lengths.min},
          {"mean", lengths.mean},
          {"max", lengths.max},
          {"stddev", lengths.stddev},
          {"histogram", histogram}};
}

JsonObject to_json(const BlockFeatures& of) {
  return {{"block", of.block_size},
          {"block_rows", of.block_rows},
          {"blocks", of.blocks},
          {"block_elements", of.block_elements},
          {"block_density", of.block_density},
          {"max_blocks_per_row", of.max_blocks_per_row},
          {"padded_elements", JsonObject{{"natural", of.padded_elements_natural},
                                         {"sorted", of.padded_elements_sorted}}}};
}

}  // namespace

JsonObject to_json(const MatrixFeatures& features) {
  JsonObject densities;
  JsonArray blocks;
  for (const BlockFeatures& of : features.blocks) {
    densities.add(std::to_string(of.block_size), of.block_density);
    blocks.add(to_json(of));
  }
  JsonObject counts;
  for (const auto& [format, counted] : features.format_counts) {
    JsonObject of_format;
    for (const auto& [name, count] : counted) of_format.add(name, static_cast<std::int64_t>(count));
    counts.add(format, of_format);
  }
  return {{"rows", features.rows},
          {"columns", features.columns},
          {"nonzeros", features.nonzeros},
          {"explicit_zeros", features.explicit_zeros},
          {"not_finite", features.not_finite},
          {"row_length", to_json(features.row_length)},
          {"bandwidth", features.bandwidth},
          {"pattern_symmetric", features.pattern_symmetric},
          {"symmetric", features.symmetric},
          {"diagonal", JsonObject{{"missing", features.missing_diagonal},
                                  {"zero", features.zero_diagonal},
                                  {"negative", features.negative_diagonal}}},
          {"block_density", densities},
          {"blocks", blocks},
          {"format_counts", counts}};
}

}  // namespace sparsecast
