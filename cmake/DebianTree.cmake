# Run by CPack on the tree of each package: what Debian wants otherwise than `cmake --install` leaves it.
file(GLOB_RECURSE pages ${CPACK_TEMPORARY_INSTALL_DIRECTORY}/*.1)
list(FILTER pages INCLUDE REGEX "/share/man/")
foreach(page IN LISTS pages)
  execute_process(COMMAND gzip -9n ${page} COMMAND_ERROR_IS_FATAL ANY)
endforeach()
# CPack strips, but leaves which compiler it was.
file(GLOB_RECURSE built ${CPACK_TEMPORARY_INSTALL_DIRECTORY}/*/usr/bin/* ${CPACK_TEMPORARY_INSTALL_DIRECTORY}/*.so.*.*
  ${CPACK_TEMPORARY_INSTALL_DIRECTORY}/*.a)
foreach(file IN LISTS built)
  execute_process(COMMAND strip --strip-unneeded --remove-section=.comment --enable-deterministic-archives ${file}
    COMMAND_ERROR_IS_FATAL ANY)
endforeach()
