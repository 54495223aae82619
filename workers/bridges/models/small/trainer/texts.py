"""Texts by chance: words, titles, notes, search words, and sentences as they stand in files."""

import json
import os
import random

with open(os.path.join(os.path.dirname(os.path.abspath(__file__)), 'words.json'), encoding='utf8') as file:
    LISTS = {name: text.split() for name, text in json.load(file).items()}
NOUNS, VERBS, ADJECTIVES, NAMES, PLACES, SMALL, ODD, ADVERBS = (LISTS[name] for name in ('nouns', 'verbs', 'adjectives', 'names', 'places', 'small', 'odd', 'adverbs'))
COMMON = NOUNS * 3 + VERBS + ADJECTIVES
OPENS = 'b c d f g h j k l m n p r s t v w y z bl br ch cl cr dr fl fr gl gr kn pl pr qu sc sh sk sl sn sp st str sw th tr tw wh'.split() + ['', '', '']
VOWELS = 'a e i o u a e i o ea ee oo ou ai ie y'.split()
CLOSES = 'b ck d ff g ll m n nd ng nk nt p r rd rk rn rt s sh ss st t tch th x'.split() + ['', '', '', '', '']
FOREIGN = 'éèêëíïñóöüäåçáàûøœß'
DAYS = 'Monday Tuesday Wednesday Thursday Friday Saturday Sunday'.split()
MONTHS = 'January February March April May June July August September October November December'.split()
PREPOSITIONS = 'for with at from about of to in near behind under after before'.split()


