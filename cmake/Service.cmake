# The daemon of a machine: systemd's units, its user and its settings. What the Debian packages install; elsewhere only
# on demand, since a tree in somebody's home has no use for them.
option(HAPAX_SERVICE "Install systemd units, a user and settings for a daemon of this machine" OFF)

set(HAPAX_CONFIG_DIR /etc/hapax)
# hapax_unit(NAME CONFIG RUNTIME STATE): NAME.service, with these names in its folders.
function(hapax_unit name HAPAX_CONFIG_NAME HAPAX_RUNTIME_DIR HAPAX_STATE_DIR)
  configure_file(packaging/hapax.service.in ${name}.service @ONLY)
  if(HAPAX_SERVICE)
    install(FILES ${PROJECT_BINARY_DIR}/${name}.service DESTINATION /lib/systemd/system COMPONENT hapax)
  endif()
endfunction()
hapax_unit(hapax hapax hapaxd hapax)
hapax_unit(hapax@ %i hapaxd-%i hapax/%i)

if(HAPAX_SERVICE)
  install(FILES packaging/hapax.sysusers DESTINATION /usr/lib/sysusers.d RENAME hapax.conf COMPONENT hapax)
  # Where it is copied from when there is none: a file of dpkg's own that was changed would be asked about at each upgrade,
  # and whoever takes the new one then has a group of its own.
  install(FILES packaging/hapax.toml DESTINATION share/hapax COMPONENT hapax)
  install(DIRECTORY docs DESTINATION share/doc/hapax COMPONENT hapax FILES_MATCHING
    PATTERN "*.md" PATTERN "*.svg" PATTERN "*.trace")
endif()
