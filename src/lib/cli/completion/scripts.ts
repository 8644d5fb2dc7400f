import type {Shell} from './answer.js'

/** The scripts that have a shell ask drv what completes a line; `answerFor` says what it answers. */
export const scripts: Readonly<Record<Shell, string>> = {
  bash: `# Completion of drv for bash.
_drv() {
  local line kind=
  COMPREPLY=()
  while IFS= read -r line; do
    if [ -z "$kind" ]; then kind=$line; else COMPREPLY+=("$line"); fi
  done < <(command drv __complete bash "\${COMP_LINE:0:COMP_POINT}" "$2" </dev/null 2>/dev/null)
  # Without candidates bash completes names of files, and what follows them.
  if [ "$kind" = files ]; then
    compopt +o nospace 2>/dev/null
  else
    compopt +o default +o bashdefault 2>/dev/null
  fi
}
complete -o nospace -o bashdefault -o default -F _drv drv
`,
  zsh: `#compdef drv
# Completion of drv for zsh.
_drv() {
  local -a lines closed closedtexts open opentexts
  local line value text
  lines=("\${(@f)$(command drv __complete zsh "\${(@Q)words[2,CURRENT-1]}" "\${(Q)PREFIX}" </dev/null 2>/dev/null)}")
  if [[ $lines[1] == files ]]; then
    _files
    return
  fi
  for line in "\${(@)lines[2,-1]}"; do
    value=\${\${line#?}%%$'\\t'*}
    text=$value
    [[ $line == *$'\\t'* ]] && text="$value  -- \${line#*$'\\t'}"
    if [[ $line == '='* ]]; then
      open+=("$value") opentexts+=("$text")
    else
      closed+=("$value") closedtexts+=("$text")
    fi
  done
  local found=1
  (( $#open )) && compadd -l -S '' -d opentexts -a open && found=0
  (( $#closed )) && compadd -l -d closedtexts -a closed && found=0
  return found
}
if [[ $funcstack[1] == _drv ]]; then
  _drv "$@"
else
  (( $+functions[compdef] )) || { autoload -Uz compinit && compinit }
  compdef _drv drv
fi
`,
  fish: `# Completion of drv for fish.
function __drv_complete
    set -l words (commandline -opc)
    set -e words[1]
    set -l typed (commandline -ct)
    set -l current (string unescape -- "$typed")
    or set current "$typed"
    set -l lines (command drv __complete fish $words "$current" </dev/null 2>/dev/null)
    if test "$lines[1]" = files
        __fish_complete_path "$current"
    else
        printf '%s\\n' $lines[2..-1]
    end
end
complete -c drv -f -a '(__drv_complete)'
`,
}
