"""Draws the same cases as Swift's tests do, so that their files need only digests."""


class Draws:
    """A linear congruential generator (Knuth's MMIX)."""

    def __init__(self, seed: int):
        self.state = seed

    def below(self, limit: int) -> int:
        self.state = (self.state * 6364136223846793005 + 1442695040888963407) % 2**64
        return (self.state >> 33) % limit
