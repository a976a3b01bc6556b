#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <iostream>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "cli/command.hpp"
#include "cli/command_files.hpp"
#include "cli/counting/iteration_counts.hpp"
#include "cli/features_output.hpp"
#include "cli/layout_options.hpp"
#include "cli/matrix_source.hpp"
#include "cli/own_schedule.hpp"
#include "cli/reports/json_output.hpp"
#include "cli/reports/matrix_report.hpp"
#include "cli/reports/partition_report.hpp"
#include "cli/reports/printable.hpp"
#include "cli/reports/prose.hpp"
#include "cli/reports/table.hpp"
#include "cli/reports/table_options.hpp"
#include "cli/reports/verbosity.hpp"
#include "core/analysis/features.hpp"
#include "core/analysis/features_json.hpp"
#include "core/analysis/matrix_access.hpp"
#include "core/analysis/matrix_numbers.hpp"
#include "core/analysis/matrix_numbers_json.hpp"
#include "core/analysis/partition_json.hpp"
#include "core/analysis/vector_reuse.hpp"
#include "core/base/files/file_output.hpp"
#include "core/base/text/json_text.hpp"
#include "core/formats/registry.hpp"
#include "core/matrix/files/file_kind.hpp"
#include "core/matrix/renumbering.hpp"
#include "predict/matrix_orders.hpp"

