#include "core/matrix/generate/table4_networks.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <utility>
#include <vector>

#include "core/base/random_stream.hpp"
#include "core/base/threads/parallel_rows.hpp"
#include "core/matrix/generate/dominant_values.hpp"
#include "core/matrix/generate/table4_couplings.hpp"

namespace sparsecast {
namespace {

/// Streams of random numbers, one set per purpose.
enum class Purpose : std::uint64_t { residue, fold, variable, element, supply };
RandomStream stream(std::uint64_t seed, Purpose purpose, std::int64_t number) {
  return {scramble(seed) + static_cast<std::uint64_t>(purpose), static_cast<std::uint64_t>(number)};
}

/// Couplings by the numbers of their nodes.
class Couplings {
 public:
  void add(std::int64_t first, std::int64_t second, int level) {
    if (first == second) return;
    all_.push_back({static_cast<std::int32_t>(first), static_cast<std::int32_t>(second), level});
  }
  const std::vector<Coupling>& all() const { return all_; }

 private:
  std::vector<Coupling> all_;
};

}  // namespace

CsrMatrix<double> protein_matrix(std::int64_t rows, std::int64_t nonzeros, int longest_row,
                                 std::uint64_t seed, int threads) {
  constexpr int unknowns = 3;
  constexpr std::int64_t fewest_atoms = 6;
  constexpr std::int64_t size_kinds = 11;
  const std::int64_t atoms = rows / unknowns;
  const int most = longest_row / unknowns;

  std::vector<std::int64_t> first{0};  // atom of each residue, and the end
  while (first.back() < atoms) {
    RandomStream random = stream(seed, Purpose::residue, static_cast<std::int64_t>(first.size()));
    first.push_back(std::min(atoms, first.back() + fewest_atoms + random.below(size_kinds)));
  }
  const auto residues = static_cast<std::int64_t>(first.size()) - 1;
  Couplings couplings;
  const auto couple_residues = [&](std::int64_t one, std::int64_t other, int level) {
    for (std::int64_t i = first[one]; i < first[one + 1]; ++i) {
      for (std::int64_t j = first[other]; j < first[other + 1]; ++j) {
        if (one != other || i < j) couplings.add(i, j, level);
      }
    }
  };
  // The atom with the longest row goes first.
  const std::int64_t center = atoms / 2;
  for (std::int64_t step = 1; step < most; ++step) {
    couplings.add(center, center + (step % 2 == 0 ? step / 2 : -(step + 1) / 2), 0);
  }
  for (std::int64_t residue = 0; residue < residues; ++residue) {
    couple_residues(residue, residue, 1);
    for (std::int64_t next = residue + 1; next < std::min(residue + 3, residues); ++next) {
      couple_residues(residue, next, 2);
    }
  }
  // A chain that turns back: those of an even stretch lie beside those of the next, in reverse.
  constexpr std::int64_t stretch = 24;
  for (std::int64_t residue = 0; residue < residues; ++residue) {
    const std::int64_t turn = (residue / stretch + 1) * stretch;
    const std::int64_t beside = 2 * turn - 1 - residue;
    if (residue / stretch % 2 == 0 && beside < residues) couple_residues(residue, beside, 2);
  }
  CoupledNodes nodes;
  nodes.rows = rows;
  nodes.nonzeros = nonzeros;
  nodes.unknowns = unknowns;
  nodes.most.assign(atoms, most);
  return coupled_nodes(nodes, couplings.all(), seed, threads);
}

CsrMatrix<double> lattice_fermions(std::uint64_t seed, int threads) {
  constexpr std::int64_t length = 8;
  constexpr std::int64_t colours = 3;
  constexpr std::int64_t spins = 4;
  constexpr std::int64_t sites = length * length * length * length;
  constexpr std::int64_t rows = sites * spins * colours;
  constexpr std::int64_t row_length = 39;

  const auto neighbour = [](std::int64_t site, std::int64_t stride, std::int64_t step) {
    const std::int64_t at = site / stride % length;
    return site + ((at + step + length) % length - at) * stride;
  };
  CsrPattern pattern;
  pattern.row_offsets.resize(rows + 1);
  for (std::int64_t row = 0; row <= rows; ++row) pattern.row_offsets[row] = row * row_length;
  pattern.column_indices.resize(rows * row_length);
  parallel_rows(
      pattern.row_offsets, 1,
      [&](std::int64_t begin, std::int64_t end) {
        for (std::int64_t row = begin; row < end; ++row) {
          const std::int64_t site = row / (spins * colours);
          const std::int64_t spin = row / colours % spins;
          std::int32_t* const columns = &pattern.column_indices[row * row_length];
          std::int32_t* next = columns;
          const auto add = [&](std::int64_t other, std::int64_t other_spin) {
            for (std::int64_t colour = 0; colour < colours; ++colour) {
              *next++ = static_cast<std::int32_t>((other * spins + other_spin) * colours + colour);
            }
          };
          // 1 +- gamma of a direction in space has two entries a row: gamma's swaps the upper two
          // spins with the lower two.
          const std::array<std::int64_t, 3> swapped{3 - spin, 3 - spin, spin ^ 2};
          std::int64_t stride = 1;
          for (const std::int64_t other_spin : swapped) {
            for (const std::int64_t step : {-1, 1}) {
              add(neighbour(site, stride, step), spin);
              add(neighbour(site, stride, step), other_spin);
            }
            stride *= length;
          }
          // In time gamma is diagonal, so that one of 1 + gamma and 1 - gamma has nothing here.
          const bool forward = (spin < 2) == (site / stride % 2 == 0);
          add(neighbour(site, stride, forward ? 1 : -1), spin);
          std::sort(columns, next);
        }
      },
      threads);
  CsrMatrix<double> matrix = square_matrix(std::move(pattern));
  fill_dominant_values(
      matrix,
      [&](std::int64_t row, std::int64_t column) { return symmetric_value(seed, row, column); },
      threads);
  return matrix;
}

CsrMatrix<double> economic_model(std::int64_t periods, std::int64_t variables,
                                 std::int64_t nonzeros, int longest_row, std::uint64_t seed,
                                 int threads) {
  // Of one period; the second variable of a lagged coupling is of the period after.
  Couplings within;
  Couplings lagged;
  const std::int64_t aggregate = variables / 2;
  // Its own row, one before and one after it in time, and these.
  for (int term = 0; term < longest_row - 3; ++term) {
    const std::int64_t variable = term * variables / (longest_row - 3);
    within.add(aggregate, variable == aggregate ? variable + 1 : variable, 0);
  }
  constexpr int terms = 2;
  constexpr std::int64_t nearby = 10;
  for (std::int64_t variable = 0; variable < variables; ++variable) {
    RandomStream random = stream(seed, Purpose::variable, variable);
    if (variable % 2 == 0) within.add(variable, (variable + 1) % variables, 1);
    for (int term = 0; term < terms; ++term) {
      // Every third term is an aggregate: low numbers are drawn more often.
      const std::int64_t other = random.below(3) == 0 ? random.below(random.below(variables) + 1)
                                                      : variable + 1 + random.below(nearby);
      within.add(variable, other % variables, 1);
    }
    lagged.add(variable, (variable + 1 + random.below(variables - 1)) % variables, 2);
  }
  Couplings couplings;
  for (std::int64_t period = 0; period < periods; ++period) {
    const std::int64_t first = period * variables;
    for (const Coupling& one : within.all()) {
      couplings.add(first + one.first, first + one.second, one.level);
    }
    if (period + 1 == periods) break;
    for (std::int64_t variable = 0; variable < variables; ++variable) {
      const bool is_lagged = variable == aggregate || variable % 2 == 1;
      if (is_lagged) {
        couplings.add(first + variable, first + variables + variable,
                      variable == aggregate ? 0 : 1);
      }
    }
    for (const Coupling& one : lagged.all()) {
      couplings.add(first + one.first, first + variables + one.second, one.level);
    }
  }
  CoupledNodes nodes;
  nodes.rows = periods * variables;
  nodes.nonzeros = nonzeros;
  nodes.most.assign(nodes.rows, longest_row);
  nodes.own_block.assign(nodes.rows, true);
  nodes.own_block[0] = false;
  return coupled_nodes(nodes, couplings.all(), seed, threads);
}

CsrMatrix<double> epidemic_states(std::int64_t rows, std::int64_t nonzeros, std::uint64_t seed,
                                  int threads) {
  constexpr std::int64_t shortest = 802;
  constexpr std::int64_t lengths = 383;
  constexpr std::int64_t lines = 513;
  constexpr int most = 4;
  Couplings couplings;
  for (std::int64_t state = 0; state + 1 < rows; ++state) couplings.add(state, state + 1, 0);
  std::int64_t first = 0;
  for (std::int64_t line = 0; line + 1 < lines; ++line) {
    const std::int64_t length = shortest + (line < lengths ? line : 2 * (lengths - 1) - line);
    for (std::int64_t place = line % 2; place < length; place += 2) {
      // The next line may end before.
      if (first + length + place < rows) {
        couplings.add(first + place, first + length + place, 1);
      }
    }
    first += length;
  }
  CoupledNodes nodes;
  nodes.rows = rows;
  nodes.nonzeros = nonzeros;
  nodes.most.assign(rows, most);
  return coupled_nodes(nodes, couplings.all(), seed, threads);
}

CsrMatrix<double> supplied_circuit(std::int64_t rows, std::int64_t nonzeros, int longest_row,
                                   std::uint64_t seed, int threads) {
  constexpr std::int64_t supplies = 12;
  constexpr int most_of_others = 64;
  constexpr int elements = 3;  // a net; of the last one of each some are left out
  CoupledNodes nodes;
  nodes.rows = rows;
  nodes.nonzeros = nonzeros;
  nodes.most.assign(rows, most_of_others);
  Couplings couplings;
  for (std::int64_t supply = 0; supply < supplies; ++supply) {
    const std::int64_t net = (2 * supply + 1) * rows / (2 * supplies);
    const std::int64_t most = longest_row * (supplies - supply) / supplies;
    nodes.most[net] = static_cast<std::int32_t>(most);
    RandomStream random = stream(seed, Purpose::supply, supply);
    // One in each of as many ranges: other nets than this, each once.
    for (std::int64_t part = 0; part < most; ++part) {
      const std::int64_t begin = part * rows / most;
      const std::int64_t end = (part + 1) * rows / most;
      couplings.add(net, begin + random.below(end - begin), supply == 0 ? 0 : 1);
    }
  }
  for (std::int64_t net = 0; net < rows; ++net) {
    RandomStream random = stream(seed, Purpose::element, net);
    for (int element = 0; element < elements; ++element) {
      const int longer = std::countr_one(random.bits() & 0xffff);
      const std::int64_t distance = 1 + random.below(std::int64_t{4} << longer);
      couplings.add(net, (net + distance) % rows, element + 1 < elements ? 2 : 3);
    }
  }
  return coupled_nodes(nodes, couplings.all(), seed, threads);
}

}  // namespace sparsecast
