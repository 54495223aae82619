"""Speech: what a person types around a phrase, and the slips of the finger."""

import random
import re

from phrases import SLOT, taken

# a text goes on to the end of the task, and nothing may stand behind it
TEXTS = {'text', 'counted', 'sentence'}
# a phrase of the person's own: a reason behind it would be a part of it
PHRASES = {'title', 'query', 'heading', 't', 'slug', 'word', 'name', 'noun', 'column'}
QUOTED = {'text': 0.06, 'counted': 0.12, 'title': 0.12, 'query': 0.16, 'slug': 0.1, 'heading': 0.2, 'path': 0.06, 'column': 0.1}


class Speech:
    """Carriers before and behind a phrase, from the table, with a share of each. A carrier that the table lacks is empty."""

    def __init__(self, carriers: dict, chance: random.Random):
        self.carriers, self.chance = carriers, chance

    def one(self, name: str) -> str:
        of = self.carriers.get(name)
        return taken(self.chance.choice(of), self.chance) if of else ''

    def spoken(self, template: str, mood: str, kinds: dict) -> str:
        """The phrase as a person would type it, with its slots still in it. Most phrases stay plain."""
        r = self.chance
        template = self.quoted(template, kinds)
        end = self.end(template, kinds)
        if r.random() < 0.09:
            template = slip(template, r)
        template = self.led(template, mood) if mood != 'plain' and r.random() < 0.36 else template
        if end != 'text':
            template = self.followed(template, mood, end)
        if r.random() < 0.05:
            template = self.one('scenes') + template
        return self.cased(template)

    def led(self, template: str, mood: str) -> str:
        r = self.chance
        before = self.one(mood) if r.random() < 0.75 else ''
        if 'greetings' in self.carriers and (before == '' or r.random() < 0.2):
            before = r.choice(self.carriers['greetings']) + r.choice([', ', ', ', ' ', '! ', ': ', ' - ', '. ']) + before
        return before + template

    def followed(self, template: str, mood: str, end: str) -> str:
        r = self.chance
        if r.random() < 0.13:
            template += self.one('after')
        elif end == 'closed' and r.random() < 0.05:
            return template + self.one('reasons') + r.choice(['', '', '.'])
        if template[-1] in '?.=!':
            return template
        ask = mood == 'ask'
        return template + r.choices(['?', '', '.', '!', ' ?', '??', '...'], [55, 38, 4, 1, 1, 0.5, 0.5] if ask else [3, 76, 17, 3, 0.3, 0.2, 0.5])[0]

    def cased(self, template: str) -> str:
        r = self.chance
        if r.random() < 0.12:
            template = template.lower()
        if r.random() < 0.05:
            template = re.sub(r"(\w)'(\w)", r'\1\2', template)
        elif r.random() < 0.03:
            template = re.sub(r"(\w)'(\w)", r'\1’\2', template)
        if r.random() < 0.02:
            return SLOT.sub(lambda slot: slot.group(0).lower(), template.upper())
        return template[0].upper() + template[1:] if r.random() < 0.5 else template

    def quoted(self, template: str, kinds: dict) -> str:
        """Names and texts stand in quotes now and then."""

        def one(slot):
            share = QUOTED.get(kinds.get(slot.group(1), '').split('.')[0], 0)
            before, after = template[slot.start() - 1 : slot.start()], template[slot.end() : slot.end() + 1]
            alone = before in ('', ' ', '(') and after in ('', ' ', ',', '.', ':', '?', ';')
            return "'%s'" % slot.group(0) if share and alone and self.chance.random() < share else slot.group(0)

        return SLOT.sub(one, template)

    @staticmethod
    def end(template: str, kinds: dict) -> str:
        """What stands last: a text, a phrase of the person's own, or nothing that could go on."""
        slots = SLOT.findall(template)
        if not slots or not template.endswith('}'):
            return 'closed'
        kind = kinds.get(slots[-1].lstrip('-'), slots[-1])
        if kind in TEXTS:
            return 'text'
        return 'phrase' if kind in PHRASES or kind.endswith('+') or kind.startswith('path') else 'closed'


def slip(template: str, chance: random.Random) -> str:
    """One slip of the finger, in the words of the phrase and never in a value."""
    places = [at for at in range(1, len(template) - 1) if template[at - 1 : at + 2].isalpha() and inside(template, at)]
    if not places:
        return template
    at = chance.choice(places)
    a, b = template[at], template[at + 1]
    return template[:at] + chance.choice([b, b + a, a + a + b, chance.choice('aeinrst') + b]) + template[at + 2 :]


def inside(template, at):
    before = template[:at]
    return before.count('{') == before.count('}')
