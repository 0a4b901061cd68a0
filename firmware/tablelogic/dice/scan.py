"""The one loop over every pixel: which stand out from a ring of eight around them.

The fast form of the same loop is fast_scan.py, for ports with native code.
"""

if -0:  # for mypy
    from tabletypes import Buffer, IntArray, Ints

# Places of the ring's corners for its radius.
CORNER = (0, 1, 2, 2, 3, 4, 5, 6, 6, 7, 8, 9)
FIELDS = 3  # row, column, how far above (or, negative, below) the ring


def scan(frame: "Buffer", size: "tuple[int, int]", ring: "Ints", pixels: "IntArray") -> int:
    """Write (row, column, height) of each pixel that stands out; return how many.

    frame: width * height bytes, size = (width, height). ring: (radius 2-11, step between the
    pixels looked at, least height 1-255). pixels: array('h'); what does not fit is left out.
    """
    width, height = size
    radius, step, least = ring
    corner = CORNER[radius]
    edge = radius + 1
    down = radius * width
    cornerdown = corner * width
    room = len(pixels) // FIELDS
    count = 0
    for row in range(edge, height - edge, step):
        for i in range(row * width + edge, (row + 1) * width - edge, step):
            grey = frame[i]
            left = frame[i - radius]
            if grey > left + least:
                limit = grey - least
                if frame[i + radius] >= limit or frame[i - down] >= limit:
                    continue
                if frame[i + down] >= limit:
                    continue
                top = max(left, frame[i + radius], frame[i - down], frame[i + down])
                top = max(top, frame[i - cornerdown - corner], frame[i - cornerdown + corner])
                top = max(top, frame[i + cornerdown - corner], frame[i + cornerdown + corner])
                if top >= limit:
                    continue
            elif grey < left - least:
                limit = grey + least
                if frame[i + radius] <= limit or frame[i - down] <= limit:
                    continue
                if frame[i + down] <= limit:
                    continue
                top = min(left, frame[i + radius], frame[i - down], frame[i + down])
                top = min(top, frame[i - cornerdown - corner], frame[i - cornerdown + corner])
                top = min(top, frame[i + cornerdown - corner], frame[i + cornerdown + corner])
                if top <= limit:
                    continue
            else:
                continue
            if count == room:
                return count
            pixels[count * FIELDS] = row
            pixels[count * FIELDS + 1] = i - row * width
            pixels[count * FIELDS + 2] = grey - top
            count += 1
    return count
