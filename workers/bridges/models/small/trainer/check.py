"""Makes episodes of a table and their tokens, without torch: `python3 check.py house.json --episodes 500`.

`--without PART` leaves a part of the table out. Prints what was made, and the SHA-256 of the episodes and of the tokens.
"""

import argparse
import hashlib
import json

from episodes import Episodes
from table import Table, compact


def arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument('table')
    parser.add_argument('--seed', type=int, default=1)
    parser.add_argument('--episodes', type=int, default=500)
    parser.add_argument('--without', action='append', default=[])
    return parser.parse_args()


def main():
    options = arguments()
    table = Table(options.table, options.without)
    tokens, episodes = table.tokens(), Episodes(table, options.seed)
    made, called, count = hashlib.sha256(), set(), 0
    for _ in range(options.episodes):
        dialect, turns = episodes.episode()
        made.update(compact([dialect, turns]).encode() + b'\n')
        count += len(tokens.episode(dialect, turns)[0])
        for kind, text in turns:
            if kind in ('call', 'led'):
                called |= calls_of(text, tokens)
    vocabulary = compact([tokens.texts, tokens.tools, tokens.copying, sorted(tokens.words)])
    print(json.dumps({
        'kinds': list(episodes.kinds),
        'tools': table.tools,
        'called': [tool for tool in table.tools if tool in called],
        'episodes': options.episodes,
        'tokens': count,
        'sha256': made.hexdigest(),
        'vocabulary': hashlib.sha256(vocabulary.encode()).hexdigest(),
    }))


def calls_of(text, tokens):
    """The tool that a proposal calls. Its tokens must say it byte for byte, but for characters without a token."""
    said = ''.join(tokens.texts[one] for one in tokens.proposal(text))
    shown = ''.join(character if character in tokens.ids else '~' for character in text)
    assert said == shown, text
    proposal = json.loads(text)
    call = proposal.get('next_step') or proposal.get('tool_call')
    return {call['tool']} if call else set()


main()
