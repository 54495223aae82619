"""Lists the tasks whose phrase a template can make too.

    python3 known.py table.json tasks.json > known.json
    python3 known.py table.json held-out.json > known-held-out.json

Of the held-out list it prints how many tasks it has, how many are known, and their places, and no wording.
"""

import json
import re
import sys

from held import Held
from table import Table

WORD = r"[\w.'/&°-]+"
PATTERNS = {'date': r'\d{4}-\d\d-\d\d', 'time': r'\d\d:\d\d', 'expression': r'[\d .+*/()-]+', 'slug': r'[a-z0-9-]+', 'word': WORD, 'first-task': '.+'}
WORDS_MOST = {'text': 12, 'counted': 12, 'title': 8, 'query': 4, 't': 3, 'heading': 6, 'column': 1, 'name': 1, 'noun': 1, 'verb': 1, 'adjective': 1, 'place': 1}


def pattern_for(table, kinds):
    """The pattern of a slot, from its kind."""

    def pattern_of(name):
        kind = kinds.get(name.lstrip('-'), name).rstrip('+')
        if kind in table.choices and not kinds.get(name, '').endswith('+'):
            of = table.choices[kind]
            said = of if isinstance(of, list) else [word for words in of.values() for word in words]
            return '|'.join(sorted({re.escape(word.lower()) for word in said}, key=len, reverse=True))
        if kind in PATTERNS:
            return PATTERNS[kind]
        most = 4 if kinds.get(name, '').endswith('+') else WORDS_MOST.get(kind)
        if most is not None:
            return '%s(?: %s){0,%d}' % (WORD, WORD, most - 1)
        return r'[\w./-]+' if kind.startswith('path') else r'[£$€]?-?[\d.]+'

    return pattern_of


def main():
    table = Table(sys.argv[1])
    with open(sys.argv[2], encoding='utf8') as file:
        read = json.load(file)
    tasks = read if isinstance(read, list) else read['tasks']
    held = Held(tasks)
    for say, kinds, tool in table.templates():
        held.fits(say, pattern_for(table, kinds), tool)
    met = held.met()
    if isinstance(read, list):
        print(json.dumps(met, indent=2, ensure_ascii=False))
    else:
        # a held-out list: its wording is never printed
        places = [at for at, task in enumerate(tasks) if task['task'] in met]
        print(json.dumps({'tasks': len(tasks), 'known': len(places), 'places': places}))


main()
