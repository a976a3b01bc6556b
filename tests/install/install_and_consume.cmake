# See CMakeLists.txt beside this file.
function(run_or_fail)
  cmake_parse_arguments(PARSE_ARGV 0 run "" "OUTPUT" "COMMAND")
  execute_process(COMMAND ${run_COMMAND} RESULT_VARIABLE status OUTPUT_VARIABLE output
                  ERROR_VARIABLE errors)
  if(NOT status EQUAL 0)
    list(JOIN run_COMMAND " " command)
    message(FATAL_ERROR "${command}\nended with ${status}:\n${output}${errors}")
  endif()
  if(run_OUTPUT)
    set(${run_OUTPUT} "${output}" PARENT_SCOPE)
  endif()
endfunction()

file(REMOVE_RECURSE ${SCRATCH})
run_or_fail(COMMAND ${CMAKE_COMMAND} --install ${BUILD} --prefix ${SCRATCH}/first)
file(RENAME ${SCRATCH}/first ${SCRATCH}/moved)

# Every profile and its samples, plain or compressed, are there.
file(GLOB shipped RELATIVE ${PROFILES} ${PROFILES}/*)
foreach(file ${shipped})
  if(NOT EXISTS ${SCRATCH}/moved/share/sparsecast/profiles/${file})
    message(FATAL_ERROR "profiles/${file} is not installed")
  endif()
endforeach()

foreach(file man/man1/sparsecast.1 man/man1/sparsecast-predict.1 bash-completion/completions/sparsecast
             zsh/site-functions/_sparsecast doc/sparsecast/LICENSE doc/sparsecast/docs/licences.md
             doc/sparsecast/docs/guide.md doc/sparsecast/docs/schema/predict.json)
  if(NOT EXISTS ${SCRATCH}/moved/share/${file})
    message(FATAL_ERROR "share/${file} is not installed")
  endif()
endforeach()

# Links of installed pages lead to installed files.
file(GLOB_RECURSE pages ${SCRATCH}/moved/share/doc/sparsecast/*.md)
set(dead "")
foreach(page ${pages})
  get_filename_component(folder ${page} DIRECTORY)
  file(READ ${page} text)
  string(REPLACE "](" "<link>" text "${text}")
  string(REGEX REPLACE "[][;]" " " text "${text}")  # CMake's lists know them
  string(REGEX MATCHALL "<link>[^)#: \n]+" links "${text}")
  foreach(link ${links})
    string(REPLACE "<link>" "" link "${link}")
    if(NOT link MATCHES "^https?$" AND NOT EXISTS ${folder}/${link})
      string(APPEND dead "\n${page}: ${link}")
    endif()
  endforeach()
endforeach()
if(dead)
  message(FATAL_ERROR "installed pages link to what is not installed:${dead}")
endif()

# A profile that lies in the moved prefix and nowhere else.
file(COPY_FILE ${SCRATCH}/moved/share/sparsecast/profiles/gtx280.json
     ${SCRATCH}/moved/share/sparsecast/profiles/only_here.json)
unset(ENV{SPARSECAST_PROFILES})
run_or_fail(COMMAND ${SCRATCH}/moved/bin/sparsecast advise --unknowns 1e6 --elements 5e6 --block 1
            --profile only_here)
if(PYTHON)
  file(GLOB packages ${SCRATCH}/moved/lib/python3*/site-packages)
  set(forecast "import sparsecast\nprint(sparsecast.predict_numbers(1e6, 5e6, 'csr', 'only_here').best)")
  run_or_fail(COMMAND ${CMAKE_COMMAND} -E env PYTHONPATH=${packages} ${PYTHON} -B -c ${forecast} OUTPUT said)
  if(NOT said MATCHES "only_here")
    message(FATAL_ERROR "the Python module printed:\n${said}")
  endif()
endif()
run_or_fail(COMMAND ${CMAKE_COMMAND} -S ${CONSUMER} -B ${SCRATCH}/build -G ${GENERATOR}
            -DCMAKE_CXX_COMPILER=${CXX} -DCMAKE_PREFIX_PATH=${SCRATCH}/moved)
run_or_fail(COMMAND ${CMAKE_COMMAND} --build ${SCRATCH}/build)
run_or_fail(COMMAND ${SCRATCH}/build/consumer OUTPUT said)
if(NOT said MATCHES "converged.* us per iteration")
  message(FATAL_ERROR "the consumer printed:\n${said}")
endif()
