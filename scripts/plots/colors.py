"""The colours of values, as Paraver has them."""
import colorsys


def color_of(legend, value):
    """The colour of the value in the table; a larger value takes a colour in turn, darkened."""
    table = legend.colors or {i: tuple(round(255 * c) for c in colorsys.hsv_to_rgb(i * 0.37 % 1, 0.7, 0.9)) for i in range(1, 23)}
    size = max(table)
    shade = 1.0 if value in table else 0.65 if value // max(size, 1) % 2 else 0.85
    rgb = table[value] if value in table else table.get((value - 1) % size + 1, (128, 128, 128))
    return tuple(shade * c / 255 for c in rgb)
