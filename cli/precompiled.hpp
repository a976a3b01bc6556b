#pragma once

/// @file
/// What most of the program's sources include, compiled once.

#include <boost/program_options.hpp>
#include <iostream>
#include <nlohmann/json.hpp>

#include "cmake/precompiled.hpp"
