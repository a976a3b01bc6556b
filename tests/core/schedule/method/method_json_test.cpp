#include "core/schedule/method/method_json.hpp"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "core/base/files/file_output.hpp"
#include "core/refusal.hpp"

namespace sparsecast {
namespace {

using Json = nlohmann::ordered_json;

Json small_method() {
  return Json::parse(R"json({
    "schema": 1, "name": "small", "description": "all that a file may say",
    "parameters": {"m": 3, "low": "gershgorin_low(A)", "high": null, "most": "infinity"},
    "operators": {"A": "matrix", "M": "inverse diagonal",
                  "R": {"of": "identity", "domain": "unknowns", "range": "coarse"}},
    "vectors": ["x", "b", "q", "V[m+1]", "c: coarse"],
    "scalars": ["rho", "H[m+1][m]"],
    "roles": {"solution": "x", "right_hand_side": "b"},
    "setup": [{"scalar": ["rho = 0"]}],
    "iteration": [{"apply": "q = A*x", "dots": ["rho = dot(x, q)", "H[0][0] = dot(q, q)"]},
                  {"vector": ["x = x + rho*q"], "when": "rho > 0"},
                  {"check": ["rho <= 0 : not_positive_definite", "rho == 1 : breakdown"]},
                  {"repeat": "i in m-1..0 falling", "do": [{"break": true, "when": "i == 1"}]}],
    "finish": [{"scalar": ["H[i][0] = 1 for i in 0..m"]}]
  })json");
}

Method method_of(const Json& json) {
  return read_method(json.dump(), "f.json");
}
std::string refusal(const Json& json) {
  return refusal_of([&] { method_of(json); });
}
/// What is refused after a change.
template <class Change>
std::string refusal_after(const Change& change) {
  Json json = small_method();
  change(json);
  return refusal(json);
}
std::string refusal_with(const std::string& pointer, const Json& value) {
  return refusal_after([&](Json& json) { json[Json::json_pointer(pointer)] = value; });
}

TEST(MethodJson, ReadsAllThatAFileMaySay) {
  const Method method = method_of(small_method());
  EXPECT_EQ(method.name, "small");
  ASSERT_EQ(method.parameters.size(), 4u);
  EXPECT_EQ(method.parameters[0].name, "m");
  EXPECT_EQ(method.parameters[0].value->number, 3);
  EXPECT_EQ(to_string(*method.parameters[1].value), "gershgorin_low(A)");
  EXPECT_FALSE(method.parameters[2].value);
  EXPECT_EQ(method.operators[1].kind, OperatorDeclaration::Kind::inverse_diagonal);
  EXPECT_EQ(method.operators[2].range, "coarse");
  EXPECT_EQ(to_string(method.vectors[3].sizes.at(0)), "m + 1");
  EXPECT_EQ(method.vectors[4].space, "coarse");
  EXPECT_EQ(method.scalars[1].sizes.size(), 2u);
  EXPECT_EQ(method.roles.at("solution"), "x");

  ASSERT_EQ(method.iteration.size(), 4u);
  EXPECT_EQ(method.iteration[0].kind, MethodStep::Kind::apply);
  EXPECT_EQ(method.iteration[0].assignments.size(), 3u);
  EXPECT_EQ(to_string(*method.iteration[1].when), "rho > 0");
  EXPECT_EQ(method.iteration[2].tests[0].outcome, Outcome::not_positive_definite);
  EXPECT_EQ(method.iteration[2].tests[1].outcome, Outcome::breakdown);
  const MethodStep& repeat = method.iteration[3];
  EXPECT_EQ(repeat.index, "i");
  EXPECT_TRUE(repeat.falls);
  EXPECT_EQ(repeat.body.at(0).kind, MethodStep::Kind::leave);
  EXPECT_EQ(repeat.body.at(0).place, "iteration[3].do[0]");
  EXPECT_EQ(method.finish[0].assignments[0].index, "i");
}

TEST(MethodJson, ReadsBackWhatItWrites) {
  const std::string text = to_json(method_of(small_method()));
  EXPECT_EQ(to_json(read_method(text, "again")), text);
  const Json json = Json::parse(text);
  const Json parameters = json["parameters"];
  EXPECT_EQ(parameters["m"], 3);
  EXPECT_EQ(parameters["low"], "gershgorin_low(A)");
  EXPECT_TRUE(parameters["high"].is_null());
  EXPECT_EQ(parameters["most"], "infinity");
  EXPECT_EQ(json["operators"], small_method()["operators"]);
  EXPECT_EQ(json["roles"]["solution"], "x");
  EXPECT_EQ(json["vectors"][3], "V[m + 1]");
  EXPECT_EQ(json["iteration"][3]["do"], small_method()["iteration"][3]["do"]);
  EXPECT_EQ(json["iteration"][2]["check"][0], "rho <= 0 : not_positive_definite");
  EXPECT_EQ(json["finish"], small_method()["finish"]);
}

TEST(MethodJson, ReadsTheRowsOfDiagonalBlocks) {
  Json json = small_method();
  json["operators"]["B"] = {{"of", "inverse block diagonal"}, {"block", 3}};
  const Method method = method_of(json);
  EXPECT_EQ(method.operators.back().kind, OperatorDeclaration::Kind::inverse_block_diagonal);
  EXPECT_EQ(method.operators.back().block_size, 3);
  EXPECT_EQ(Json::parse(to_json(method))["operators"], json["operators"]);

  const auto ends_with = [](const std::string& text, const std::string& end) {
    EXPECT_TRUE(text.ends_with(end)) << text;
  };
  ends_with(
      refusal_with("/operators/B", "inverse block diagonal"),
      "expected {\"of\": \"inverse block diagonal\", \"block\": N}, with the rows N of a block");
  for (const int rows : {0, 9}) {
    ends_with(refusal_with("/operators/B", {{"of", "inverse block diagonal"}, {"block", rows}}),
              "found blocks of " + std::to_string(rows) + " rows; expected 1 to 8");
  }
  EXPECT_NE(refusal_with("/operators/B", Json{{"of", "inverse block diagonal"}}).find("block"),
            std::string::npos);
  ends_with(refusal_with("/operators/B", {{"of", "diagonal"}, {"block", 3}}),
            "only an inverse block diagonal has blocks; leave it out");
}

TEST(MethodJson, SaysWhichMembersAreMissingOrUnknown) {
  for (const char* key : {"schema", "name", "operators", "vectors", "roles", "iteration"}) {
    EXPECT_EQ(refusal_after([&](Json& json) { json.erase(key); }),
              "f.json: field '" + std::string(key) + "' is missing");
  }
  for (const char* key : {"description", "needs", "parameters", "scalars", "setup", "finish"}) {
    EXPECT_EQ(refusal_after([&](Json& json) { json.erase(key); }), "accepted") << key;
  }
  EXPECT_EQ(refusal_with("/iterations", 1),
            "f.json: unknown field 'iterations'; did you mean 'iteration'?");
  EXPECT_EQ(refusal_with("/needs", "definite"),
            "f.json: needs: unknown 'definite'; known are square, symmetric, symmetric positive "
            "definite");
  EXPECT_EQ(refusal_with("/roles/residuals", "x"),
            "f.json: roles: unknown field 'residuals'; did you mean 'residual'?");
  EXPECT_EQ(refusal_with("/iteration/0/dot", Json::array()),
            "f.json: iteration[0]: unknown field 'dot'; did you mean 'dots'?");
  EXPECT_EQ(refusal_with("/iteration/1/dots", Json::array()),
            "f.json: iteration[1]: unknown field 'dots'; known are vector, when");
  EXPECT_EQ(refusal_with("/operators/R/rang", "x"),
            "f.json: operators.R: unknown field 'rang'; did you mean 'range'?");
}

TEST(MethodJson, SaysWhichKindOfValueWasExpected) {
  EXPECT_EQ(refusal(Json::array()), "f.json: expected an object, found an array");
  EXPECT_EQ(refusal_with("/schema", 2),
            "f.json: schema: expected 1; update sparsecast to read later schemas");
  EXPECT_EQ(refusal_with("/name", 3), "f.json: name: expected a text, found a number");
  EXPECT_EQ(refusal_with("/vectors", "x"), "f.json: vectors: expected an array, found a text");
  EXPECT_EQ(refusal_with("/vectors/1", 7), "f.json: vectors[1]: expected a text, found a number");
  EXPECT_EQ(refusal_with("/parameters/m", true),
            "f.json: parameters.m: expected a number, an expression as a text, or null where it "
            "must be given");
  EXPECT_EQ(refusal_with("/operators/A", 1),
            "f.json: operators.A: expected what it is of the matrix, as a text or {\"of\": ...}");
  EXPECT_EQ(refusal_with("/iteration/2", "x"),
            "f.json: iteration[2]: expected an object, found a text");
  EXPECT_EQ(refusal_with("/iteration/3/do/0/break", false),
            "f.json: iteration[3].do[0].break: expected true; leave the step out, or give it a "
            "'when'");
  EXPECT_EQ(refusal_with("/iteration/1/vector", Json::array()),
            "f.json: iteration[1].vector: expected at least one assignment");
  EXPECT_EQ(refusal_with("/iteration/2/check", Json::array()),
            "f.json: iteration[2].check: expected at least one 'test : outcome'");
}

TEST(MethodJson, SaysPlaceAndColumnOfWhatIsNoExpression) {
  EXPECT_EQ(refusal_with("/iteration/1/vector/0", "x = * 3"),
            "f.json: iteration[1].vector[0]: column 5: expected a number, a name or '(' after "
            "'=', found '*'");
  EXPECT_EQ(refusal_with("/iteration/0/apply", "q + 1"),
            "f.json: iteration[0].apply: column 3: expected '=' after 'q', found '+'");
  EXPECT_EQ(refusal_with("/iteration/0/dots/1", "1"),
            "f.json: iteration[0].dots[1]: column 1: expected the name of what is assigned, found "
            "'1'");
  EXPECT_EQ(refusal_with("/iteration/1/when", "("),
            "f.json: iteration[1].when: column 2: expected a number, a name or '(' after '(', "
            "found the end");
  EXPECT_EQ(refusal_with("/iteration/3/repeat", "i in 0"),
            "f.json: iteration[3].repeat: column 7: expected '..' after '0', found the end");
  EXPECT_EQ(refusal_with("/parameters/low", "1 +"),
            "f.json: parameters.low: column 4: expected a number, a name or '(' after '+', found "
            "the end");
  EXPECT_EQ(refusal_with("/vectors/0", "x["),
            "f.json: vectors[0]: column 3: expected a number, a name or '(' after '[', found the "
            "end");
}

TEST(MethodJson, SaysWhichNamesAreNone) {
  EXPECT_EQ(refusal_with("/vectors/0", "x + 1"),
            "f.json: vectors[0]: expected a name, for an array with its size in brackets, found "
            "'x + 1'");
  EXPECT_EQ(refusal_with("/parameters/2m", 1),
            "f.json: parameters.2m: '2m' cannot be a name; expected a letter, then letters, digits "
            "and underscores, and no word of the language");
  EXPECT_EQ(refusal_with("/operators/A", "inverse diagonals"),
            "f.json: operators.A: unknown 'inverse diagonals'; did you mean 'inverse diagonal'?");
  EXPECT_EQ(refusal_with("/iteration/2/check/0", "rho <= 0 : convergd"),
            "f.json: iteration[2].check[0]: unknown 'convergd'; did you mean 'converged'?");
  EXPECT_EQ(refusal_with("/iteration/2/check/0", "rho <= 0"),
            "f.json: iteration[2].check[0]: expected 'test : outcome', found 'rho <= 0'");
}

TEST(MethodJson, TakesOneThingAStep) {
  EXPECT_EQ(refusal_with("/iteration/1/scalar", Json::array({"rho = 1"})),
            "f.json: iteration[1]: a step is one thing; write two steps");
  EXPECT_EQ(refusal_with("/iteration/1", Json{{"vectr", Json::array()}}),
            "f.json: iteration[1]: unknown field 'vectr'; did you mean 'vector'?");
  EXPECT_EQ(refusal_with("/iteration/1", Json{{"when", "1"}}),
            "f.json: iteration[1]: expected a step, which has one of 'apply', 'vector', 'scalar', "
            "'check', 'repeat', 'break'");
}

TEST(MethodJson, ReadsAndWritesWhoseCallsItIs) {
  Json json = small_method();
  json["execution"] = {{"library", "BLAST 3"}, {"host_call_seconds", 5e-6}};
  const LibraryExecution least = *method_of(json).execution;
  EXPECT_EQ(least, (LibraryExecution{.library = "BLAST 3", .host_call_seconds = 5e-6}));
  json["execution"] = {{"library", "BLAST 3"},   {"measured", true},
                       {"host_call_seconds", 0}, {"vectors", "cublas"},
                       {"vector_rate", 0.5},     {"sums", "device"},
                       {"scalars", "kernels"},   {"checks", {{"kernels", 2}, {"waits", 3}}}};
  const Method method = method_of(json);
  EXPECT_TRUE(method.execution->measured && method.execution->cublas_vectors);
  EXPECT_EQ(method.execution->scalars, LibraryExecution::Place::kernels);
  EXPECT_EQ(method.execution->check_waits, 3);
  EXPECT_EQ(read_method(to_json(method), "f.json").execution, method.execution);
  json["execution"] = {{"library", "BLAST 3"}, {"host_call_seconds", 0}, {"sums", "host"}};
  const Method on_host = method_of(json);
  EXPECT_EQ(read_method(to_json(on_host), "f.json").execution, on_host.execution);
}

TEST(MethodJson, SaysWhatIsWrongWithTheCalls) {
  const auto refusal = [](const char* member, const Json& value) {
    return refusal_after([&](Json& json) {
      json["execution"] = {{"library", "BLAST 3"}, {"host_call_seconds", 5e-6}};
      json["execution"][member] = value;
    });
  };
  EXPECT_EQ(refusal("library", ""),
            "f.json: execution.library: expected the library's name and version");
  EXPECT_NE(refusal("host_call_seconds", -1).find("execution.host_call_seconds"),
            std::string::npos);
  EXPECT_NE(refusal("sums", "kernels").find("execution.sums: unknown 'kernels'"),
            std::string::npos);
  EXPECT_NE(refusal("scalars", "gpu").find("execution.scalars: unknown 'gpu'"), std::string::npos);
  EXPECT_NE(refusal("vector_rate", 0).find("execution.vector_rate: expected more than 0"),
            std::string::npos);
  EXPECT_NE(refusal("vectors", 1).find("execution.vectors"), std::string::npos);
  EXPECT_NE(refusal("calls", 1).find("calls"), std::string::npos);
  EXPECT_NE(refusal("checks", Json::object()).find("kernels"), std::string::npos);
  EXPECT_NE(refusal("checks", {{"kernels", 101}, {"waits", 1}}).find("expected at most 100"),
            std::string::npos);
  const std::string needless = refusal_after([](Json& json) {
    json["execution"] = {{"library", "BLAST 3"},
                         {"host_call_seconds", 5e-6},
                         {"sums", "host"},
                         {"checks", {{"kernels", 1}, {"waits", 1}}}};
  });
  EXPECT_NE(needless.find("execution.checks: of sums that are on the host"), std::string::npos)
      << needless;
  EXPECT_NE(refusal_after([](Json& json) {
              json["execution"] = {{"library", "BLAST 3"}};
            }).find("host_call_seconds"),
            std::string::npos);
}

TEST(MethodJson, RefusesWhatIsTooLarge) {
  EXPECT_EQ(refusal_of([] { read_method(std::string(10'000'000, ' '), "f.json"); }),
            "f.json: larger than 1048576 bytes; expected a schedule as docs/schedules.md describes "
            "it");
  const std::filesystem::path path =
      std::filesystem::path(testing::TempDir()) / "ten_million_blanks.json";
  std::ofstream(path) << std::string(10'000'000, ' ');
  EXPECT_EQ(refusal_of([&] { read_method_file(path); }),
            path.string() + ": more than 1 MiB; expected a smaller file");
  std::filesystem::remove(path);
}

TEST(MethodJson, ReadsWhatTheMatrixMustBe) {
  const auto needs_of = [](const Json& json) {
    const Method method = method_of(json);
    EXPECT_EQ(read_method(to_json(method), "again").needs, method.needs);
    return method.needs;
  };
  Json json = small_method();
  EXPECT_EQ(needs_of(json), MatrixKind::square);
  for (const MatrixKind kind :
       {MatrixKind::square, MatrixKind::symmetric, MatrixKind::symmetric_positive_definite}) {
    json["needs"] = to_string(kind);
    EXPECT_EQ(needs_of(json), kind);
  }
}

TEST(MethodJson, OfTheDocumentationIsTheShippedCg) {
  const std::filesystem::path source = SPARSECAST_SOURCE_DIR;
  const std::string page = read_file(source / "docs/schedules.md");
  const std::string opens = "```json\n";
  const std::size_t begin = page.find(opens) + opens.size();
  Method documented = read_method(page.substr(begin, page.find("```", begin) - begin), "page");
  const Method shipped = read_method_file(source / "schedules/cg.json");
  documented.description = shipped.description;
  EXPECT_EQ(to_json(documented), to_json(shipped));
}

}  // namespace
}  // namespace sparsecast
