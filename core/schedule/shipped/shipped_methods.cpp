#include "core/schedule/shipped/shipped_methods.hpp"

#include <algorithm>

#include "core/base/error.hpp"
#include "core/base/text/name_list.hpp"
#include "core/schedule/method/check_method.hpp"
#include "core/schedule/method/method_json.hpp"
#include "core/schedule/shipped/shipped_texts.hpp"

namespace sparsecast {

const std::vector<Method>& shipped_methods() {
  static const std::vector<Method> all = [] {
    std::vector<Method> methods;
    for (const ShippedText& text : shipped_texts()) {
      methods.push_back(read_method(text.json, "schedules/" + std::string(text.name) + ".json"));
      check_method(methods.back());
    }
    return methods;
  }();
  return all;
}

std::vector<std::string> shipped_names() {
  std::vector<std::string> names;
  for (const Method& method : shipped_methods()) names.push_back(method.name);
  return names;
}

const Method* find_shipped(std::string_view name) {
  const auto found = std::ranges::find(shipped_methods(), name, &Method::name);
  return found != shipped_methods().end() ? &*found : nullptr;
}

const Method& shipped_method(std::string_view name) {
  if (const Method* method = find_shipped(name)) return *method;
  throw Error("unknown solver '" + std::string(name) + "'; expected " + one_of(shipped_names()));
}

std::vector<std::string> shipped_names_for(MatrixKind matrix) {
  std::vector<std::string> names;
  for (const Method& method : shipped_methods()) {
    if (method.needs <= matrix && !method.execution) names.push_back(method.name);
  }
  return names;
}

}  // namespace sparsecast
