#include <cstdint>
#include <iostream>
#include <nlohmann/json.hpp>
#include <string>

#include "cli/command.hpp"
#include "cli/table.hpp"
#include "core/features.hpp"
#include "core/matrix_market.hpp"

namespace sparsecast::cli {
namespace {

/// The row lengths of a histogram class.
struct LengthRange {
  std::int64_t from;
  std::int64_t to;
};
LengthRange length_range(std::size_t histogram_class) {
  if (histogram_class == 0) return {0, 0};
  const std::int64_t from = std::int64_t{1} << (histogram_class - 1);
  return {from, 2 * from - 1};
}

nlohmann::ordered_json to_json(const std::string& file, const MatrixFeatures& features) {
  nlohmann::ordered_json histogram = nlohmann::ordered_json::array();
  for (std::size_t k = 0; k < features.row_length.histogram.size(); ++k) {
    const auto [from, to] = length_range(k);
    histogram.push_back({{"from", from}, {"to", to}, {"rows", features.row_length.histogram[k]}});
  }
  nlohmann::ordered_json densities;
  nlohmann::ordered_json blocks = nlohmann::ordered_json::array();
  for (const BlockFeatures& of : features.blocks) {
    densities[std::to_string(of.block_size)] = of.block_density;
    blocks.push_back(
        {{"block", of.block_size},
         {"block_rows", of.block_rows},
         {"blocks", of.blocks},
         {"block_elements", of.block_elements},
         {"block_density", of.block_density},
         {"max_blocks_per_row", of.max_blocks_per_row},
         {"padded_elements",
          {{"natural", of.padded_elements_natural}, {"sorted", of.padded_elements_sorted}}}});
  }
  return {{"file", file},
          {"rows", features.rows},
          {"columns", features.columns},
          {"nonzeros", features.nonzeros},
          {"explicit_zeros", features.explicit_zeros},
          {"not_finite", features.not_finite},
          {"row_length",
           {{"min", features.row_length.min},
            {"mean", features.row_length.mean},
            {"max", features.row_length.max},
            {"stddev", features.row_length.stddev},
            {"histogram", histogram}}},
          {"bandwidth", features.bandwidth},
          {"pattern_symmetric", features.pattern_symmetric},
          {"symmetric", features.symmetric},
          {"diagonal",
           {{"missing", features.missing_diagonal},
            {"zero", features.zero_diagonal},
            {"negative", features.negative_diagonal}}},
          {"block_density", densities},
          {"blocks", blocks}};
}

std::string symmetry_text(const MatrixFeatures& features) {
  if (features.rows != features.columns) return "no (not square)";
  if (features.symmetric) return "pattern and values";
  return features.pattern_symmetric ? "pattern only" : "no";
}

std::string diagonal_text(const MatrixFeatures& features) {
  std::string text;
  const auto add = [&](std::int64_t count, const char* what) {
    if (count > 0) text += (text.empty() ? "" : ", ") + format_count(count) + ' ' + what;
  };
  add(features.missing_diagonal, "missing");
  add(features.zero_diagonal, "zero");
  add(features.negative_diagonal, "negative");
  return text.empty() ? "full, positive" : text;
}

void print_tables(const std::string& file, const MatrixFeatures& features) {
  const RowLengths& lengths = features.row_length;
  std::cout << file << ": " << format_count(features.rows) << " rows, "
            << format_count(features.columns) << " columns, " << format_count(features.nonzeros)
            << " nonzeros\n"
            << "explicit zeros  " << format_count(features.explicit_zeros) << '\n'
            << "symmetric       " << symmetry_text(features) << '\n'
            << "diagonal        " << diagonal_text(features) << '\n'
            << "bandwidth       " << format_count(features.bandwidth) << '\n'
            << "row length      min " << lengths.min << ", mean " << format_number(lengths.mean)
            << ", max " << lengths.max << ", standard deviation " << format_number(lengths.stddev)
            << "\n\n";

  Table row_table({"row length", "rows"});
  for (std::size_t k = 0; k < lengths.histogram.size(); ++k) {
    if (lengths.histogram[k] == 0) continue;
    const auto [from, to] = length_range(k);
    row_table.add_row(
        {from == to ? std::to_string(from) : std::to_string(from) + " to " + std::to_string(to),
         format_count(lengths.histogram[k])});
  }
  row_table.print(std::cout);
  std::cout << '\n';

  Table block_table({"block", "block rows", "blocks", "most a row", "block elements", "density",
                     "padded", "padded, sorted"});
  for (const BlockFeatures& of : features.blocks) {
    const std::string size = std::to_string(of.block_size);
    block_table.add_row({size + " x " + size, format_count(of.block_rows), format_count(of.blocks),
                         format_count(of.max_blocks_per_row), format_count(of.block_elements),
                         format_number(of.block_density), format_count(of.padded_elements_natural),
                         format_count(of.padded_elements_sorted)});
  }
  block_table.print(std::cout);
}

int run(std::span<const std::string> arguments) {
  namespace po = boost::program_options;
  CommandLine line(
      "inspect", "MATRIX [--json] [--drop-explicit-zeros]",
      "Prints what decides the speed of a matrix: size, row lengths, bandwidth, symmetry,\n"
      "diagonal, and for each block size N the nonzeros per value that N x N blocks store\n"
      "(density) and what padding adds on a GPU (thread blocks of 256 threads pad their block\n"
      "rows to the longest; sorted: block rows ordered by length first). MATRIX is a Matrix\n"
      "Market file, plain or gzip.",
      "sparsecast generate laplacian --points 27 --size 30 --out box.mtx && "
      "sparsecast inspect box.mtx");
  line.add()("matrix", po::value<std::string>(), "the matrix file (the word may be left out)")(
      "json", "print an object")("drop-explicit-zeros",
                                 "leave out entries of the file whose value is 0; by default they "
                                 "count as nonzeros");
  line.positional("matrix", 1);
  if (!line.parse(arguments)) return 0;

  const std::string& file = line.get<std::string>("matrix");
  MatrixMarketOptions options;
  options.drop_explicit_zeros = line.has("drop-explicit-zeros");
  const MatrixMarketFile read = read_matrix_market(file, options);
  const MatrixFeatures features = compute_features<double>(read.matrix);
  if (features.not_finite > 0) {
    warn(file + ": " + format_count(features.not_finite) + " values are NaN or infinite");
  }
  if (line.has("json")) {
    std::cout << to_json(file, features).dump(2) << '\n';
  } else {
    print_tables(file, features);
  }
  return 0;
}

}  // namespace

extern const Command inspect_command;
const Command inspect_command{"inspect", "what decides the speed of a matrix", run};

}  // namespace sparsecast::cli
