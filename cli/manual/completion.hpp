#pragma once

#include <string>

/// @file
/// Scripts by which shells complete command lines of the program, made of its commands and options.

namespace sparsecast::cli {

/// For bash-completion's folder completions, as the file sparsecast.
std::string bash_completion();

/// For a folder of zsh's fpath, as the file _sparsecast.
std::string zsh_completion();

}  // namespace sparsecast::cli
