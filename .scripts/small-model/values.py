"""Values of slots: the words a person would write, and the value that a call needs."""

import random

WORDS = (
    'milk flour rye bread oven loaf bake salt butter seeds eggs order pay mill early late new old price shelf queue window '
    'key keys door paper box boxes bag dough water steam heat upper lower deck turn load five phone back Ines ask about '
    'the for and with of in on to at more less two pints sacks clean fix check count stock van farm supplier invoice account '
    'bank open closed winter plan market fair crust crumb starter feed night morning hot cold room shop till float coins '
    'card list menu sign paint repair roof lamp bulb apron barley ginger kettle ladder magnet napkin orchard pepper quince '
    'raisin saffron thyme umbrella vinegar walnut almond basil cellar drawer fennel hamper jam ledger marble nutmeg oats '
    'parsley rhubarb tray urgent velvet wicker green blue red white black small large long short broken loose missing empty '
    'full needs is are was will be not no yes after before until from next last every week month year day monday tuesday '
    'thursday saturday sunday Monday Friday Sunday January March August December three four six seven eight nine ten twelve '
    'twenty thirty half first second third call bring buy sell send take give keep move wash cut fill weigh mix knead shape '
    'prove rest slice pack label print read write carry close start stop wait our my your his her their we they it Tom Ada '
    'Marta Jonas Piet Lena Oskar Rosa sister brother uncle baker driver landlord neighbour customer doctor teacher plumber '
    'school church garden kitchen street corner station river bridge tower party wedding birthday visit meeting training '
    'lunch dinner tea coffee soup salad cheese honey apple pear plum cherry lemon sugar cream yeast spoon knife fork bowl '
    'basket crate pallet ribbon rope nail hammer drill pump pipe tap sink drain fridge freezer mixer scale timer clock radio'
).split()
SYLLABLES = 'ba be bi bo bu ka ke ko la le lo lu ma me mi mo na ne no ra re ri ro sa se si so ta te ti to va ve wi za pla tri sto gran del mar ven lin tor ham bri cho fle gno'.split()
MORE_WORDS = ['24th', '3rd', 'no. 7', '5', '12', '30', '8:15', '9am', "don't", "Ada's", 'A4', '50%', 'X-12', '£20', '2 kg', '1st']
HEADINGS = 'The ovens|Upper deck|Lower deck|Steam|Cleaning|Service|Suppliers|How we pay|Opening|Closing|Feeding|Staff|Tasting|Prices|Holidays|Keys|Three loads|The longer bake|Notes|Rota|Stock'.split('|')
POINTERS = 'flours rye kg wholemeal date events title name list price total stock counted_on items note 0 1 2 3'.split()


