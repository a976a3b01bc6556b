#include "core/cuda/compile/program_text.cuh"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>

namespace sparsecast::cuda {
namespace {

using Kind = ControlOperation::Kind;

/// Operations of a loop, and how often it goes round, at least and at most.
constexpr std::size_t most_period = 24;
constexpr std::size_t least_rounds = 3;
/// Items of what goes round as it stands, at least.
constexpr std::size_t least_items = 9;

/// The slots that an assignment names, negative where it has none: its target, then what it reads:
/// a, b and c, both sides of its guard, and with a guard the target that it may leave as it is.
constexpr std::size_t target = 0;
constexpr std::size_t guard_a = 4;
constexpr std::size_t guard_b = 5;
constexpr std::size_t old = 6;
constexpr std::size_t field_count = 7;
using Fields = std::array<int, field_count>;
Fields fields_of(const ControlOperation& operation) {
  const int operands = operand_count(operation.operation);
  const bool guarded = operation.guard.a >= 0;
  return {operation.target,
          operation.a,
          operands > 1 ? operation.b : -1,
          operands > 2 ? operation.c : -1,
          guarded ? operation.guard.a : -1,
          guarded ? operation.guard.b : -1,
          guarded ? operation.target : -1};
}

bool same_guard(const ControlOperation& one, const ControlOperation& other) {
  return one.guard.a == other.guard.a &&
         (one.guard.a < 0 ||
          (one.guard.b == other.guard.b && one.guard.comparison == other.guard.comparison));
}

bool can_repeat(const ControlOperation& operation) {
  return operation.kind == Kind::assign &&
         operation.operation != ScalarOperation::count_unless_smaller;
}

/// Operations [first, first + period * rounds), of which each round does what the one before did,
/// on slots that lie a fixed distance further.
struct Loop {
  std::size_t first = 0;
  std::size_t period = 0;
  std::size_t rounds = 0;

  std::size_t end() const { return first + period * rounds; }
};

/// Slots that lie `step` apart, from `low` to `high`.
struct SlotArray {
  int step = 1;
  int low = 0;
  int high = 0;

  bool holds(int slot) const { return slot >= low && slot <= high && (slot - low) % step == 0; }
};

/// Arrays that share no slot.
class SlotArrays {
 public:
  /// Joins what it meets; false: it cannot, for one of other steps has some of its slots.
  bool add(SlotArray made) {
    while (true) {
      const auto met = std::ranges::find_if(arrays_, [&](const SlotArray& each) {
        for (int slot = made.low; slot <= made.high; slot += made.step) {
          if (each.holds(slot)) return true;
        }
        return false;
      });
      if (met == arrays_.end()) break;
      if (met->step != made.step) return false;
      made = {made.step, std::min(made.low, met->low), std::max(made.high, met->high)};
      arrays_.erase(met);
    }
    arrays_.push_back(made);
    return true;
  }

  /// -1: in none.
  int find(int slot) const {
    const auto found =
        std::ranges::find_if(arrays_, [slot](const SlotArray& each) { return each.holds(slot); });
    return found == arrays_.end() ? -1 : static_cast<int>(found - arrays_.begin());
  }

  const std::vector<SlotArray>& all() const { return arrays_; }

 private:
  std::vector<SlotArray> arrays_;
};

/// Where a loop's operation has an operand from.
struct Source {
  enum class Kind {
    none,     ///< it has no such operand
    fixed,    ///< a scalar that the loop does not change before
    ahead,    ///< an array that the loop has not changed yet: loaded a round ahead
    earlier,  ///< `operation` of the same round
    before,   ///< `operation` of the round before
  };
  Kind kind = Kind::none;
  std::size_t operation = 0;  ///< of the period

  friend bool operator==(const Source&, const Source&) = default;
};

/// A loop with what its text is made of.
class LoopBody {
 public:
  LoopBody(std::span<const ControlOperation> operations, const Loop& loop)
      : operations_(operations), loop_(loop), guarded_as_one_(is_guarded_as_one()) {}

