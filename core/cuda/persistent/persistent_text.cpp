#include "core/cuda/persistent/persistent_text.cuh"

#include <algorithm>
#include <cstdio>
#include <map>
#include <set>

#include "core/cuda/compile/program_text.cuh"
#include "core/cuda/run/control_operations.hpp"
#include "core/workload/persistent_steps.hpp"

namespace sparsecast::cuda {
namespace {

using Kind = PlannedItem::Kind;

std::string text_of(int number) {
  return std::to_string(number);
}
std::string text_of(std::size_t number) {
  return std::to_string(number);
}
/// To the last bit.
std::string text_of(double number) {
  char text[40];
  std::snprintf(text, sizeof text, "%a", number);
  return text;
}

/// Writes the kernel of a plan. Names in it: `place.vector[v]`, the rows of vector v; `windowK`,
/// those of one that is looked up, always in shared memory; cI_S_K, the coefficient of a term;
/// sI_K, a sum of item I; earlyI_V, halo values that item I awaits early.
class PersistentWriter {
 public:
  PersistentWriter(const Schedule& schedule, const PersistentPlan& plan,
                   const PersistentSetting& setting)
      : schedule_(schedule), plan_(plan), setting_(setting) {
    const std::vector<int> kept = plan.kept_vectors();
    for (std::size_t k = 0; k < kept.size(); ++k) kept_[kept[k]] = static_cast<int>(k);
    int controls = 0;
    for (const PlannedItem& item : plan.items) {
      number_.push_back(item.kind == Kind::control ? ++controls : 0);
    }
    for (std::size_t i = 0; i < plan.items.size(); ++i) {
      if (plan.items[i].guard) guarded_[i] = static_cast<int>(guarded_.size());
    }
  }

  std::string write() {
    write_head();
    for (std::size_t i = 0; i < plan_.items.size(); ++i) {
      if (item(i).kind == Kind::control && !item(i).joins) write_control_function(i);
    }
    write_kernel();
    return std::move(text_);
  }

 private:
  const PlannedItem& item(std::size_t i) const { return plan_.items[i]; }
  const PlannedVector& vector(int v) const { return plan_.vectors[static_cast<std::size_t>(v)]; }
  void line(const std::string& text) { (text_ += text) += '\n'; }

  static std::string coefficient(std::size_t i, std::size_t s, std::size_t k) {
    return "c" + text_of(i) + "_" + text_of(s) + "_" + text_of(k);
  }
  static std::string sum(std::size_t i, std::size_t k) {
    return "s" + text_of(i) + "_" + text_of(k);
  }
  static std::string early(std::size_t i, int v) { return "early" + text_of(i) + "_" + text_of(v); }
  std::string rows(int v) const {
    const int window = vector(v).window;
    return window >= 0 ? "window" + text_of(window) : "place.vector[" + text_of(v) + "]";
  }

  // --- head ---

  void write_head() {
    const bool f32 = setting_.precision == Precision::f32;
    line("#include \"core/cuda/persistent/persistent_body.cuh\"");
    line("namespace sparsecast::cuda {");
    line(std::string("using T = ") + (f32 ? "float;" : "double;"));
    line("constexpr int N = " + text_of(setting_.block_size) + ";");
    line(std::string("constexpr bool clustered = ") + (setting_.clustered ? "true;" : "false;"));
    line("constexpr int published = " + text_of(plan_.published) + ";");
    line("constexpr int vectors = " + text_of(plan_.vectors.size()) + ";");
    line("using Control = PersistentControl<" + text_of(plan_.scalars) + ", " +
         text_of(guarded_.size()) + ">;");
    line("using Sums = GridSums<" + text_of(plan_.most_sums) + ", clustered>;");
    line("using Values = Halo<T, N, published, clustered, " + text_of(halo_values_in_registers()) +
         ">;");
  }

