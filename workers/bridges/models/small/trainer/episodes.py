"""Episodes made from a table of tools: a task, the calls, what came back, and an answer copied from it.

Results are drawn by chance, so that a right answer can only be copied, never reckoned.
"""

import random
import re

import prompt
from amounts import plain
from blunders import Blunders
from chains import DENIED, Chains, at
from phrases import SLOT, expand, with_kinds
from speech import Speech
from table import REFUSALS, Table, compact
from values import Values

DIALECTS = ['xct', 'femtoclaw']
FAILURES = ['time_exhausted', 'memory_exhausted', 'result_schema', 'capability_threw', 'capability_threw', 'capability_threw', 'power_timeout', 'scope_denied', 'rate_limited', 'fuel_exhausted', 'arguments_schema']
# kinds of episodes, and the share of each among those that the table has parts for
KINDS = {'single': 60, 'chain': 13, 'read': 6, 'unknown': 16, 'other': 5}
SAID_NO, MAY_NOT, DID_NOT = REFUSALS
# a number of an argument or error: `{name+5}` is larger than a slot by 5, `{name+1-4}` by 1 to 4
SUM = re.compile(r'\{(\w+)\+(\d+)(?:-(\d+))?\}')
GIVEN = re.compile(r'<(\w+)>')


class Episodes(Chains):
    """An endless row of episodes, the same for the same table and seed."""

    def __init__(self, table: Table, seed: int):
        self.table, self.chance = table, random.Random(seed)
        self.values = Values(self.chance, table.choices, table.source.get('lists', {}))
        self.speech = Speech(table.source.get('carriers', {}), self.chance)
        self.bad = Blunders(self.chance, self.values, self.call)
        self.weights = [task.get('weight', 1) for task in table.tasks]
        self.kinds = {kind: KINDS[kind] for kind in table.kinds()}

    # --- one task

    def phrase(self, task):
        """A phrase of the task, its mood, and the kinds of its slots."""
        mood = self.chance.choices(['ask', 'do'], [len(task['ask']), len(task['do'])])[0]
        return *with_kinds(expand(self.chance.choice(task[mood]), self.chance), task['slots']), mood

    def fill(self, task, kinds):
        """Draws the slots: the words of each, and the values."""
        drawn = {name: self.values.draw(kind) for name, kind in kinds.items() if not kind.startswith('after.')}
        if 'differ' in task:
            a, b = task['differ']
            while drawn[a][1] == drawn[b][1]:
                drawn[b] = self.values.draw(kinds[b])
        for name, kind in kinds.items():
            if kind.startswith('after.'):
                # from one place to another behind it
                end = drawn[kind[6:]][1] + self.values.whole(1, self.chance.choice([5, 12, 40]))
                drawn[name] = str(end), end
        for number, unit, kind in self.table.spelling('counted'):
            if kinds.get(unit) == kind:
                drawn[number], drawn[unit] = self.counted(drawn[number], drawn[unit])
        return drawn

    def counted(self, number, span):
        """A number of days, weeks or months as people say it: a week, two weeks."""
        if number[1] != 1:
            return number, (span[1] if self.chance.random() < 0.95 else span[0], span[1])
        return ('a' if self.chance.random() < 0.5 else number[0], 1), (span[1][:-1], span[1])

    def words(self, template, drawn):
        """The template with the words of its slots."""
        for number, unit in self.table.spelling('joined'):
            # a short unit may stand at its number: 5kg
            if unit in drawn and number in drawn and len(str(drawn[unit][0])) <= 2 and str(drawn[number][0])[-1].isdigit() and self.chance.random() < 0.15:
                template = template.replace('{%s} {%s}' % (number, unit), '{%s}{%s}' % (number, unit))
        for number, plural, single in self.table.spelling('singular'):
            if number in drawn and drawn[number][1] == 1:
                template = re.sub(plural, single, template)
        return SLOT.sub(lambda slot: self.said(slot.group(1), drawn), template)

    def said(self, name, drawn):
        return str(drawn[name][0]) if name in drawn else str(self.values.draw(name)[0])

    def arguments(self, value, drawn):
        if isinstance(value, dict):
            return {self.text(key, drawn): self.arguments(item, drawn) for key, item in value.items()}
        if isinstance(value, list):
            return [self.arguments(item, drawn) for item in value]
        if not isinstance(value, str):
            return value
        slot = SLOT.fullmatch(value)
        if slot is None:
            return self.text(value, drawn)
        name = slot.group(1)
        return -drawn[name[1:]][1] if name.startswith('-') else drawn[name][1]

    def text(self, template, drawn):
        template = SUM.sub(lambda found: str(self.larger(drawn[found.group(1)][1], *found.groups()[1:])), template)
        return SLOT.sub(lambda slot: self.shown(drawn[slot.group(1)][1]), template)

    def larger(self, value, least, most):
        return value + (int(least) if most is None else self.values.whole(int(least), int(most)))

    def shown(self, value):
        return value if isinstance(value, str) else plain(value)

    # --- what comes back

    def result(self, value, drawn, args):
        if isinstance(value, dict):
            return {key: self.result(item, drawn, args) for key, item in value.items()}
        if not isinstance(value, str):
            return value
        given = GIVEN.fullmatch(value)
        if given is not None:
            return args[given.group(1)]
        if value.startswith('~#'):
            return self.chance.randint(*map(int, value[2:].split('-')))
        return self.values.draw(value[1:])[0] if value.startswith('~') else self.text(value, drawn)

    def answer(self, template, drawn, result):
        """The answer, with what the model can see of a result."""
        seen = prompt.flat(result)

        def part(found):
            name = found.group(1)
            if not name.startswith('result.'):
                return self.shown(drawn[name][1])
            return self.visible(prompt.short(at(result, name[7:])), seen)

        return re.sub(r'\{([^{}]+)\}', part, template)

    @staticmethod
    def visible(text, seen):
        """What is left of a text whose end was cut with the result."""
        while text and text not in seen:
            text = text[:-1]
        return text

    def failure(self, template, drawn, args):
        code, message = template
        message = re.sub(r'\{#(\d+)-(\d+)\}', lambda found: str(self.chance.randint(int(found.group(1)), int(found.group(2)))), message)
        message = message.replace('{word}', '/' + self.values.noun())
        return self.error((code, message), drawn, args)

    def error(self, template, drawn, args):
        """An error with what it repeats of the arguments and slots."""
        code, message = template
        return prompt.error(code, self.text(GIVEN.sub(lambda name: self.shown(args[name.group(1)]), message), drawn))

    # --- turns

    def call(self, dialect, tool, args, goal):
        if dialect == 'xct':
            return compact({'next_step': {'tool': tool, 'arguments': args, 'goal': goal}})
        return compact({'tool_call': {'tool': tool, 'args': args}})

    def done(self, dialect, message):
        return 'call', compact({'done': True, 'message': message} if dialect == 'xct' else {'message': {'content': message}})

    def asked(self, said):
        return 'task', prompt.cut(prompt.line(said), prompt.TASK)

    def episode(self):
        """A dialect, and turns. A task that would be cut is drawn again: what is cut cannot be copied."""
        dialect = self.chance.choices(DIALECTS, [65, 35])[0]
        while True:
            kind = self.chance.choices(list(self.kinds), list(self.kinds.values()))[0]
            turns = getattr(self, kind)(dialect)
            if len(turns[0][1]) < prompt.TASK:
                return dialect, turns

    def single(self, dialect):
        task = self.chance.choices(self.table.tasks, self.weights)[0]
        template, kinds, mood = self.phrase(task)
        drawn = self.fill(task, kinds)
        said = self.words(self.speech.spoken(template, mood, kinds), drawn)
        turns = [self.asked(said)]
        ending = self.steps(dialect, task, drawn, self.arguments(task['args'], drawn), turns)
        return turns + [self.done(dialect, ending)]

    def steps(self, dialect, task, drawn, args, turns):
        """Adds the calls of a task with their results; the answer is returned."""
        tool, goal = task['tool'], task['goal']
        if self.chance.random() < 0.18:
            for _ in range(2 if self.chance.random() < 0.15 else 1):
                bad, error = self.bad.make(dialect, tool, args, goal)
                turns += [('bad', bad[: prompt.PROPOSAL]), ('error', prompt.error(*error))]
        turns.append(('led' if task.get('led') else 'call', self.call(dialect, tool, args, goal)))
        refused = self.refusal(tool, task.get('effect'))
        if refused is not None:
            turns.append(('error', refused[0]))
            return refused[1]
        return self.settled(dialect, task, drawn, args, turns)

    def settled(self, dialect, task, drawn, args, turns):
        outcomes, rare = task['outcomes'], task.get('rare')
        if rare and self.chance.random() < rare['share']:
            outcomes = self.table.source['outcomes'][rare['outcome-set']]
        outcome = self.chance.choices(outcomes, [outcome.get('weight', 1) for outcome in outcomes])[0]
        if 'result' in outcome:
            return self.returned(outcome, drawn, args, turns)
        turns.append(('error', self.failure(outcome['error'], drawn, args)))
        if 'retry' not in outcome:
            return self.told(turns[-1][1])
        again = {**args, **outcome['retry']}
        turns.append(('call', self.call(dialect, task['tool'], again, task['goal'])))
        return self.returned(self.table.source['outcomes'][task['tool']][0], drawn, again, turns)

    def returned(self, outcome, drawn, args, turns):
        result = self.result(outcome['result'], drawn, args)
        turns.append(('result', prompt.flat(result)))
        return self.answer(outcome['answer'], drawn, result)

    def told(self, error):
        return DID_NOT % error.split(': ', 1)[1]

    def refusal(self, tool, effect):
        """A refusal that no second try can change, and the answer to it; or the failure of any tool."""
        r = self.chance.random()
        if r < 0.04:
            return prompt.error('no_grant', 'Valid, but not permitted: %s has no grant in this run. Continue without it.' % tool), MAY_NOT % tool
        if r < (0.18 if effect == 'write' else 0.05):
            return prompt.error(*DENIED), SAID_NO
        if r > 0.955:
            error = prompt.error(self.chance.choice(FAILURES), self.trouble() + '. Change the arguments.')
            return error, self.told(error)
        return None

    def trouble(self):
        """What a tool may say that failed: any words, names and numbers."""
        values = self.values
        return self.chance.choice([
            lambda: values.salad(2, 9).capitalize(),
            lambda: values.statement().capitalize(),
            lambda: "No %s '%s'" % (values.noun(), self.chance.choice([values.phrase, values.code, values.made])()),
            lambda: "Not a %s: '%s'" % (values.noun(), self.chance.choice([values.phrase, values.code, values.made])()),
            lambda: 'Stopped: out of %s: %d %ss, the limit is %d' % (values.noun(), values.whole(100, 999999), values.noun(), values.whole(100, 99999)),
            lambda: '%s is not within %s: it has %d %ss' % (values.code(), values.path()[0], values.whole(1, 99), values.noun()),
            lambda: '%s and %s do not %s' % (values.noun(), values.noun(), values.order()),
            lambda: 'Row %d has %d %ss, the %s has %d' % (values.whole(1, 99), values.whole(1, 99), values.noun(), values.noun(), values.whole(1, 99)),
        ])()
