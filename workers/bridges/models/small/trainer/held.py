"""The tasks that judge the model, and which of them a template of the training data fits."""

import re

from phrases import SLOT

STARTS = re.compile(r'^(?:(?:please|can you|could you|would you|hi|hey|hello|ok|so|and|now|kindly|tell me|i want to|i need|give me)[,!:]? )*', re.I)
ENDS = re.compile(r'(?:,? (?:please|for me|thanks|thank you|now))*[?.! ]*$', re.I)
PARTS = re.compile(r'[\[\]|]|\{[^{}]*\}|[^\[\]|{}]+')


def pattern_of_template(template: str, pattern_of) -> str:
    """The regular expression of all phrases of a template. An empty choice leaves a space too many."""
    made, depth = '', 0
    for part in PARTS.findall(template):
        depth += {'[': 1, ']': -1}.get(part, 0)
        if part.startswith('{'):
            made += '(?:%s)' % pattern_of(part[1:-1])
        elif part in '[]':
            made += '(?:' if part == '[' else ')'
        else:
            made += '|' if part == '|' and depth else re.escape(part.lower()).replace('\\ ', ' *')
    return ' *%s *' % made


class Held:
    """Tasks without what a person may say around them."""

    def __init__(self, tasks):
        self.tools = {task['task']: task['calls'][0][0] if task['calls'] else None for task in tasks}
        self.forms = {task: {ENDS.sub('', task.lower()), self.bare(task)} for task in self.tools}
        self.found = set()

    @staticmethod
    def bare(text):
        return ENDS.sub('', STARTS.sub('', text.strip())).lower()

    def met(self):
        return [task for task in self.tools if task in self.found]

    def fits(self, template: str, pattern_of, tool):
        """Notes the tasks of a tool that a template with words of its own becomes with values for its slots."""
        words = ENDS.sub('', template)
        if re.search('[a-z]', SLOT.sub('', words)):
            pattern = re.compile(pattern_of_template(words, pattern_of))
            self.found |= {task for task, forms in self.forms.items() if self.tools[task] == tool and any(map(pattern.fullmatch, forms))}
