#include "core/analysis/features_json.hpp"

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

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

using Names = std::vector<std::string>;

RowLengths read_row_lengths(const JsonPlace& object) {
  object.allow_only(Names{"min", "mean", "max", "stddev", "histogram"});
  RowLengths lengths;
  lengths.min = object.at("min").count();
  lengths.mean = object.at("mean").amount();
  lengths.max = object.at("max").count();
  lengths.stddev = object.at("stddev").amount();
  for (const JsonPlace& place : object.at("histogram").elements()) {
    place.allow_only(Names{"from", "to", "rows"});
    lengths.histogram.push_back(place.at("rows").count());
  }
  return lengths;
}

/// `object` is the one of this block size. Its counts are bounded by those of the matrix, so that
/// no arithmetic with them overflows.
BlockFeatures read_block(const JsonPlace& object, int block_size, const MatrixFeatures& matrix) {
  object.allow_only(Names{"block", "block_rows", "blocks", "block_elements", "block_density",
                          "max_blocks_per_row", "padded_elements"});
  BlockFeatures of;
  of.block_size = block_size;
  if (object.at("block").count() != block_size) {
    object.at("block").refuse("expected " + std::to_string(block_size));
  }
  of.block_rows = object.at("block_rows").count();
  if (of.block_rows != (matrix.rows + block_size - 1) / block_size) {
    object.at("block_rows").refuse("does not go with the number of rows");
  }
  of.blocks = object.at("blocks").count();
  if (of.blocks > matrix.nonzeros) object.at("blocks").refuse("are more than there are nonzeros");
  of.block_elements = object.at("block_elements").count();
  of.block_density = object.at("block_density").amount();
  of.max_blocks_per_row = object.at("max_blocks_per_row").count();
  const JsonPlace padded = object.at("padded_elements");
  padded.allow_only(Names{"natural", "sorted"});
  of.padded_elements_natural = padded.at("natural").count();
  of.padded_elements_sorted = padded.at("sorted").count();
  return of;
}

/// What `to_json` writes for people beside the counts that it follows from.
constexpr const char* densities_key = "block_density";

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
          {densities_key, densities},
          {"blocks", blocks},
          {"format_counts", counts}};
}

MatrixFeatures read_features(const JsonPlace& object) {
  object.allow_only(Names{"rows", "columns", "nonzeros", "explicit_zeros", "not_finite",
                          "row_length", "bandwidth", "pattern_symmetric", "symmetric", "diagonal",
                          densities_key, "blocks", "format_counts"});
  MatrixFeatures features;
  const auto count = [&](const char* key, std::int64_t most) {
    const JsonPlace place = object.at(key);
    const std::int64_t found = place.count();
    if (found > most) place.refuse("expected at most " + std::to_string(most));
    return found;
  };
  constexpr std::int64_t most_rows = std::int64_t{1} << 31;
  features.rows = count("rows", most_rows);
  features.columns = count("columns", most_rows);
  constexpr auto most_nonzeros = static_cast<std::int64_t>(1e15);  // beyond any machine's memory
  features.nonzeros = count("nonzeros", most_nonzeros);
  if (features.rows > 0 ? features.nonzeros / features.rows > features.columns
                        : features.nonzeros > 0) {
    object.at("nonzeros").refuse("are more than the matrix has places");
  }
  features.explicit_zeros = count("explicit_zeros", features.nonzeros);
  features.not_finite = count("not_finite", features.nonzeros);
  features.row_length = read_row_lengths(object.at("row_length"));
  features.bandwidth = count("bandwidth", most_rows);
  features.pattern_symmetric = object.at("pattern_symmetric").truth();
  features.symmetric = object.at("symmetric").truth();
  const JsonPlace diagonal = object.at("diagonal");
  diagonal.allow_only(Names{"missing", "zero", "negative"});
  features.missing_diagonal = diagonal.at("missing").count();
  features.zero_diagonal = diagonal.at("zero").count();
  features.negative_diagonal = diagonal.at("negative").count();
  const std::vector<JsonPlace> blocks = object.at("blocks").elements();
  if (blocks.size() != block_sizes.size()) {
    object.at("blocks").refuse("expected " + std::to_string(block_sizes.size()) + " objects");
  }
  for (std::size_t k = 0; k < blocks.size(); ++k) {
    features.blocks[k] = read_block(blocks[k], block_sizes[k], features);
  }
  const JsonPlace counts = object.at("format_counts");
  for (const std::string& format : counts.keys()) {
    const JsonPlace counted = counts.at(format);
    for (const std::string& name : counted.keys()) {
      features.format_counts[format][name] = static_cast<double>(counted.at(name).count());
    }
  }
  return features;
}

}  // namespace sparsecast