  /// Of each arrival that is awaited early; fewer where they lie in registers during a product, or
  /// beside others.
  int halo_values_in_registers() const {
    bool few = false;
    for (std::size_t i = 0; i < plan_.items.size(); ++i) {
      few = few || crosses_iterations(i) || item(i).arrivals.size() > 1;
    }
    return few ? halo_values_at_once / 2 : halo_values_at_once;
  }

  // --- control ---

  /// Sums that a control waits for: of all items since the wait before.
  std::vector<ScalarSlot> awaited(std::size_t control) const {
    std::vector<ScalarSlot> sums;
    for (std::size_t i = 0; i < control; ++i) {
      if (item(i).waits) sums.clear();
      sums.insert(sums.end(), item(i).sums.begin(), item(i).sums.end());
    }
    return sums;
  }

  /// A control with those that join it.
  std::vector<std::size_t> chain(std::size_t control) const {
    std::vector<std::size_t> all{control};
    for (std::size_t i = control + 1; i < plan_.items.size(); ++i) {
      if (item(i).kind != Kind::control) continue;
      if (!item(i).joins) break;
      all.push_back(i);
    }
    return all;
  }

  /// Whether a product or pass of the iteration precedes the item as the schedule has them.
  bool follows_kernel(std::size_t i) const {
    for (std::size_t k = 0; k < i; ++k) {
      if (item(k).kind != Kind::control) return true;
    }
    return false;
  }

  void write_control_function(std::size_t control) {
    const std::vector<ScalarSlot> sums =
        item(control).waits ? awaited(control) : std::vector<ScalarSlot>{};
    const std::vector<std::size_t> all = chain(control);
    for (const std::size_t i : all) write_operations(i);
    line("static __device__ void control_" + text_of(control) +
         "(Control& control, const double* totals) {");
    line("  double* const v = control.scalars;");
    for (const std::size_t i : all) {
      for (const ScalarSlot slot : item(i).stored) {
        const auto place = std::ranges::find(sums, slot) - sums.begin();
        line("  v[" + text_of(slot) + "] = totals[" + std::to_string(place) + "];");
      }
      if (follows_kernel(i)) line("  control.state.kernel_ran = 1;");
      line("  operate_" + text_of(i) +
           "(v, control.state, {control.state.iterations, control.state.limit});");
      line("  if (control.state.ended != 0) {");
      line("    control.stopped = " + text_of(number_[i]) + ";");
      line("    return;");
      line("  }");
    }
    line("}");
  }

  void write_operations(std::size_t i) {
    std::vector<ControlOperation> operations;
    for (const int index : item(i).steps) {
      const auto more = control_operations(schedule_.iteration[static_cast<std::size_t>(index)]);
      operations.insert(operations.end(), more.begin(), more.end());
    }
    if (item(i).ends_iteration) operations.emplace_back();
    const ProgramText program = program_text(operations, plan_.scalars);
    line("static __device__ void operate_" + text_of(i) +
         "(double* v, RunState& state, const RunProgress& progress) {");
    if (!program.numbers.empty()) {
      std::string numbers;
      for (const std::int16_t number : program.numbers) numbers += text_of(int{number}) + ", ";
      line("  static constexpr std::int16_t all[] = {" + numbers + "};");
      line("  const std::int16_t* p = all;");
    }
    text_ += program.text;
    line("}");
  }

  // --- the kernel ---

