#include "core/schedule/vector_pass.hpp"

#include <algorithm>
#include <cmath>
#include <set>
#include <utility>

namespace sparsecast {
namespace {

bool is_dot(const PassStatement& statement) {
  return statement.target < 0;
}

/// Calls `visit` with each operand that a statement reads.
template <class Visit>
void for_each_read(const PassStatement& statement, const Visit& visit) {
  if (is_dot(statement)) {
    visit(statement.a);
    visit(statement.b);
    return;
  }
  for (const PassTerm& term : statement.terms) {
    visit(term.operand);
    if (term.times != -1) visit(term.times);
  }
}

std::string too_many(int count, const char* what, int most) {
  return "a pass of " + std::to_string(count) + " " + what + "; at most " + std::to_string(most);
}

/// What counts against the limits of passes.
struct PassSize {
  int operands = 0;
  int statements = 0;
  int terms = 0;
  int dots = 0;

  std::optional<std::string> fault() const {
    if (operands > most_pass_operands) return too_many(operands, "vectors", most_pass_operands);
    if (statements > most_pass_statements) {
      return too_many(statements, "statements", most_pass_statements);
    }
    if (terms > most_pass_terms) return too_many(terms, "terms", most_pass_terms);
    if (dots > most_pass_dots) return too_many(dots, "dot products", most_pass_dots);
    return std::nullopt;
  }
};

PassSize whole_size(const VectorPass& pass, int operands) {
  PassSize size{operands, static_cast<int>(pass.statements.size()), 0, dot_count(pass)};
  for (const PassStatement& statement : pass.statements) {
    size.terms += static_cast<int>(statement.terms.size());
  }
  return size;
}

/// Finds blocks.
class BlockFinder {
 public:
  BlockFinder(const VectorPass& pass, int operands)
      : pass_(pass), uses_(static_cast<std::size_t>(operands), 0) {
    const auto use = [this](int operand, int times) {
      if (has(operand)) uses_[static_cast<std::size_t>(operand)] += times;
    };
    for (const PassStatement& statement : pass.statements) {
      for_each_read(statement, [&](int operand) { use(operand, 1); });
      // As one of a block it would be changed.
      if (!is_dot(statement)) use(statement.target, 2);
    }
  }

  std::vector<PassBlock> blocks() {
    const auto count = static_cast<int>(pass_.statements.size());
    for (int s = 0; s < count; ++s) {
      if (is_dot(statement(s))) {
        s += add_dots(s);
      } else {
        add_terms(s);
      }
    }
    return std::move(blocks_);
  }

 private:
  static constexpr int least = 2;  ///< vectors of a block

  const PassStatement& statement(int place) const {
    return pass_.statements[static_cast<std::size_t>(place)];
  }
  bool has(int operand) const { return operand >= 0 && operand < std::ssize(uses_); }
  bool is_alone(int operand) const {
    return has(operand) && uses_[static_cast<std::size_t>(operand)] == 1;
  }

  void add(const PassBlock& block) {
    if (block.count >= least) blocks_.push_back(block);
  }

  void add_terms(int place) {
    PassBlock block{place};
    const std::vector<PassTerm>& terms = statement(place).terms;
    for (int k = 0; k < static_cast<int>(terms.size()); ++k) {
      const PassTerm& term = terms[static_cast<std::size_t>(k)];
      if (term.times < 0 && is_alone(term.operand)) {
        if (block.count++ == 0) block.first_term = k;
        continue;
      }
      add(block);
      block.count = 0;
    }
    add(block);
  }

  /// The operand that the dot product has beside one that stands there alone; -1: there is none.
  int partner(int place) const {
    const PassStatement& dot = statement(place);
    if (is_alone(dot.a) && !is_alone(dot.b)) return dot.b;
    return is_alone(dot.b) && !is_alone(dot.a) ? dot.a : -1;
  }

