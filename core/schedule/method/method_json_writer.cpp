#include "core/base/text/json_text.hpp"
#include "core/schedule/method/method_json.hpp"
#include "core/schedule/method/method_words.hpp"

namespace sparsecast {

namespace {

JsonValue parameter_value(const Parameter& parameter) {
  if (!parameter.value) return {};
  const bool is_number = parameter.value->kind == Expression::Kind::number;
  // JSON has no infinity.
  const JsonValue number = is_number ? parameter.value->number : JsonValue();
  return number.text() == "null" ? JsonValue(to_string(*parameter.value)) : number;
}

JsonValue operator_value(const OperatorDeclaration& declared) {
  const OperatorDeclaration usual;
  const bool has_spaces = declared.domain != usual.domain || declared.range != usual.range;
  if (!has_spaces && declared.block_size == 0) return to_string(declared.kind);
  JsonObject object{{"of", to_string(declared.kind)}};
  if (declared.block_size != 0) object.add("block", declared.block_size);
  if (has_spaces) object.add("domain", declared.domain).add("range", declared.range);
  return object;
}

JsonArray declarations(const std::vector<Declaration>& all) {
  JsonArray array;
  for (const Declaration& declared : all) {
    std::string text = declared.name;
    for (const Expression& size : declared.sizes) text += "[" + to_string(size) + "]";
    if (declared.space != Declaration{}.space) text += ": " + declared.space;
    array.add(text);
  }
  return array;
}

JsonArray assignments(std::span<const Assignment> all) {
  JsonArray array;
  for (const Assignment& assignment : all) array.add(to_string(assignment));
  return array;
}

JsonArray steps(const std::vector<MethodStep>& all);

JsonObject step_object(const MethodStep& step) {
  JsonObject object;
  const std::string_view key = step_key(step.kind);
  switch (step.kind) {
    case MethodStep::Kind::apply:
      object.add(key, to_string(step.assignments.front()));
      if (step.assignments.size() > 1) {
        object.add("dots", assignments(std::span(step.assignments).subspan(1)));
      }
      break;
    case MethodStep::Kind::vector:
    case MethodStep::Kind::scalar:
      object.add(key, assignments(step.assignments));
      break;
    case MethodStep::Kind::check: {
      JsonArray tests;
      for (const MethodTest& test : step.tests) {
        tests.add(to_string(test.test) + " : " + outcome_name(test.outcome));
      }
      object.add(key, tests);
      break;
    }
    case MethodStep::Kind::repeat:
      object.add(key, to_string(IndexRange{step.index, step.range, step.falls}));
      object.add("do", steps(step.body));
      break;
    case MethodStep::Kind::leave:
      object.add(key, true);
      break;
  }
  if (step.when) object.add("when", to_string(*step.when));
  return object;
}

JsonArray steps(const std::vector<MethodStep>& all) {
  JsonArray array;
  for (const MethodStep& step : all) array.add(step_object(step));
  return array;
}

JsonObject execution_object(const LibraryExecution& execution) {
  JsonObject object{{"library", execution.library},
                    {"measured", execution.measured},
                    {"host_call_seconds", execution.host_call_seconds},
                    {"vectors", execution.cublas_vectors ? library_cublas : library_kernels},
                    {"vector_rate", execution.vector_rate},
                    {"sums", to_string(execution.sums)},
                    {"scalars", to_string(execution.scalars)}};
  if (execution.sums == LibraryExecution::Place::device) {
    object.add("checks",
               JsonObject{{"kernels", execution.check_kernels}, {"waits", execution.check_waits}});
  }
  return object;
}

}  // namespace

std::string to_json(const Method& method) {
  JsonObject parameters;
  for (const Parameter& each : method.parameters) parameters.add(each.name, parameter_value(each));
  JsonObject operators;
  for (const OperatorDeclaration& each : method.operators) {
    operators.add(each.name, operator_value(each));
  }
  JsonObject roles;
  for (const auto& [role, name] : method.roles) roles.add(role, name);
  JsonObject object{{"schema", 1},
                    {"name", method.name},
                    {"description", method.description},
                    {"needs", to_string(method.needs)},
                    {"parameters", parameters},
                    {"operators", operators},
                    {"vectors", declarations(method.vectors)},
                    {"scalars", declarations(method.scalars)},
                    {"roles", roles}};
  if (method.execution) object.add("execution", execution_object(*method.execution));
  return object
      .add_members({{"setup", steps(method.setup)},
                    {"iteration", steps(method.iteration)},
                    {"finish", steps(method.finish)}})
      .lines();
}

}  // namespace sparsecast