class Texts:
    """Draws texts from one source of chance. No title or query begins or ends with a word that could belong to the task."""

    chance: random.Random

    def made(self) -> str:
        """A word that nobody has met: only copying says it."""
        r = self.chance.choice
        word = ''.join(r(OPENS) + r(VOWELS) + r(CLOSES) for _ in range(self.chance.choice([1, 2, 2, 3])))
        at = len(word) // 2
        return word[:at] + r(FOREIGN) + word[at + 1 :] if at and self.chance.random() < 0.06 else word

    def common(self) -> str:
        r = self.chance
        word = r.choice(COMMON) if r.random() < 0.78 else self.made()
        end = r.random()
        return word + 's' if end < 0.14 and word[-1] not in 'sxyh' else word

    def noun(self) -> str:
        return self.chance.choice(NOUNS) if self.chance.random() < 0.8 else self.made()

    def name(self) -> str:
        r = self.chance
        kind = r.random()
        if kind < 0.6:
            return r.choice(NAMES)
        return r.choice(PLACES) if kind < 0.8 else self.made().capitalize()

    def code(self) -> str:
        """A short code: letters, digits and signs in any order."""
        r = self.chance
        return r.choice([
            lambda: '%s-%d' % (''.join(r.choice('ABCDEFGHKLMNPRSTWX') for _ in range(r.randint(1, 3))), r.randint(1, 9999)),
            lambda: str(r.randint(0, 10 ** r.randint(1, 7))),
            lambda: '%s%d' % (self.made()[:3], r.randint(0, 99)),
            lambda: '%d.%02d' % (r.randint(0, 99), r.randint(0, 99)),
            lambda: '%02d:%02d' % (r.randint(0, 23), r.choice([0, 15, 30, 45])),
        ])()

    def phrase(self) -> str:
        """A noun with what may stand around it."""
        r = self.chance
        kind = r.random()
        if kind < 0.3:
            return self.plural(self.noun())
        if kind < 0.55:
            return r.choice(ADJECTIVES) + ' ' + self.plural(self.noun())
        if kind < 0.8:
            return self.noun() + ' ' + self.plural(self.noun())
        if kind < 0.9:
            return self.name() + "'s " + self.noun() if r.random() < 0.4 else self.name() + ' ' + self.noun()
        return r.choice(ADJECTIVES) + ' ' + self.noun() + ' ' + self.noun()

    def plural(self, noun: str) -> str:
        return noun + 's' if self.chance.random() < 0.25 and noun[-1] not in 'sxyh' else noun

    def longer(self) -> str:
        """A phrase of two parts: meeting with Ines, sale of old tins."""
        r = self.chance
        return '%s %s %s' % (self.phrase(), r.choice(PREPOSITIONS), r.choice([self.name(), self.phrase(), r.choice(['the ', 'our ', '']) + self.phrase()]))

    def order(self) -> str:
        """Something to do."""
        r = self.chance
        text = r.choice(VERBS) + ' ' + r.choice(['the ', 'the ', '', 'more ', 'our ', 'two ', 'a ', str(r.randint(2, 60)) + ' ', 'all ']) + self.phrase()
        if r.random() < 0.35:
            text += ' ' + r.choice(PREPOSITIONS) + ' ' + r.choice([self.name(), 'the ' + self.noun(), self.phrase(), r.choice(DAYS)])
        return text + (' ' + r.choice(ADVERBS) if r.random() < 0.15 else '')

    def statement(self) -> str:
        """Something to know."""
        r = self.chance
        return r.choice([
            lambda: 'the %s is %s' % (self.phrase(), r.choice(ADJECTIVES)),
            lambda: '%s is %s' % (self.phrase(), self.code()),
            lambda: 'the %s of the %s is %s' % (self.noun(), self.noun(), self.code()),
            lambda: '%s costs %s a %s' % (self.phrase(), self.code(), self.noun()),
            lambda: '%s comes on %s at %s' % (self.name(), r.choice(DAYS), self.code()),
            lambda: 'we need %d %s by %s' % (r.randint(2, 200), self.phrase(), r.choice(DAYS)),
            lambda: '%s says the %s is in the %s' % (self.name(), self.noun(), self.noun()),
            lambda: 'closed from the %dth of %s' % (r.randint(4, 20), r.choice(MONTHS)),
            lambda: "don't %s the %s, it's %s" % (r.choice(VERBS), self.noun(), r.choice(ADJECTIVES)),
            lambda: "%s hasn't %s the %s yet" % (self.name(), r.choice(['seen', 'paid', 'sent', 'found', 'had']), self.phrase()),
            lambda: '%s and %s %s' % (self.phrase(), self.phrase(), r.choice(['are gone', 'go together', 'are late', 'stay here'])),
        ])()

    def listed(self) -> str:
        return ', '.join(self.phrase() for _ in range(self.chance.randint(2, 4)))

    def salad(self, least: int, most: int) -> str:
        """Words in no order at all, some of them twice: only copying in order says them."""
        r = self.chance
        words = [r.choice([self.common, self.common, self.made, self.name])() for _ in range(r.randint(least, most))]
        for at in range(1, len(words) - 1):
            if r.random() < 0.25:
                words[at] = r.choice(SMALL)
        if len(words) > 2 and r.random() < 0.25:
            # copying must not jump from the second to what follows the first
            words[r.randrange(1, len(words))] = words[0]
        if r.random() < 0.2:
            words[r.randrange(len(words))] = r.choice(ODD)
        return ' '.join(words)

    def decorated(self, text: str) -> str:
        """The text with one of the signs that people type, now and then."""
        r = self.chance
        kind = r.random()
        words = text.split(' ')
        at = r.randrange(len(words))
        if kind < 0.03:
            return text.replace("'", '’')
        if kind < 0.07 and len(words) > 1:
            return ' '.join(words[:at] + [r.choice(['–', '—', '-', '&', '+', '/', '=', '->', '…', '|'])] + words[at:]) if at else text
        if kind < 0.15:
            words[at] = r.choice(["'%s'", "'%s'", '(%s)', '“%s”', '‘%s’', '*%s*', '%s!', '%s;', '%s:', '[%s]', '#%s', '%s%%', '_%s_', '%s?', '<%s>', '@%s', '%s,', '%s...']) % words[at]
            return ' '.join(words)
        return text

    def prose(self) -> str:
        """A piece of a file: sentences, a heading, a list, rows of a table, members of JSON."""
        r = self.chance
        kind = r.random()
        sentence = lambda: r.choice([self.statement, self.statement, self.order, lambda: self.salad(4, 12)])().capitalize() + r.choice(['.', '.', '.', ':', ''])
        if kind < 0.5:
            return ' '.join(sentence() for _ in range(r.randint(1, 3)))
        if kind < 0.66:
            return '%s %s %s' % (r.choice(['#', '##', '##', '###']), self.phrase().capitalize(), sentence())
        if kind < 0.76:
            return ' '.join('- %s: %s' % (self.phrase(), self.code()) for _ in range(r.randint(1, 4)))
        if kind < 0.82:
            return ' '.join('%d. %s' % (at + 1, sentence()) for at in range(r.randint(1, 3)))
        if kind < 0.91:
            return ','.join(r.choice([self.code, self.phrase, self.name, lambda: str(self.chance.randint(1, 400))])() for _ in range(r.randint(4, 9)))
        return "{ %s }" % ', '.join("'%s': %s" % (self.noun(), r.choice(["'%s'" % self.phrase(), str(r.randint(0, 999))])) for _ in range(r.randint(1, 4)))
