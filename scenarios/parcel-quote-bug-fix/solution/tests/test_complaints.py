import unittest

from parcel.quote import quote_order, quote_parcel

SMALL = {"id": "small", "grams": 400, "cm": [20, 20, 10]}
BULKY = {"id": "bulky", "grams": 400, "cm": [61, 20, 10]}


class Bulky(unittest.TestCase):
    def test_a_small_parcel_after_a_bulky_one_costs_what_it_costs_alone(self):
        self.assertEqual(quote_order({"parcels": [BULKY, SMALL]}), ([("bulky", 570), ("small", 320)], 890))

    def test_sixty_centimetres_are_not_bulky(self):
        self.assertEqual(quote_parcel({**SMALL, "cm": [60, 60, 60]}), 320)


class Club(unittest.TestCase):
    def test_each_price_is_rounded_before_the_sum_is_made(self):
        parcels = [dict(SMALL, id=name) for name in "abc"]
        self.assertEqual(quote_order({"club": True, "parcels": parcels}), ([("a", 298), ("b", 298), ("c", 298)], 894))

    def test_a_price_for_members_is_a_whole_number_of_pence(self):
        self.assertIsInstance(quote_parcel(SMALL, club=True), int)

    def test_half_a_penny_is_rounded_up(self):
        self.assertEqual(quote_parcel({**SMALL, "grams": 1200}, club=True), 419)
