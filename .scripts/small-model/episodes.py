"""Episodes made from a table of tools: a task, the calls, what came back, and an answer copied from it.

Results are drawn by chance, so that a right answer can only be copied, never reckoned.
"""

import copy
import json
import random
import re

import prompt
from phrases import SLOT, expand, spoken
from tokens import Tokens, constants, structure
from values import Values, plain

DIALECTS = ['xct', 'femtoclaw']
FAILURES = ['time_exhausted', 'memory_exhausted', 'result_schema', 'capability_threw', 'capability_threw', 'capability_threw', 'power_timeout', 'scope_denied', 'rate_limited']
COPIED = {'text', 'title', 'query', 'slug', 'heading', 'path', 'pointer', 'date', 'no-date', 'time'}
WRITES = {'notes.put', 'calendar.add'}


def compact(value) -> str:
    return json.dumps(value, separators=(',', ':'), ensure_ascii=False)


class Table:
    """The table with its families spelled out: one task for each value of `each`."""

    def __init__(self, path: str):
        with open(path, encoding='utf8') as file:
            self.source = json.load(file)
        self.tasks = [task for family in self.source['tasks'] for task in self.each(family)]
        by_name = {task['name']: task for task in self.tasks}
        for task in self.tasks:
            like = by_name.get(task.get('like'), task)
            for mood in ('ask', 'do'):
                task[mood] = [say for say in (task.get(mood) or like.get(mood, [])) if not say.endswith(':skip')]
            task['outcomes'] = task.get('outcomes') or self.source['outcomes'][task.get('outcome-set', task['tool'])]
        self.tools = list(dict.fromkeys(task['tool'] for task in self.tasks))

    def each(self, family):
        variants = [family]
        for name, values in family.get('each', {}).items():
            variants = [json.loads(json.dumps(variant).replace(name, value)) for variant in variants for value in values]
        return copy.deepcopy(variants)

    def tokens(self, known=None) -> Tokens:
        texts = list(self.tools)
        for task in self.tasks:
            texts += [task['goal']] + self.argument_texts(task)
        for chain in self.source['chains'].values():
            texts += chain.get('goals', [])
        answers = [outcome['answer'] for of in self.outcomes() for outcome in of if 'answer' in outcome]
        answers += [chain[name] for chain in self.source['chains'].values() for name in ('answer', 'denied') if name in chain]
        said = [part for answer in [self.source['decline']] + self.source['reserved'] + answers for part in constants(answer)]
        copying = {'free': self.source['copying']['free'] + said, 'steps': self.source['copying']['steps'], 'copied': self.copied()}
        return Tokens(texts + said, self.tools, copying, known)

    def argument_texts(self, task):
        """Structure of the arguments, and constant texts in them."""
        episodes, args = Episodes(self, 0), compact(task['args'])
        drawn = [compact(episodes.arguments(task['args'], episodes.fill(task))) for _ in range(20)]
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

    def outcomes(self):
        return list(self.source['outcomes'].values()) + [task['outcomes'] for task in self.tasks]

    def argument_texts(self, task):
        """Structure of the arguments, and constant texts in them."""
        episodes, args = Episodes(self, 0), compact(task['args'])
        drawn = [compact(episodes.arguments(task['args'], episodes.fill(task))) for _ in range(20)]
        values = [part for text in re.findall(r'(?<=:)"([^"]*)"', args) for part in constants(text)]
        return [part for text in sorted(set(drawn)) for part in structure(text)] + values

    def values_of(self, text, slots):
        slot = SLOT.fullmatch(text)
        if slot is None:
            return [part for part in re.split(r'\{[^{}]*\}', text) if len(part) > 1 and re.search('[a-z]', part)]
        of = self.source['choices'].get(slots.get(slot.group(1).lstrip('-'), ''), {})
        return [value for value in of if len(value) > 1] if 'paper' not in slots.values() else []


