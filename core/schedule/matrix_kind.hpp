#pragma once

#include <string_view>

namespace sparsecast {

/// What a solver needs of its matrix, and what is known of one: each is one of those before it too.
enum class MatrixKind {
  square,
  symmetric,
  symmetric_positive_definite,
};

/// As in a schedule's file: "symmetric positive definite".
constexpr std::string_view to_string(MatrixKind kind) {
  switch (kind) {
    case MatrixKind::square:
      return "square";
    case MatrixKind::symmetric:
      return "symmetric";
    case MatrixKind::symmetric_positive_definite:
      return "symmetric positive definite";
  }
  return "unknown";
}

}  // namespace sparsecast
