# Completion of drv for bash.
_drv() {
  local line kind=
  COMPREPLY=()
  while IFS= read -r line; do
    if [ -z "$kind" ]; then kind=$line; else COMPREPLY+=("$line"); fi
  done < <(command drv __complete bash "${COMP_LINE:0:COMP_POINT}" "$2" </dev/null 2>/dev/null)
  # Let bash add a space after file names; otherwise turn off its own completion.
  if [ "$kind" = files ]; then
    compopt +o nospace 2>/dev/null
  else
    compopt +o default +o bashdefault 2>/dev/null
  fi
}
complete -o nospace -o bashdefault -o default -F _drv drv
