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
