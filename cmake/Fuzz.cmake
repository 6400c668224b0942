# hapax_fuzz(NAME SOURCES…): `ninja hapax_NAME_fuzz && src/ROOM/NAME_fuzz -max_total_time=60 CORPUS`. By clang++
# whatever builds the rest, as libFuzzer is clang's; all sources in one command, so that they see where to go.
function(hapax_fuzz name)
  if(NOT HAPAX_FUZZ)
    return()
  endif()
  find_program(HAPAX_CLANG NAMES clang++ REQUIRED)
  set(sources ${ARGN})
  list(TRANSFORM sources PREPEND ${CMAKE_CURRENT_SOURCE_DIR}/)
  add_custom_command(OUTPUT ${name}_fuzz
    COMMAND ${HAPAX_CLANG} -std=c++20 -O1 -g -fsanitize=fuzzer,address,undefined
      -Wno-overloaded-shift-op-parentheses
      -I${PROJECT_SOURCE_DIR}/src -I${PROJECT_SOURCE_DIR}/include ${sources} -lfmt -o ${name}_fuzz
    DEPENDS ${sources} VERBATIM)
  add_custom_target(hapax_${name}_fuzz DEPENDS ${name}_fuzz)
endfunction()
