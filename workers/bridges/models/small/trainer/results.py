"""Results by chance, in the forms that tools return."""

import random

from amounts import same


class Results:
    """Draws what a tool returns: a right answer can only be copied."""

    chance: random.Random

    def flag(self):
        return same(self.chance.random() < 0.8)

    def value(self):
        """A number as tools return it: whole, rounded, or with many digits."""
        r = self.chance
        kind = r.random()
        if kind < 0.35:
            return same(r.randint(0, 10 ** r.randint(1, 6)))
        if kind < 0.68:
            return same(round(r.uniform(-50, 10 ** r.randint(1, 5)), r.randint(1, 3)))
        if kind < 0.76:
            return same(-round(r.uniform(0, 5000), r.randint(0, 2)))
        if kind < 0.86:
            return same(r.randint(1, 999) / r.choice([3, 6, 7, 9, 11]))
        return same(r.uniform(0, 10 ** r.randint(0, 6)))

    def counts(self):
        """Counts of a text: those of one line are small, and its bytes often its characters."""
        r = self.chance
        words = r.randint(1, r.choice([9, 30, 900]))
        characters = words * r.randint(3, 7) + r.randint(0, 9)
        return same({'bytes': characters + (r.randint(1, 20) if r.random() < 0.4 else 0), 'characters': characters, 'lines': 1 if words < 14 and r.random() < 0.7 else r.randint(1, 99), 'words': words})

    def pickable(self):
        return self.value() if self.chance.random() < 0.5 else same(self.salad(1, 5))

    def sentence(self):
        text = self.prose()
        return same('\n' + text if self.chance.random() < 0.1 else text)

    def sections(self):
        level = lambda at: 1 if at == 0 else self.whole(2, 3)
        section = lambda at: {'heading': self.heading()[0], 'level': level(at), 'slice': 'lines[%d:%d]' % (at * 9, at * 9 + 7)}
        return same([section(at) for at in range(self.whole(1, 4))])

    def hits(self):
        hit = lambda: {'excerpt': self.sentence()[0].strip(), 'line': self.whole(0, 9) if self.chance.random() < 0.4 else self.whole(1, 90), 'path': self.path()[0]}
        return same([hit() for _ in range(self.whole(1, 3))])

    def columns(self):
        column = lambda: {'distinct': self.whole(1, 99), 'empty': 0, 'kind': self.chance.choice(['text', 'date', 'number']), 'least': self.salad(1, 2), 'most': self.salad(1, 2), 'name': self.noun()}
        return same([column() for _ in range(self.whole(1, 3))])

    def groups(self):
        group = lambda: {'value': self.query()[0], 'rows': self.whole(1, 40), 'sum': self.value()[0]}
        return same([group() for _ in range(self.whole(1, 4))])

    def events(self):
        event = lambda: {'date': self.date()[0], 'time': self.time()[0], 'title': self.title()[0], **({'note': self.salad(1, 5)} if self.chance.random() < 0.5 else {})}
        return same([event() for _ in range(self.whole(1, 3))])
