#pragma once

/// @file
/// What most tests include, compiled once for each test program.

#include <gtest/gtest.h>

#include <sstream>

#include "cmake/precompiled.hpp"
