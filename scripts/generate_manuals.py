#!/usr/bin/env python3
"""usage: generate_manuals.py VERSION PROGRAM.json DIRECTORY

Writes PROGRAM.1, PROGRAM.bash and _PROGRAM (zsh) into DIRECTORY: the man page and the completions of a program, from
what it prints with --manual.
"""
import json
import pathlib
import re
import sys

OTHERS = ("ovnirun", "ovnictl", "ovnirecover", "ovniemu", "ovnidump", "ovnitop", "ovnicut")
ROFF = {"\\": r"\e", "-": r"\-", "^": r"\(ha", "~": r"\(ti", "'": r"\(aq", "`": r"\(ga"}
FILES, DIRECTORIES = ("FILE", "FILE.h5"), ("DIR",)


def escaped(text):
    return "".join(ROFF.get(letter, letter) for letter in text)


def styled(text):
    """Text with `code` and *emphasis*, of which no line is taken for a request."""
    parts = re.split(r"(`[^`]+`|\*[a-z ]+\*)", " ".join(text.split()))
    fonts = {"`": "B", "*": "I"}
    out = ""
    for i, part in enumerate(parts):
        out += rf"\f{fonts[part[0]]}{escaped(part[1:-1])}\fR" if i % 2 else escaped(part)
    return r"\&" + out if out.startswith((".", "'")) else out


def blocks(markdown):
    """(kind, text) of headings, items, paragraphs and code, as src/base/wrapped_text.cpp reads them."""
    found, previous = [], ""
    for line in markdown.splitlines():
        kind = "none"
        if line.strip():
            starts = {"#": "heading", "- ": "item", "    ": "code"}
            kind = next((kind for start, kind in starts.items() if line.startswith(start)), "paragraph")
        if (kind == "paragraph" and previous in ("paragraph", "item")) or (kind == "code" and previous == "code"):
            found[-1][1] += "\n" + line
            continue
        if kind != "none":
            found.append([kind, line])
        previous = kind
    return found


def roff(markdown):
    out = []
    for kind, text in blocks(markdown):
        if kind == "heading":
            out.append(f"{'.SS' if text.startswith('##') else '.SH'} {escaped(text.lstrip('# '))}")
        elif kind == "code":
            lines = (escaped(line[4:]) for line in text.splitlines())
            out += [".PP", ".RS 4", ".nf", *(r"\&" + line if line.startswith(".") else line for line in lines), ".fi", ".RE"]
        elif kind == "item":
            term = re.match(r"- `(.*?)`: (.*)", text, re.DOTALL)
            if term:
                out += [".TP", rf"\fB{escaped(term[1])}\fR", styled(term[2])]
            else:
                out += [r".IP \(bu 2", styled(text[2:])]
        else:
            out += [".PP", styled(text)]
    return out


def spelled(option):
    names = ([f"-{option['letter']}"] if option["letter"] else []) + [f"--{option['name']}"]
    return ", ".join(rf"\fB{escaped(name)}\fR" for name in names) + (rf" \fI{escaped(option['value'])}\fR" if option["value"] else "")


def man_page(manual, version):
    program = manual["program"]
    page = [
        f'.TH {program.upper()} 1 "" "ovni\\-mpi {version}" "ovni\\-mpi"', ".ad l", ".nh",
        ".SH NAME", rf"{escaped(program)} \- {escaped(manual['summary'])}",
        ".SH SYNOPSIS", escaped(manual["usage"]),
        ".SH DESCRIPTION", *roff(manual["description"]),
        ".SH OPTIONS",
    ]
    for option in manual["options"]:
        standard = f" Default: {option['standard']}." if option["standard"] else ""
        page += [".TP", spelled(option), styled(option["text"] + standard)]
    if manual["lists"]:
        page += [".SH NOTES", *roff(manual["lists"])]
    for topic in manual["topics"]:
        page += roff(topic["text"])
    variables = [option for option in manual["options"] if option["variable"]]
    if variables:
        page.append(".SH ENVIRONMENT")
    for option in variables:
        page += [".TP", rf"\fB{escaped(option['variable'])}\fR", rf"As \fB{escaped('--' + option['name'])}\fR."]
    see = [rf"\fB{name}\fR(1)" for name in OTHERS if name != program]
    return "\n".join(page + [".SH SEE ALSO", ", ".join(see)]) + "\n"


def quoted(text):
    return "'" + text.replace("'", "'\\''") + "'"


def choices_of(value):
    """Words that can be completed: those in small letters."""
    return [word for word in value.split("|") if word and not re.search("[A-Z]", word)]


def reply(words):
    return f"mapfile -t COMPREPLY < <(compgen -W {quoted(' '.join(words))} -- \"$current\")"


def reply_to(value):
    """The code that completes such a value in bash."""
    names = value.split("|")
    if any(name in FILES for name in names):
        return 'compopt -o filenames 2>/dev/null; mapfile -t COMPREPLY < <(compgen -f -- "$current")'
    lines = []
    if any(name in DIRECTORIES for name in names):
        lines.append('compopt -o filenames 2>/dev/null; mapfile -t COMPREPLY < <(compgen -d -- "$current")')
    if choices_of(value):
        lines.append(f"mapfile -t -O ${{#COMPREPLY[@]}} COMPREPLY < <(compgen -W {quoted(' '.join(choices_of(value)))} -- \"$current\")")
    return "; ".join(lines) or ":"


