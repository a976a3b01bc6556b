# Installs program, libraries, headers and profiles, so that find_package(sparsecast) works.
install(TARGETS sparsecast_program RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
