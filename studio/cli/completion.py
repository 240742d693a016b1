"""`studio completion`: prints the script by which a shell completes the words of the studio command.

The script asks the command itself for every Tab (`studio completion complete -- WORDS`), so that what is completed
follows from the same parsers as `--help`, and names of projects and running systems are those of now. (`shtab` has no
fish; the fish of `argcomplete` is in its unsupported corner, and shows no descriptions.)
"""

from __future__ import annotations

import argparse

from studio.cli.shared.outcome import FINE

EXAMPLE = """\
  studio completion bash >> ~/.bashrc                              then open a new terminal
  studio completion zsh >> ~/.zshrc                                after the line with compinit
  studio completion fish > ~/.config/fish/completions/studio.fish
"""
SHELLS = ("bash", "zsh", "fish")
ASK = "complete"
"""How the scripts ask; not for people."""


class _Shells(tuple[str, ...]):
    """What the scripts ask with is taken, too, and never named."""

    def __contains__(self, word: object) -> bool:
        return word == ASK or super().__contains__(word)


def configure(parser: argparse.ArgumentParser) -> None:
    parser.description = (
        "Print a script that lets your shell complete verbs, options, projects, components, running systems and topics."
    )
    parser.add_argument("shell", metavar="SHELL", choices=_Shells(SHELLS), help=", ".join(SHELLS))
    parser.add_argument("words", nargs="*", help=argparse.SUPPRESS)


def run(options: argparse.Namespace) -> int:
    if options.shell == ASK:
        from studio.cli.candidates import candidates

        print("\n".join(f"{each.word}\t{each.about}" for each in candidates(options.words or [""])))
    else:
        print(SCRIPTS[options.shell], end="")
    return FINE


BASH = """\
_studio() {
    local IFS=$'\\n' line
    COMPREPLY=()
    # Bash breaks words at colons and equals signs; a topic with an event's number is one word for studio.
    local current="${COMP_LINE:0:COMP_POINT}"
    local -a words
    IFS=$' \\t' read -r -a words <<< "$current"
    [[ "$current" == *[[:space:]] ]] && words+=("")
    local last="${words[-1]}"
    while IFS=$'\\n' read -r line; do
        [[ -n "${line%%$'\\t'*}" ]] && COMPREPLY+=("${line%%$'\\t'*}")
    done < <("${words[0]}" completion complete -- "${words[@]:1}" 2>/dev/null)
    local cut="${last%"${last##*[:=]}"}"
    if [[ -n "$cut" && "$COMP_WORDBREAKS" == *:* ]]; then
        COMPREPLY=("${COMPREPLY[@]#"$cut"}")
    fi
    if [[ ${#COMPREPLY[@]} -eq 1 && "${COMPREPLY[0]}" == */ ]]; then
        compopt -o nospace
    fi
}
complete -o default -F _studio studio
"""

ZSH = """\
_studio() {
    local -a found
    local line
    while IFS= read -r line; do
        [[ -n "${line%%$'\\t'*}" ]] && found+=("${${line%%$'\\t'*}//:/\\\\:}:${line#*$'\\t'}")
    done < <("${words[1]}" completion complete -- "${(@)words[2,CURRENT]}" 2>/dev/null)
    if (( ${#found} )); then
        _describe -t studio studio found
    else
        _files
    fi
}
compdef _studio studio
"""

FISH = """\
function __studio_complete
    set -l words (commandline -opc) (commandline -ct)
    set -l found ($words[1] completion complete -- $words[2..-1] 2>/dev/null | string match -rv '^\\t')
    if test (count $found) -gt 0
        printf '%s\\n' $found
    else
        __fish_complete_path (commandline -ct)
    end
end
complete -c studio -f -a '(__studio_complete)'
"""

SCRIPTS = {"bash": BASH, "zsh": ZSH, "fish": FISH}