  const Loop& loop() const { return loop_; }
  /// One guard, or none, holds for the whole loop.
  bool guarded_as_one() const { return guarded_as_one_; }
  const ControlOperation& operation(std::size_t q) const { return operations_[loop_.first + q]; }
  int slot(std::size_t q, std::size_t field, std::size_t round = 0) const {
    if (guarded_as_one_ && field >= guard_a) return -1;
    return fields_of(operations_[loop_.first + round * loop_.period + q])[field];
  }
  int stride(std::size_t q, std::size_t field) const {
    return slot(q, field, 1) - slot(q, field, 0);
  }
  const Source& source(std::size_t q, std::size_t field) const {
    return sources_[q * field_count + field];
  }

  /// Finds where operands come from; false: not alike in all rounds.
  bool find_sources() {
    std::map<int, std::pair<std::size_t, std::size_t>> writers;  // round and operation, by slot
    std::vector<std::optional<Source>> found(loop_.period * field_count);
    for (std::size_t round = 0; round < loop_.rounds; ++round) {
      for (std::size_t q = 0; q < loop_.period; ++q) {
        for (std::size_t field = 1; field < field_count; ++field) {
          const int read = slot(q, field, round);
          Source source;
          if (read >= 0) {
            source.kind = stride(q, field) == 0 ? Source::Kind::fixed : Source::Kind::ahead;
            if (const auto writer = writers.find(read); writer != writers.end()) {
              const std::size_t rounds_ago = round - writer->second.first;
              if (rounds_ago > 1) return false;
              source = {rounds_ago == 0 ? Source::Kind::earlier : Source::Kind::before,
                        writer->second.second};
            }
          }
          std::optional<Source>& known = found[q * field_count + field];
          // In the first round what comes from the round before has not been written.
          const bool begins = round == 1 && known != source &&
                              source.kind == Source::Kind::before &&
                              known->kind != Source::Kind::earlier;
          if (known && *known != source && !begins) return false;
          known = source;
        }
        writers[slot(q, target, round)] = {round, q};
      }
    }
    for (auto& source : found) sources_.push_back(source.value_or(Source{}));
    return !mixes_targets();
  }

  /// The arrays that it goes along.
  std::vector<SlotArray> arrays() const {
    std::vector<SlotArray> arrays;
    for (std::size_t q = 0; q < loop_.period; ++q) {
      for (std::size_t field = 0; field < field_count; ++field) {
        if (slot(q, field) < 0 || stride(q, field) == 0) continue;
        const int last = slot(q, field, loop_.rounds - 1);
        arrays.push_back({std::abs(stride(q, field)), std::min(slot(q, field), last),
                          std::max(slot(q, field), last)});
      }
    }
    return arrays;
  }

 private:
  /// Whether a scalar that is stored behind the loop is also one of an array that it assigns.
  bool mixes_targets() const {
    std::set<int> single;
    for (std::size_t q = 0; q < loop_.period; ++q) {
      if (stride(q, target) == 0) single.insert(slot(q, target));
    }
    for (std::size_t q = 0; q < loop_.period; ++q) {
      if (stride(q, target) == 0) continue;
      for (std::size_t round = 0; round < loop_.rounds; ++round) {
        if (single.contains(slot(q, target, round))) return true;
      }
    }
    return false;
  }

  bool is_guarded_as_one() const {
    const ControlOperation& first = operations_[loop_.first];
    for (std::size_t k = loop_.first; k < loop_.end(); ++k) {
      const ControlOperation& each = operations_[k];
      if (!same_guard(first, each)) return false;
      if (first.guard.a >= 0 && (each.target == first.guard.a || each.target == first.guard.b)) {
        return false;
      }
    }
    return true;
  }

  std::span<const ControlOperation> operations_;
  Loop loop_;
  bool guarded_as_one_ = false;
  std::vector<Source> sources_;  ///< by operation and field
};

/// Finds the loops of a list.
class LoopFinder {
 public:
  explicit LoopFinder(std::span<const ControlOperation> operations) : operations_(operations) {
    fields_.reserve(operations.size());
    codes_.reserve(operations.size());
    for (const ControlOperation& operation : operations) {
      fields_.push_back(fields_of(operation));
      codes_.push_back(code_of(operation));
    }
  }

