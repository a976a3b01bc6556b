#pragma once

#include <string>

#include "core/base/error.hpp"

namespace sparsecast {

/// The message of the `Error` that something throws; "accepted" where it throws none.
template <class Call>
std::string refusal_of(const Call& call) {
  try {
    call();
  } catch (const Error& error) {
    return error.what();
  }
  return "accepted";
}

}  // namespace sparsecast