  void write_kernel() {
    line(std::string("extern \"C\" __global__ void __launch_bounds__(") +
         text_of(setting_.threads) + ", 1)\n    " + persistent_entry +
         "(const __grid_constant__ PersistentArguments<T> arguments) {");
    line("  extern __shared__ __align__(16) char shared[];");
    line("  __shared__ Control control;");
    line("  __shared__ PersistentSegment segment;");
    line("  __shared__ Place<T, vectors> place;");
    line("  const PersistentStorage<T>& a = arguments.matrix;");
    line("  const int thread = static_cast<int>(threadIdx.x);");
    line("  const int threads = static_cast<int>(blockDim.x);");
    line("  const bool leads = thread < warp_size;  // the warp that waits for sums");
    line("  const int helper = thread - warp_size;");
    line("  const int helpers = threads - warp_size;");
    line("  if (thread == 0) segment = a.segments[blockIdx.x];");
    line("  __syncthreads();");
    line("  const int first = segment.first_row;");
    line("  const int halo_values = segment.halo * N;");
    line("  const int window_values = segment.own + halo_values;");
    line("  T* const kept_halos = reinterpret_cast<T*>(shared + segment.kept_halos_at);");
    for (int v = 0; v < static_cast<int>(plan_.vectors.size()); ++v) {
      if (vector(v).window < 0) continue;
      line("  T* const " + rows(v) + " = reinterpret_cast<T*>(shared) + " +
           text_of(vector(v).window) + " * window_values;");
    }
    write_places();
    write_loads();
    line("  Sums sums(arguments.sums);");
    line("  Values halo(arguments, segment);");
    write_cluster();
    line("  const std::uint64_t first_tag = *arguments.last_tag + 2;");
    line("  std::uint64_t tag = first_tag;");
    write_early_registers();
    line("  __syncthreads();");
    line("  for (;; ++tag) {");
    for (std::size_t i = 0; i < plan_.items.size(); ++i) write_item(i);
    line("  }");
    write_end();
    line("}");
    line("}  // namespace sparsecast::cuda");
  }

  void write_places() {
    line("  if (thread == 0) {");
    line("    find_lists(a, segment, shared, place);");
    for (int v = 0; v < static_cast<int>(plan_.vectors.size()); ++v) {
      if (vector(v).window < 0 && kept_.contains(v)) {
        line("    " + rows(v) + " = resident_or(shared, segment.vector_at[" + text_of(kept_.at(v)) +
             "], arguments.vectors[" + text_of(v) + "] + first);");
      }
    }
    line("    control.state = {0, 0, 0, arguments.limit};");
    line("    control.stopped = 0;");
    line("    for (int k = 0; k < " + text_of(guarded_.size()) + "; ++k) control.guarded[k] = 0;");
    line("  }");
    line("  for (int k = thread; k < " + text_of(plan_.scalars) + "; k += threads) {");
    line("    control.scalars[k] = arguments.run.scalars[k];");
    line("  }");
    line("  __syncthreads();");
  }

  /// The value of a vector at a row of the system, which exists, before the iterations.
  std::string loaded(int v, const std::string& row) const {
    const std::string constant = "arguments.constants[" + text_of(v) + "][" + row + "]";
    switch (vector(v).kind) {
      case PlannedVector::Kind::square:
        return constant + " * " + constant;
      case PlannedVector::Kind::inverse:
        return "1 / " + constant;
      default:
        return "arguments.vectors[" + text_of(v) + "][" + row + "]";
    }
  }

  void write_loads() {
    line("  keep_matrix<N>(a, segment, shared);");
    line("#pragma unroll 1");
    line("  for (int row = thread; row < segment.own; row += threads) {");
    line("    const bool there = row < segment.rows;");
    for (int v = 0; v < static_cast<int>(plan_.vectors.size()); ++v) {
      const std::string value = "there ? " + loaded(v, "first + row") + " : T{0}";
      if (vector(v).window >= 0) {
        line("    " + rows(v) + "[row] = " + value + ";");
      } else if (kept_.contains(v)) {
        const bool computed = vector(v).kind != PlannedVector::Kind::of_schedule;
        line("    if (" + (computed ? std::string("there || ") : std::string()) +
             "segment.vector_at[" + text_of(kept_.at(v)) + "] >= 0) {");
        line("      " + rows(v) + "[row] = " + value + ";");
        line("    }");
      }
    }
    line("  }");
    line("#pragma unroll 1");
    line("  for (int k = thread; k < halo_values; k += threads) {");
    line(
        "    const std::int64_t from = "
        "std::int64_t{a.halo_columns[segment.halo_begin + k / N]} * N + k % N;");
    line("    const bool there = from < a.rows;");
    for (int v = 0; v < static_cast<int>(plan_.vectors.size()); ++v) {
      if (vector(v).window < 0 && vector(v).kept_halo < 0) continue;
      line("    " + halo_of(v) + "[k] = there ? " + loaded(v, "from") + " : T{0};");
    }
    line("  }");
    line("  __syncthreads();");
  }