  std::vector<LoopBody> loops(SlotArrays& arrays) {
    std::vector<LoopBody> found;
    for (std::size_t at = 0; at < operations_.size();) {
      const std::optional<LoopBody> loop = longest(at, arrays);
      if (loop) found.push_back(*loop);
      at = loop ? loop->loop().end() : at + 1;
    }
    return found;
  }

 private:
  /// The loop at a place that does most; `arrays` get its own.
  std::optional<LoopBody> longest(std::size_t at, SlotArrays& arrays) const {
    std::vector<Loop> candidates;
    for (std::size_t period = 1; period <= most_period; ++period) {
      const std::size_t rounds = rounds_of(at, period);
      if (rounds >= least_rounds) candidates.push_back({at, period, rounds});
    }
    std::ranges::stable_sort(candidates, std::greater{},
                             [](const Loop& loop) { return loop.period * loop.rounds; });
    for (const Loop& candidate : candidates) {
      LoopBody body(operations_, candidate);
      SlotArrays with = arrays;
      if (!body.find_sources()) continue;
      if (!std::ranges::all_of(body.arrays(), [&](const auto& each) { return with.add(each); })) {
        continue;
      }
      arrays = with;
      return body;
    }
    return std::nullopt;
  }

  std::size_t rounds_of(std::size_t at, std::size_t period) const {
    std::size_t rounds = 1;
    while (at + (rounds + 1) * period <= operations_.size() && goes_on(at, period, rounds)) {
      ++rounds;
    }
    return rounds;
  }

  /// Whether the round behind `rounds` does the same once more.
  bool goes_on(std::size_t at, std::size_t period, std::size_t rounds) const {
    for (std::size_t q = 0; q < period; ++q) {
      const int code = codes_[at + q];
      if (code == cannot_repeat || code != codes_[at + rounds * period + q]) return false;
      const Fields& begin = fields_[at + q];
      const Fields& second = fields_[at + period + q];
      const Fields& now = fields_[at + rounds * period + q];
      for (std::size_t field = 0; field < field_count; ++field) {
        const int stride = second[field] - begin[field];
        if (now[field] != begin[field] + stride * static_cast<int>(rounds)) return false;
      }
    }
    return true;
  }

  static constexpr int cannot_repeat = -1;
  /// What operations do, whatever slots they name.
  static int code_of(const ControlOperation& operation) {
    if (!can_repeat(operation)) return cannot_repeat;
    constexpr int comparisons = 2;
    const int guard = operation.guard.a < 0 ? 0 : 1;
    return (static_cast<int>(operation.operation) * 2 + guard) * comparisons +
           static_cast<int>(operation.guard.comparison);
  }

  std::span<const ControlOperation> operations_;
  std::vector<Fields> fields_;  ///< of each operation
  std::vector<int> codes_;
};

class ProgramWriter {
 public:
  ProgramWriter(std::span<const ControlOperation> operations, int scalars)
      : operations_(operations) {
    for (int slot = 0; slot < scalars; ++slot) place(slot);
  }

  ProgramText write() {
    loops_ = LoopFinder(operations_).loops(arrays_);
    find_places();
    find_items();
    for (std::size_t at = 0; at < items_.size();) {
      const Loop turns = longest_turns(at);
      if (turns.rounds >= least_rounds) {
        write_turns(turns);
        at = turns.end();
      } else {
        write_item(items_[at++]);
      }
    }
    close_guard();
    return std::move(made_);
  }

 private:
  // --- items: operations and loops; those that repeat as they stand go round themselves ---

  struct Item {
    const ControlOperation* operation = nullptr;
    const LoopBody* loop = nullptr;
    int form = 0;  ///< alike in items of the same text but for their scalars
  };

