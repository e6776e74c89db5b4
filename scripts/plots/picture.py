"""The common parts of the pictures: entries of legends, sizes, and the file."""
import contextlib
import os
import tempfile
from pathlib import Path

from colors import OTHER, color_of
from prv import TraceError

MOST_ENTRIES = 24
MOST_LETTERS = 48


def entries(legend, event_type, values):
    """(label, colour, which of the values) of what a picture tells apart: the first values, and one entry for all others."""
    single = len(values) if len(values) <= MOST_ENTRIES else MOST_ENTRIES - 1
    found = [(shorten(legend.label(event_type, int(v))), color_of(legend, event_type, int(v)), [i]) for i, v in enumerate(values[:single])]
    if single < len(values):
        found.append((f"other ({len(values) - single})", OTHER, list(range(single, len(values)))))
    return found


def shorten(label):
    return label if len(label) <= MOST_LETTERS else label[: MOST_LETTERS // 2] + "..." + label[-MOST_LETTERS // 2 + 3 :]


def height_of(rows, lines):
    """Inches that give room to the rows and to the lines of the legend beside them."""
    return max(3, min(1.6 + 0.28 * rows, 24), 1.2 + 0.17 * lines)


def add_legend(axes, handles, title):
    """Beside the axes."""
    if handles:
        axes.legend(handles=handles, loc="upper left", bbox_to_anchor=(1.005, 1), fontsize=8, frameon=False, title=title, title_fontsize=8,
                    alignment="left")


def check_format(output):
    """Is it one that can be written? Asked before anything is read."""
    import matplotlib

    matplotlib.use("Agg")
    from matplotlib.backend_bases import FigureCanvasBase

    formats, suffix = FigureCanvasBase.get_supported_filetypes(), Path(output).suffix[1:].lower()
    if suffix not in formats:
        raise TraceError(f"{output}: '{suffix}' is no format of pictures, but these: {' '.join(sorted(formats))}")


def place_of(output):
    """Where the picture is to be: links of this user and of root are followed, those of others might lead anywhere."""
    place = Path(output)
    for _ in range(40):
        if not place.is_symlink():
            return place
        if place.lstat().st_uid not in (0, os.geteuid()):
            raise TraceError(f"{output}: is a symbolic link of another user, which is not followed: remove it, or name another output")
        place = place.parent / place.readlink()
    raise TraceError(f"{output}: is a symbolic link that leads nowhere")


def save(figure, output):
    """A new file under a name that nobody can guess, which takes the place of the output when it is complete."""
    place = place_of(output)
    mask = os.umask(0)
    os.umask(mask)
    file, beside = tempfile.mkstemp(dir=place.parent, prefix=f"{place.name}.tmp.")
    try:
        with open(file, "wb") as picture:
            figure.savefig(picture, dpi=110, format=Path(output).suffix[1:].lower())
            os.fchmod(picture.fileno(), 0o666 & ~mask)
        os.replace(beside, place)
    except BaseException:
        with contextlib.suppress(OSError):
            os.unlink(beside)
        raise