class Episodes:
    """An endless row of episodes, the same for the same table and seed."""

    def __init__(self, table: Table, seed: int):
        self.table, self.chance = table, random.Random(seed)
        self.values = Values(self.chance, table.source['choices'])
        self.weights = [task['weight'] for task in table.tasks]
        self.chainable = [task for task in table.tasks if task.get('chain')]

    # --- one task

    def phrase(self, task):
        """A phrase of the task, and its mood."""
        mood = self.chance.choices(['ask', 'do'], [len(task['ask']), len(task['do'])])[0]
        return expand(self.chance.choice(task[mood]).removesuffix(':flip'), self.chance), mood

    def fill(self, task):
        """Draws the slots: the words of each, and the values."""
        drawn = {name: self.values.draw(kind) for name, kind in task['slots'].items()}
        if 'differ' in task:
            a, b = task['differ']
            while drawn[a][1] == drawn[b][1]:
                drawn[b] = self.values.draw(task['slots'][b])
        return drawn

    def words(self, template, drawn):
        return SLOT.sub(lambda slot: self.said(slot.group(1), drawn), template)

    def said(self, name, drawn):
        return str(drawn[name][0]) if name in drawn else str(self.values.draw(name)[0])

    def arguments(self, value, drawn):
        if isinstance(value, dict):
            return {self.text(key, drawn): self.arguments(item, drawn) for key, item in value.items()}
        if isinstance(value, list):
            return [self.arguments(item, drawn) for item in value]
        slot = SLOT.fullmatch(value)
        if slot is None:
            return self.text(value, drawn)
        name = slot.group(1)
        return -drawn[name[1:]][1] if name.startswith('-') else drawn[name][1]

    def text(self, template, drawn):
        return SLOT.sub(lambda slot: self.shown(drawn[slot.group(1)][1]), template)

    def shown(self, value):
        return value if isinstance(value, str) else plain(value)

    # --- what comes back

    def result(self, value, drawn, args):
        if isinstance(value, dict):
            return {key: self.result(item, drawn, args) for key, item in value.items()}
        if not isinstance(value, str):
            return value
        if value == '<slice>':
            return args['slice']
        if value.startswith('~#'):
            return self.chance.randint(*map(int, value[2:].split('-')))
        return self.values.draw(value[1:])[0] if value.startswith('~') else self.text(value, drawn)

    def answer(self, template, drawn, result):
        def part(found):
            name = found.group(1)
            if not name.startswith('result.'):
                return self.shown(drawn[name][1])
            value = result
            for key in re.sub('<(.*)>', lambda slot: drawn[slot.group(1)][1], name[7:]).split('.'):
                value = value[int(key)] if isinstance(value, list) else value[key]
            return prompt.short(value)

        return re.sub(r'\{([^{}]+)\}', part, template)

    def failure(self, template, drawn, args):
        code, message = template
        message = re.sub(r'\{#(\d+)-(\d+)\}', lambda found: str(self.chance.randint(int(found.group(1)), int(found.group(2)))), message)
        message = message.replace('<slice>', args.get('slice', '')).replace('{word}', '/' + self.values.word()[0])
        return prompt.error(code, self.text(message, drawn))

    # --- turns

    def call(self, dialect, tool, args, goal):
        if dialect == 'xct':
            return compact({'next_step': {'tool': tool, 'arguments': args, 'goal': goal}})
        return compact({'tool_call': {'tool': tool, 'args': args}})

    def done(self, dialect, message):
        return 'call', compact({'done': True, 'message': message} if dialect == 'xct' else {'message': {'content': message}})

    def episode(self):
        """A dialect, and turns."""
        dialect = self.chance.choices(DIALECTS, [65, 35])[0]
        kind = self.chance.choices(['single', 'chain', 'read', 'unknown'], [64, 17, 7, 12])[0]
        return dialect, getattr(self, kind)(dialect)

    def single(self, dialect):
        task = self.chance.choices(self.table.tasks, self.weights)[0]
        template, mood = self.phrase(task)
        drawn = self.fill(task)
        said = self.words(spoken(template, mood, task['slots'], self.chance), drawn)
        args = self.arguments(task['args'], drawn)
        turns = [('task', prompt.cut(prompt.line(said), prompt.TASK))]
        ending = self.steps(dialect, task, drawn, args, turns)
        return turns + [self.done(dialect, ending)]

    def steps(self, dialect, task, drawn, args, turns):
        """Adds the calls of a task with their results; the answer is returned."""
        tool, goal = task['tool'], task['goal']
        if self.chance.random() < 0.12:
            self.blunders(dialect, tool, args, goal, turns)
        turns.append(('call', self.call(dialect, tool, args, goal)))
        refused = self.refusal(tool)
        if refused is not None:
            turns.append(('error', refused[0]))
            return refused[1]
        return self.settled(dialect, task, drawn, args, turns)

    def settled(self, dialect, task, drawn, args, turns):
        outcomes = task['outcomes']
        if task['name'] in ('quotient', 'expression') and self.chance.random() < 0.06:
            outcomes = self.table.source['outcomes']['quotient']
        outcome = self.chance.choices(outcomes, [outcome.get('weight', 1) for outcome in outcomes])[0]
        if 'result' in outcome:
            result = self.result(outcome['result'], drawn, args)
            turns.append(('result', prompt.flat(result)))
            return self.answer(outcome['answer'], drawn, result)
        turns.append(('error', self.failure(outcome['error'], drawn, args)))
        if 'retry' not in outcome:
            return self.told(turns[-1][1])
        again = {**args, **outcome['retry']}
        turns.append(('call', self.call(dialect, task['tool'], again, task['goal'])))
        outcome = self.table.source['outcomes'][task['tool']][0]
        result = self.result(outcome['result'], drawn, again)
        turns.append(('result', prompt.flat(result)))
        return self.answer(outcome['answer'], drawn, result)

    def told(self, error):
        return 'It did not work: %s.' % error.split(': ', 1)[1]

    def refusal(self, tool):
        """A refusal that no second try can change, and the answer to it; or the failure of any tool."""
        r = self.chance.random()
        if r < 0.035:
            return prompt.error('no_grant', 'Valid, but not permitted: %s has no grant in this run. Continue without it.' % tool), 'I may not use %s here.' % tool
        if r < (0.2 if tool in WRITES else 0.045):
            return prompt.error('approval_denied', 'A person said no. Continue without it.'), 'A person said no, so it was not done.'
        if r > 0.97:
            error = prompt.error(self.chance.choice(FAILURES), self.values.words(2, 9).capitalize() + '. Change the arguments.')
            return error, self.told(error)
        return None

    def blunders(self, dialect, tool, args, goal, turns):
        """Bad proposals of its own that it reads and corrects: they are never learned."""
        for _ in range(2 if self.chance.random() < 0.15 else 1):
            bad, error = self.chance.choice([self.truncated, self.chatty, self.doubled, self.formless, self.lacking, self.mistyped, self.misnamed])(dialect, tool, args, goal)
            turns += [('bad', bad[: prompt.PROPOSAL]), ('error', prompt.error(*error))]

    def truncated(self, dialect, tool, args, goal):
        text = self.call(dialect, tool, args, goal)
        text = text[: -self.chance.randint(1, max(2, len(text) - 25))]
        return text, ('json_syntax', 'Not JSON: line 1, column %d, found the end. Send exactly one JSON object and nothing else.' % (len(text) + 1))

    def chatty(self, dialect, tool, args, goal):
        words = self.chance.choice(['Sure!', 'Of course.', 'Let me see.', 'I will do that.', 'Here it is:', self.values.words(2, 6).capitalize() + '.'])
        text = words + self.chance.choice(['', '', ' ' + self.values.words(1, 5), ' ' + self.call(dialect, tool, args, goal)])
        return text, ('json_syntax', 'Not JSON: line 1, column 1, found "%s". Send exactly one JSON object and nothing else.' % text[0])

    def doubled(self, dialect, tool, args, goal):
        text, name = self.call(dialect, tool, args, goal), next(iter(args))
        member = '"%s":%s' % (name, compact(args[name]))
        at = '/next_step/arguments/' if dialect == 'xct' else '/tool_call/args/'
        return text.replace(member, member + ',' + member, 1), ('duplicate_member', 'Ambiguous: member "%s" appears twice at %s%s. Remove one.' % (name, at, name))

    def formless(self, dialect, tool, args, goal):
        bad, forms = {'tool': tool, **args}, 'next_step or done' if dialect == 'xct' else 'tool_call or message'
        return compact(bad), ('form_none', 'Valid JSON, but not a proposal: the top level has "tool" instead of %s. Send one of these forms.' % forms)

    def lacking(self, dialect, tool, args, goal):
        name = self.chance.choice(list(args))
        rest = {key: value for key, value in args.items() if key != name}
        at = '/next_step/arguments' if dialect == 'xct' else '/tool_call/args'
        return self.call(dialect, tool, rest, goal), ('arguments_schema', "Argument refused: must have required property '%s' at %s. Send arguments that match the schema." % (name, at))

    def mistyped(self, dialect, tool, args, goal):
        name = self.chance.choice(list(args))
        wrong, type_ = (self.values.whole(0, 999), 'string') if isinstance(args[name], str) else (self.values.word()[0], 'array' if isinstance(args[name], list) else 'number')
        at = '/next_step/arguments/' if dialect == 'xct' else '/tool_call/args/'
        return self.call(dialect, tool, {**args, name: wrong}, goal), ('arguments_schema', 'Argument refused: must be %s at %s%s. Send arguments that match the schema.' % (type_, at, name))

    def misnamed(self, dialect, tool, args, goal):
        name = self.chance.choice([tool.replace('.', '_'), tool.split('.')[1], tool.split('.')[0], self.values.word()[0], tool.upper()])
        at = '/next_step/tool' if dialect == 'xct' else '/tool_call/tool'
        return self.call(dialect, name, args, goal), ('unknown_capability', 'No capability "%s" at %s. Names are exact and case-sensitive; use a listed one.' % (name, at))

    # --- more than one call, and none

    def chain(self, dialect):
        """Works out a value, then keeps it in a note."""
        chain, task = self.table.source['chains']['keep'], self.chance.choice(self.chainable)
        template, mood = self.phrase(task)
        drawn, own = self.fill(task), {'n': self.values.draw('slug')}
        first = self.words(template + self.chance.choice(['?', '', '', '.'] if mood == 'ask' else ['', '', '.']), drawn)
        say = expand(self.chance.choice(chain['say']), self.chance)
        while '{first}' == say[:7] and first[-1] in '?.' and say[7:8] in ',.':
            say = expand(self.chance.choice(chain['say']), self.chance)
        said = self.words(say.replace('{first}', '\0'), own).replace('\0', first)
        said = said[0].upper() + said[1:] if self.chance.random() < 0.5 else said
        said = self.chance.choice(DO) + said if mood == 'do' and say.startswith('{first}') and self.chance.random() < 0.15 else said
        turns = [('task', prompt.cut(prompt.line(said + self.chance.choice(['', '', '', '.', ', please', ' please'])), prompt.TASK))]
        answer = self.steps(dialect, task, drawn, self.arguments(task['args'], drawn), turns)
        if turns[-1][0] == 'error':
            return turns + [self.done(dialect, answer)]
        drawn = {**own, 'answer': (answer, answer)}
        args = self.arguments(chain['args'], drawn)
        turns.append(('call', self.call(dialect, chain['tool'], args, chain['goal'])))
        if self.chance.random() < 0.15:
            turns += [('error', prompt.error('approval_denied', 'A person said no. Continue without it.')), self.done(dialect, self.answer(chain['denied'], drawn, {}))]
        else:
            result = {'kept_in': 'receipt', 'note': {'lines': 1, 'name': args['name'], 'text': answer}}
            turns += [('result', prompt.flat(result)), self.done(dialect, self.answer(chain['answer'], drawn, {}))]
        return turns

    def read(self, dialect):
        """Searches, then reads at the first hit; a slice beyond the end is asked for from the end."""
        chain = self.table.source['chains']['read']
        template = expand(self.chance.choice(chain['say']), self.chance)
        q = self.values.draw('query')
        said = self.words(spoken(template, 'ask' if template.startswith('what') else 'do', {'q': 'query'}, self.chance), {'q': q})
        turns = [('task', prompt.cut(prompt.line(said), prompt.TASK)), ('call', self.call(dialect, chain['search'], {'query': q[1]}, chain['goals'][0]))]
        if self.chance.random() < 0.12:
            turns += [('result', prompt.flat({'hits': [], 'more': 0})), self.done(dialect, 'Nothing holds these words.')]
            return turns
        hits = self.values.hits()[0]
        path, line = hits[0]['path'], hits[0]['line']
        args = {'path': path, 'slice': 'lines[%d:%d]' % (line, line + 5)}
        turns += [('result', prompt.flat({'hits': hits, 'more': self.values.whole(0, 9)})), ('call', self.call(dialect, chain['tool'], args, chain['goals'][1]))]
        if self.chance.random() < 0.25:
            turns.append(('error', prompt.error('capability_threw', '%s is not within %s: it has %d lines.' % (args['slice'], path, line + self.values.whole(1, 4)))))
            args = {'path': path, 'slice': 'tail(5)'}
            turns.append(('call', self.call(dialect, chain['tool'], args, chain['goals'][1])))
        text = self.values.sentence()[0]
        turns += [('result', prompt.flat({**args, 'text': text})), self.done(dialect, 'It says: ' + prompt.short(text))]
        return turns

    def unknown(self, dialect):
        template = expand(self.chance.choice(self.table.source['unknown']).removesuffix(':skip'), self.chance)
        said = self.words(spoken(template, self.chance.choice(['ask', 'do']) if self.chance.random() < 0.4 else 'plain', {}, self.chance), {})
        return [('task', prompt.cut(prompt.line(said), prompt.TASK)), self.done(dialect, self.table.source['decline'])]


DO = ['please ', 'can you ', 'could you ', 'now ', 'hey, ', 'ok, ']
