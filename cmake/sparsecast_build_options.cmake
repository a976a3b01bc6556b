# How everything here is compiled. Nothing in this file reaches a consumer of the installed package.
if(NOT CMAKE_BUILD_TYPE AND NOT CMAKE_CONFIGURATION_TYPES)
  set(CMAKE_BUILD_TYPE Release CACHE STRING "Release, Debug, RelWithDebInfo" FORCE)
endif()
set(CMAKE_CXX_STANDARD 20)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_POSITION_INDEPENDENT_CODE ON)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)

# sparsecast_auto_on_off(NAME HELP): a cache variable for a part that may be missing.
function(sparsecast_auto_on_off name help)
  set(${name} AUTO CACHE STRING "${help}")
  set_property(CACHE ${name} PROPERTY STRINGS AUTO ON OFF)
  if(NOT ${name} MATCHES "^(AUTO|ON|OFF)$")
    message(FATAL_ERROR "${name} is '${${name}}'; expected AUTO, ON or OFF")
  endif()
endfunction()

set(SPARSECAST_SANITIZER "" CACHE STRING "Empty, address (with undefined behaviour) or thread")
if(SPARSECAST_SANITIZER STREQUAL "address")
  # Checks of undefined behaviour are millions of addresses, which a program that may lie anywhere
  # would have to adjust whenever it starts: half a second, of thousands of tests each.
  set(CMAKE_POSITION_INDEPENDENT_CODE OFF)
  add_compile_options(-fno-pie)
  add_link_options(-no-pie)
endif()
option(SPARSECAST_WARNINGS_AS_ERRORS "Treat warnings as errors" ${PROJECT_IS_TOP_LEVEL})

add_library(sparsecast_options INTERFACE)
set(sparsecast_warnings -Wall -Wextra -Wshadow -Wconversion -Wno-sign-conversion)
# What nvcc makes of CUDA sources for the host compiler is not pedantic.
list(JOIN sparsecast_warnings "," sparsecast_cuda_warnings)
target_compile_options(sparsecast_options INTERFACE
  "$<$<COMPILE_LANGUAGE:CXX>:${sparsecast_warnings};-Wpedantic>"
  "$<$<COMPILE_LANGUAGE:CUDA>:-Xcompiler=${sparsecast_cuda_warnings}>")
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND CMAKE_CXX_COMPILER_VERSION VERSION_LESS 13)
  # GCC 12 warns of its own std::string code (GCC bug 105329).
  target_compile_options(sparsecast_options INTERFACE $<$<COMPILE_LANGUAGE:CXX>:-Wno-restrict>)
endif()
if(SPARSECAST_WARNINGS_AS_ERRORS)
  target_compile_options(sparsecast_options INTERFACE
    $<$<COMPILE_LANGUAGE:CXX>:-Werror> $<$<COMPILE_LANGUAGE:CUDA>:-Werror=all-warnings>)
endif()
if(NOT SPARSECAST_SANITIZER STREQUAL "" AND CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  # Instrumented code hides from GCC what is initialised, so it warns of std::optional and std::map;
  # the release build keeps this warning.
  target_compile_options(sparsecast_options INTERFACE
    $<$<COMPILE_LANGUAGE:CXX>:-Wno-maybe-uninitialized>)
endif()
if(SPARSECAST_SANITIZER STREQUAL "address")
  # Without checks that cost much to compile and find little that those of addresses do not.
  add_compile_options(-fsanitize=address,undefined -fno-sanitize=null,object-size,vptr
                      -fno-sanitize-recover=all -fno-omit-frame-pointer)
  add_link_options(-fsanitize=address,undefined)
elseif(SPARSECAST_SANITIZER STREQUAL "thread")
  add_compile_options(-fsanitize=thread -fno-omit-frame-pointer)
  add_link_options(-fsanitize=thread)
elseif(NOT SPARSECAST_SANITIZER STREQUAL "")
  message(FATAL_ERROR "SPARSECAST_SANITIZER is '${SPARSECAST_SANITIZER}'; expected address or thread")
endif()

# sparsecast_precompile(TARGET HEADER): sources compile in half to three quarters of the time with what
# nearly all include compiled once, by the first target that names the header. GCC warns of
# std::string in a precompiled header (bugs 105329, 105651) where it else knows better. A source with
# options of its own skips it: set_source_files_properties(... SKIP_PRECOMPILE_HEADERS).
function(sparsecast_precompile target header)
  target_include_directories(${target} PRIVATE ${PROJECT_SOURCE_DIR})
  target_compile_options(${target} PRIVATE
    "$<$<COMPILE_LANG_AND_ID:CXX,GNU>:-Wno-array-bounds;-Wno-restrict;-Wno-stringop-overflow;-Wno-stringop-overread>")
  get_property(first GLOBAL PROPERTY sparsecast_precompiled_${header})
  if(first)
    target_precompile_headers(${target} REUSE_FROM ${first})
  else()
    set_property(GLOBAL PROPERTY sparsecast_precompiled_${header} ${target})
    target_precompile_headers(${target} PRIVATE
                              "$<$<COMPILE_LANGUAGE:CXX>:${PROJECT_SOURCE_DIR}/${header}>")
  endif()
endfunction()

# sparsecast_library(NAME PUBLIC_LIBRARIES... ): the library of one top-level folder, all its rooms.
function(sparsecast_library name)
  file(GLOB_RECURSE sources CONFIGURE_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/*.cpp)
  add_library(sparsecast_${name} STATIC ${sources})
  add_library(sparsecast::${name} ALIAS sparsecast_${name})
  set_target_properties(sparsecast_${name} PROPERTIES EXPORT_NAME ${name})
  target_compile_features(sparsecast_${name} PUBLIC cxx_std_20)
  target_include_directories(sparsecast_${name} PUBLIC
    $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}>
    $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>
    $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}/sparsecast>)
  target_link_libraries(sparsecast_${name} PUBLIC ${ARGN}
                        PRIVATE $<BUILD_INTERFACE:sparsecast_options>)
  sparsecast_precompile(sparsecast_${name} cmake/precompiled.hpp)
endfunction()
