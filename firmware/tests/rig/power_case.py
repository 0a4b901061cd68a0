"""What must hold after a power cut, whatever it tore: one host's books over all boots.

The host hears every frame, or none after its last acknowledgement (deaf), and files durable
records by (boot, counter).
"""

from tablewire import codes, roulette
from tablewire import messages as m

ENDS = (roulette.WHEEL_RESULT, m.ROUND_VOID)


def name_of(frame):
    return frame.boot, frame.counter


def content(frame):
    return frame.device, frame.type, frame.round, frame.uptime_ms, frame.values


def tears(old, data):
    """Every state a cut while `data` replaces `old` can leave: (label, content or None).

    Untouched, each part of it, and each part with a torn byte behind it.
    """
    yield "untouched", old
    for count in range(len(data) + 1):
        yield f"{count} bytes", bytes(data[:count])
        if count < len(data):
            yield (
                f"{count} bytes and a torn one",
                bytes(data[:count]) + bytes([data[count] ^ 0x5A]),
            )


def few(old, data):
    """Of the tears: untouched, empty, half, whole."""
    half = bytes(data[: len(data) // 2])
    return [("untouched", old), ("empty", b""), ("half", half), ("whole", bytes(data))]


class Books:
    """Durable records heard. results: what the wheel truly gave, by round."""

    def __init__(self, results):
        self.results = results
        self.filed = {}

    def copy(self):
        other = Books(self.results)
        other.filed = dict(self.filed)
        return other

    def hear(self, frames):
        """File the durable ones; the same name must be the same record."""
        for frame in frames:
            if frame.flags & m.FLAG_DURABLE:
                known = self.filed.setdefault(name_of(frame), content(frame))
                assert known == content(frame), "one name, two records"

    def records(self, *types):
        return [record for record in self.filed.values() if record[1] in types]

    def check(self):
        """Rounds open and end once, with no number the wheel did not give."""
        opened = [record[2] for record in self.records(m.ROUND_OPENED)]
        ended = [record[2] for record in self.records(*ENDS)]
        assert len(set(opened)) == len(opened), f"opened twice: {opened}"
        assert len(set(ended)) == len(ended), f"ended twice: {ended}"
        for record in self.records(roulette.WHEEL_RESULT):
            assert self.results[record[2]] == record[4], "a number nobody saw"
        return set(opened) - set(ended)

    def check_configuration(self, values, in_force):
        """The records lead from these values, by key, to what the table has; none is missing."""
        for name in sorted(self.filed):
            _, kind, _, _, change = self.filed[name]
            if kind == m.CONFIGURATION_CHANGED:
                key, value, previous = change[:3]
                assert values[key] == previous, f"key {key} changed and it was not reported"
                values[key] = value
        assert values == dict(enumerate(in_force)), "not what the records say"

    def check_all_over(self):
        """Every round that was opened has ended; the interrupted one as 404 or by its own end."""
        left = self.check()
        assert not left, f"never ended: {left}"
        for record in self.records(m.ROUND_VOID):
            known = (codes.SYSTEM_INTERRUPTION, codes.CROUPIER_VOID, codes.TASK_STOPPED)
            assert record[4][0] in known

    def highest(self):
        """(boot, round) of all records."""
        boots = [boot for boot, _ in self.filed]
        return max(boots, default=0), max((r[2] for r in self.filed.values()), default=0)
