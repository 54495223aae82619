"""Lists the held tasks whose phrase a template can make too: `python3 known.py table.json tasks.json > known.json`."""

import json
import random
import re
import sys

from episodes import Table
from phrases import Held, expand

EXPANSIONS = 400
WORD = r"[\w.'/&°-]+"
PATTERNS = {'date': r'\d{4}-\d\d-\d\d', 'time': r'\d\d:\d\d', 'expression': r'[\d .+*/()-]+', 'slug': r'[a-z0-9-]+', 'word': WORD}
WORDS_MOST = {'text': 8, 'title': 4, 'query': 3, 't': 2, 'heading': 3}


def pattern_for(table, kinds):
    """The pattern of a slot, from its kind."""

    def pattern_of(name):
        kind = kinds.get(name.lstrip('-'), name).rstrip('+')
        if kind in table.source['choices'] and not kinds.get(name, '').endswith('+'):
            of = table.source['choices'][kind]
            said = of if isinstance(of, list) else [word for words in of.values() for word in words]
            return '(?:%s)' % '|'.join(sorted({re.escape(word.lower()) for word in said}, key=len, reverse=True))
        if kind in PATTERNS:
            return PATTERNS[kind]
        most = 3 if kinds.get(name, '').endswith('+') else WORDS_MOST.get(kind)
        if most is not None:
            return '%s(?: %s){0,%d}' % (WORD, WORD, most - 1)
        return r'[\w./-]+' if kind.startswith('path') else r'-?[\d.]+'

    return pattern_of


def main():
    table = Table(sys.argv[1])
    with open(sys.argv[2], encoding='utf8') as file:
        held, chance = Held([task['task'] for task in json.load(file)]), random.Random(1)
    families = [(say, task['slots']) for task in table.tasks for mood in ('ask', 'do') for say in task[mood]]
    families += [(say, {'q': 'query'}) for say in table.source['chains']['read']['say']]
    families += [(say, {}) for say in table.source['unknown']]
    for say, kinds in families:
        for _ in range(EXPANSIONS if '[' in say else 1):
            held.fits(expand(say, chance), pattern_for(table, kinds))
    print(json.dumps(held.met(), indent=2, ensure_ascii=False))


main()
