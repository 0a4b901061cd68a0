"""Exact ratios as text: rounded once, when they are shown, halves away from zero."""


def ratio_text(dividend: int, divisor: int, places: int) -> str | None:
    """Return a ratio with that many decimals, None where the divisor is 0.

    dividend, divisor: whole numbers, so nothing is rounded before.
    """
    if divisor == 0:
        return None
    if divisor < 0:
        dividend, divisor = -dividend, -divisor
    whole = (2 * abs(dividend) * 10**places + divisor) // (2 * divisor)
    digits = str(whole).rjust(places + 1, "0")
    sign = "-" if dividend < 0 and whole else ""
    point = len(digits) - places
    return f"{sign}{digits[:point]}.{digits[point:]}" if places else f"{sign}{digits}"
