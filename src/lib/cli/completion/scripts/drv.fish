# Completion of drv for fish.
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
        printf '%s\n' $lines[2..-1]
    end
end
complete -c drv -f -a '(__drv_complete)'
