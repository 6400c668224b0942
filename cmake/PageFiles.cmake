# The live page inside the program: what `scripts/page live` has built, if it has. Nothing is compiled for it but a few lines
# that have the assembler take the files as they are. Without it the program says how to get it.
set(HAPAX_LIVE_PAGE "${PROJECT_SOURCE_DIR}/build/page/live" CACHE PATH "Where the built live page is; may be missing")

# hapax_page_files(ROOM): the room's page_files(), as live/page_files.h has it.
function(hapax_page_files room)
  file(GLOB_RECURSE files CONFIGURE_DEPENDS RELATIVE "${HAPAX_LIVE_PAGE}" "${HAPAX_LIVE_PAGE}/*")
  set(code "#include \"live/page_files.h\"\n\n#include <array>\n\n")
  set(table "")
  set(number 0)
  foreach(file IN LISTS files)
    if(NOT file MATCHES "^[A-Za-z0-9_./-]+$")
      message(FATAL_ERROR "${HAPAX_LIVE_PAGE}/${file}: a page has no such names")
    endif()
    set(symbol hapax_page_file_${number})
    string(APPEND code
      "asm(\".section .rodata\\n.globl ${symbol}\\n${symbol}:\\n.incbin \\\"${HAPAX_LIVE_PAGE}/${file}\\\"\\n\"\n"
      "    \".globl ${symbol}_end\\n${symbol}_end:\\n.byte 0\\n.previous\\n\");\n"
      "extern \"C\" const char ${symbol}[], ${symbol}_end[];\n")
    string(APPEND table
      "      PageFile{\"${file}\", {${symbol}, static_cast<std::size_t>(${symbol}_end - ${symbol})}},\n")
    list(APPEND inputs "${HAPAX_LIVE_PAGE}/${file}")
    math(EXPR number "${number} + 1")
  endforeach()
  string(APPEND code
    "\nnamespace hapax::live {\n\nstd::span<const PageFile> page_files() {\n"
    "  static const std::array<PageFile, ${number}> kFiles{\n${table}  };\n  return kFiles;\n}\n\n}  // namespace hapax::live\n")
  set(source "${CMAKE_CURRENT_BINARY_DIR}/page_files.cc")
  file(CONFIGURE OUTPUT "${source}" CONTENT "${code}" @ONLY)
  set_source_files_properties("${source}" PROPERTIES OBJECT_DEPENDS "${inputs}" SKIP_UNITY_BUILD_INCLUSION ON)
  target_sources(hapax_${room} PRIVATE "${source}")
endfunction()