def names_of(option):
    return ([f"-{option['letter']}"] if option["letter"] else []) + [f"--{option['name']}"]


BEHIND_PROGRAM = """    local i word
    for ((i = 1; i < COMP_CWORD; ++i)); do
        word=${{COMP_WORDS[i]}}
        case $word in
            {valued}) [[ ${{COMP_WORDS[i + 1]-}} == = ]] && ((++i)); ((++i)) ;;
            --) ((++i)); break ;;
            -*) ;;
            *) break ;;
        esac
    done
    if ((i < COMP_CWORD)); then
        if declare -F _command_offset >/dev/null; then _command_offset "$i"; return; fi
        compopt -o filenames 2>/dev/null
        mapfile -t COMPREPLY < <(compgen -f -- "$current")
        return
    fi
"""


def bash_completion(manual):
    program, options = manual["program"], manual["options"]
    function = "_" + program.replace("-", "_")
    valued = [option for option in options if option["value"]]
    lines = [f"# Completion of {program} for bash, made from its options.", f"{function}() {{",
             "    local current=${COMP_WORDS[COMP_CWORD]} previous=${COMP_WORDS[COMP_CWORD - 1]}", "    COMPREPLY=()",
             "    [[ $current != = ]] || current=", "    [[ $previous != = ]] || previous=${COMP_WORDS[COMP_CWORD - 2]}"]
    if manual["words"] == "PROGRAM":
        names = "|".join(name for option in valued for name in names_of(option))
        lines.append(BEHIND_PROGRAM.format(valued=names).rstrip())
    lines.append("    case $previous in")
    for option in valued:
        lines.append(f"        {'|'.join(names_of(option))}) {reply_to(option['value'])}; return ;;")
    topics = [topic["name"] for topic in manual["topics"]]
    lines += [f"        -h|--help) {reply(topics)}; return ;;", "    esac",
              "    if [[ $current == -* ]]; then",
              f"        {reply([name for option in options for name in names_of(option)])}", "        return", "    fi"]
    if manual["words"] == "PROGRAM":
        lines.append('    compopt -o filenames 2>/dev/null; mapfile -t COMPREPLY < <(compgen -c -- "$current"; compgen -f -- "$current")')
    else:
        lines.append("    " + reply_to(manual["words"]))
    return "\n".join(lines + ["}", f"complete -F {function} {program}"]) + "\n"


def zsh_action(value):
    names = value.split("|")
    if choices_of(value) and not any(name in DIRECTORIES for name in names):
        return f"({' '.join(choices_of(value))})"
    if choices_of(value):
        return f"{{_alternative 'words:word:({' '.join(choices_of(value))})' 'directories:directory:_files -/'}}"
    if any(name in FILES for name in names):
        return "_files"
    return "_files -/" if any(name in DIRECTORIES for name in names) else " "


def zsh_completion(manual):
    arguments = []
    for option in manual["options"]:
        about = re.split(r"(?<=[^.])\. ", " ".join(option["text"].split()))[0]
        about = re.sub(r"([\[\]:\\])", r"\\\1", about)
        value = option["value"]
        if option["name"] == "help" and manual["topics"]:
            value, action = "TOPIC", f":TOPIC:({' '.join(topic['name'] for topic in manual['topics'])})"
            action = ":" + action
        else:
            action = f":{value.replace(':', ' ')}:{zsh_action(value)}" if value else ""
        names = names_of(option)
        several = f"({' '.join(names)})" if len(names) > 1 else ""
        for name in names:
            equals = "=" if value and option["name"] != "help" and name.startswith("--") else ""
            arguments.append(quoted(f"{several}{name}{equals}[{about}]{action}"))
    if manual["words"] == "PROGRAM":
        arguments += [quoted("(-)1:program:_command_names -e"), quoted("*::arguments:_normal")]
    elif manual["words"]:
        arguments.append(quoted(f"*:word:{zsh_action(manual['words'])}"))
    body = " \\\n    ".join(["_arguments -S", *arguments])
    return f"#compdef {manual['program']}\n# Completion of {manual['program']} for zsh, made from its options.\n{body}\n"


def main():
    if len(sys.argv) == 2 and sys.argv[1] in ("-h", "--help"):
        print(__doc__.strip())
        return
    if len(sys.argv) != 4:
        sys.exit(__doc__)
    version, source, directory = sys.argv[1], pathlib.Path(sys.argv[2]), pathlib.Path(sys.argv[3])
    manual = json.loads(source.read_text())
    program = manual["program"]
    (directory / f"{program}.1").write_text(man_page(manual, version))
    (directory / f"{program}.bash").write_text(bash_completion(manual))
    (directory / f"_{program}").write_text(zsh_completion(manual))


if __name__ == "__main__":
    main()
