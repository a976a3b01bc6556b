#include "core/schedule/vector_pass.hpp"

#include <algorithm>
#include <cmath>
#include <set>

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

std::optional<std::string> fault_of_sizes(const VectorPass& pass, int operands) {
  if (pass.statements.empty()) return "a pass of no statements";
  const auto statements = static_cast<int>(pass.statements.size());
  std::size_t terms = 0;
  for (const PassStatement& statement : pass.statements) terms += statement.terms.size();
  if (operands > most_pass_operands) return too_many(operands, "vectors", most_pass_operands);
  if (statements > most_pass_statements) {
    return too_many(statements, "statements", most_pass_statements);
  }
  if (terms > most_pass_terms) return too_many(static_cast<int>(terms), "terms", most_pass_terms);
  if (dot_count(pass) > most_pass_dots) {
    return too_many(dot_count(pass), "dot products", most_pass_dots);
  }
  return std::nullopt;
}

}  // namespace

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
