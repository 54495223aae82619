"""The table of tools with its families spelled out."""

import copy
import json
import re

from phrases import SLOT, with_kinds, with_parts
from tokens import Tokens, constants, structure

COPIED = {'text', 'counted', 'title', 'query', 'slug', 'heading', 'path', 'pointer', 'date', 'no-date', 'time'}
MOODS = ('ask', 'do')
# answers to a refusal by a person, to a missing grant with the name of the tool, and to a failure with its message
REFUSALS = 'A person said no, so it was not done.', 'I may not use %s here.', 'It did not work: %s.'


def compact(value) -> str:
    return json.dumps(value, separators=(',', ':'), ensure_ascii=False)


class Table:
    """The tasks, one for each value of `each`, with the parts of their phrases filled in."""

    def __init__(self, path: str, without=()):
        with open(path, encoding='utf8') as file:
            self.source = {name: part for name, part in json.load(file).items() if name not in without}
        self.parts = self.source.get('parts', {})
        self.tasks = [task for family in self.source['tasks'] for task in self.each(family)]
        by_name = {task['name']: task for task in self.tasks}
        for task in self.tasks:
            like = by_name.get(task.get('like'), task)
            for mood in MOODS:
                task[mood] = [with_parts(say, self.parts) for say in task.get(mood) or like.get(mood, [])]
            task['outcomes'] = task.get('outcomes') or self.source['outcomes'][task.get('outcome-set', task['tool'])]
        self.choices, self.others = self.source.get('choices', {}), self.source.get('others', {})
        self.known = [known for of in self.others.get('known', {}).values() for known in of]
        self.unknown = [with_parts(say, self.parts) for say in self.source.get('unknown', [])]
        self.chains = {name: {**chain, 'say': [with_parts(say, self.parts) for say in chain['say']]} for name, chain in self.source.get('chains', {}).items()}
        self.chainable = [task for task in self.tasks if task.get('chain')]
        self.tools = list(dict.fromkeys([task['tool'] for task in self.tasks] + self.chain_tools() + [name for name, _ in self.known]))

    def chain_tools(self):
        return [chain[name] for chain in self.chains.values() for name in ('search', 'tool') if name in chain]

    def kinds(self):
        """The kinds of episodes that the table has parts for."""
        parts = {'single': self.tasks, 'chain': 'keep' in self.chains and self.chainable, 'read': 'read' in self.chains, 'unknown': self.unknown, 'other': self.others}
        return [kind for kind, part in parts.items() if part]

    def spelling(self, name):
        return self.source.get('spelling', {}).get(name, [])

    def each(self, family):
        variants = [family]
        for name, values in family.get('each', {}).items():
            variants = [json.loads(json.dumps(variant).replace(name, value)) for variant in variants for value in values]
        return copy.deepcopy(variants)

    def tokens(self) -> Tokens:
        texts = list(self.tools) + [piece for _, names in self.known for piece in ('"%s":' % names[0], ',"%s":' % names[1])]
        for task in self.tasks:
            texts += [task['goal']] + self.argument_texts(task)
        for chain in self.chains.values():
            texts += chain.get('goals', [])
        answers = [outcome['answer'] for of in self.outcomes() for outcome in of if 'answer' in outcome]
        answers += [chain[name] for chain in self.chains.values() for name in ('answer', 'denied') if name in chain]
        said = [part for answer in self.declines() + answers for part in constants(answer)]
        said += [part for chain in self.chains.values() if 'nothing' in chain for part in constants(chain['nothing']['answer']) if part not in said]
        source = self.source.get('copying', {})
        copying = {'free': source.get('free', []) + said, 'steps': source.get('steps', {}), 'copied': self.copied(), 'named': self.named()}
        return Tokens(texts + said, self.tools, copying)

    def declines(self):
        """Answers that no outcome has."""
        return ([self.source['decline']] if self.unknown else []) + [answer.replace('%s', '{}') for answer in REFUSALS]

    def argument_texts(self, task):
        """Structure of the arguments, and constant texts in them."""
        from episodes import Episodes

        episodes, args = Episodes(self, 0), compact(task['args'])
        drawn = [compact(episodes.arguments(task['args'], episodes.fill(task, task['slots']))) for _ in range(20)]
        values = [part for text in re.findall(r'(?<=:)"([^"]*)"', args) for part in constants(text)]
        return [part for text in sorted(set(drawn)) for part in structure(text)] + values

    def copied(self):
        """Members whose text is copied from the task wherever they are used."""
        uses = {}
        for task in self.tasks:
            for name, value in task['args'].items():
                slot = SLOT.fullmatch(value) if isinstance(value, str) else None
                uses.setdefault(name, []).append(slot is not None and task['slots'][slot.group(1).lstrip('-')].split('.')[0] in COPIED)
        return [name for name, copied in uses.items() if all(copied)]

    def named(self):
        """Names of the values of closed choices, for the constraint: no value is said that the task does not name."""
        named = self.source.get('copying', {}).get('named', {})
        values = lambda kinds: {value: sorted(set(said)) for kind in kinds for value, said in self.choices[kind].items()}
        return {
            'values': {member: values(kinds) for member, kinds in named.get('values', {}).items()},
            'members': values(named.get('members', [])),
            'differ': named.get('differ', []),
        }

    def outcomes(self):
        return list(self.source.get('outcomes', {}).values()) + [task['outcomes'] for task in self.tasks]

    def templates(self):
        """Each template, the kinds of its slots, and the tool of its first call: for lists of what the generator can say."""
        for task in self.tasks:
            for mood in MOODS:
                for say in task[mood]:
                    yield *with_kinds(say, task['slots']), task['tool']
        keep, read = self.chains.get('keep'), self.chains.get('read')
        for say in read['say'] if read else []:
            yield *with_kinds(say, read['slots']), read['search']
        for tool in {task['tool'] for task in self.chainable}:
            for say in keep['say'] if keep else []:
                yield *with_kinds(say, {'first': 'first-task', **keep['slots']}), tool
        for say in self.unknown:
            yield *with_kinds(say, {}), None
