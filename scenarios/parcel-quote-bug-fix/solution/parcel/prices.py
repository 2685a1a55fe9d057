"""The price list: weights in grams, amounts in pence."""

BANDS = [(500, 320), (2000, 450), (5000, 790), (20000, 1360)]
BULKY_ABOVE_CM = 60
BULKY_PENCE = 250
CLUB_PERCENT = 7


def band_price(grams):
    """The price of a parcel's weight."""
    if grams <= 0:
        raise ValueError("a parcel weighs more than nothing")
    for limit, pence in BANDS:
        if grams <= limit:
            return pence
    raise ValueError("a parcel weighs at most 20 kg")