  std::string halo_of(int v) const {
    if (vector(v).window >= 0) return "(" + rows(v) + " + segment.own)";
    return "(kept_halos + " + text_of(vector(v).kept_halo) + " * halo_values)";
  }

  void write_cluster() {
    line(
        "  halo.join_cluster(a, segment, shared, "
        "[](int p, const PersistentSegment& of) -> std::int32_t {");
    for (int v = 0; v < static_cast<int>(plan_.vectors.size()); ++v) {
      if (vector(v).published < 0) continue;
      const std::string where =
          vector(v).window >= 0
              ? text_of(vector(v).window) +
                    " * (of.own + of.halo * N) * static_cast<std::int32_t>(sizeof(T))"
              : "of.vector_at[" + text_of(kept_.at(v)) + "]";
      line("    if (p == " + text_of(vector(v).published) + ") return " + where + ";");
    }
    line("    return -1;");
    line("  });");
  }

  /// Whether what the item awaits early is awaited in the iteration before.
  bool crosses_iterations(std::size_t i) const { return item(i).early_in > static_cast<int>(i); }

  /// Registers for what the item awaits early, where they are to live: no longer than needed.
  void declare_early(std::size_t i, const std::string& indent) {
    for (const HaloArrival& arrival : item(i).arrivals) {
      if (arrival.early) line(indent + "T " + early(i, arrival.vector) + "[Values::at_once] = {};");
    }
  }

  /// What an iteration needs of the one before is there as if one had been.
  void write_early_registers() {
    for (std::size_t i = 0; i < plan_.items.size(); ++i) {
      if (crosses_iterations(i)) declare_early(i, "  ");
    }
    std::string published;
    for (int v = 0; v < static_cast<int>(plan_.vectors.size()); ++v) {
      if (of_iteration_before(v)) {
        published += "    halo.publish(" + text_of(vector(v).published) + ", row, " + rows(v) +
                     "[row], tag - 1);\n";
      }
    }
    if (published.empty()) return;
    line("#pragma unroll 1");
    line("  for (int row = thread; row < segment.rows; row += threads) {");
    line("    if (place.exported[row] == 0) continue;");
    text_ += published;
    line("  }");
    for (std::size_t i = 0; i < plan_.items.size(); ++i) {
      if (crosses_iterations(i)) write_early_await(i, "tag - 1", "  ");
    }
  }
  bool of_iteration_before(int v) const {
    return std::ranges::any_of(plan_.items, [v](const PlannedItem& each) {
      return std::ranges::any_of(each.arrivals, [v](const HaloArrival& arrival) {
        return arrival.vector == v && arrival.of_iteration_before;
      });
    });
  }

  /// `tag`: of the iteration in which the wait is.
  void write_early_await(std::size_t i, const std::string& tag, const std::string& indent) {
    std::string awaits;
    for (const HaloArrival& arrival : item(i).arrivals) {
      if (!arrival.early) continue;
      // Where the item is in the next iteration, what it gets is of this one.
      const bool before = arrival.of_iteration_before && !crosses_iterations(i);
      awaits += indent + "  halo.await(" + early(i, arrival.vector) + ", " +
                text_of(vector(arrival.vector).published) + ", helper, helpers, place.halo, " +
                tag + (before ? " - 1" : "") + ");\n";
    }
    line(indent + "if (!leads) {");
    text_ += awaits;
    line(indent + "}");
  }

