"""What is charged on top of the weight."""

from parcel.prices import BULKY_ABOVE_CM, BULKY_PENCE


def surcharges(parcel, found=[]):
    """The surcharges of a parcel as (name, pence)."""
    if max(parcel["cm"]) > BULKY_ABOVE_CM and ("bulky", BULKY_PENCE) not in found:
        found.append(("bulky", BULKY_PENCE))
    return found
