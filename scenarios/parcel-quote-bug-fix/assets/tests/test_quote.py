import unittest

from parcel.quote import quote_order, quote_parcel


def parcel(grams, cm=(30, 20, 10), name="a"):
    return {"id": name, "grams": grams, "cm": list(cm)}


class Prices(unittest.TestCase):
    def test_between_the_limits(self):
        self.assertEqual(
            [quote_parcel(parcel(grams)) for grams in (1, 499, 501, 4000, 19999)], [320, 320, 450, 790, 1360]
        )

    def test_two_kilograms_are_still_the_second_band(self):
        self.assertEqual(quote_parcel(parcel(2000)), 450)

    def test_what_is_too_heavy_or_weighs_nothing_is_not_taken(self):
        for grams in (0, -1, 20001):
            with self.assertRaises(ValueError):
                quote_parcel(parcel(grams))


class Orders(unittest.TestCase):
    def test_the_sum_is_the_sum_of_the_lines(self):
        order = {"parcels": [parcel(100, name="a"), parcel(2500, name="b")]}
        self.assertEqual(quote_order(order), ([("a", 320), ("b", 790)], 1110))
