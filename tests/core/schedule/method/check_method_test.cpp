#include "core/schedule/method/check_method.hpp"

#include <gtest/gtest.h>

#include <filesystem>
#include <nlohmann/json.hpp>

#include "core/refusal.hpp"
#include "core/schedule/method/method_json.hpp"
#include "core/schedule/method/method_names.hpp"

namespace sparsecast {
namespace {

using Json = nlohmann::ordered_json;

Json valid_method() {
  return Json::parse(R"json({
    "schema": 1, "name": "t",
    "parameters": {"m": 3, "high": "gershgorin_high(M, A)", "n": null},
    "operators": {"A": "matrix", "At": "transpose", "M": "inverse diagonal",
                  "R": {"of": "matrix", "domain": "unknowns", "range": "coarse"}},
    "vectors": ["x", "b", "r", "q", "z", "V[m+1]", "c: coarse"],
    "scalars": ["rho", "rr", "unset", "h[m+1]", "H[m+1][m]"],
    "roles": {"solution": "x", "right_hand_side": "b", "residual": "r", "residual_square": "rr"},
    "setup": [{"apply": "q = A*x"},
              {"vector": ["r = b - q", "z = M*r", "rr = dot(r, r)"]},
              {"scalar": ["rho = sqrt(rr)/high"]}],
    "iteration": [{"apply": "V[1] = A*V[0]", "dots": ["h[i] = dot(r, q) for i in 0..m"]},
                  {"vector": ["x = x + rho*(r - 2*z)"]},
                  {"scalar": ["rho = rho + iteration"]},
                  {"check": ["rho <= residual_limit : converged"]},
                  {"repeat": "j in 0..m-1", "do": [{"vector": ["V[j] = M*(r - rho*q)"]},
                                                   {"break": true, "when": "j > 1"}]}]
  })json");
}

std::string refusal(const Json& json) {
  return refusal_of([&] { check_method(read_method(json.dump(), "t.json")); });
}
Json with(const std::string& pointer, const Json& value) {
  Json json = valid_method();
  json["setup"].push_back({{"vector", {"V[0] = r"}}});
  json[Json::json_pointer(pointer)] = value;
  return json;
}
std::string refusal_with(const std::string& pointer, const Json& value) {
  return refusal(with(pointer, value));
}
/// Of another assignment in the vector step, and in the scalar step.
std::string vector_refusal(const std::string& text) {
  return refusal_with("/iteration/1/vector/0", text);
}
std::string scalar_refusal(const std::string& text) {
  return refusal_with("/iteration/2/scalar/0", text);
}
const std::string in_vector = "schedule 't': iteration[1].vector[0]: column ";
const std::string in_scalar = "schedule 't': iteration[2].scalar[0]: column ";

TEST(CheckMethod, AcceptsWhatMeansSomething) {
  EXPECT_EQ(refusal_with("/name", "t"), "accepted");
  EXPECT_EQ(vector_refusal("x = -x/2 + sum(i in 0..m-1, h[i]*V[i])"), "accepted");
  EXPECT_EQ(vector_refusal("x = r*rho - M*(M*r)"), "accepted");
  EXPECT_EQ(scalar_refusal("H[0][1] = select(not rho < m and 1, hypot(h[0], h[m]), infinity)"),
            "accepted");
}

TEST(CheckMethod, AcceptsTheShippedSchedules) {
  int checked = 0;
  for (const auto& entry : std::filesystem::directory_iterator(
           std::filesystem::path(SPARSECAST_SOURCE_DIR) / "schedules")) {
    const Method method = read_method_file(entry.path());
    EXPECT_EQ(refusal_of([&] { check_method(method); }), "accepted") << entry.path();
    EXPECT_EQ(method.name, entry.path().stem().string());
    EXPECT_FALSE(method.description.empty());
    const Method again = read_method(to_json(method), "again");
    EXPECT_EQ(to_json(again), to_json(method));
    EXPECT_EQ(refusal_of([&] { check_method(again); }), "accepted") << entry.path();
    ++checked;
  }
  EXPECT_GE(checked, 9);
}

TEST(CheckMethod, RefusesUnknownNames) {
  EXPECT_EQ(vector_refusal("x = x + rhp*r"),
            in_vector + "9: unknown name 'rhp'; did you mean 'rho'?");
  EXPECT_EQ(scalar_refusal("rho = sqr(rho)"),
            in_scalar + "7: unknown function 'sqr'; did you mean 'sqrt'?");
  EXPECT_EQ(scalar_refusal("rho = hypot(rho)"), in_scalar + "7: hypot takes 2 operands, found 1");
}

TEST(CheckMethod, RefusesNamesThatAreTaken) {
  EXPECT_EQ(refusal_with("/scalars/0", "x"),
            "schedule 't': scalars: 'x' is declared twice; use another name");
  EXPECT_EQ(refusal_with("/vectors/4", "A"),
            "schedule 't': vectors: 'A' is declared twice; use another name");
  for (const char* name : {"sqrt", "dot", "residual_limit", "gershgorin_low"}) {
    EXPECT_EQ(refusal_with("/scalars/2", name), "schedule 't': scalars: '" + std::string(name) +
                                                    "' is a name of the language; use another one");
  }
  EXPECT_EQ(vector_refusal("x = sum(rho in 0..1, V[rho])"),
            "schedule 't': iteration[1].vector[0]: the index 'rho' is declared as something else; "
            "use another name");
  EXPECT_EQ(refusal_with("/iteration/4/do/0/vector/0", "r = sum(j in 0..1, V[j])"),
            "schedule 't': iteration[4].do[0].vector[0]: 'j' is the index of a range around it; "
            "use another name");
}

TEST(CheckMethod, RefusesVectorsForScalarsAndTheOtherWay) {
  EXPECT_EQ(scalar_refusal("rho = r"),
            in_scalar +
                "7: 'r' is a vector; expected a scalar, such as one that is assigned "
                "dot(u, v)");
  EXPECT_EQ(scalar_refusal("rho = M"), in_scalar + "7: 'M' is an operator; expected a scalar");
  EXPECT_EQ(vector_refusal("x = rho"), in_vector + "5: 'rho' is no vector; expected one");
  EXPECT_EQ(vector_refusal("x = r + 1"),
            in_vector + "9: expected a linear combination of vectors, found '1'");
  EXPECT_EQ(vector_refusal("x = sqrt(rho)"),
            in_vector + "5: expected a linear combination of vectors, found 'sqrt(rho)'");
  EXPECT_EQ(scalar_refusal("x = 1"), in_scalar + "1: 'x' is a vector; assign it in a vector step");
  EXPECT_EQ(vector_refusal("rho = rr"),
            in_vector +
                "7: a scalar is assigned dot(u, v) here; all else belongs into a scalar "
                "step");
  EXPECT_EQ(scalar_refusal("rho = dot(r, r)"),
            in_scalar +
                "7: dot(u, v) stands alone behind the '=' of an apply or vector step; "
                "assign it to a scalar there");
  EXPECT_EQ(scalar_refusal("rho = sum(i in 0..m, h[i])"),
            in_scalar + "7: sum(...) is of vectors; of scalars write a repeat");
}

TEST(CheckMethod, RefusesWhatIsNotLinearInVectors) {
  EXPECT_EQ(vector_refusal("x = r*q"),
            in_vector +
                "5: a vector cannot be multiplied by a vector; write dot(u, v) for the sum "
                "of products, or declare a diagonal operator and write M*v");
  EXPECT_EQ(vector_refusal("x = 1/r"),
            in_vector +
                "7: 'r' is a vector; expected a scalar, such as one that is assigned "
                "dot(u, v)");
  EXPECT_EQ(vector_refusal("x = r < q"),
            in_vector + "5: expected a linear combination of vectors, found 'r < q'");
  EXPECT_EQ(vector_refusal("x = rho*M*r"),
            in_vector +
                "5: a vector cannot be multiplied by a vector; write dot(u, v) for the sum "
                "of products, or declare a diagonal operator and write M*v");
  EXPECT_EQ(vector_refusal("x = M + r"),
            in_vector + "5: the operator 'M' must stand right in front of a vector: alpha*(M*v)");
  EXPECT_EQ(vector_refusal("rho = dot(r, r - q)"),
            in_vector +
                "14: expected the name of a vector; assign the expression to a vector "
                "first");
  EXPECT_EQ(vector_refusal("rho = dot(r)"), in_vector + "7: dot takes 2 operands, found 1");
}

TEST(CheckMethod, RefusesOperatorsThatNeedAnApply) {
  for (const char* name : {"A", "At"}) {
    EXPECT_EQ(vector_refusal("x = x + " + std::string(name) + "*r"),
              in_vector + "9: '" + name +
                  "' needs more than a row of its operand; multiply by it in an apply step");
  }
}

TEST(CheckMethod, RefusesSpacesThatDoNotMatch) {
  EXPECT_EQ(refusal_with("/iteration/0/apply", "c = R*r"), "accepted");
  EXPECT_EQ(refusal_with("/iteration/0/apply", "q = R*r"),
            "schedule 't': iteration[0].apply: column 5: 'R' takes vectors in 'unknowns' to "
            "'coarse', found 'unknowns' and 'unknowns'");
  EXPECT_EQ(refusal_with("/iteration/0/apply", "c = A*r"),
            "schedule 't': iteration[0].apply: column 5: 'A' takes vectors in 'unknowns' to "
            "'unknowns', found 'unknowns' and 'coarse'");
  EXPECT_EQ(vector_refusal("c = r"),
            in_vector + "1: 'c' lies in 'coarse', its value in 'unknowns'");
  const auto behind_apply = [](const std::string& text) {
    Json json = with("/iteration/0/apply", "c = R*r");
    json["iteration"][1]["vector"][0] = text;
    return refusal(json);
  };
  EXPECT_EQ(behind_apply("x = r + c"),
            in_vector +
                "5: a vector in 'unknowns' and one in 'coarse' cannot be added; expected "
                "one space");
  EXPECT_EQ(behind_apply("rho = dot(r, c)"),
            in_vector + "7: dot of a vector in 'unknowns' and one in 'coarse'; expected one space");
  EXPECT_EQ(behind_apply("x = M*c"),
            in_vector + "5: 'M' multiplies vectors in 'unknowns', found one in 'coarse'");
  EXPECT_EQ(refusal_with("/operators/M", Json{{"of", "inverse diagonal"}, {"range", "coarse"}}),
            "schedule 't': operators.M: the inverse diagonal has one space, found 'unknowns' and "
            "'coarse'");
}

TEST(CheckMethod, RefusesWrongIndices) {
  EXPECT_EQ(scalar_refusal("rho = h"), in_scalar + "7: 'h' has 1 indices, found 0");
  EXPECT_EQ(scalar_refusal("rho = h[0][1]"), in_scalar + "7: 'h' has 1 indices, found 2");
  EXPECT_EQ(scalar_refusal("rho = m[0]"), in_scalar + "7: 'm' is no array");
  EXPECT_EQ(vector_refusal("x = r[0]"), in_vector + "5: 'r' has 0 indices, found 1");
  EXPECT_EQ(scalar_refusal("rho = h[m+1]"), in_scalar + "9: the index is 4; 'h' has 0 to 3");
  EXPECT_EQ(scalar_refusal("rho = h[0-1]"), in_scalar + "9: the index is -1; 'h' has 0 to 3");
  EXPECT_EQ(scalar_refusal("rho = h[1/2]"), in_scalar + "9: the index is 0.5; 'h' has 0 to 3");
  EXPECT_EQ(scalar_refusal("H[1][3] = 1"), in_scalar + "6: the index is 3; 'H' has 0 to 2");
}

TEST(CheckMethod, RefusesSizesThatAreNone) {
  EXPECT_EQ(refusal_with("/vectors/4", "z[2][2]"),
            "schedule 't': vectors[4]: 'z' has 2 dimensions; expected 1 at most");
  EXPECT_EQ(refusal_with("/scalars/2", "unset[m-3]"),
            "schedule 't': scalars[2]: the size m - 3 of 'unset' is 0; expected a whole number "
            "from 1 to 100000");
  EXPECT_EQ(refusal_with("/scalars/2", "unset[rho]"),
            "schedule 't': scalars[2]: column 7: a parameter's value is of numbers, of parameters "
            "in front of it and of functions of the matrix; 'rho' is none of these");
}

TEST(CheckMethod, RefusesReadsOfWhatNothingHasAssigned) {
  const std::string reason =
      ", and nothing has assigned it before; assign it in setup or in an earlier step";
  EXPECT_EQ(scalar_refusal("rho = unset"), in_scalar + "7: 'unset' is read" + reason);
  EXPECT_EQ(vector_refusal("x = c"), in_vector + "5: 'c' is read" + reason);
  EXPECT_EQ(vector_refusal("rho = dot(r, c)"), in_vector + "14: 'c' is read" + reason);
  EXPECT_EQ(refusal(valid_method()),
            "schedule 't': iteration[0].apply: column 10: 'V' is read" + reason);
  Json conditional = with("/setup/2/scalar/0", "unset = 1");
  conditional["setup"][2]["when"] = "rr > 0";
  conditional["setup"].push_back({{"scalar", {"rho = unset"}}});
  EXPECT_EQ(refusal(conditional), "accepted");
  const auto repeated = [](const std::string& text, const std::string& then) {
    return refusal_with("/iteration/4/do/0", Json{{"scalar", {text, then}}});
  };
  EXPECT_EQ(repeated("rho = H[j][0]", "H[j+1][0] = rho"), "accepted");
  EXPECT_EQ(repeated("rho = unset", "unset = rho"),
            "schedule 't': iteration[4].do[0].scalar[0]: column 7: 'unset' is read" + reason);
}

TEST(CheckMethod, RefusesAssignmentsToWhatIsGiven) {
  EXPECT_EQ(
      scalar_refusal("residual_limit = 1"),
      in_scalar + "1: 'residual_limit' is given by who runs the method; it cannot be assigned");
  EXPECT_EQ(vector_refusal("b = r"),
            in_vector + "1: 'b' is the right-hand side; assign another vector");
  EXPECT_EQ(scalar_refusal("m = 4"),
            in_scalar + "1: 'm' is a parameter; declare a scalar for what changes");
  EXPECT_EQ(vector_refusal("M = r"), in_vector + "1: 'M' is an operator; it cannot be assigned");
  EXPECT_EQ(refusal_with("/iteration/4/do/0", Json{{"scalar", {"j = 1"}}}),
            "schedule 't': iteration[4].do[0].scalar[0]: column 1: 'j' is an index; it cannot be "
            "assigned");
  EXPECT_EQ(scalar_refusal("i = 1 for i in 0..2"),
            in_scalar + "1: 'i' is an index; it cannot be assigned");
}

TEST(CheckMethod, RefusesAppliesThatAreNoProduct) {
  const std::string place = "schedule 't': iteration[0].apply: column ";
  EXPECT_EQ(refusal_with("/iteration/0/apply", "q = r + z"),
            place + "5: expected the product of a declared operator and a vector, 'q = A*x'");
  EXPECT_EQ(refusal_with("/iteration/0/apply", "q = A*(r + z)"),
            place + "8: expected the name of a vector; assign the expression to a vector first");
  EXPECT_EQ(refusal_with("/iteration/0/apply", "rho = A*r"),
            place + "1: a product is a vector; 'rho' is a scalar");
  EXPECT_EQ(refusal_with("/iteration/0/apply", "V[0] = A*V[0]"),
            place + "1: a product cannot overwrite its operand; use two vectors");
}

TEST(CheckMethod, RefusesShapesThatDoNotRun) {
  EXPECT_EQ(refusal_with("/iteration/1", Json{{"break", true}}),
            "schedule 't': iteration[1]: 'break' outside a repeat; end the run with a check");
  EXPECT_EQ(refusal_with("/iteration", Json::array({Json{{"scalar", {"rho = 1"}}}})),
            "schedule 't': iteration: expected an apply step; without a product by the matrix "
            "nothing converges");
  EXPECT_EQ(refusal_with("/iteration/4/repeat", "j in 0..infinity"),
            "schedule 't': iteration[4].repeat: column 9: the bound is inf; expected a whole "
            "number");
  EXPECT_EQ(refusal_with("/iteration/4/repeat", "j in 0..m/2"),
            "schedule 't': iteration[4].repeat: column 9: the bound is 1.5; expected a whole "
            "number");
  EXPECT_EQ(refusal_with("/iteration/4/repeat", "j in 0..r"),
            "schedule 't': iteration[4].repeat: column 9: 'r' is a vector; expected a scalar, such "
            "as one that is assigned dot(u, v)");
}

TEST(CheckMethod, RefusesRolesThatAreMissingOrNoVectors) {
  EXPECT_EQ(refusal_with("/roles", Json{{"solution", "x"}}),
            "schedule 't': roles: 'right_hand_side' is missing; name the vector that is it");
  EXPECT_EQ(refusal_with("/roles", Json{{"right_hand_side", "b"}}),
            "schedule 't': roles: 'solution' is missing; name the vector that is it");
  EXPECT_EQ(refusal_with("/roles/residual", "rho"),
            "schedule 't': roles: 'residual' is 'rho'; expected a declared vector that is no "
            "array");
  EXPECT_EQ(refusal_with("/roles/preconditioner", "A"),
            "schedule 't': roles: 'preconditioner' is 'A'; expected an operator that is the "
            "identity, an inverse diagonal or an inverse block diagonal");
  EXPECT_EQ(refusal_with("/roles/restart", "x"),
            "schedule 't': roles: 'restart' is 'x'; expected a declared parameter");
  EXPECT_EQ(refusal_with("/roles/residual_square", "h"),
            "schedule 't': roles: 'residual_square' is 'h'; expected a declared scalar that is no "
            "array");
  EXPECT_EQ(refusal_with("/roles/right_hand_side", "x"),
            "schedule 't': roles: the solution is the right-hand side; expected two vectors");
}

TEST(CheckMethod, RefusesParametersOfWhatIsNotKnownBefore) {
  EXPECT_EQ(refusal_with("/parameters/n", "2*m + 1"), "accepted");
  EXPECT_EQ(refusal_with("/parameters/m", "n"),
            "schedule 't': parameters.m: column 1: a parameter's value is of numbers, of "
            "parameters in front of it and of functions of the matrix; 'n' is none of these");
  EXPECT_EQ(refusal_with("/parameters/m", "select(1)"),
            "schedule 't': parameters.m: column 1: select takes 3 operands, found 1");
  EXPECT_EQ(refusal_with("/parameters/m", "sum(i in 0..1, 2)"),
            "schedule 't': parameters.m: column 1: sum(...) is of vectors; of scalars write a "
            "repeat");
  EXPECT_EQ(refusal_with("/parameters/n", "gershgorin_low(At)"),
            "schedule 't': parameters.n: column 1: gershgorin_low is of the matrix, or of its "
            "inverse diagonal and the matrix: gershgorin_low(A), gershgorin_low(M, A)");
  EXPECT_EQ(scalar_refusal("rho = gershgorin_low(A)"),
            in_scalar + "7: gershgorin_low is for parameters; declare one with it");
}

TEST(MethodNames, SayWhatANameIs) {
  const Method method = read_method(valid_method().dump(), "t.json");
  const MethodNames names(method);
  EXPECT_EQ(names.kind("m"), MethodNames::Kind::parameter);
  EXPECT_EQ(names.kind("iteration"), MethodNames::Kind::given_scalar);
  EXPECT_EQ(names.kind("nothing"), MethodNames::Kind::unknown);
  EXPECT_EQ(names.linear_operator("R")->range, "coarse");
  EXPECT_EQ(names.linear_operator("r"), nullptr);
  EXPECT_EQ(names.vector("c")->space, "coarse");
  EXPECT_EQ(sizes_of(*names.scalar("H"), {{"m", 5}}), (std::vector<std::int64_t>{6, 5}));
  EXPECT_TRUE(sizes_of(*names.scalar("rho"), {}).empty());
}

TEST(NamedNumbers, AreSetOrComputedInTheirOrder) {
  Json json = valid_method();
  json["parameters"]["twice"] = "2*high + m";
  const Method method = read_method(json.dump(), "t.json");
  const auto function = [](const Expression& call) { return call.arguments.size() == 2 ? 7.0 : 0; };
  const NamedNumbers values = parameter_values(method, {{"n", 4}, {"m", 5}}, function);
  EXPECT_EQ(values, (NamedNumbers{{"m", 5}, {"high", 7}, {"n", 4}, {"twice", 19}}));
  EXPECT_EQ(known_parameters(method), (NamedNumbers{{"m", 3}}));
}

}  // namespace
}  // namespace sparsecast