namespace sparsecast::cli {
namespace {

/// What a format that counts something itself would store: "5 diagonals, 320 stored elements,
/// density 0.10".
std::string stored_text(const MatrixFeatures& features, const Layout& layout) {
  std::string text;
  // Counts of several layouts are told by what each stores.
  if (usual_layouts_of(format_of(layout)).size() == 1) {
    for (const auto& [name, count] : features.numbers(layout.format).counts) {
      text +=
          format_counted(static_cast<std::int64_t>(count), name.substr(0, name.size() - 1)) + ", ";
    }
  }
  const double elements = features.shape(layout).elements;
  text += format_counted(static_cast<std::int64_t>(elements), "stored element");
  if (elements > 0) {
    text += ", density " + format_number(static_cast<double>(features.nonzeros) / elements);
  }
  return text;
}

void print_tables(std::ostream& out, const std::string& file, const MatrixFeatures& features,
                  const MatrixAccess& access, const RowNumbers& numbers, TableStyle style) {
  const RowLengths& lengths = features.row_length;
  std::vector<std::pair<std::string, std::string>> lines{
      {"explicit zeros", format_count(features.explicit_zeros)},
      {"symmetric", symmetry_text(features)},
      {"diagonal", diagonal_text(features)},
      {"bandwidth", format_count(features.bandwidth)},
      {"row length", row_length_text(lengths)},
      {"mean distance", format_number(*numbers.mean_distance) + " from the diagonal"},
      {"neighbours", format_number(*numbers.neighbours) + " of an entry in its row"},
      {"row similarity", format_number(*numbers.similarity)}};
  for (const Layout& layout : usual_layouts()) {
    if (format_of(layout).count == nullptr) continue;
    lines.emplace_back(to_string(layout), stored_text(features, layout));
  }
  print_line(out,
             printable_line(file) + ": " + format_counted(features.rows, "row") + ", " +
                 format_counted(features.columns, "column") + ", " +
                 format_counted(features.nonzeros, "nonzero"),
             style);
  print_facts(out, lines, style);
  out << '\n';

  Table row_table({"row length", "rows"});
  for (std::size_t k = 0; k < lengths.histogram.size(); ++k) {
    if (lengths.histogram[k] == 0) continue;
    row_table.add_row({row_length_class(k), format_count(lengths.histogram[k])});
  }
  row_table.print(out, style);
  out << '\n';

  const std::vector<TableColumn> block_columns{
      TableColumn("block"),         TableColumn("block rows", 2),    TableColumn("blocks"),
      TableColumn("most a row", 3), TableColumn("block elements"),   TableColumn("density"),
      TableColumn("padded", 1),     TableColumn("padded, sorted", 1)};
  Table block_table(block_columns);
  for (const BlockFeatures& of : features.blocks) {
    const std::string size = std::to_string(of.block_size);
    block_table.add_row({size + " x " + size, format_count(of.block_rows), format_count(of.blocks),
                         format_count(of.max_blocks_per_row), format_count(of.block_elements),
                         format_number(of.block_density), format_count(of.padded_elements_natural),
                         format_count(of.padded_elements_sorted)});
  }
  block_table.print(out, style);
  out << '\n';

  Table reuse_table({"vector reuse in", "f32", "f64"});
  for (const auto& [rows, f32, f64] : vector_reuse(features, access)) {
    reuse_table.add_row({format_count(rows) + (rows == 1 ? " row" : " rows"), format_number(f32),
                         format_number(f64)});
  }
  reuse_table.print(out, style);
}

struct PartitionOptions {
  int devices = 0;  ///< 0: no partition is asked for
  Layout layout;
  Renumbering renumbering = Renumbering::none;
};

PartitionOptions parse_partition_options(const CommandLine& line) {
  PartitionOptions options;
  options.renumbering = parse_renumbering_option("--renumber", line.get<std::string>("renumber"));
  if (!line.has("devices")) {
    for (const char* option : {"layout", "block"}) {
      if (!line.has(option)) continue;
      throw UsageError("--" + std::string(option) + " is for --devices, which is missing");
    }
    if (options.renumbering == Renumbering::metis && !line.has("features")) {
      throw UsageError("--renumber metis orders for a number of devices; add --devices");
    }
    return options;
  }
  options.devices = line.get<int>("devices");
  require_device_count("--devices", options.devices);
  options.layout = layout_of(line).value_or(Layout{});
  return options;
}

void add_features_counts(CommandLine& line) {
  add_solver_options(line, true);
  add_count_options(line,
                    "of --features: count also how many iterations solvers take until ||b - Ax|| "
                    "<= rtol ||b||, from x = 0, so that predict and advise --rtol need no matrix");
  line.add()("precision", boost::program_options::value<std::string>(),
             "of --rtol: f32 or f64; default both, f32 only where it is exact enough")(
      "schedule", boost::program_options::value<std::string>(),
      "of --rtol: a solver of your own, FILE.json (docs/schedules.md)");
}

/// Iterations of the solvers of --solver, default all.
std::vector<IterationCount> counts_of(const CommandLine& line, CountOptions options,
                                      const std::string& path, const CsrMatrix<double>& matrix,
                                      bool symmetric) {
  if (matrix.rows != matrix.columns) throw Error(path + ": a solve needs a square matrix");
  options.rules.compete = false;  // nobody knows what they will be compared on
  SolversToCount solvers = solvers_to_count(line, {}, true);
  if (!symmetric) leave_out_symmetric(path, solvers);
  std::vector<Precision> precisions = countable_precisions(options.rules.tolerance);
  if (line.has("precision")) {
    precisions = {parse_precision("--precision", line.get<std::string>("precision"))};
  }
  std::vector<IterationCount> counts =
      count_iterations(line, options, matrix.view(), solvers, precisions);
  warn_of_counts(path, counts);
  return counts;
}

CommandLine make_command_line() {
  namespace po = boost::program_options;
  CommandLine line(
      "inspect",
      "MATRIX [--devices N] [--renumber HOW] [--features FILE] [--json] [--drop-explicit-zeros]",
      "Prints what decides the speed of a matrix: size, row lengths, bandwidth, symmetry,\n"
      "diagonal, and for each block size N the nonzeros per value that N x N blocks store\n"
      "(density) and what padding adds on a GPU (thread blocks of 256 threads pad their block\n"
      "rows to the longest; sorted: block rows ordered by length first). Vector reuse is how\n"
      "often rows that share a cache gather from each 32-byte sector of the multiplied vector "
      "that\n"
      "they gather from at all: the more, the less of it moves. With --devices, how the rows are "
      "cut\n"
      "into segments for so many GPUs, stored in --layout (default csr), and each one's halo: the\n"
      "values of other segments that its rows gather, which it receives in every iteration\n"
      "(interior rows need none). With --features, what forecasts need of the matrix is written\n"
      "as a file of tens of KB, which predict, map and advise take in place of the matrix, with\n"
      "the same forecasts.",
      "sparsecast generate laplacian --points 27 --size 30 --out box.mtx && "
      "sparsecast inspect box.mtx --devices 4 --renumber metis\n"
      "  sparsecast inspect box.mtx --features box.features.json");
  line.add()("matrix", po::value<std::string>(), matrix_file_help().c_str())(
      "devices", po::value<int>(), "cut it for so many GPUs")(
      "renumber", po::value<std::string>()->default_value("none"),
      "look at it after a renumbering: none, random, rcm (reverse Cuthill-McKee), hubs (of a graph "
      "first, then clusters), or metis (parts for --devices with small halos)")(
      "json", "print an object")("drop-explicit-zeros",
                                 "leave out entries of the file whose value is 0; by default they "
                                 "count as nonzeros");
  add_table_options(line);
  add_layout_option(line);
  add_features_options(line);
  add_features_counts(line);
  line.positional("matrix", 1);
  return line;
}

int run(const CommandLine& line) {
  const TableStyle style = table_style(line);

  const PartitionOptions partition = parse_partition_options(line);
  check_features_options(line);
  const std::optional<CountOptions> counting = count_options(line);
  if (counting && !line.has("features")) {
    throw UsageError("--rtol is for --features, which is missing");
  }
  for (const char* option : {"solver", "schedule", "restart", "precondition", "set", "precision"}) {
    if (counting || !line.has(option)) continue;
    throw UsageError("--" + std::string(option) + " is for --rtol, which is missing");
  }
  CommandFiles files;
  name_inputs(line, files);
  files.writes(line, "features");
  files.writes(line, "csv");
  files.check(line.has("json"));
  const std::string& path = line.get<std::string>("matrix");
  const std::string file = file_label(path);
  MatrixFileOptions options;
  options.drop_explicit_zeros = line.has("drop-explicit-zeros");
  const CsrMatrix<double> given = read_matrix(path, options).matrix;
  MatrixOrders orders(given, std::nullopt, partition.renumbering);
  OrderedMatrix& order = orders.on(std::max(partition.devices, 1));
  const CsrView<double>& matrix = order.matrix();
  const MatrixFeatures& features = [&]() -> const MatrixFeatures& {
    const Phase phase("counting what decides the speed");
    return order.features();
  }();
  if (features.not_finite > 0) {
    warn(file + ": " + format_count(features.not_finite) + " values are NaN or infinite");
  }
  const MatrixAccess& access = order.access();
  const RowNumbers numbers = count_row_numbers(matrix.pattern());
  std::optional<PartitionSummary> summary;
  if (partition.devices > 0) {
    summary = summarize_partition(matrix, partition.devices, partition.layout);
  }
  std::string written;
  if (line.has("features")) {
    std::vector<IterationCount> counts;
    if (counting) counts = counts_of(line, *counting, file, given, features.symmetric);
    written = write_features(line, orders, file_name(path), std::move(counts));
  }
  const bool to_output =
      is_standard_output(line.get_or("features", "")) || is_standard_output(line.get_or("csv", ""));
  std::ostream& out = to_output ? std::cerr : std::cout;
  JsonObject json{{"matrix", file}};
  json.add_members(to_json(features))
      .add("vector_reuse", to_json(vector_reuse(features, access)))
      .add("row_numbers", to_json(numbers))
      .add("renumbering", to_string(partition.renumbering));
  if (summary) json.add("partition", to_json(*summary));
  if (line.has("csv")) write_rows(line.get<std::string>("csv"), {json});
  if (line.has("json")) {
    std::cout << json_head("inspect").add_members(json).lines();
  } else {
    print_tables(out, file, features, access, numbers, style);
    if (summary) {
      out << '\n';
      print_partition(out, *summary, style);
    }
  }
  if (!written.empty() && verbosity() != Verbosity::quiet) std::cerr << written << '\n';
  return 0;
}

}  // namespace

extern const Command inspect_command;
const Command inspect_command{"inspect", "what decides the speed of a matrix", make_command_line,
                              run};

}  // namespace sparsecast::cli
