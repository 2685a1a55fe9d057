"""From an order to its prices."""

from parcel.prices import CLUB_PERCENT, band_price
from parcel.surcharge import surcharges


def quote_parcel(parcel, club=False):
    """The price of one parcel in pence."""
    pence = band_price(parcel["grams"]) + sum(amount for _, amount in surcharges(parcel))
    if club:
        pence = pence * (1 - CLUB_PERCENT / 100)
    return pence


def quote_order(order):
    """The prices of an order: ([(id, pence), ...], sum in pence)."""
    club = order.get("club", False)
    lines = [(parcel["id"], quote_parcel(parcel, club)) for parcel in order["parcels"]]
    total = sum(pence for _, pence in lines)
    return [(name, round(pence)) for name, pence in lines], round(total)
