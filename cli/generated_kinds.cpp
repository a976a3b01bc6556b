#include "cli/generated_kinds.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <utility>

#include "cli/joined.hpp"
#include "cli/matrix_source.hpp"
#include "core/base/text/name_list.hpp"
#include "core/matrix/application_orders.hpp"
#include "core/matrix/generate/application_generators.hpp"
#include "core/matrix/generate/convection_diffusion.hpp"
#include "core/matrix/generate/generators.hpp"
#include "core/matrix/generate/table4.hpp"
#include "core/matrix/renumber.hpp"
#include "core/matrix/renumbering.hpp"

namespace sparsecast::cli {
namespace {

Generated symmetric(CsrMatrix<double> matrix) {
  Generated generated;
  generated.matrix = std::move(matrix);
  generated.storage.symmetric = true;
  return generated;
}

std::int64_t rows(const CommandLine& line) {
  return line.get<WholeNumber>("rows").value;
}
std::uint64_t seed(const CommandLine& line) {
  return line.get_or<std::uint64_t>("seed", 1);
}

GridStencil laplacian_rows(const CommandLine& line) {
  const int points = line.get_or("points", 7);
  const std::size_t dimensions = points == 3 ? 1 : points == 5 || points == 9 ? 2 : 3;
  const auto& text = line.get<std::string>("size");
  std::vector<int> size = parse_int_list("--size", text);
  if (size.size() == 1) size.resize(dimensions, size[0]);
  if (size.size() != dimensions) {
    throw UsageError("--size " + text + ": expected one number or " + std::to_string(dimensions) +
                     " for " + std::to_string(points) + " points");
  }
  size.resize(3, 1);
  return laplacian_stencil(points, size[0], size[1], size[2]);
}

Generated make_laplacian(const CommandLine& line) {
  return symmetric(all_rows(laplacian_rows(line)));
}

ConvectionDifferences differences_of(const CommandLine& line) {
  const std::string text = line.get_or("differences", "upwind");
  if (text == "upwind") return ConvectionDifferences::upwind;
  if (text == "central") return ConvectionDifferences::central;
  throw UsageError("--differences " + text + ": expected upwind or central");
}

GridStencil convection_diffusion_rows(const CommandLine& line) {
  const auto& text = line.get<std::string>("size");
  std::vector<int> size = parse_int_list("--size", text);
  if (size.size() != 2 && size.size() != 3) {
    throw UsageError("--size " + text + ": expected two numbers, or three");
  }
  const bool plane = size.size() == 2;
  if (!plane && size[2] < 2) throw UsageError("--size " + text + ": expected at least 2 points");
  return convection_diffusion_stencil(size[0], size[1], plane ? 1 : size[2],
                                      line.get<double>("peclet"), differences_of(line));
}

Generated make_convection_diffusion(const CommandLine& line) {
  return {all_rows(convection_diffusion_rows(line)), {}};
}

Generated make_fem_elasticity(const CommandLine& line) {
  const auto element = line.get_or("element", "p1");
  if (element != "p1" && element != "p2") {
    throw UsageError("--element " + element + ": expected p1 or p2");
  }
  return symmetric(
      fem_elasticity(element == "p1" ? 1 : 2, line.get<WholeNumber>("cells").value, seed(line)));
}

Generated make_trefethen(const CommandLine& line) {
  return symmetric(trefethen(rows(line)));
}

Generated make_dense(const CommandLine& line) {
  return symmetric(dense(rows(line), seed(line)));
}

Generated make_random(const CommandLine& line) {
  RandomMatrixSpec spec;
  spec.rows = rows(line);
  spec.mean_row_length = line.get<double>("row-length");
  spec.stddev_row_length = line.get_or("stddev", 0.0);
  spec.bandwidth_fraction = line.get_or("bandwidth", 1.0);
  spec.row_similarity = line.get_or("similarity", 0.0);
  spec.mean_run_length = line.get_or("run-length", 1.0);
  spec.symmetric = !line.has("general");
  spec.seed = seed(line);
  Generated generated;
  generated.matrix = random_matrix(spec);
  generated.storage.symmetric = spec.symmetric;
  return generated;
}

Generated make_power_law(const CommandLine& line) {
  return symmetric(power_law(rows(line), line.get<double>("row-length"),
                             line.get_or("exponent", 2.2), seed(line)));
}

/// Two numbers of --size.
std::array<int, 2> plane_size(const CommandLine& line) {
  const auto& text = line.get<std::string>("size");
  const std::vector<int> size = parse_int_list("--size", text);
  if (size.size() > 2) throw UsageError("--size " + text + ": expected one or two numbers");
  return {size.front(), size.back()};
}

Generated make_image(const CommandLine& line) {
  const auto [width, height] = plane_size(line);
  return symmetric(image_graph(width, height, line.get_or("radius", 5.0),
                               line.get_or("tolerance", 0.15), seed(line)));
}

Generated make_kronecker(const CommandLine& line) {
  return symmetric(kronecker_graph(rows(line), line.get<double>("row-length"),
                                   line.get_or("corner", 0.57), seed(line)));
}

Generated make_fields(const CommandLine& line) {
  const auto [nx, ny] = plane_size(line);
  return symmetric(coupled_fields(nx, ny, seed(line)));
}

Generated make_netlist(const CommandLine& line) {
  return symmetric(netlist(rows(line), line.get<double>("row-length"), line.get_or("rails", 3),
                           line.get_or("supplied", 10.0), seed(line)));
}

Generated make_band(const CommandLine& line) {
  return symmetric(scattered_band(rows(line), line.get<WholeNumber>("half-bandwidth").value,
                                  line.get_or("density", 1.0), line.get_or("scattered", 1.0),
                                  seed(line)));
}

Generated make_table4(const CommandLine& line) {
  const Table4Matrix& matrix = find_table4_matrix(line.get<std::string>("name"));
  Generated generated;
  generated.matrix = make_table4_matrix(matrix, seed(line));
  generated.storage.symmetric = matrix.symmetric;
  return generated;
}

Generated make_renumbered(const CommandLine& line) {
  const Renumbering order = parse_renumbering_option("--order", line.get<std::string>("order"));
  const int devices = line.get_or("devices", 1);
  if ((order == Renumbering::metis) != line.has("devices")) {
    throw UsageError("--devices: expected a number with --order metis, and only there");
  }
  require_device_count("--devices", devices);
  const MatrixFromFile file = read_matrix(line.get<std::string>("in"));
  const Permutation permutation = make_permutation(order, file.matrix, devices, seed(line));
  Generated generated;
  generated.matrix = renumber<double>(file.matrix, permutation);
  generated.storage.symmetric = file.symmetry == StoredSymmetry::symmetric;
  generated.storage.pattern = file.pattern;
  return generated;
}

struct Kind {
  const char* name;
  std::vector<std::string> options;
  Generated (*make)(const CommandLine& line);
  GridStencil (*rows)(const CommandLine& line) = nullptr;  ///< of those that are made row by row
};

const std::vector<Kind>& kinds() {
  static const std::vector<Kind> all{
      {"laplacian", {"points", "size"}, make_laplacian, laplacian_rows},
      {"fem-elasticity", {"element", "cells", "seed"}, make_fem_elasticity},
      {"trefethen", {"rows"}, make_trefethen},
      {"dense", {"rows", "seed"}, make_dense},
      {"random",
       {"rows", "row-length", "stddev", "bandwidth", "similarity", "run-length", "general", "seed"},
       make_random},
      {"convection-diffusion",
       {"size", "peclet", "differences"},
       make_convection_diffusion,
       convection_diffusion_rows},
      {"power-law", {"rows", "row-length", "exponent", "seed"}, make_power_law},
      {"image", {"size", "radius", "tolerance", "seed"}, make_image},
      {"kronecker", {"rows", "row-length", "corner", "seed"}, make_kronecker},
      {"fields", {"size", "seed"}, make_fields},
      {"netlist", {"rows", "row-length", "rails", "supplied", "seed"}, make_netlist},
      {"band", {"rows", "half-bandwidth", "density", "scattered", "seed"}, make_band},
      {"table4", {"name", "seed"}, make_table4},
      {"renumber", {"in", "order", "devices", "seed"}, make_renumbered},
  };
  return all;
}

const Kind& kind_of(const CommandLine& line) {
  const auto& name = line.get<std::string>("kind");
  for (const Kind& kind : kinds()) {
    if (kind.name == name) return kind;
  }
  throw UsageError("no matrices of kind '" + name + "'; expected " +
                   joined(generated_kinds(), ", "));
}

/// The names of Table 4's matrices in lines as wide as those of the help.
std::string table4_names() {
  constexpr std::size_t width = 70;
  std::string text;
  std::size_t used = 0;
  for (const Table4Matrix& matrix : table4_matrices()) {
    const std::string name = matrix.name;
    if (used + name.size() + 2 > width) {
      text += ",\n                  ";
      used = 0;
    } else if (used > 0) {
      text += ", ";
    }
    text += name;
    used += name.size() + 2;
  }
  return text;
}

/// What `make` makes. Of what a kind refuses only files are no wrong use of its options.
template <class Make>
auto without_wrong_use(const CommandLine& line, const Make& make) {
  if (line.has("in")) return make(line);
  try {
    return make(line);
  } catch (const Error& error) {
    throw UsageError(error.what());
  }
}

}  // namespace

std::vector<std::string> generated_kinds() {
  std::vector<std::string> names;
  for (const Kind& kind : kinds()) names.emplace_back(kind.name);
  return names;
}

const std::string& generated_kinds_help() {
  static const std::string text =
      "  laplacian       --size and --points: finite differences on a grid\n"
      "  convection-diffusion  --size, --peclet and --differences: finite differences on a plane "
      "or\n"
      "                  in a box, with a wind\n"
      "  fem-elasticity  --cells and --element: 3 unknowns per node on an unstructured mesh\n"
      "  trefethen       --rows: primes on the diagonal, ones at distances 1, 2, 4, 8, ...\n"
      "  dense           --rows\n"
      "  random          --rows, --row-length, --stddev, --bandwidth, --similarity, --run-length,\n"
      "                  --general\n"
      "  power-law       --rows, --row-length, --exponent: Laplacian of a graph with hubs\n"
      "  image           --size, --radius, --tolerance: alike pixels of an image within the "
      "radius\n"
      "  kronecker       --rows, --row-length, --corner: an R-MAT graph, symmetrised\n"
      "  fields          --size: two velocities, pressure, temperature, one after the other, on\n"
      "                  triangles\n"
      "  netlist         --rows, --row-length, --rails, --supplied: a circuit with supply nets\n"
      "  band            --rows, --half-bandwidth, --density, --scattered: and entries anywhere\n"
      "  table4 NAME     a stand-in for an unstructured matrix of Bell and Garland (2008), Table "
      "4:\n"
      "                  " +
      table4_names() +
      "\n"
      "  renumber        --in and --order: the matrix of a file, rows and columns reordered "
      "alike\n";
  return text;
}

void add_generated_kinds(CommandLine& line) {
  namespace po = boost::program_options;
  line.add()("kind", po::value<std::string>(), "see above (the word may be left out)")(
      "name", po::value<std::string>(), "of table4 (the word may be left out)")(
      "seed", po::value<std::uint64_t>(), "another seed, another matrix (default 1)")(
      "rows", po::value<WholeNumber>(), "number of rows and columns")(
      "points", po::value<int>(), "of the stencil: 3, 5, 7, 9 or 27 (default 7)")(
      "size", po::value<std::string>(),
      "grid points, pixels or squares along each axis: 100 or 100,80,60")(
      "peclet", po::value<double>(), "convection over diffusion along the first side")(
      "differences", po::value<std::string>(), "of the convection: upwind (default) or central")(
      "cells", po::value<WholeNumber>(), "mesh cells along each axis; 6 tetrahedra a cell")(
      "element", po::value<std::string>(), "p1 (default) or p2")(
      "row-length", po::value<double>(), "mean nonzeros of a row, the diagonal included")(
      "stddev", po::value<double>(), "standard deviation of the row length (default 0)")(
      "bandwidth", po::value<double>(),
      "largest distance from the diagonal as a fraction of the rows (default 1)")(
      "similarity", po::value<double>(),
      "share of columns that a row has from the row above (default 0)")(
      "run-length", po::value<double>(), "mean length of runs of neighbouring columns (default 1)")(
      "general", "not symmetric")("exponent", po::value<double>(),
                                  "rows with d entries become fewer as d^-exponent (default 2.2)")(
      "radius", po::value<double>(), "in pixels (default 5)")(
      "tolerance", po::value<double>(), "grey values of 0 to 1 differ by less (default 0.15)")(
      "corner", po::value<double>(), "share of a graph's first quadrant (default 0.57)")(
      "rails", po::value<int>(), "supply nets (default 3)")(
      "supplied", po::value<double>(), "nets of which one is at a supply net (default 10)")(
      "half-bandwidth", po::value<WholeNumber>(), "diagonals on either side")(
      "density", po::value<double>(), "share of the band that is filled (default 1)")(
      "scattered", po::value<double>(), "entries of a row anywhere, in the mean (default 1)")(
      "in", po::value<std::string>(), "the matrix file to renumber")(
      "order", po::value<std::string>(),
      "random, rcm (reverse Cuthill-McKee), or metis (parts for --devices with small halos)")(
      "devices", po::value<int>(), "how many GPUs --order metis orders for");
  line.positional("kind", 1);
  line.positional("name", 1);
}

void check_generated(const CommandLine& line) {
  const Kind& kind = kind_of(line);
  for (const Kind& other : kinds()) {
    for (const std::string& option : other.options) {
      if (line.has(option) &&
          std::find(kind.options.begin(), kind.options.end(), option) == kind.options.end()) {
        throw UsageError("--" + option + " does not apply to " + kind.name + "; it takes --" +
                         joined(kind.options, ", --"));
      }
    }
  }
}

Generated generate(const CommandLine& line) {
  return without_wrong_use(line, kind_of(line).make);
}

GridStencil generated_rows(const CommandLine& line) {
  const Kind& kind = kind_of(line);
  if (kind.rows == nullptr) {
    std::vector<std::string> known;
    for (const Kind& each : kinds()) {
      if (each.rows != nullptr) known.emplace_back(each.name);
    }
    throw UsageError("rows of " + std::string(kind.name) +
                     " are not made one by one, which several processes need; expected " +
                     one_of(known));
  }
  return without_wrong_use(line, kind.rows);
}

}  // namespace sparsecast::cli
