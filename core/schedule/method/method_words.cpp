#include "core/schedule/method/method_words.hpp"

#include <algorithm>

namespace sparsecast {

std::string_view step_key(MethodStep::Kind kind) {
  return std::ranges::find(step_keys, kind, [](const auto& key) { return key.second; })->first;
}

std::string_view to_string(OperatorDeclaration::Kind kind) {
  switch (kind) {
    case OperatorDeclaration::Kind::matrix:
      return "matrix";
    case OperatorDeclaration::Kind::transpose:
      return "transpose";
    case OperatorDeclaration::Kind::diagonal:
      return "diagonal";
    case OperatorDeclaration::Kind::inverse_diagonal:
      return "inverse diagonal";
    case OperatorDeclaration::Kind::inverse_block_diagonal:
      return "inverse block diagonal";
    case OperatorDeclaration::Kind::identity:
      return "identity";
  }
  return "unknown";
}

std::string_view to_string(LibraryExecution::Place place) {
  switch (place) {
    case LibraryExecution::Place::host:
      return "host";
    case LibraryExecution::Place::device:
      return "device";
    case LibraryExecution::Place::kernels:
      return "kernels";
  }
  return "unknown";
}

std::string outcome_name(Outcome outcome) {
  std::string name(to_string(outcome));
  std::ranges::replace(name, ' ', '_');
  return name;
}

}  // namespace sparsecast
