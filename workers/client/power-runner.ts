import {
  type PowerDefinition,
  revertFunction,
  type ToolContext,
  type ToolDefinition,
} from '../../core/capability/author.ts';
import type { HostAnswer } from '../../core/capability/power.ts';
import { canonicalize } from '../../core/json/canonical.ts';
import { unwrap } from '../../core/sallyport-error.ts';
import { isToolError, schemaCheckOf } from '../../core/tool-error.ts';
import type { PowerRunner } from '../ports.ts';
import { thrownError } from '../thrown.ts';
import { warn } from './warn.ts';

/**
 * A power or a tool of the page as the kernel sees it: text in, an answer as a value out, cancelled by a call instead of a
 * signal. The page's result is read a single time, here, into text; the kernel never meets the object.
 */
export function runnerOf({
  name,
  run,
  revert,
}: Pick<PowerDefinition | ToolDefinition, 'name' | 'run'> & Pick<ToolDefinition, 'revert'>): PowerRunner {
  const running = new Map<string, AbortController>();
  const back = revertFunction(revert);
  return {
    async carryOut(id, args, { reverts, ...use }) {
      const act = reverts === true ? back : run;
      if (act === undefined) return { ok: false, threw: true };
      const controller = new AbortController();
      running.set(id, controller);
      const facts = makeFacts();
      const io = { signal: controller.signal, ...use, ...(use.ticket === undefined && { record: facts.record }) };
      try {
        return { ...textOf(await act(JSON.parse(args) as never, io)), ...facts.told() };
      } catch (error) {
        return { ...failure(name, error), ...facts.told() };
      } finally {
        running.delete(id);
      }
    },
    cancel: (id) => running.get(id)?.abort(),
  };
}

/** What a tool tells beside its value, as text. */
function makeFacts(): { readonly record: NonNullable<ToolContext['record']>; told(): Pick<HostAnswer, 'told'> } {
  let told: HostAnswer['told'];
  return {
    record: ({ answer, repeated, labels }) => {
      const text = answer === undefined ? undefined : unwrap(canonicalize(answer));
      told = {
        ...told,
        ...(text !== undefined && { answer: text }),
        ...(repeated !== undefined && { repeated }),
        ...(labels && { labels: [...labels] }),
      };
    },
    told: () => (told === undefined ? {} : { told }),
  };
}

/**
 * Canonical text of a result. Values outside of JSON are refused; getters and proxies are read a single time; undefined
 * becomes null.
 */
function textOf(value: unknown): HostAnswer {
  const text = canonicalize(value ?? null);
  if (text.ok) return { ok: true, text: text.value };
  return { ok: false, error: { name: text.refusal.code, message: text.refusal.message }, notJson: true };
}

/**
 * The failure for a thrown value, which may have any type and may throw again when it is read. The words of a `ToolError`
 * are for the model. All others may hold a path or a key: they are for the developer, and no record has them.
 */
function failure(name: string, thrown: unknown): HostAnswer {
  try {
    const check = isToolError(thrown) ? schemaCheckOf(thrown) : undefined;
    if (check !== undefined) return { ok: false, check };
    if (isToolError(thrown)) return { ok: false, error: thrownError(thrown) };
  } catch {
    // a value that throws when it is read says nothing
  }
  warn(`sallyport: ${name} failed. The model is not told this error; throw a ToolError to tell it one.`, thrown);
  return { ok: false, threw: true };
}
