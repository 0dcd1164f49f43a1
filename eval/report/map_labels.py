"""Labels of a map: where each name stands, so that it covers neither another one nor a mark."""

from collections.abc import Collection, Sequence
from math import asin, cos, radians, sin, sqrt

_LAND_WIDTH = 310
"""Pixels of the narrowest map, that of a phone."""
_SCALES = (1.0, 1.4, 2.0)
"""Widths of maps as multiples of that one: a name keeps its distance in pixels, and neighbours move apart."""
_ROUNDS = 3
_BOX = (20.0, 13.0)
_MARK = 6.5

# Steps right and down, the nearest first: above, below, beside, at the corners, then the same farther away.
_NEAR = ((0, -14), (0, 16), (19, 1), (-19, 1), (15, -11), (-15, -11), (15, 13), (-15, 13))
_OFFSETS = (*_NEAR, *((1.7 * across, 1.7 * down) for across, down in _NEAR))

Point = tuple[float, float]


def label_offsets(locations: Sequence[Point]) -> list[Point]:
    """Choose for every mark how far right and down of it, in pixels, the middle of its name stands.

    Args:
        locations: Latitude and longitude in degrees.

    Returns:
        Offsets in the order of the locations. Those that other marks leave the fewest choose first, and all
        several times; each takes the nearest offset that covers least.
    """
    marks = [equal_earth(*location) for location in locations]
    chosen: dict[int, Point] = {}

    def covered(i: int, offset: Point) -> float:
        area = 0.0
        for scale in _SCALES:
            at = [(scale * x, scale * y) for x, y in marks]
            labels = [_moved(at[j], by) for j, by in chosen.items() if j != i]
            area += _covered(_moved(at[i], offset), [*at[:i], *at[i + 1 :]], labels)
        return area

    n_free = [sum(covered(i, offset) == 0 for offset in _OFFSETS) for i in range(len(marks))]
    crowded = sorted(range(len(marks)), key=n_free.__getitem__)
    # Several times, as those that chose first did not know what the others would.
    for i in crowded * _ROUNDS:
        chosen[i] = min(_OFFSETS, key=lambda offset: covered(i, offset))
    return [chosen[i] for i in range(len(marks))]


def _moved(point: Point, by: Point) -> Point:
    return point[0] + by[0], point[1] + by[1]


def equal_earth(latitude: float, longitude: float) -> Point:
    """A location on the map in pixels, right and down of its middle.

    References:
        Šavrič, Patterson and Jenny (2018), The Equal Earth map projection, equations 1 to 3,
        https://doi.org/10.1080/13658816.2018.1504949.
    """
    a = (1.340264, -0.081106, 0.000893, 0.003796)
    t = asin(sqrt(3) / 2 * sin(radians(latitude)))
    slope = a[0] + 3 * a[1] * t**2 + t**6 * (7 * a[2] + 9 * a[3] * t**2)
    x = 2 * sqrt(3) * radians(longitude) * cos(t) / (3 * slope)
    y = t * (a[0] + a[1] * t**2 + t**6 * (a[2] + a[3] * t**2))
    pixels = _LAND_WIDTH / (4 * sqrt(3) * radians(180) / (3 * a[0]))
    return pixels * x, -pixels * y


def overlap(one: Point, other: Point, width: float, height: float) -> float:
    """Area that two boxes of one size share, by their middles."""
    return max(0.0, width - abs(one[0] - other[0])) * max(0.0, height - abs(one[1] - other[1]))


def _covered(label: Point, others: Sequence[Point], labels: Collection[Point]) -> float:
    """Area of other names and other marks that a name would cover; names count more."""
    width, height = _BOX
    of_marks = sum(overlap(label, mark, width / 2 + _MARK, height / 2 + _MARK) for mark in others)
    return of_marks + 4 * sum(overlap(label, other, width, height) for other in labels)
