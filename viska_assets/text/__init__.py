"""Reading text: cleaning, sentences, numerals, quantities, periods, units. Pure, knowing no clock and no locale."""
