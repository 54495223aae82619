"""Numbers by chance, as people write them."""

import random

SPOKEN = {1: 'one', 2: 'two', 3: 'three', 4: 'four', 5: 'five', 6: 'six', 7: 'seven', 8: 'eight', 9: 'nine', 10: 'ten', 11: 'eleven', 12: 'twelve', 15: 'fifteen', 20: 'twenty', 30: 'thirty', 40: 'forty', 50: 'fifty', 60: 'sixty', 90: 'ninety'}


def same(value):
    return value, value


def plain(value) -> str:
    """A number as JSON of JavaScript writes it."""
    return repr(int(value)) if value == int(value) else repr(value)


class Numbers:
    """Draws the pair (words of the task, value of the call) of numbers."""

    chance: random.Random

    def whole(self, least, most):
        return self.chance.randint(least, most)

    def number_word(self, value, share):
        """A whole number, now and then as a word."""
        if value in SPOKEN and self.chance.random() < share:
            return SPOKEN[value], value
        return str(value), value

    def digits(self):
        """A number of one to seven digits, as text; small ones are the most frequent."""
        r = self.chance
        size = r.choice([1, 2, 2, 2, 2, 3, 3, 3, 3, 4, 4, 5, 6, 7])
        text = str(r.randint(0 if size == 1 else 10 ** (size - 1), 10**size - 1))
        return text[0] + '0' * (size - 1) if size > 1 and r.random() < 0.1 else text

    def decimal(self):
        r = self.chance
        after = r.choice(['5', '25', '75', '4', '20', '80', '90', '99', '50', '%02d' % r.randint(0, 99), '%d' % r.randint(1, 9), '%03d' % r.randint(1, 999), '%04d' % r.randint(1, 9999)])
        return '%d.%s' % (r.randint(0, r.choice([0, 9, 99, 999, 9999])), after)

    def amount(self):
        """A number of an expression, as text: it is copied just as it was written."""
        r = self.chance
        kind = r.random()
        if kind < 0.6:
            text = self.digits()
        elif kind < 0.95:
            text = self.decimal()
        else:
            value = r.choice(list(SPOKEN))
            return SPOKEN[value], str(value)
        if len(text) > 3 and text.isdigit() and r.random() < 0.12:
            return '{:,}'.format(int(text)), text
        return same(text)

    def price(self):
        """An amount that may be money."""
        said, value = self.amount()
        kind = self.chance.random()
        if not said[0].isdigit() or kind > 0.3:
            return said, value
        return (self.chance.choice(['£', '£', '$', '€']) + said if kind < 0.22 else said + self.chance.choice([' pounds', ' euros', ' GBP', ' dollars'])), value

    def signed(self):
        """An amount of an expression, now and then below zero."""
        said, value = self.amount()
        return ('-' + said, '-' + value) if self.chance.random() < 0.1 and said[0].isdigit() else (said, value)

    def number(self):
        said, text = self.amount()
        value = float(text) if '.' in text else int(text)
        typed = not said[0].isdigit() or ',' in said or self.chance.random() < 0.3
        return said if typed else plain(value), int(plain(value)) if value == int(value) else value

    def quantity(self):
        r = self.chance
        if r.random() < 0.3:
            value = r.choice([0.5, 1, 1.5, 2, 2.5, 3, 4, 5, 0.25, 10, 100, 1000, 0.75, 250, 500, 12, 6, 8])
            return self.number_word(value, 0.1) if isinstance(value, int) else (plain(value), value)
        return self.number()

    def degrees(self):
        """Degrees, which may be below zero."""
        said, value = self.quantity() if self.chance.random() < 0.5 else self.number_word(self.whole(1, 480), 0.02)
        if self.chance.random() < 0.2 and said[0].isdigit() and value:
            return ('minus ' if self.chance.random() < 0.3 else '-') + said, -value
        return said, value

    def few(self):
        return self.number_word(self.whole(1, self.chance.choice([3, 9, 30, 120, 1000])), 0.25)

    def bake(self):
        return same_number(self.whole(20, 500))

    def little(self):
        return self.number_word(self.whole(1, 9) if self.chance.random() < 0.6 else self.whole(0, 90), 0.12)

    def first(self):
        return self.number_word(self.whole(1, 9) if self.chance.random() < 0.7 else self.whole(1, 60), 0.15)

    def limit(self):
        """A bound of a column of numbers."""
        r = self.chance
        return same_number(r.choice([10, 20, 50, 100, 200, 500, 1000, r.randint(1, 400)])) if r.random() < 0.75 else self.number()

    def arctic(self):
        """Degrees below absolute zero."""
        value = self.chance.choice([500, 600, 1000, self.whole(460, 9999)])
        return '-%d' % value, -value

    def more(self):
        return same_number(self.whole(2, self.chance.choice([30, 99, 250])))

    def lots(self):
        return same_number(self.whole(100, 999))

    def warmth(self):
        value = self.whole(4, 32) if self.chance.random() < 0.8 else self.whole(4, 31) + self.chance.choice([0.5, 0.5, 0.25, 0.1, 0.7])
        return plain(value), value

    def heat_wrong(self):
        return same_number(self.whole(33, 99))

    def bright(self):
        """A share in percent."""
        return self.number_word(self.whole(1, 20) * 5 if self.chance.random() < 0.6 else self.whole(1, 100), 0.1)

    def pace(self):
        return self.number_word(self.chance.choice([1, 2, 3, 5, 10, 12, 15, 20, 30, 45, 60, self.whole(1, 60)]), 0.1)

    def zero(self):
        return ('zero', 0) if self.chance.random() < 0.1 else ('0', 0)

    def nought(self):
        """Zero in an expression."""
        return ('zero', '0') if self.chance.random() < 0.25 else ('0', '0')

    def expression(self):
        r = self.chance
        n = lambda: self.digits() if r.random() < 0.65 else self.decimal()
        space = r.choice([' ', ' ', ''])
        join = lambda a, b: a + space + r.choice('+-*/') + space + b
        a, b, c, d = n(), n(), n(), n()
        if r.random() < 0.12:
            b = a
        if r.random() < 0.06:
            a = '-' + a
        text = r.choice([
            lambda: join(a, b),
            lambda: join(a, b),
            lambda: join(a, b),
            lambda: join(a, join(b, c)),
            lambda: join('(' + join(a, b) + ')', c),
            lambda: join(a, '(' + join(b, c) + ')'),
            lambda: join(join(a, b), join(c, d)),
            lambda: join('(' + join(a, b) + ')', '(' + join(c, d) + ')'),
        ])()
        if r.random() < 0.1 and '/' not in text:
            # signs of a typed sum that the tool does not take
            return text.replace('*', r.choice(['x', '×'])), text
        return (text.replace('/', '÷'), text) if r.random() < 0.03 else same(text)


def same_number(value):
    return str(value), value