  /// What the text of an operation by itself depends on, but for its scalars.
  static std::string form_of(const ControlOperation& operation) {
    const Fields fields = fields_of(operation);
    const auto letter = [](int number) { return static_cast<char>(1 + number); };
    std::string form{
        letter(static_cast<int>(operation.kind)),
        letter(operation.guard.a < 0 ? 0 : 1 + static_cast<int>(operation.guard.comparison))};
    if (operation.kind == Kind::assign) {
      form += letter(static_cast<int>(operation.operation));
      for (const int slot : {fields[1], fields[2], fields[3]}) form += letter(slot < 0 ? 0 : 1);
    } else if (operation.kind == Kind::stop) {
      form += letter(static_cast<int>(operation.test.comparison));
      form += letter(static_cast<int>(operation.outcome));
      for (const int slot : {operation.test.a, operation.test.b}) form += letter(slot < 0 ? 0 : 1);
    }
    return form;
  }
  /// With a number in the place of every scalar.
  std::string text_by_itself(const Item& item) {
    all_numbers_ = true;
    write_item(item);
    close_guard();
    all_numbers_ = false;
    made_.numbers.clear();
    return std::exchange(made_.text, {});
  }

  using Forms = std::map<std::string, int>;
  static int number_of(std::string form, Forms& forms) {
    return forms.try_emplace(std::move(form), static_cast<int>(forms.size())).first->second;
  }

  void find_items() {
    Forms forms;
    auto loop = loops_.begin();
    for (std::size_t at = 0; at < operations_.size();) {
      Item& item = items_.emplace_back();
      item.operation = &operations_[at];
      if (loop != loops_.end() && loop->loop().first == at) {
        item.loop = &*loop;
        item.form = number_of(text_by_itself(item), forms);
        at = loop->loop().end();
        ++loop;
      } else {
        item.form = number_of(form_of(*item.operation), forms);
        ++at;
      }
    }
  }

  /// Items from a place on that are alike round after round; no rounds: none worth it.
  Loop longest_turns(std::size_t at) const {
    Loop longest{at, 1, 0};
    for (std::size_t period = 1; period <= most_period; ++period) {
      std::size_t count = 0;
      while (at + period + count < items_.size() &&
             items_[at + count].form == items_[at + count + period].form) {
        ++count;
      }
      const std::size_t rounds = 1 + count / period;
      if (rounds < least_rounds || rounds * period < least_items) continue;
      if (rounds * period > longest.period * longest.rounds) longest = {at, period, rounds};
    }
    return longest;
  }

  void write_turns(const Loop& turns) {
    close_guard();
    line("{");
    line("const int turns = " + number(turns.rounds) + ";");
    line("p += " + std::to_string(made_.numbers.size() - numbers_behind_) + ";");
    numbers_behind_ = made_.numbers.size();
    line("for (int turn = 0; turn < turns; ++turn) {");
    all_numbers_ = true;
    for (std::size_t round = 0; round < turns.rounds; ++round) {
      const std::size_t end = made_.text.size();
      for (std::size_t k = 0; k < turns.period; ++k) {
        write_item(items_[turns.first + round * turns.period + k]);
        close_guard();
      }
      // The other rounds have the same text, and numbers of their own.
      if (round > 0) {
        made_.text.resize(end);
      } else {
        line("p += " + std::to_string(made_.numbers.size() - numbers_behind_) + ";");
      }
      numbers_behind_ = made_.numbers.size();
    }
    all_numbers_ = false;
    line("}");
    line("}");
  }

  void write_item(const Item& item) {
    if (item.loop == nullptr) return write_operation(*item.operation);
    if (item.loop->guarded_as_one()) {
      open_guard(*item.operation);
    } else {
      close_guard();
    }
    write_loop(*item.loop);
  }

  // --- places ---

  /// Scalars by themselves first: their places do not depend on the lengths of arrays.
  void find_places() {
    for (const ControlOperation& operation : operations_) {
      if (operation.guard.a >= 0) {
        place_single(operation.guard.a);
        place_single(operation.guard.b);
      }
      if (operation.kind == Kind::assign) {
        for (const int slot : fields_of(operation)) place_single(slot);
      } else if (operation.kind == Kind::stop) {
        place_single(operation.test.a);
        place_single(operation.test.b);
      }
    }
    for (const SlotArray& array : arrays_.all()) {
      for (int slot = array.low; slot <= array.high; slot += array.step) place(slot);
    }
  }
  void place_single(int slot) {
    if (slot >= 0 && arrays_.find(slot) < 0) place(slot);
  }
  void place(int slot) {
    if (made_.places.try_emplace(slot, static_cast<int>(made_.slots.size())).second) {
      made_.slots.push_back(static_cast<std::int16_t>(slot));
    }
  }

