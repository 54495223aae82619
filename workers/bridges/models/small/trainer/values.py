"""Values of slots: the words a person would write, and the value that a call needs."""

import random
import string

from amounts import Numbers, plain, same
from results import Results
from texts import ADJECTIVES, DAYS, MONTHS, NOUNS, PLACES, VERBS, Texts



class Values(Texts, Numbers, Results):
    """Draws values of every kind from one source of chance."""

    def __init__(self, chance: random.Random, choices: dict, lists: dict):
        self.chance, self.choices = chance, choices
        self.headings, self.pointers, self.stems = (lists.get(name, []) for name in ('headings', 'pointers', 'stems'))

    def draw(self, kind: str):
        """The pair (words of the task, value of the call) of a kind."""
        if kind.endswith('+'):
            # a value of a list, or any other words: the list is not all that there is
            return self.draw(kind[:-1]) if self.chance.random() < 0.5 else self.query()
        if kind in self.choices:
            return self.choice(kind)
        if kind.startswith('path.'):
            return self.path(kind[4:])
        if kind.startswith('quantity.'):
            return self.degrees() if kind == 'quantity.heat' else self.quantity()
        drawn = getattr(self, kind.replace('-', '_'))()
        return same(drawn) if isinstance(drawn, str) else drawn

    def choice(self, kind):
        of = self.choices[kind]
        if isinstance(of, list):
            return same(self.chance.choice(of))
        value = self.chance.choice(list(of))
        said = self.chance.choice(of[value])
        if self.chance.random() < 0.06:
            # people write units in any case
            said = self.chance.choice([said.capitalize(), said.upper(), said.lower()]) if len(said) > 1 else said
        return said, value

    # --- dates and times

    def date(self):
        return same('%d-%02d-%02d' % (self.whole(2019, 2031) if self.chance.random() < 0.85 else self.whole(1900, 2099), self.whole(1, 12), self.whole(1, 28)))

    def no_date(self):
        month, day = self.chance.choice([(2, 30), (2, 31), (4, 31), (6, 31), (9, 31), (11, 31), (13, 5), (13, 1), (0, 10), (5, 32), (1, 40), (8, 0)])
        return same('%d-%02d-%02d' % (self.whole(2019, 2031), month, day))

    def time(self):
        return same('%02d:%02d' % (self.whole(0, 23), self.chance.choice([0, 0, 15, 30, 45, 20, 40, self.whole(0, 59)])))

    # --- words and texts

    def verb(self):
        return self.chance.choice(VERBS)

    def adjective(self):
        return self.chance.choice(ADJECTIVES)

    def place(self):
        return self.chance.choice(PLACES)

    def counted(self):
        """A text whose words or signs are counted."""
        return self.text() if self.chance.random() < 0.7 else same(self.salad(1, 3))

    def word(self):
        return same(self.common())

    def words(self, least, most):
        return self.salad(least, most)

    def text(self):
        """The text of a note, or one that is counted."""
        return same(self.decorated(self.plain_text()))

    def plain_text(self):
        r = self.chance
        kind = r.random()
        if kind < 0.22:
            return self.order()
        if kind < 0.44:
            return self.statement()
        if kind < 0.56:
            return r.choice([self.phrase, self.longer, self.listed])()
        if kind < 0.62:
            return self.code()
        if kind < 0.68:
            return self.statement().capitalize() + r.choice(['.', '.', '!', ', ' + self.order()])
        return self.salad(1, r.choice([3, 5, 8, 11]))

    def title(self):
        r = self.chance
        kind = r.random()
        if kind < 0.35:
            return same(self.phrase())
        if kind < 0.6:
            return same(self.longer())
        if kind < 0.75:
            return same(self.order())
        if kind < 0.85:
            return same(string.capwords(self.phrase()) if r.random() < 0.5 else self.phrase().capitalize())
        return same(self.ended(self.salad(1, 5)))

    def query(self):
        r = self.chance
        kind = r.random()
        if kind < 0.62:
            return same(self.phrase())
        if kind < 0.74:
            return same(self.name())
        if kind < 0.8:
            return same(self.code())
        return same(self.ended(self.salad(1, 3)))

    def ended(self, text):
        """The text without words at its ends that could belong to the task around it."""
        words = [word for word in text.split() if word[0].isalnum()]
        while len(words) > 1 and len(words[-1]) < 4:
            words.pop()
        while len(words) > 1 and len(words[0]) < 4:
            words.pop(0)
        return ' '.join(words) or self.noun()

    def t(self):
        return same(self.chance.choice([self.phrase, self.phrase, self.noun, self.name, lambda: self.salad(1, 2)])())

    def slug(self):
        """The name of a note; a person may begin it with a capital."""
        r = self.chance
        word = lambda: self.noun().lower() if r.random() < 0.6 else self.made()
        name = r.choice([word, word, word, word, lambda: word() + '-' + word(), lambda: word() + '-' + word(), lambda: word() + '-%d' % r.randint(1, 400), lambda: word() + '-' + word() + '-' + word(), lambda: r.choice(DAYS + MONTHS).lower(), lambda: word() + '%d' % r.randint(1, 99), lambda: '%d-' % r.randint(2019, 2031) + word(), lambda: self.name().lower()])()
        name = ''.join(c for c in name if c in 'abcdefghijklmnopqrstuvwxyz0123456789-').strip('-') or 'list'
        return (name.capitalize() if r.random() < 0.06 else name), name

    def heading(self):
        r = self.chance
        kind = r.random()
        if kind < 0.2 and self.headings:
            return same(r.choice(self.headings))
        if kind < 0.3:
            return same(self.salad(1, 4).capitalize())
        return same(r.choice([self.phrase, self.phrase, lambda: self.noun(), lambda: 'The ' + self.phrase(), lambda: 'How to ' + self.order(), lambda: 'When the %s is %s' % (self.noun(), self.noun())])().capitalize())

    def path(self, ending=None):
        r = self.chance
        known = [path for path in self.choices.get('paper', []) if ending is None or path.endswith(ending)]
        if known and r.random() < 0.35:
            return same(r.choice(known))
        folder = r.choice(['notes/', 'recipes/', '', '', 'papers/', self.slug()[1] + '/', 'docs/'])
        stem = r.choice([lambda: self.slug()[1], lambda: self.slug()[1], lambda: self.slug()[1].replace('-', '_'), lambda: r.choice(self.stems or [self.noun()]), lambda: self.noun()])()
        return same(folder + stem + (ending or r.choice(['.md', '.md', '.md', '.txt', '.v1.md', '.v%d.md' % r.randint(1, 9), '.csv', '.json'])))

    def pointer(self):
        return same(''.join('/' + self.chance.choice(self.pointers + [self.noun()]) for _ in range(self.whole(1, 3))))

    def column(self):
        return same(self.chance.choice([self.noun(), 'colour', 'color', 'size', 'weight', 'town', 'owner', 'paid_by', 'vat', 'name', 'kind', self.made(), self.noun() + '_' + self.noun(), self.chance.choice(NOUNS)]))
