#include "core/cuda/compile/pass_text.cuh"

#include <algorithm>
#include <map>
#include <utility>

namespace sparsecast::cuda {
namespace {

/// Writes what a `Work` of `pass_body.cuh` needs.
class PassWriter {
 public:
  explicit PassWriter(const VectorPass& pass, std::size_t operands)
      : pass_(pass), blocks_(pass_blocks(pass, static_cast<int>(operands))) {
    for (std::size_t k = 0; k < operands; ++k) {
      const auto operand = static_cast<int>(k);
      if (in_block(operand)) continue;
      places_[operand] = static_cast<int>(made_.operands.size());
      made_.operands.push_back(operand);
    }
    const auto accesses = pass_accesses(pass, operands);
    for (std::size_t k = 0; k < made_.operands.size(); ++k) {
      const VectorAccess access = accesses[static_cast<std::size_t>(made_.operands[k])];
      if (access != VectorAccess::write) reads_ |= 1u << k;
      if (access != VectorAccess::read) writes_ |= 1u << k;
    }
  }

  /// The statements, and what they need in `made`.
  PassText write() {
    const auto count = static_cast<int>(pass_.statements.size());
    auto block = blocks_.begin();
    std::size_t sum = 0;
    std::vector<std::size_t> block_sums;
    for (int s = 0; s < count; ++s) {
      const PassStatement& statement = pass_.statements[static_cast<std::size_t>(s)];
      const bool blocked = block != blocks_.end() && block->statement == s;
      if (statement.target >= 0) {
        write_assignment(statement, s, block);
      } else if (blocked) {
        for (int k = 0; k < block->count; ++k) block_sums.push_back(sum++);
        write_dots(*block);
        s += block->count - 1;
        ++block;
      } else {
        write_dot(statement);
        made_.sums.push_back(sum++);
      }
    }
    dots_ = made_.sums.size();
    made_.sums.insert(made_.sums.end(), block_sums.begin(), block_sums.end());
    return std::move(made_);
  }

  std::string members(int sent) const {
    const auto constant = [](const char* name, auto value) {
      return "  static constexpr int " + std::string(name) + " = " + std::to_string(value) + ";\n";
    };
    const auto has = [this](bool dots) {
      return std::ranges::any_of(blocks_,
                                 [dots](const auto& each) { return each.of_dots() == dots; });
    };
    return constant("operands", places_.size()) + constant("reads", reads_) +
           constant("writes", writes_) + constant("coefficients", coefficients_) +
           constant("dots", dots_) + constant("term_vectors", has(false) ? 1 : 0) +
           constant("dot_vectors", has(true) ? 1 : 0) +
           constant("sent", sent < 0 ? -1 : places_.at(sent));
  }
  const std::string& statements() const { return text_; }

  bool sums_terms() const {
    return !blocks_.empty() && std::ranges::none_of(blocks_, &PassBlock::of_dots);
  }

 private:
  using Blocks = std::vector<PassBlock>;

  bool in_block(int operand) const {
    return std::ranges::any_of(blocks_, [&](const PassBlock& block) {
      const auto of = operands_of(block);
      return std::ranges::find(of, operand) != of.end();
    });
  }

  std::vector<int> operands_of(const PassBlock& block) const {
    std::vector<int> operands;
    for (int k = 0; k < block.count; ++k) {
      if (block.of_dots()) {
        const PassStatement& dot = pass_.statements[static_cast<std::size_t>(block.statement + k)];
        operands.push_back(dot.a == block.with ? dot.b : dot.a);
      } else {
        operands.push_back(term_of(block, k).operand);
      }
    }
    return operands;
  }
  const PassTerm& term_of(const PassBlock& block, int k) const {
    return pass_.statements[static_cast<std::size_t>(block.statement)]
        .terms[static_cast<std::size_t>(block.first_term + k)];
  }

  void for_each_value(const std::string& what) {
    text_ += "#pragma unroll\n    for (int j = 0; j < Rows::values; ++j) " + what + ";\n";
  }
  std::string value(int operand) const {
    return "rows.v[" + std::to_string(places_.at(operand)) + "][j]";
  }

  /// "+ c[1] * rows.v[0][j]", or with "- " where that is all.
  std::string term(const PassTerm& term) {
    const std::string vector =
        (term.times < 0 ? "" : value(term.times) + " * ") + value(term.operand);
    if (term.scalar < 0 && term.factor == 1) return " + " + vector;
    if (term.scalar < 0 && term.factor == -1) return " - " + vector;
    made_.coefficients.push_back({term.factor, term.scalar});
    return " + c[" + std::to_string(coefficients_++) + "] * " + vector;
  }
  std::string terms(const PassStatement& statement, std::size_t from, std::size_t to) {
    std::string sum;
    for (std::size_t k = from; k < to; ++k) sum += term(statement.terms[k]);
    return sum.empty() ? " + Value{0}" : sum;
  }