  /// A number that the text leaves open.
  std::string number(std::size_t value) {
    made_.numbers.push_back(static_cast<std::int16_t>(value));
    return "p[" + std::to_string(made_.numbers.size() - 1 - numbers_behind_) + "]";
  }
  std::string place_of(int slot) {
    const int place = made_.places.at(slot);
    const bool stays = !all_numbers_ && arrays_.find(slot) < 0;
    return stays ? std::to_string(place) : number(static_cast<std::size_t>(place));
  }
  std::string value(int slot) { return slot < 0 ? "0.0" : "v[" + place_of(slot) + "]"; }

  // --- text ---

  void line(std::string_view text) { ((made_.text += "  ") += text) += '\n'; }

  void open_guard(const ControlOperation& operation) {
    if (guard_ != nullptr && same_guard(*guard_, operation)) return;
    close_guard();
    if (operation.guard.a < 0) return;
    const std::string a = value(operation.guard.a);
    line("if (" + a + sign_of(operation.guard) + value(operation.guard.b) + ") {");
    guard_ = &operation;
  }
  void close_guard() {
    if (guard_ != nullptr) line("}");
    guard_ = nullptr;
  }

  static const char* sign_of(const DeviceTest& test) {
    return test.comparison == Comparison::less ? " < " : " <= ";
  }

  static std::string result(const ControlOperation& operation, const std::string& before,
                            const std::array<std::string, 3>& operands) {
    return "scalar_result(static_cast<ScalarOperation>(" +
           std::to_string(static_cast<int>(operation.operation)) + "), " + before + ", " +
           operands[0] + ", " + operands[1] + ", " + operands[2] + ")";
  }

  void write_operation(const ControlOperation& operation) {
    open_guard(operation);
    switch (operation.kind) {
      case Kind::assign: {
        const Fields fields = fields_of(operation);
        const bool counts = operation.operation == ScalarOperation::count_unless_smaller;
        const std::array<std::string, 3> operands{value(fields[1]), value(fields[2]),
                                                  value(fields[3])};
        const std::string before = counts ? value(fields[target]) : "0.0";
        const std::string made = result(operation, before, operands);
        line(value(fields[target]) + " = " + made + ";");
        if (guard_ != nullptr &&
            (fields[target] == operation.guard.a || fields[target] == operation.guard.b)) {
          close_guard();
        }
        break;
      }
      case Kind::stop: {
        const std::string a = value(operation.test.a);
        const std::string b = value(operation.test.b);
        line("if (stops(" + a + ", static_cast<Comparison>(" +
             std::to_string(static_cast<int>(operation.test.comparison)) + "), " + b +
             ", static_cast<Outcome>(" + std::to_string(static_cast<int>(operation.outcome)) +
             "), state)) return;");
        break;
      }
      case Kind::count:
        line("count_run(runs[" + number(static_cast<std::size_t>(operation.step)) + "]);");
        break;
      case Kind::end_iteration:
        line("if (ends_iteration(state, progress)) return;");
        break;
    }
  }

  static std::string variable(const char* name, std::size_t q) {
    return std::string(name) + std::to_string(q);
  }
  static std::string variable(const char* name, std::size_t q, std::size_t field) {
    return variable(name, q) + "_" + std::to_string(field);
  }

