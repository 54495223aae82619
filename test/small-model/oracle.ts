import type { ModelPort } from '../../workers/api.ts';
import { turnsOf } from '../../workers/bridges/models/small/prompt.ts';
import type { JudgedTask } from './judge.ts';

/** Answers that the model words itself. */
const OWN_WORDS = [/^can only$/, /^Nothing$/, /^said no$/, /^may not use [\w.]+$/, /^Ready at$/];

/**
 * A model that makes the calls of each task and answers with the last reply, shortened as the small model reads it. It
 * fails at a task whose answer holds more than its calls tell.
 */
export function oracleOf(tasks: readonly JudgedTask[]): ModelPort {
  const made = new Map<string, number>();
  return {
    id: 'oracle',
    locality: { kind: 'local' },
    propose({ dialect, messages }) {
      const turns = turnsOf(messages);
      const text = turns[0]?.text ?? '';
      const task = tasks.find((one) => one.task === text);
      if (task === undefined) throw new Error('The model reads a task that the list does not have.');
      const at = made.get(text) ?? 0;
      made.set(text, at + 1);
      const told = turns.findLast(({ kind }) => kind === 'result' || kind === 'error')?.text ?? '';
      const call = task.calls[at];
      const proposal =
        call === undefined
          ? answer(dialect, OWN_WORDS.some((words) => words.test(task.says)) ? task.says : told)
          : proposed(dialect, call[0], concrete(call[1], told));
      return Promise.resolve({ text: JSON.stringify(proposal) });
    },
  };
}

function answer(dialect: string, text: string): object {
  return dialect === 'xct' ? { done: true, message: text } : { message: { content: text } };
}

function proposed(dialect: string, tool: string, args: unknown): object {
  return dialect === 'xct'
    ? { next_step: { tool, arguments: args, goal: 'Do the task' } }
    : { tool_call: { tool, args } };
}

/** A value for each wanted form; a slice at the line of the hit that was told. */
function concrete(wanted: unknown, told: string): unknown {
  if (Array.isArray(wanted)) return wanted.map((one) => concrete(one, told));
  if (typeof wanted !== 'object' || wanted === null) return wanted;
  const { has, oneOf, between } = wanted as { has?: string; oneOf?: unknown[]; between?: [number, number] };
  if (oneOf !== undefined) return oneOf[0];
  if (between !== undefined) return between[1];
  if (has === 'lines[') return sliceAt(Number(/line=(\d+)/.exec(told)?.[1]));
  if (has !== undefined) return has;
  return Object.fromEntries(Object.entries(wanted).map(([name, value]) => [name, concrete(value, told)]));
}

function sliceAt(line: number): string {
  return `lines[${line}:${line + 2}]`;
}
