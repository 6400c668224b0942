# What `cmake --install` installs: the programs, include/hapax, and one static library of all rooms that
# stand behind these headers; found by find_package(hapax) as hapax::hapax, and by pkg-config.
include(GNUInstallDirs)
include(CMakePackageConfigHelpers)

# The rooms that the given ones are built on, with themselves, that have something to link; and the
# packages that these need.
function(hapax_rooms_behind rooms_out packages_out)
  set(todo ${ARGN})
  set(seen "")
  set(rooms "")
  set(packages "")
  while(todo)
    list(POP_FRONT todo target)
    if(target IN_LIST seen)
      continue()
    endif()
    list(APPEND seen ${target})
    if(NOT target MATCHES "^hapax_")
      list(APPEND packages ${target})
      continue()
    endif()
    get_target_property(type ${target} TYPE)
    if(type STREQUAL "STATIC_LIBRARY")
      list(APPEND rooms ${target})
    endif()
    get_target_property(links ${target} INTERFACE_LINK_LIBRARIES)
    if(links)
      list(APPEND todo ${links})
    endif()
  endwhile()
  list(REMOVE_ITEM packages Boost::headers)  # Of no use after compiling.
  set(${rooms_out} ${rooms} PARENT_SCOPE)
  set(${packages_out} ${packages} PARENT_SCOPE)
endfunction()

hapax_rooms_behind(rooms packages hapax_member hapax_gate hapax_sqlite)

add_library(hapax_library STATIC)
add_library(hapax::hapax ALIAS hapax_library)
foreach(room IN LISTS rooms)
  target_sources(hapax_library PRIVATE $<TARGET_OBJECTS:${room}>)
  # A library of nothing but link-time intermediate code ties its users to this very compiler.
  if(CMAKE_INTERPROCEDURAL_OPTIMIZATION AND CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
    target_compile_options(${room} PRIVATE -ffat-lto-objects)
  elseif(CMAKE_INTERPROCEDURAL_OPTIMIZATION)
    set_target_properties(${room} PROPERTIES INTERPROCEDURAL_OPTIMIZATION OFF)
  endif()
endforeach()
set_target_properties(hapax_library PROPERTIES
  OUTPUT_NAME hapax EXPORT_NAME hapax LINKER_LANGUAGE CXX)
target_link_libraries(hapax_library PRIVATE ${packages})
target_compile_features(hapax_library INTERFACE cxx_std_20)
target_include_directories(hapax_library INTERFACE
  $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/include> $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>)

# Manual pages and completion come from the command line's own description.
set(HAPAX_PAGES ${PROJECT_BINARY_DIR}/pages)
file(MAKE_DIRECTORY ${HAPAX_PAGES}/man1)
add_custom_command(OUTPUT ${HAPAX_PAGES}/stamp
  COMMAND hapax man --into ${HAPAX_PAGES}/man1
  COMMAND hapax completion bash > ${HAPAX_PAGES}/hapax
  COMMAND hapax completion zsh > ${HAPAX_PAGES}/_hapax
  COMMAND hapax completion fish > ${HAPAX_PAGES}/hapax.fish
  COMMAND ${CMAKE_COMMAND} -E touch ${HAPAX_PAGES}/stamp
  DEPENDS hapax VERBATIM)
add_custom_target(hapax_pages ALL DEPENDS ${HAPAX_PAGES}/stamp)
install(DIRECTORY ${HAPAX_PAGES}/man1 DESTINATION ${CMAKE_INSTALL_MANDIR})
install(FILES ${HAPAX_PAGES}/hapax DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions)
install(FILES ${HAPAX_PAGES}/_hapax DESTINATION ${CMAKE_INSTALL_DATADIR}/zsh/site-functions)
install(FILES ${HAPAX_PAGES}/hapax.fish
  DESTINATION ${CMAKE_INSTALL_DATADIR}/fish/vendor_completions.d)

install(TARGETS hapax hapax-engines hapax-lab)
install(TARGETS hapax_library EXPORT hapax-targets)
install(DIRECTORY include/hapax DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} FILES_MATCHING PATTERN "*.h")
set(HAPAX_PC_LIBS " -lboost_json")  # Boost has no .pc files. Then what is linked by name, as engines' are.
foreach(package IN LISTS packages)
  if(NOT package MATCHES "::")
    string(APPEND HAPAX_PC_LIBS " -l${package}")
  endif()
endforeach()

set(HAPAX_CMAKE_DIR ${CMAKE_INSTALL_LIBDIR}/cmake/hapax)
install(EXPORT hapax-targets NAMESPACE hapax:: DESTINATION ${HAPAX_CMAKE_DIR})
configure_package_config_file(cmake/hapax-config.cmake.in hapax-config.cmake
  INSTALL_DESTINATION ${HAPAX_CMAKE_DIR})
write_basic_package_version_file(hapax-config-version.cmake COMPATIBILITY SameMinorVersion)
# From where hapax.pc lies to the prefix, so that the tree may be installed anywhere.
file(RELATIVE_PATH HAPAX_PC_TO_PREFIX /${CMAKE_INSTALL_LIBDIR}/pkgconfig /)
configure_file(cmake/hapax.pc.in hapax.pc @ONLY)
install(FILES ${PROJECT_BINARY_DIR}/hapax-config.cmake ${PROJECT_BINARY_DIR}/hapax-config-version.cmake
  DESTINATION ${HAPAX_CMAKE_DIR})
install(FILES ${PROJECT_BINARY_DIR}/hapax.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