  /// Results in t, of the round before in y; operands that are loaded ahead in x, the next round's
  /// in z, from places that begin at i.
  void write_loop(const LoopBody& body) {
    const std::size_t period = body.loop().period;
    line("{");
    line("const int rounds = " + number(body.loop().rounds) + ";");
    std::string ahead;
    std::string next;
    std::set<std::size_t> kept;
    std::map<std::pair<int, int>, std::string> loaded;  // by first slot and stride
    std::map<std::pair<std::size_t, std::size_t>, std::string> loads;
    for (std::size_t q = 0; q < period; ++q) {
      line("double " + variable("t", q) + " = 0;");
      if (body.stride(q, target) != 0) {
        line("const int " + variable("i", q, target) + " = " + place_of(body.slot(q, target)) +
             ";");
      }
      for (std::size_t field = 1; field < field_count; ++field) {
        const Source& source = body.source(q, field);
        const std::string x = variable("x", q, field);
        if (source.kind == Source::Kind::fixed) {
          line("const double " + x + " = " + value(body.slot(q, field)) + ";");
        } else if (source.kind == Source::Kind::ahead) {
          const auto [known, is_new] =
              loaded.try_emplace({body.slot(q, field), body.stride(q, field)}, x);
          loads[{q, field}] = known->second;
          if (!is_new) continue;
          const std::string i = variable("i", q, field);
          const std::string z = variable("z", q, field);
          line("const int " + i + " = " + place_of(body.slot(q, field)) + ";");
          line("double " + x + " = v[" + i + "];");
          ahead += "  const double " + z + " = v[" + i + sign(body.stride(q, field)) + "m];\n";
          next += "  " + x + " = " + z + ";\n";
        } else if (source.kind == Source::Kind::before && kept.insert(source.operation).second) {
          const std::string y = variable("y", source.operation);
          line("double " + y + " = " + value(body.slot(q, field)) + ";");
          next += "  " + y + " = " + variable("t", source.operation) + ";\n";
        }
      }
    }
    made_.text += "#pragma unroll 4\n";
    line("for (int n = 0; n < rounds; ++n) {");
    if (!ahead.empty()) line("const int m = n + 1 < rounds ? n + 1 : n;");
    made_.text += ahead;
    for (std::size_t q = 0; q < period; ++q) {
      std::array<std::string, field_count> operands;
      for (std::size_t field = 1; field < field_count; ++field) {
        const auto load = loads.find({q, field});
        operands[field] =
            load != loads.end() ? load->second : operand(body.source(q, field), q, field);
      }
      std::string made = result(body.operation(q), "0.0", {operands[1], operands[2], operands[3]});
      if (body.source(q, guard_a).kind != Source::Kind::none) {
        made = operands[guard_a] + sign_of(body.operation(q).guard) + operands[guard_b] + " ? " +
               made + " : " + operands[old];
      }
      line(variable("t", q) + " = " + made + ";");
      if (const int stride = body.stride(q, target); stride != 0) {
        line("v[" + variable("i", q, target) + sign(stride) + "n] = " + variable("t", q) + ";");
      }
    }
    made_.text += next;
    line("}");
    for (std::size_t q = 0; q < period; ++q) {
      if (body.stride(q, target) == 0) {
        const std::string to = value(body.slot(q, target));
        line(to + " = " + variable("t", q) + ";");
      }
    }
    line("}");
  }
  static const char* sign(int stride) { return stride > 0 ? " + " : " - "; }

  static std::string operand(const Source& source, std::size_t q, std::size_t field) {
    switch (source.kind) {
      case Source::Kind::none:
      case Source::Kind::ahead:  // found among the loads
        return "0.0";
      case Source::Kind::fixed:
        return variable("x", q, field);
      case Source::Kind::earlier:
        return variable("t", source.operation);
      case Source::Kind::before:
        return variable("y", source.operation);
    }
    return {};
  }

  std::span<const ControlOperation> operations_;
  SlotArrays arrays_;
  std::vector<LoopBody> loops_;
  std::vector<Item> items_;
  bool all_numbers_ = false;        ///< places are numbers, too, not text
  std::size_t numbers_behind_ = 0;  ///< that `p` has gone past
  ProgramText made_;
  const ControlOperation* guard_ = nullptr;  ///< of an open block
};

}  // namespace

ProgramText program_text(std::span<const ControlOperation> operations, int scalars) {
  return ProgramWriter(operations, scalars).write();
}

}  // namespace sparsecast::cuda