  // --- items ---

  void write_item(std::size_t i) {
    if (item(i).barrier_before || item(i).barrier_to_read) {
      line("    if constexpr (clustered) {");
      line("      cluster_arrive();");
      line("      cluster_wait();");
      line("    }");
    }
    switch (item(i).kind) {
      case Kind::product:
        return write_product(i);
      case Kind::pass:
        return write_pass(i);
      case Kind::control:
        return write_control(i);
    }
  }

  bool next_is_pass(std::size_t i) const {
    return i + 1 < plan_.items.size() && item(i + 1).kind == Kind::pass && !item(i + 1).guard;
  }
  /// Whether the product's rows in pieces are added while its sum is waited for.
  bool completes_in_wait(std::size_t i) const {
    return item(i).kind == Kind::product && !item(i).sums.empty() && !item(i).publishes &&
           i + 1 < plan_.items.size() && item(i + 1).waits;
  }

  void write_product(std::size_t i) {
    const PlannedItem& product = item(i);
    write_halo_work(i);
    line("    __syncthreads();");
    const std::string dot = product.sums.empty() ? "" : "const double " + sum(i, 0) + " = ";
    line("    " + dot + "multiply<N, " + (product.sums.empty() ? "false" : "true") +
         ">(a, segment, place, shared, " + rows(product.input) + ", " + rows(product.output) +
         ");");
    if (!completes_in_wait(i)) {
      line("    complete<N>(segment, place, shared, " + rows(product.output) + ");");
    }
    if (!product.publishes || next_is_pass(i)) return;
    line("#pragma unroll 1");
    line("    for (int row = thread; row < segment.rows; row += threads) {");
    line("      if (place.exported[row] != 0) {");
    line("        halo.publish(" + text_of(vector(product.output).published) + ", row, " +
         rows(product.output) + "[row], tag);");
    line("      }");
    line("    }");
  }

  enum class Part { now, later, sooner };
  static Part part_of(const PlannedStatement& each) {
    return each.later ? Part::later : each.sooner ? Part::sooner : Part::now;
  }
  bool has(std::size_t i, Part part) const {
    return std::ranges::any_of(
        item(i).statements, [part](const PlannedStatement& each) { return part_of(each) == part; });
  }

  void write_coefficients(std::size_t i, bool of_sooner) {
    for (std::size_t s = 0; s < item(i).statements.size(); ++s) {
      const PlannedStatement& each = item(i).statements[s];
      if (each.sooner != of_sooner) continue;
      for (std::size_t k = 0; k < each.statement.terms.size(); ++k) {
        const PassTerm& term = each.statement.terms[k];
        if (is_plain(term)) continue;
        const std::string scalar =
            term.scalar < 0 ? "" : " * control.scalars[" + text_of(term.scalar) + "]";
        line("    const T " + coefficient(i, s, k) + " = static_cast<T>(" + text_of(term.factor) +
             scalar + ");");
      }
    }
  }
  static bool is_plain(const PassTerm& term) {
    return term.scalar < 0 && (term.factor == 1 || term.factor == -1);
  }

  /// The value that a statement assigns, of values named `prefix` and the vector.
  std::string value_of(std::size_t i, std::size_t s, const std::string& prefix) const {
    const PassStatement& statement = item(i).statements[s].statement;
    std::string value;
    for (std::size_t k = 0; k < statement.terms.size(); ++k) {
      const PassTerm& term = statement.terms[k];
      const std::string factors = (term.times < 0 ? "" : prefix + text_of(term.times) + " * ") +
                                  prefix + text_of(term.operand);
      if (is_plain(term)) {
        value += (term.factor == 1 ? " + " : " - ") + factors;
      } else {
        value += " + " + coefficient(i, s, k) + " * " + factors;
      }
    }
    return value.empty() ? " T{0}" : value;
  }

