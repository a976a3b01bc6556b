# MPI, where it is found. SPARSECAST_HAS_MPI says whether the program is built with it.
sparsecast_auto_on_off(SPARSECAST_MPI
  "Solves by several processes: AUTO (built when MPI is found), ON (MPI is required) or OFF")

set(SPARSECAST_HAS_MPI FALSE)
# MPI's own code is not built for a sanitizer, which would report it.
if(SPARSECAST_MPI STREQUAL "ON" OR
   (SPARSECAST_MPI STREQUAL "AUTO" AND "${SPARSECAST_SANITIZER}" STREQUAL ""))
  set(MPI_CXX_SKIP_MPICXX TRUE)
  find_package(MPI COMPONENTS CXX QUIET)
  if(MPI_CXX_FOUND)
    set(SPARSECAST_HAS_MPI TRUE)
  elseif(SPARSECAST_MPI STREQUAL "ON")
    message(FATAL_ERROR "SPARSECAST_MPI=ON, but no MPI was found; install it with: "
                        "apt-get install libopenmpi-dev openmpi-bin")
  else()
    message(STATUS "no MPI: a solve runs in one process; for several install libopenmpi-dev and "
                   "openmpi-bin")
  endif()
endif()

# PT-Scotch, which cuts a matrix for the ranks: one with 64-bit numbers, which Debian keeps in a folder
# of its own. SPARSECAST_HAS_PTSCOTCH says whether there is one.
set(SPARSECAST_HAS_PTSCOTCH FALSE)
if(SPARSECAST_HAS_MPI)
  find_path(SPARSECAST_PTSCOTCH_INCLUDE_DIR ptscotch.h PATH_SUFFIXES scotch-int64 scotch)
  find_library(SPARSECAST_PTSCOTCH_LIBRARY ptscotch PATH_SUFFIXES scotch-int64)
  mark_as_advanced(SPARSECAST_PTSCOTCH_INCLUDE_DIR SPARSECAST_PTSCOTCH_LIBRARY)
  if(SPARSECAST_PTSCOTCH_INCLUDE_DIR AND SPARSECAST_PTSCOTCH_LIBRARY)
    include(CheckCXXSourceCompiles)
    include(CMakePushCheckState)
    cmake_push_check_state(RESET)
    set(CMAKE_REQUIRED_INCLUDES ${SPARSECAST_PTSCOTCH_INCLUDE_DIR})
    set(CMAKE_REQUIRED_LIBRARIES ${SPARSECAST_PTSCOTCH_LIBRARY} MPI::MPI_CXX)
    check_cxx_source_compiles("
      #include <cstdint>
      #include <cstdio>
      #include <mpi.h>
      #include <ptscotch.h>
      extern \"C\" void SCOTCH_errorPrint(const char* const, ...) {}
      extern \"C\" void SCOTCH_errorPrintW(const char* const, ...) {}
      static_assert(sizeof(SCOTCH_Num) == 8);
      int main() {
        SCOTCH_Context context;
        return SCOTCH_contextInit(&context) + SCOTCH_contextBindDgraph(&context, nullptr, nullptr);
      }" SPARSECAST_PTSCOTCH_WORKS)
    cmake_pop_check_state()
    set(SPARSECAST_HAS_PTSCOTCH ${SPARSECAST_PTSCOTCH_WORKS})
  endif()
  if(NOT SPARSECAST_HAS_PTSCOTCH)
    message(STATUS "no PT-Scotch 7 with 64-bit numbers: ranks keep the order of a matrix; to renumber it "
                   "install libptscotch-dev")
  endif()
endif()
