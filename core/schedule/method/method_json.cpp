#include "core/schedule/method/method_json.hpp"

#include <algorithm>
#include <iterator>
#include <optional>
#include <utility>
#include <vector>

#include "core/base/error.hpp"
#include "core/base/files/file_output.hpp"
#include "core/base/text/json_tree.hpp"
#include "core/base/text/nearest_name.hpp"
#include "core/base/text/text_fields.hpp"
#include "core/schedule/diagonal_blocks.hpp"
#include "core/schedule/method/method_words.hpp"

namespace sparsecast {

namespace {

using Texts = std::vector<std::string>;
using StepKind = MethodStep::Kind;

/// What `parse` makes of a text, with the place in front of what it refuses.
template <class Parse>
auto parsed(const JsonPlace& place, std::string_view text, const Parse& parse) {
  try {
    return parse(text);
  } catch (const Error& error) {
    place.refuse(error.what());
  }
}
template <class Parse>
auto parsed(const JsonPlace& place, const Parse& parse) {
  return parsed(place, place.text(), parse);
}

std::string_view trimmed(std::string_view text) {
  const auto is_space = [](char c) { return c == ' ' || c == '\t'; };
  while (!text.empty() && is_space(text.front())) text.remove_prefix(1);
  while (!text.empty() && is_space(text.back())) text.remove_suffix(1);
  return text;
}

std::string name_of(const JsonPlace& place, std::string_view text) {
  if (!is_name(text)) {
    place.refuse(in_quotes(text) +
                 " cannot be a name; expected a letter, then letters, digits and underscores, and "
                 "no word of the language");
  }
  return std::string(text);
}

/// The value of a name that is one of these.
template <class Value>
Value named(const JsonPlace& place, std::string_view name,
            const std::vector<std::pair<std::string, Value>>& values) {
  Texts known;
  for (const auto& [each, value] : values) {
    if (each == name) return value;
    known.push_back(each);
  }
  place.refuse("unknown " + in_quotes(name) + "; " + hint_of_name(name, known));
}

std::vector<Parameter> read_parameters(const JsonPlace& object) {
  std::vector<Parameter> parameters;
  for (const std::string& key : object.keys()) {
    const JsonPlace place = object.at(key);
    Parameter& parameter = parameters.emplace_back();
    parameter.name = name_of(place, key);
    if (place.kind() == JsonTree::Kind::null) continue;
    if (place.kind() == JsonTree::Kind::number) {
      parameter.value.emplace().number = place.number();
    } else if (place.kind() == JsonTree::Kind::text) {
      parameter.value = parsed(place, parse_expression);
    } else {
      place.refuse("expected a number, an expression as a text, or null where it must be given");
    }
  }
  return parameters;
}

std::vector<std::pair<std::string, OperatorDeclaration::Kind>> operator_kinds() {
  using Kind = OperatorDeclaration::Kind;
  std::vector<std::pair<std::string, Kind>> kinds;
  for (const Kind kind : {Kind::matrix, Kind::transpose, Kind::diagonal, Kind::inverse_diagonal,
                          Kind::inverse_block_diagonal, Kind::identity}) {
    kinds.emplace_back(to_string(kind), kind);
  }
  return kinds;
}

std::vector<std::pair<std::string, MatrixKind>> matrix_kinds() {
  std::vector<std::pair<std::string, MatrixKind>> kinds;
  for (const MatrixKind kind :
       {MatrixKind::square, MatrixKind::symmetric, MatrixKind::symmetric_positive_definite}) {
    kinds.emplace_back(to_string(kind), kind);
  }
  return kinds;
}

int read_block_size(const JsonPlace& place) {
  const std::int64_t rows = place.count();
  if (rows < 1 || rows > largest_diagonal_block) {
    place.refuse("found blocks of " + std::to_string(rows) + " rows; expected 1 to " +
                 std::to_string(largest_diagonal_block));
  }
  return static_cast<int>(rows);
}

OperatorDeclaration read_operator(const JsonPlace& place, const std::string& name) {
  OperatorDeclaration declared;
  declared.name = name_of(place, name);
  if (place.kind() == JsonTree::Kind::text) {
    declared.kind = named(place, place.text(), operator_kinds());
    if (declared.kind == OperatorDeclaration::Kind::inverse_block_diagonal) {
      place.refuse(
          "expected {\"of\": \"inverse block diagonal\", \"block\": N}, with the rows N of " +
          std::string("a block"));
    }
    return declared;
  }
  if (place.kind() != JsonTree::Kind::object) {
    place.refuse("expected what it is of the matrix, as a text or {\"of\": ...}");
  }
  place.allow_only(Texts{"of", "block", "domain", "range"});
  const JsonPlace of = place.at("of");
  declared.kind = named(of, of.text(), operator_kinds());
  if (declared.kind == OperatorDeclaration::Kind::inverse_block_diagonal) {
    declared.block_size = read_block_size(place.at("block"));
  } else if (const auto block = place.find("block")) {
    block->refuse("only an inverse block diagonal has blocks; leave it out");
  }
  const auto read_space = [&](const char* key, std::string& space) {
    if (const auto member = place.find(key)) space = name_of(*member, member->text());
  };
  read_space("domain", declared.domain);
  read_space("range", declared.range);
  return declared;
}

/// "V[m+1]", of vectors also "V[m+1]: coarse".
Declaration read_declaration(const JsonPlace& place, bool has_space) {
  const std::string& text = place.text();
  const std::size_t colon = has_space ? text.find(':') : std::string::npos;
  Expression name = parsed(place, std::string_view(text).substr(0, colon), parse_expression);
  if (name.kind != Expression::Kind::name) {
    place.refuse("expected a name, for an array with its size in brackets, found " +
                 in_quotes(text));
  }
  Declaration declared;
  declared.name = std::move(name.name);
  declared.sizes = std::move(name.arguments);
  if (colon != std::string::npos) {
    declared.space = name_of(place, trimmed(std::string_view(text).substr(colon + 1)));
  }
  return declared;
}

std::vector<Declaration> read_declarations(const JsonPlace& array, bool have_spaces) {
  std::vector<Declaration> all;
  for (const JsonPlace& place : array.elements()) {
    all.push_back(read_declaration(place, have_spaces));
  }
  return all;
}

/// "p_Ap <= 0 : not_positive_definite"
MethodTest read_test(const JsonPlace& place) {
  const std::string_view text = place.text();
  const std::size_t colon = text.find(':');
  if (colon == std::string_view::npos) {
    place.refuse("expected 'test : outcome', found " + in_quotes(text));
  }
  MethodTest test;
  test.test = parsed(place, text.substr(0, colon), parse_expression);
  std::vector<std::pair<std::string, Outcome>> known;
  for (const Outcome outcome : outcomes) {
    // That is no end that a check finds.
    if (outcome != Outcome::iteration_limit) known.emplace_back(outcome_name(outcome), outcome);
  }
  test.outcome = named(place, trimmed(text.substr(colon + 1)), known);
  return test;
}

std::vector<Assignment> read_assignments(const JsonPlace& array) {
  std::vector<Assignment> all;
  for (const JsonPlace& place : array.elements()) all.push_back(parsed(place, parse_assignment));
  if (all.empty()) array.refuse("expected at least one assignment");
  return all;
}

std::vector<MethodStep> read_steps(const JsonPlace& array);

void read_repeat(const JsonPlace& place, const JsonPlace& range, MethodStep& step) {
  IndexRange read = parsed(range, parse_range);
  step.index = std::move(read.index);
  step.range = std::move(read.bounds);
  step.falls = read.falls;
  step.body = read_steps(place.at("do"));
}

void read_apply(const JsonPlace& place, const JsonPlace& product, MethodStep& step) {
  step.assignments.push_back(parsed(product, parse_assignment));
  if (const auto dots = place.find("dots")) {
    std::vector<Assignment> read = read_assignments(*dots);
    std::ranges::move(read, std::back_inserter(step.assignments));
  }
}

StepKind read_kind(const JsonPlace& place) {
  std::optional<StepKind> found;
  std::string all;
  for (const auto& [key, kind] : step_keys) {
    all += (all.empty() ? "'" : ", '") + std::string(key) + "'";
    if (!place.find(std::string(key))) continue;
    if (found) place.refuse("a step is one thing; write two steps");
    found = kind;
  }
  if (!found) {
    place.allow_only(
        Texts{"apply", "vector", "scalar", "check", "repeat", "break", "dots", "do", "when"});
    place.refuse("expected a step, which has one of " + all);
  }
  return *found;
}

MethodStep read_step(const JsonPlace& place) {
  MethodStep step;
  step.kind = read_kind(place);
  step.place = place.path();
  const std::string key(step_key(step.kind));
  Texts known{key, "when"};
  if (step.kind == StepKind::apply) known.emplace_back("dots");
  if (step.kind == StepKind::repeat) known.emplace_back("do");
  place.allow_only(known);
  const JsonPlace what = place.at(key);
  switch (step.kind) {
    case StepKind::apply:
      read_apply(place, what, step);
      break;
    case StepKind::vector:
    case StepKind::scalar:
      step.assignments = read_assignments(what);
      break;
    case StepKind::check:
      for (const JsonPlace& test : what.elements()) step.tests.push_back(read_test(test));
      if (step.tests.empty()) what.refuse("expected at least one 'test : outcome'");
      break;
    case StepKind::repeat:
      read_repeat(place, what, step);
      break;
    case StepKind::leave:
      if (!what.truth()) what.refuse("expected true; leave the step out, or give it a 'when'");
      break;
  }
  if (const auto when = place.find("when")) step.when = parsed(*when, parse_expression);
  return step;
}

std::vector<MethodStep> read_steps(const JsonPlace& array) {
  std::vector<MethodStep> steps;
  for (const JsonPlace& place : array.elements()) steps.push_back(read_step(place));
  return steps;
}

void read_roles(const JsonPlace& object, Method& method) {
  Texts known;
  for (const std::string_view role : method_roles) known.emplace_back(role);
  object.allow_only(known);
  for (const std::string& key : object.keys()) {
    const JsonPlace place = object.at(key);
    method.roles[key] = name_of(place, place.text());
  }
}

std::vector<std::pair<std::string, bool>> vector_makers() {
  return {{std::string(library_kernels), false}, {std::string(library_cublas), true}};
}

/// Those of a library's sums, which no other kernel makes, or of its scalars.
std::vector<std::pair<std::string, LibraryExecution::Place>> places_of_sums() {
  using Place = LibraryExecution::Place;
  return {{std::string(to_string(Place::host)), Place::host},
          {std::string(to_string(Place::device)), Place::device}};
}
std::vector<std::pair<std::string, LibraryExecution::Place>> places_of_scalars() {
  auto places = places_of_sums();
  const auto last = LibraryExecution::Place::kernels;
  places.emplace_back(to_string(last), last);
  return places;
}

/// Of kernels or waits of a check.
int small_count(const JsonPlace& place) {
  constexpr std::int64_t most = 100;
  const std::int64_t count = place.count();
  if (count > most) place.refuse("expected at most " + std::to_string(most));
  return static_cast<int>(count);
}

LibraryExecution read_execution(const JsonPlace& object) {
  object.allow_only(Texts{"library", "measured", "host_call_seconds", "vectors", "vector_rate",
                          "sums", "scalars", "checks"});
  LibraryExecution execution;
  const JsonPlace library = object.at("library");
  execution.library = library.text();
  if (execution.library.empty()) library.refuse("expected the library's name and version");
  if (const auto member = object.find("measured")) execution.measured = member->truth();
  execution.host_call_seconds = object.at("host_call_seconds").amount();
  if (const auto rate = object.find("vector_rate")) {
    execution.vector_rate = rate->amount();
    if (execution.vector_rate == 0) rate->refuse("expected more than 0");
  }
  const auto word = [&](const char* key, const auto& words, auto& value) {
    if (const auto member = object.find(key)) value = named(*member, member->text(), words);
  };
  word("vectors", vector_makers(), execution.cublas_vectors);
  word("sums", places_of_sums(), execution.sums);
  word("scalars", places_of_scalars(), execution.scalars);
  if (const auto checks = object.find("checks")) {
    if (execution.sums == LibraryExecution::Place::host) {
      checks->refuse("of sums that are on the host, which checks cost nothing; leave it out");
    }
    checks->allow_only(Texts{"kernels", "waits"});
    execution.check_kernels = small_count(checks->at("kernels"));
    execution.check_waits = small_count(checks->at("waits"));
  }
  return execution;
}

Method read_members(const JsonPlace& top) {
  top.allow_only(Texts{"schema", "name", "description", "needs", "parameters", "operators",
                       "vectors", "scalars", "roles", "execution", "setup", "iteration", "finish"});
  const JsonPlace schema = top.at("schema");
  if (schema.number() != 1) schema.refuse("expected 1; update sparsecast to read later schemas");
  Method method;
  method.name = top.at("name").text();
  const auto optional = [&](const char* key, const auto& read) {
    if (const auto member = top.find(key)) read(*member);
  };
  optional("description", [&](const JsonPlace& at) { method.description = at.text(); });
  optional("needs",
           [&](const JsonPlace& at) { method.needs = named(at, at.text(), matrix_kinds()); });
  optional("parameters", [&](const JsonPlace& at) { method.parameters = read_parameters(at); });
  const JsonPlace operators = top.at("operators");
  for (const std::string& key : operators.keys()) {
    method.operators.push_back(read_operator(operators.at(key), key));
  }
  method.vectors = read_declarations(top.at("vectors"), true);
  optional("scalars", [&](const JsonPlace& at) { method.scalars = read_declarations(at, false); });
  read_roles(top.at("roles"), method);
  optional("execution", [&](const JsonPlace& at) { method.execution = read_execution(at); });
  optional("setup", [&](const JsonPlace& at) { method.setup = read_steps(at); });
  method.iteration = read_steps(top.at("iteration"));
  optional("finish", [&](const JsonPlace& at) { method.finish = read_steps(at); });
  return method;
}

}  // namespace

Method read_method(std::string_view json, const std::string& source) {
  if (json.size() > largest_method_file) {
    throw Error(source + ": larger than " + std::to_string(largest_method_file) +
                " bytes; expected a schedule as docs/schedules.md describes it");
  }
  const JsonTree tree =
      parse_json_tree(json, source, "a schedule as docs/schedules.md describes it");
  return read_members(JsonPlace(tree, source));
}

Method read_method_file(const std::filesystem::path& path) {
  return read_method(read_file(path, largest_method_file), path.string());
}

}  // namespace sparsecast