  /// The statements of a part of a pass for all rows, `from` and `stride` apart.
  void write_rows(std::size_t i, Part part, const std::string& from, const std::string& stride,
                  const std::string& indent) {
    std::set<int> used;
    std::string loads;
    std::string work;
    const auto use = [&](int v, bool reads) {
      if (!used.insert(v).second) return;
      loads += indent + "  T r" + text_of(v) + (reads ? " = " + rows(v) + "[row];\n" : ";\n");
    };
    if (part == Part::now && i > 0 && item(i - 1).publishes && !item(i).guard) {
      const int output = item(i - 1).output;
      use(output, true);
      work += publish(output, indent);
    }
    std::size_t dot = 0;
    for (std::size_t s = 0; s < item(i).statements.size(); ++s) {
      const PlannedStatement& each = item(i).statements[s];
      const PassStatement& statement = each.statement;
      const std::size_t place = statement.target < 0 ? dot++ : 0;
      if (part_of(each) != part) continue;
      for (const int v : operands_read(statement)) use(v, true);
      if (statement.target < 0) {
        work += indent + "  " + sum(i, place) + " += static_cast<double>(r" + text_of(statement.a) +
                ") * static_cast<double>(r" + text_of(statement.b) + ");\n";
        continue;
      }
      use(statement.target, false);
      const std::string value = "r" + text_of(statement.target);
      work += indent + "  " + value + " =" + value_of(i, s, "r") + ";\n";
      if (vector(statement.target).kind != PlannedVector::Kind::temporary) {
        work += indent + "  " + rows(statement.target) + "[row] = " + value + ";\n";
      }
      if (each.publishes) work += publish(statement.target, indent);
    }
    line(dot > 0 && part == Part::now ? "#pragma unroll 1" : "#pragma unroll 2");
    line(indent + "for (int row = " + from + "; row < segment.rows; row += " + stride + ") {");
    text_ += loads + work;
    line(indent + "}");
  }
  std::string publish(int v, const std::string& indent) const {
    return indent + "  if (place.exported[row] != 0) halo.publish(" + text_of(vector(v).published) +
           ", row, r" + text_of(v) + ", tag);\n";
  }

  void write_pass(std::size_t i) {
    const PlannedItem& pass = item(i);
    write_coefficients(i, false);
    for (std::size_t k = 0; k < pass.sums.size(); ++k) line("    double " + sum(i, k) + " = 0;");
    if (pass.guard) {
      const ScalarTest& test = *pass.guard;
      const char* sign = test.comparison == Comparison::less ? " < " : " <= ";
      line("    if (control.scalars[" + text_of(test.a) + "]" + sign + "control.scalars[" +
           text_of(test.b) + "]) {");
      line("    if (thread == 0) ++control.guarded[" + text_of(guarded_.at(i)) + "];");
    }
    if (has(i, Part::now)) write_rows(i, Part::now, "thread", "threads", "    ");
    if (pass.guard) line("    }");
    write_halo_work(i);
  }

  void write_control(std::size_t i) {
    const PlannedItem& control = item(i);
    if (control.waits) {
      write_wait(i);
    } else if (!control.joins) {
      line("    __syncthreads();");
      line("    if (thread == 0) control_" + text_of(i) + "(control, nullptr);");
      line("    __syncthreads();");
    }
    line("    if (control.stopped == " + text_of(number_[i]) + ") break;");
  }