  void write_assignment(const PassStatement& statement, int place, Blocks::const_iterator& block) {
    const std::string target = value(statement.target);
    if (block == blocks_.cend() || block->statement != place) {
      for_each_value(target + " =" + terms(statement, 0, statement.terms.size()));
      return;
    }
    text_ += "    {\n    Value totals[Rows::values] = {};\n";
    std::size_t at = 0;
    const auto add_up_to = [&](std::size_t end) {
      if (end > at) for_each_value("totals[j] = totals[j]" + terms(statement, at, end));
    };
    for (; block != blocks_.cend() && block->statement == place; ++block) {
      const auto first = static_cast<std::size_t>(block->first_term);
      add_up_to(first);
      at = first + static_cast<std::size_t>(block->count);
      text_ += "    blocks.template add_terms<together>(rows, " + extent() + ", totals);\n";
      PassText::Block& made = made_.blocks.emplace_back();
      made.operands = operands_of(*block);
      for (int k = 0; k < block->count; ++k) {
        made.coefficients.push_back({term_of(*block, k).factor, term_of(*block, k).scalar});
      }
    }
    add_up_to(statement.terms.size());
    for_each_value(target + " = totals[j]");
    text_ += "    }\n";
  }

  /// First vector and count of the next block.
  std::string extent() const {
    std::string first = "0";
    for (std::size_t k = 0; k < made_.blocks.size(); ++k) {
      first += " + counts[" + std::to_string(k) + "]";
    }
    return first + ", counts[" + std::to_string(made_.blocks.size()) + "]";
  }

  void write_dots(const PassBlock& block) {
    text_ += "    blocks.add_dots(rows, " + extent() + ", 0" + block_dots_ + ", rows.v[" +
             std::to_string(places_.at(block.with)) + "]);\n";
    block_dots_ += " + counts[" + std::to_string(made_.blocks.size()) + "]";
    made_.blocks.push_back({operands_of(block), {}});
  }

  void write_dot(const PassStatement& statement) {
    for_each_value("sums[" + std::to_string(made_.sums.size()) +
                   "] += rows.is_there(j) ? static_cast<double>(" + value(statement.a) +
                   ") * static_cast<double>(" + value(statement.b) + ") : 0");
  }

  const VectorPass& pass_;
  const Blocks blocks_;
  std::map<int, int> places_;  ///< of operands that are not in blocks
  std::size_t reads_ = 0;
  std::size_t writes_ = 0;
  std::size_t coefficients_ = 0;
  std::size_t dots_ = 0;
  std::string text_;
  std::string block_dots_;  ///< those of the blocks so far, as a sum of counts
  PassText made_;
};

}  // namespace

PassText pass_text(const Step& step, Precision precision,
                   std::span<const ControlOperation> operations, const PassSetting& setting) {
  const VectorPass nothing;
  PassWriter writer(step.pass ? *step.pass : nothing, step.pass ? step.vectors.size() : 0);
  PassText made = writer.write();
  made.program = program_text(operations);
  // Where vectors are in the cache, many loads of a thread under way are fastest (an H200: a sum of
  // 30 short vectors in f64 3.6 us instead of 7.8); where they come from memory, many threads with
  // few registers (of 3*10^6 rows: 184 us instead of 204).
  const bool together = precision == Precision::f32 || !setting.streams;
  const bool ends = std::ranges::any_of(operations, [](const ControlOperation& operation) {
    return operation.kind == ControlOperation::Kind::end_iteration;
  });
  const std::string room = writer.sums_terms() ? (together ? ", 4" : ", 8") : "";
  made.text =
      "#include \"core/cuda/compile/pass_body.cuh\"\n"
      "namespace sparsecast::cuda {\n"
      "struct Work {\n"
      "  using Value = " +
      std::string(precision == Precision::f32 ? "float" : "double") + ";\n" +
      writer.members(setting.sent) +
      "  static constexpr bool operates = " + (operations.empty() ? "false" : "true") +
      ";\n  static constexpr bool ends = " + (ends ? "true" : "false") +
      ";\n  static constexpr bool together = " + (together ? "true" : "false") +
      ";\n  static constexpr bool several = " + (setting.several ? "true" : "false") +
      ";\n"
      "  template <class Rows, class Blocks>\n"
      "  static __device__ void carry_out(Rows& rows, const Value* c, Blocks& blocks,\n"
      "                                   const int* counts, double* sums) {\n" +
      writer.statements() +
      "  }\n"
      "  static __device__ void operate(double* v, const std::int16_t* p, RunState& state,\n"
      "                                 const RunProgress& progress, std::int64_t* runs) {\n" +
      made.program.text +
      "  }\n"
      "};\n"
      "extern \"C\" __global__ void __launch_bounds__(pass_threads" +
      room + ")\n    " + pass_entry +
      "(const __grid_constant__ PassArguments arguments) {\n"
      "  carry_out_work<Work>(arguments);\n"
      "}\n"
      "}  // namespace sparsecast::cuda\n";
  return made;
}

}  // namespace sparsecast::cuda
