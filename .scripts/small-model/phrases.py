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
    """The tasks that judge the model, and which of them a phrase of the training data fits."""

    def __init__(self, tasks):
        self.tasks = {task: self.bare(task) for task in tasks}
        self.seen, self.found = set(), set()

    @staticmethod
    def bare(text):
        return ENDS.sub('', STARTS.sub('', text.strip())).lower()

    def met(self):
        return [task for task in self.tasks if task in self.found]

    def fits(self, template: str, pattern_of):
        """Notes the tasks that a phrase with words of its own becomes with values for its slots."""
        words = self.bare(template)
        if words in self.seen or not re.search('[a-z]', SLOT.sub('', words)):
            return
        self.seen.add(words)
        parts = SLOT.split(words)
        pattern = re.compile(''.join(pattern_of(part) if at % 2 else re.escape(part) for at, part in enumerate(parts)))
        self.found |= {task for task, bare in self.tasks.items() if pattern.fullmatch(bare)}
