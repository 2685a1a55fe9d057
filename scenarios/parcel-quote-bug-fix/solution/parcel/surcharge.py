"""What is charged on top of the weight."""

from parcel.prices import BULKY_ABOVE_CM, BULKY_PENCE


def surcharges(parcel):
    """The surcharges of a parcel as (name, pence)."""
    if max(parcel["cm"]) > BULKY_ABOVE_CM:
        return [("bulky", BULKY_PENCE)]
    return []