class Values:
    """Draws values of every kind from one source of chance."""

    def __init__(self, chance: random.Random, choices: dict):
        self.chance, self.choices = chance, choices

    def draw(self, kind: str):
        """The pair (words of the task, value of the call) of a kind."""
        if kind.endswith('+'):
            # a value of a list, or any other words: the list is not all that there is
            return self.draw(kind[:-1]) if self.chance.random() < 0.5 else self.query()
        if kind in self.choices:
            return self.choice(kind)
        if kind.startswith('path.'):
            return self.path(kind[4:])
        return getattr(self, kind.replace('-', '_'))()

    def choice(self, kind):
        of = self.choices[kind]
        if isinstance(of, list):
            return same(self.chance.choice(of))
        value = self.chance.choice(list(of))
        return self.chance.choice(of[value]), value

    def whole(self, least, most):
        return self.chance.randint(least, most)

    def digits(self):
        """A number of one to four digits, as text; small ones are the most frequent."""
        r = self.chance
        return str(r.randint(0, 10 ** r.choice([1, 2, 2, 2, 3, 3, 3, 4]) - 1))

    def amount(self):
        """A number as text: it is copied into an expression just as it was written."""
        r = self.chance
        if r.random() < 0.68:
            return same(self.digits())
        after = r.choice(['5', '25', '75', '4', '20', '80', '90', '99', '%02d' % r.randint(0, 99), '%d' % r.randint(1, 9)])
        return same('%d.%s' % (r.randint(0, r.choice([9, 99, 999])), after))

    def number(self):
        text, _ = self.amount()
        value = float(text) if '.' in text else int(text)
        return plain(value), int(value) if value == int(value) and '.' not in plain(value) else value

    def quantity(self):
        r = self.chance
        if r.random() < 0.25:
            value = r.choice([0.5, 1, 1.5, 2, 2.5, 3, 4, 5, 0.25, 10, 100, 1000])
            return plain(value), value
        return self.number()

    def few(self):
        value = self.whole(1, self.chance.choice([9, 30, 120]))
        return str(value), value

    def bake(self):
        value = self.whole(20, 500)
        return str(value), value

    def little(self):
        value = self.whole(0, 9) if self.chance.random() < 0.5 else self.whole(1, 60)
        return str(value), value

    def more(self):
        value = self.whole(2, 99)
        return str(value), value

    def lots(self):
        value = self.whole(100, 999)
        return str(value), value

    def warmth(self):
        value = self.whole(5, 32) if self.chance.random() < 0.85 else self.whole(5, 31) + 0.5
        return plain(value), value

    def heat_wrong(self):
        value = self.whole(33, 99)
        return str(value), value

    def pace(self):
        value = self.chance.choice([5, 10, 15, 20, 30, 60, self.whole(1, 60)])
        return str(value), value

    def zero(self):
        return '0', 0

    def expression(self):
        r = self.chance
        n = lambda: self.amount()[0]
        space = r.choice([' ', ' ', ''])
        join = lambda a, b: a + space + r.choice('+-*/') + space + b
        a, b, c, d = n(), n(), n(), n()
        if r.random() < 0.12:
            b = a
        return same(r.choice([
            lambda: join(a, b),
            lambda: join(a, b),
            lambda: join(a, join(b, c)),
            lambda: join('(' + join(a, b) + ')', c),
            lambda: join(a, '(' + join(b, c) + ')'),
            lambda: join(join(a, b), join(c, d)),
            lambda: join('(' + join(a, b) + ')', '(' + join(c, d) + ')'),
        ])())

    def date(self):
        return same('%d-%02d-%02d' % (self.whole(2019, 2031), self.whole(1, 12), self.whole(1, 28)))

    def no_date(self):
        month, day = self.chance.choice([(2, 30), (2, 31), (4, 31), (6, 31), (9, 31), (11, 31), (13, 5)])
        return same('%d-%02d-%02d' % (self.whole(2019, 2031), month, day))

    def time(self):
        return same('%02d:%02d' % (self.whole(0, 23), self.chance.choice([0, 0, 15, 30, 45, 20, 40, self.whole(0, 59)])))

    def word(self):
        r = self.chance
        if r.random() < 0.6:
            return same(r.choice(WORDS))
        return same(''.join(r.choice(SYLLABLES) for _ in range(r.randint(1, 3))) + r.choice(['', '', 's', 'n', 'er', 'ing', 'y']))

    def words(self, least, most):
        r = self.chance
        words = [self.word()[0] for _ in range(r.randint(least, most))]
        if len(words) > 2 and r.random() < 0.2:
            # a word twice: copying must not jump from the second to what follows the first
            words[r.randrange(1, len(words))] = words[0]
        if r.random() < 0.15:
            words[r.randrange(len(words))] = r.choice(MORE_WORDS)
        return ' '.join(words)

    def text(self):
        text = self.words(1, self.chance.choice([3, 5, 8]))
        return same(text.replace(' ', ', ', 1) if self.chance.random() < 0.06 else text)

    def title(self):
        return same(self.words(1, 4))

    def query(self):
        return same(self.words(1, 3))

    def t(self):
        return same(self.words(1, 2))

    def slug(self):
        r = self.chance
        word = lambda: self.word()[0].lower()
        return same(r.choice([word, word, word, lambda: word() + '-' + word(), lambda: word() + '-%d' % r.randint(1, 30)])())

    def heading(self):
        r = self.chance
        return same(r.choice(HEADINGS) if r.random() < 0.3 else self.words(1, 3).capitalize())

    def sentence(self):
        r = self.chance
        text = self.words(3, 14).capitalize() + r.choice(['.', '', ':', ''])
        return same(r.choice(['', '', '', '# ', '## ', '- ', '\n']) + text)

    def path(self, ending=None):
        r = self.chance
        known = [path for path in self.choices.get('paper', []) if ending is None or path.endswith(ending)]
        if known and r.random() < 0.4:
            return same(r.choice(known))
        folder = r.choice(['notes/', 'recipes/', '', 'papers/', self.word()[0].lower() + '/'])
        return same(folder + self.slug()[0] + (ending or r.choice(['.md', '.md', '.txt', '.v1.md', '.csv', '.json'])))

    def pointer(self):
        return same(''.join('/' + self.chance.choice(POINTERS + [self.word()[0]]) for _ in range(self.whole(1, 3))))

    # --- what tools return

    def flag(self):
        return same(self.chance.random() < 0.8)

    def value(self):
        """A number as tools return it: whole, rounded, or with many digits."""
        r = self.chance
        kind = r.random()
        if kind < 0.4:
            return same(r.randint(0, 10 ** r.randint(1, 5)))
        if kind < 0.7:
            return same(round(r.uniform(-50, 5000), r.randint(1, 3)))
        if kind < 0.8:
            return same(r.randint(1, 999) / r.choice([3, 6, 7, 9, 11]))
        return same(r.uniform(0, 10 ** r.randint(0, 4)))

    def pickable(self):
        return self.value() if self.chance.random() < 0.5 else same(self.words(1, 5))

    def sections(self):
        return same([{'heading': self.heading()[0], 'level': self.whole(1, 3), 'slice': 'lines[%d:%d]' % (i * 9, i * 9 + 7)} for i in range(self.whole(1, 4))])

    def hits(self):
        hit = lambda: {'excerpt': self.sentence()[0].strip(), 'line': self.little()[1], 'path': self.path()[0]}
        return same([hit() for _ in range(self.whole(1, 3))])

    def columns(self):
        column = lambda: {'distinct': self.whole(1, 99), 'empty': 0, 'kind': self.chance.choice(['text', 'date', 'number']), 'least': self.words(1, 2), 'most': self.words(1, 2), 'name': self.word()[0]}
        return same([column() for _ in range(self.whole(1, 3))])

    def events(self):
        event = lambda: {'date': self.date()[0], 'time': self.time()[0], 'title': self.title()[0], **({'note': self.words(1, 5)} if self.chance.random() < 0.5 else {})}
        return same([event() for _ in range(self.whole(1, 3))])


def same(value):
    return value, value


def plain(value) -> str:
    """A number as JSON of JavaScript writes it."""
    return repr(int(value)) if value == int(value) else repr(value)
