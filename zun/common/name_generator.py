# SPDX-License-Identifier: Apache-2.0
"""Names for what comes without one: ``omega-17``."""

import random

LETTERS = (
    'alpha', 'beta', 'gamma', 'delta', 'epsilon', 'zeta', 'eta', 'theta',
    'iota', 'kappa', 'lambda', 'mu', 'nu', 'xi', 'omicron', 'pi', 'rho',
    'sigma', 'tau', 'upsilon', 'phi', 'chi', 'psi', 'omega',
)


class NameGenerator:
    """Makes names of a Greek letter and a number from 1 to 24."""

    letters = LETTERS

    def __init__(self, source: random.Random | None = None) -> None:
        self._random = source or random.SystemRandom()

    def generate(self) -> str:
        """Return a name; it need not be unique."""
        letter = self._random.choice(self.letters)
        return f'{letter}-{self._random.randint(1, len(self.letters))}'