  /// How many more statements the block has that begins here.
  int add_dots(int place) {
    PassBlock block{place, 0, 1, partner(place)};
    if (block.with < 0) return 0;
    const auto end = static_cast<int>(pass_.statements.size());
    while (place + block.count < end && is_dot(statement(place + block.count)) &&
           partner(place + block.count) == block.with) {
      ++block.count;
    }
    add(block);
    return block.count - 1;
  }

  const VectorPass& pass_;
  std::vector<int> uses_;
  std::vector<PassBlock> blocks_;
};

}  // namespace

std::vector<PassBlock> pass_blocks(const VectorPass& pass, int operands) {
  if (!whole_size(pass, operands).fault()) return {};
  return BlockFinder(pass, operands).blocks();
}

int dot_count(const VectorPass& pass) {
  return static_cast<int>(std::ranges::count_if(pass.statements, is_dot));
}

std::vector<VectorAccess> pass_accesses(const VectorPass& pass, std::size_t operands) {
  std::vector<char> is_read(operands, 0);
  std::vector<char> is_assigned(operands, 0);
  for (const PassStatement& statement : pass.statements) {
    for_each_read(statement, [&](int operand) {
      const auto place = static_cast<std::size_t>(operand);
      if (is_assigned[place] == 0) is_read[place] = 1;
    });
    if (!is_dot(statement)) is_assigned[static_cast<std::size_t>(statement.target)] = 1;
  }
  std::vector<VectorAccess> accesses;
  for (std::size_t k = 0; k < operands; ++k) {
    accesses.push_back(is_assigned[k] == 0 ? VectorAccess::read
                       : is_read[k] != 0   ? VectorAccess::update
                                           : VectorAccess::write);
  }
  return accesses;
}

double pass_flops(const VectorPass& pass) {
  double flops = 0;
  for (const PassStatement& statement : pass.statements) {
    if (is_dot(statement)) flops += 2;
    for (const PassTerm& term : statement.terms) {
      if (term.scalar != -1 || std::abs(term.factor) != 1) ++flops;
      if (term.times != -1) ++flops;
    }
    flops += std::max(0.0, static_cast<double>(statement.terms.size()) - 1);
  }
  return flops;
}

std::optional<std::string> fault_of_sizes(const VectorPass& pass, int operands) {
  if (pass.statements.empty()) return "a pass of no statements";
  const std::vector<PassBlock> blocks = pass_blocks(pass, operands);
  PassSize rest = whole_size(pass, operands);
  int vectors = 0;
  for (const PassBlock& block : blocks) {
    vectors += block.count;
    (block.of_dots() ? rest.dots : rest.terms) -= block.count;
    if (block.of_dots()) rest.statements -= block.count - 1;
  }
  rest.operands -= vectors;
  if (const auto fault = rest.fault()) return fault;
  const auto count = static_cast<int>(blocks.size());
  if (count > most_pass_blocks) return too_many(count, "blocks", most_pass_blocks);
  if (vectors > most_block_vectors) {
    return too_many(vectors, "vectors in blocks", most_block_vectors);
  }
  return std::nullopt;
}

std::optional<std::string> fault_of(const VectorPass& pass, const std::vector<VectorSlot>& operands,
                                    std::size_t sums) {
  const auto count = static_cast<int>(operands.size());
  if (const auto fault = fault_of_sizes(pass, count)) return fault;
  std::set<int> used;
  for (const PassStatement& statement : pass.statements) {
    if (!is_dot(statement)) used.insert(statement.target);
    if (is_dot(statement) && !statement.terms.empty()) return "a dot product with terms in a pass";
    for_each_read(statement, [&](int operand) { used.insert(operand); });
  }
  if (*used.begin() < 0 || *used.rbegin() >= count) return "a pass that uses a vector it has not";
  if (static_cast<int>(used.size()) < count) return "a pass that does not use all its vectors";
  if (std::set(operands.begin(), operands.end()).size() < operands.size()) {
    return "a pass that has a vector twice";
  }
  if (static_cast<int>(sums) != dot_count(pass)) {
    return "a pass of " + std::to_string(dot_count(pass)) + " dot products into " +
           std::to_string(sums) + " sums";
  }
  return std::nullopt;
}

}  // namespace sparsecast
