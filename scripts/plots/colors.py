"""The colours of values: one for each label, in every picture of threads or CPUs and whatever it is read from. Colours of Paraver are
by value and repeat after 22. MPI, locks, OpenMP and tasks have colours by meaning; those of other types are apart in CIELAB."""
from functools import lru_cache
from zlib import crc32

import numpy as np

from meanings import KIND_OF_TYPE, MEANINGS, color_of_label, color_of_meaning

OTHER = (0.62, 0.62, 0.62)
FIXED = {  # thread states as in Paraver, but for the one that is computation
    "Unknown": (0.0, 0.0, 0.0),
    "Running": color_of_meaning(MEANINGS["computation"]),
    "Paused": (0.78, 0.78, 0.78),
    "Dead": (0.9, 0.1, 0.29),
    "Cooling": (0.24, 0.71, 0.29),
    "Warming": (1.0, 0.88, 0.1),
    "Not traced": (0.96, 0.51, 0.19),
    "Error: too many threads": (0.3, 0.3, 0.3),
}
FEW, MANY = 32, 96


def color_of(legend, event_type, value):
    """Red, green and blue, 0 to 1. A value without label has the colour of its number."""
    label, labels, kind = legend.label(event_type, value), legend.labels(event_type), KIND_OF_TYPE.get(event_type)
    if label in FIXED:
        return FIXED[label]
    if kind and label in labels:
        return color_of_label(label, labels, kind)
    return palette()[places(labels).get(label, value % FEW)]


@lru_cache
def places(labels):
    """The place in the palette of each of the labels of an event type: a hash of the text, or the next one that is free."""
    labels = labels - FIXED.keys()
    found = {}
    size = FEW if len(labels) <= FEW else MANY
    for label in sorted(labels):
        place, taken = crc32(label.encode()) % size, set(found.values())
        found[label] = next((p for p in ((place + i) % size for i in range(size)) if p not in taken), place)
    return found


@lru_cache
def palette():
    """Each colour is the one farthest from all in front of it, from white and from the greys."""
    hue, saturation, light = (axis.reshape(-1) for axis in np.meshgrid(np.arange(48) / 48, (0.35, 0.55, 0.8), (0.45, 0.6, 0.75, 0.9)))
    candidates = rgb_of_hsv(hue, saturation, light)
    lab = lab_of(candidates)
    good = (np.hypot(lab[:, 1], lab[:, 2]) > 25) & (lab[:, 0] > 25) & (lab[:, 0] < 90)
    candidates, lab = candidates[good], lab[good]
    distance = np.full(len(lab), np.inf)
    for background in lab_of(np.array([(1.0, 1.0, 1.0), (0.85, 0.85, 0.85), OTHER])):
        distance = np.minimum(distance, np.linalg.norm(lab - background, axis=1))
    chosen = []
    for _ in range(MANY):
        chosen.append(int(distance.argmax()))
        distance = np.minimum(distance, np.linalg.norm(lab - lab[chosen[-1]], axis=1))
    return [tuple(map(float, candidates[i])) for i in chosen]


def rgb_of_hsv(hue, saturation, light):
    turn = (np.array([5.0, 3.0, 1.0]) + 6 * hue[:, None]) % 6
    return light[:, None] * (1 - saturation[:, None] * np.clip(np.minimum(turn, 4 - turn), 0, 1))


def lab_of(rgb):
    """CIELAB of sRGB (IEC 61966-2-1, white D65): distances in it are those that are seen."""
    linear = np.where(rgb <= 0.04045, rgb / 12.92, ((rgb + 0.055) / 1.055) ** 2.4)
    xyz = linear @ np.array([[0.4124, 0.2126, 0.0193], [0.3576, 0.7152, 0.1192], [0.1805, 0.0722, 0.9505]]) / (0.9505, 1.0, 1.089)
    f = np.where(xyz > (6 / 29) ** 3, np.cbrt(xyz), xyz / (3 * (6 / 29) ** 2) + 4 / 29)
    return np.stack([116 * f[:, 1] - 16, 500 * (f[:, 0] - f[:, 1]), 200 * (f[:, 1] - f[:, 2])], axis=1)