  /// One warp waits for the sums; the others meanwhile do what needs no sum, and wait for the first
  /// of the halo.
  void write_wait(std::size_t i) {
    std::string sums;
    std::size_t count = 0;
    for (std::size_t k = 0; k < i; ++k) {
      if (item(k).waits) {
        sums.clear();
        count = 0;
      }
      for (std::size_t s = 0; s < item(k).sums.size(); ++s, ++count) sums += sum(k, s) + ", ";
    }
    std::size_t next = i + 1;  // behind the controls that join
    while (next < plan_.items.size() && item(next).kind == Kind::control) ++next;
    const bool sooner = next < plan_.items.size() && has(next, Part::sooner);
    if (sooner) write_coefficients(next, true);
    for (std::size_t k = 0; k < plan_.items.size(); ++k) {
      const bool here = item(k).early_in == static_cast<int>(i) && !crosses_iterations(k);
      if (here) declare_early(k, "    ");
    }
    line("    {");
    line("      const double shares[" + text_of(count) + "] = {" + sums + "};");
    line("      sums.leave(shares);");
    line("      __syncthreads();");
    line("      if (leads) {");
    line("        double totals[" + text_of(count) + "];");
    line("        sums.totals(totals);");
    line("        if (thread == 0) control_" + text_of(i) + "(control, totals);");
    line("      } else {");
    line("        sums.arrive();");
    if (i > 0 && completes_in_wait(i - 1)) {
      line("        add_pieces<N>(segment, place, shared, " + rows(item(i - 1).output) +
           ", helper, helpers);");
    }
    if (i > 0 && has(i - 1, Part::later)) {
      write_rows(i - 1, Part::later, "helper", "helpers", "        ");
    }
    if (sooner) write_rows(next, Part::sooner, "helper", "helpers", "        ");
    line("        sums.wait();");
    line("      }");
    for (std::size_t k = 0; k < plan_.items.size(); ++k) {
      if (item(k).early_in == static_cast<int>(i)) write_early_await(k, "tag", "      ");
    }
    line("      __syncthreads();");
    line("    }");
  }

  /// What is kept of the halo goes on as the rows do; each value belongs to one thread.
  void write_halo_work(std::size_t i) {
    const PlannedItem& of = item(i);
    std::string work;
    std::set<int> known;
    std::string arguments;
    std::string first_awaits;
    std::string awaits;
    std::string first_values;
    std::string values;
    for (const HaloArrival& arrival : of.arrivals) {
      const int v = arrival.vector;
      known.insert(v);
      arguments += ", T h" + text_of(v);
      const std::string name = "now" + text_of(v);
      const std::string published = text_of(vector(v).published);
      const std::string tag = arrival.of_iteration_before ? "tag - 1" : "tag";
      const std::string array = "T " + name + "[Values::at_once] = {};\n";
      if (!arrival.early) {
        first_awaits += "        " + array + "        halo.await(" + name + ", " + published +
                        ", helper, helpers, place.halo, " + tag + ");\n";
      }
      awaits += "        " + array + "        halo.await(" + name + ", " + published +
                ", k, threads, place.halo, " + tag + ");\n";
      first_values += ", " + (arrival.early ? early(i, v) : name) + "[i]";
      values += ", " + name + "[i]";
    }
    if (of.kind == Kind::product) {
      if (of.arrivals.empty()) return;
      work = "        " + halo_of(of.input) + "[k] = h" + text_of(of.input) + ";\n";
    }
    for (std::size_t s = 0; s < of.statements.size(); ++s) {
      const PlannedStatement& each = of.statements[s];
      if (!each.on_halo) continue;
      for (const int v : operands_read(each.statement)) {
        if (!known.insert(v).second) continue;
        work += "        T h" + text_of(v) + " = " + halo_of(v) + "[k];\n";
      }
      const int target = each.statement.target;
      const std::string name = "h" + text_of(target);
      if (known.insert(target).second) work += "        T " + name + ";\n";
      work += "        " + name + " =" + value_of(i, s, "h") + ";\n";
      if (vector(target).kind != PlannedVector::Kind::temporary) {
        work += "        " + halo_of(target) + "[k] = " + name + ";\n";
      }
    }
    if (work.empty()) return;
    line("    {");
    line("      const auto advance = [&](int k" + arguments + ") {");
    text_ += work;
    line("      };");
    line("      if (!leads) {");
    text_ += first_awaits;
    line("#pragma unroll");
    line("        for (int i = 0; i < Values::at_once; ++i) {");
    line("          const int k = helper + i * helpers;");
    line("          if (k < halo_values) advance(k" + first_values + ");");
    line("        }");
    line("      }");
    line("#pragma unroll 1");
    line("      for (int k = Values::at_once * helpers + thread; k < halo_values;");
    line("           k += Values::at_once * threads) {");
    text_ += awaits;
    line("#pragma unroll");
    line("        for (int i = 0; i < Values::at_once; ++i) {");
    line("          if (k + i * threads < halo_values) advance(k + i * threads" + values + ");");
    line("        }");
    line("      }");
    line("    }");
  }

