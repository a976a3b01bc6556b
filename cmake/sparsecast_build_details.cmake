# What `sparsecast --version` says: compiler, CUDA, versions of libraries, features.
set(SPARSECAST_BUILD_COMPILER
    "${CMAKE_CXX_COMPILER_ID} ${CMAKE_CXX_COMPILER_VERSION}, C++${CMAKE_CXX_STANDARD}, ${CMAKE_BUILD_TYPE}")
if(SPARSECAST_HAS_CUDA)
  list(JOIN CMAKE_CUDA_ARCHITECTURES ", " architectures)
  set(SPARSECAST_BUILD_CUDA "${CUDAToolkit_VERSION}, architectures ${architectures}")
else()
  set(SPARSECAST_BUILD_CUDA "none")
endif()

# sparsecast_header_version(OUT FOLDER HEADER PATTERN...): the numbers that patterns find, with points.
function(sparsecast_header_version out folder header)
  set(version "")
  file(READ ${folder}/${header} text)
  foreach(pattern ${ARGN})
    if(text MATCHES "${pattern}")
      string(APPEND version ".${CMAKE_MATCH_1}")
    endif()
  endforeach()
  string(REGEX REPLACE "^[.]" "" version "${version}")
  set(${out} ${version} PARENT_SCOPE)
endfunction()
sparsecast_header_version(libdeflate ${LIBDEFLATE_INCLUDE_DIR} libdeflate.h "VERSION_STRING[ \t]+\"([0-9.]+)")
sparsecast_header_version(zstd ${ZSTD_INCLUDE_DIR} zstd.h "VERSION_MAJOR[ \t]+([0-9]+)"
                          "VERSION_MINOR[ \t]+([0-9]+)" "VERSION_RELEASE[ \t]+([0-9]+)")
sparsecast_header_version(metis ${SPARSECAST_METIS_INCLUDE_DIR} metis.h "VER_MAJOR[ \t]+([0-9]+)"
                          "VER_MINOR[ \t]+([0-9]+)" "VER_SUBMINOR[ \t]+([0-9]+)")
set(SPARSECAST_BUILD_LIBRARIES
    "Boost ${Boost_VERSION_STRING}, Ceres ${Ceres_VERSION}, Eigen ${Eigen3_VERSION}, libdeflate ${libdeflate}, METIS ${metis}, nlohmann-json ${nlohmann_json_VERSION}, zlib ${ZLIB_VERSION_STRING}, zstd ${zstd}")

set(features "")
macro(sparsecast_feature name)
  if(${ARGN})
    list(APPEND features "${name} on")
  else()
    list(APPEND features "${name} off")
  endif()
endmacro()
sparsecast_feature("CUDA" SPARSECAST_HAS_CUDA)
sparsecast_feature("MPI" SPARSECAST_HAS_MPI)
sparsecast_feature("PT-Scotch" SPARSECAST_HAS_PTSCOTCH)
sparsecast_feature("Python module" TARGET sparsecast_python)
sparsecast_feature("sanitizers" SPARSECAST_SANITIZER)
list(JOIN features ", " SPARSECAST_BUILD_FEATURES)

set(details ${PROJECT_BINARY_DIR}/build_details)
configure_file(${CMAKE_CURRENT_LIST_DIR}/build_details_values.hpp.in
               ${details}/build_details_values.hpp @ONLY)
add_custom_target(sparsecast_commit BYPRODUCTS ${details}/commit.hpp
  COMMAND ${CMAKE_COMMAND} -DSOURCE=${PROJECT_SOURCE_DIR} -DOUT=${details}/commit.hpp
          -P ${CMAKE_CURRENT_LIST_DIR}/write_commit.cmake)
add_dependencies(sparsecast_program sparsecast_commit)
set_source_files_properties(${PROJECT_SOURCE_DIR}/cli/build_details.cpp
  TARGET_DIRECTORY sparsecast_program PROPERTIES INCLUDE_DIRECTORIES ${details})
