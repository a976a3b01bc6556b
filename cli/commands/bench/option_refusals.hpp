#pragma once

#include <initializer_list>
#include <span>
#include <string>

#include "cli/command.hpp"

/// @file
/// Options of `sparsecast bench` that would do nothing are refused.

namespace sparsecast::cli {

/// Throws `UsageError` for the first of these options that is given: with `with` it does nothing.
void refuse(const CommandLine& line, std::span<const char* const> options, const std::string& with);
void refuse(const CommandLine& line, std::initializer_list<const char*> options,
            const std::string& with);

/// Throws `UsageError` for an option that other benchmarks have than `what`.
void refuse_options_of_others(const CommandLine& line, const std::string& what);

}  // namespace sparsecast::cli
