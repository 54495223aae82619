"""Phrases from templates: `[a|b]` is a choice, `{name}` a slot. Then carriers, punctuation and slips of the finger."""

import random
import re

ASK_BEFORE = ['tell me: ', 'tell me, ', 'please tell me ', 'quick question: ', 'hi, ', 'hey, ', 'so ', 'and ', 'ok, ', 'I want to know: ', 'I wonder: ', 'question: ', 'do you know ', 'now, ', 'well, ', 'can you tell me ', 'could you tell me ', 'hello! ', 'one more: ', 'I need to know ', 'just curious, ', 'good morning, ', 'please: ', 'for the books: ', 'Ines asks: ', 'my boss asks: ', 'next: ', 'can you say ', 'I was asked ', 'we would like to know ']
DO_BEFORE = ['please ', 'please ', 'can you ', 'could you ', 'could you please ', 'can you please ', 'would you ', 'I want you to ', 'I need you to ', 'now ', 'hey, ', 'hi, ', 'ok, ', 'quick: ', 'next, ', 'kindly ', 'hello, please ', 'go ahead and ', "I'd like you to ", 'I would like you to ', 'help me ', 'and then ', 'so, ', 'first of all, ', "let's ", 'would you please ', 'good morning, please ']
SCENES = ['We are in a hurry. ', 'The shop is busy. ', 'It is for the shop. ', 'Just a short one. ', 'One more thing. ', 'I am at the till. ', 'This is for Ines. ', 'No rush. ', 'The phone rang. ', 'We bake tomorrow. ']
AFTER = [' please', ' please', ', please', ' for me', ' for me please', ', thanks', ' thanks', ' now', ' quickly', ', thank you', ' if you can', ' again', ', ok']
FREE = {'text', 'title', 'query', 'sentence', 't', 'heading'}
STARTS = re.compile(r'^(?:(?:please|can you|could you|would you|hi|hey|hello|ok|so|and|now|kindly|tell me|i want to|i need|give me)[,!:]? )*', re.I)
ENDS = re.compile(r'(?:,? (?:please|for me|thanks|thank you|now))*[?.! ]*$', re.I)
SLOT = re.compile(r'\{(-?[\w$]+)\}')


def expand(template: str, chance: random.Random) -> str:
    """Takes one of each choice, the innermost first."""
    while '[' in template:
        template = re.sub(r'\[([^\[\]]*)\]', lambda found: chance.choice(found.group(1).split('|')), template)
    return re.sub(r' +', ' ', template).strip()


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


def spoken(template: str, mood: str, kinds: dict, chance: random.Random) -> str:
    """The phrase as a person would type it, with its slots still in it."""
    ends_free = kinds.get((SLOT.findall(template[-12:]) or [''])[-1]) in FREE and template.endswith('}')
    if chance.random() < 0.08:
        template = slip(template, chance)
    if mood != 'plain' and chance.random() < 0.3:
        template = chance.choice(ASK_BEFORE if mood == 'ask' else DO_BEFORE) + template
    if not ends_free:
        if chance.random() < 0.12:
            template += chance.choice(AFTER)
        if template[-1] not in '?.=!':
            template += chance.choices(['?', '', '.', '!', ' ?'] if mood == 'ask' else ['', '.', '!', '?'], [55, 38, 5, 1, 1] if mood == 'ask' else [80, 16, 2, 2])[0]
    if chance.random() < 0.04:
        template = chance.choice(SCENES) + template
    return template[0].upper() + template[1:] if chance.random() < 0.5 else template


class Held:
    """The tasks that judge the model: a phrase that fits one of them is never trained on."""

    def __init__(self, tasks):
        self.tasks = [self.bare(task) for task in tasks]
        self.known = {}

    @staticmethod
    def bare(text):
        return ENDS.sub('', STARTS.sub('', text.strip())).lower()

    def fits(self, template: str) -> bool:
        """True for a phrase with words of its own that becomes a held task with some values for its slots."""
        if template not in self.known:
            self.known[template] = self.search(template)
        return self.known[template]

    def search(self, template):
        words = SLOT.sub('\0', self.bare(template))
        if not re.search('[a-z]', words):
            return False
        pattern = re.compile(r"[\w.,:/&°()+*-]+(?: [\w.,:/&°()+*'-]+){0,7}".join(re.escape(part) for part in words.split('\0')))
        return any(pattern.fullmatch(task) for task in self.tasks)