  // --- the end: what others may ask for ---

  void write_end() {
    line("  __syncthreads();");
    line("#pragma unroll 1");
    line("  for (int row = thread; row < segment.rows; row += threads) {");
    for (int v = 0; v < static_cast<int>(plan_.vectors.size()); ++v) {
      const PlannedVector& of = vector(v);
      if (!of.assigned || of.kind != PlannedVector::Kind::of_schedule) continue;
      const std::string copy =
          "arguments.vectors[" + text_of(v) + "][first + row] = " + rows(v) + "[row];";
      if (of.window >= 0) {
        line("    " + copy);
      } else {
        line("    if (segment.vector_at[" + text_of(kept_.at(v)) + "] >= 0) {");
        line("      " + copy);
        line("    }");
      }
    }
    line("  }");
    line("  if (blockIdx.x == 0 && thread == 0) {");
    line("    for (int k = 0; k < " + text_of(plan_.scalars) + "; ++k) {");
    line("      arguments.run.scalars[k] = control.scalars[k];");
    line("    }");
    line("    *arguments.last_tag = tag;");
    line("    arguments.run.state->ended = control.state.ended;");
    line("    arguments.run.state->iterations += control.state.iterations;");
    line("    const auto begun = static_cast<std::int64_t>(tag - first_tag + 1);");
    const auto steps = static_cast<int>(schedule_.iteration.size());
    for (int k = 0; k < steps; ++k) {
      const auto guarded = std::ranges::find_if(
          guarded_, [&](const auto& each) { return item(each.first).steps[0] == k; });
      const std::string runs =
          guarded != guarded_.end()
              ? "control.guarded[" + text_of(guarded->second) + "]"
              : "begun - (control.stopped < " + text_of(control_behind(k)) + " ? 1 : 0)";
      line("    arguments.run.runs[" + text_of(k) + "] += " + runs + ";");
    }
    line("  }");
    line("  if constexpr (clustered) {");
    line("    // Others may still read here.");
    line("    cluster_arrive();");
    line("    cluster_wait();");
    line("  }");
  }

  /// The number of the first control behind a step, as the schedule has them.
  int control_behind(int step) const {
    int last = 0;
    for (std::size_t i = 0; i < plan_.items.size(); ++i) {
      if (item(i).kind != Kind::control) continue;
      last = number_[i];
      if (!item(i).steps.empty() && item(i).steps.back() > step) return last;
    }
    return last;
  }

  const Schedule& schedule_;
  const PersistentPlan& plan_;
  const PersistentSetting& setting_;
  std::map<int, int> kept_;             ///< place in shared memory's list, by vector
  std::vector<int> number_;             ///< of controls, from 1, by item
  std::map<std::size_t, int> guarded_;  ///< places of guarded passes' counts, by item
  std::string text_;
};

}  // namespace

std::string persistent_text(const Schedule& schedule, const PersistentPlan& plan,
                            const PersistentSetting& setting) {
  return PersistentWriter(schedule, plan, setting).write();
}

}  // namespace sparsecast::cuda
