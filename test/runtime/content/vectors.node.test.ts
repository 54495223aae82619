import { expect, test } from 'vitest';
import type { JsonObject } from '../../../core/index.ts';
import type { CapabilityDefinition, GrantOption, StartOptions } from '../../../workers/api.ts';
import { contractFaults } from '../../core/ledger/contract.ts';
import { type Vector, vectors } from '../../core/vectors.ts';
import { openDesk, type Told } from './desk.ts';

/** Messages over a corpus, from proposal to receipt, in the runtime of Node. */
interface Input {
  readonly corpus: { readonly [path: string]: string };
  readonly symbols: readonly {
    readonly symbol_id: string;
    readonly target_type: 'FILE' | 'HEADING' | 'SECTION';
    readonly target_ref: string;
    readonly default_slice_policy: string;
  }[];
  readonly grants: readonly GrantOption[];
  readonly capabilities?: readonly CapabilityDefinition[];
  /** Files that change after the symbols were defined; null removes a file. */
  readonly replaced?: { readonly [path: string]: string | null };
  readonly limits?: StartOptions['limits'];
  readonly messages: readonly unknown[];
}

interface ExpectedReceipt {
  /** Name of the error that a power threw into the guest. */
  readonly error?: string;
  readonly outputs?: { readonly [name: string]: string };
}

const bytes = (text: string) => new TextEncoder().encode(text);

async function toldOf({ input }: Vector): Promise<Pick<Told, 'receipts' | 'replies'>> {
  const { corpus, symbols, grants, capabilities, replaced = {}, limits, messages } = input as unknown as Input;
  const desk = await openDesk(grants, capabilities);
  const { content } = desk.runtime;
  await content.replace(Object.entries(corpus).map(([path, text]) => ({ path, bytes: bytes(text) })));
  for (const row of symbols) await content.define(row);
  const after = Object.entries({ ...corpus, ...replaced });
  if (Object.keys(replaced).length > 0)
    await content.replace(after.flatMap(([path, text]) => (text === null ? [] : [{ path, bytes: bytes(text) }])));
  const { receipts, replies } = await desk.send(messages, limits && { limits });
  await desk.close();
  // The last message ends the run.
  return { receipts: receipts.slice(0, messages.length), replies };
}

const cases = vectors('messages').map((vector) => [vector.name, vector.clause, vector] as const);

test.each(cases)('a message %s (%s)', async (_name, _clause, vector) => {
  const expected = vector.expect['receipts'] as unknown as readonly ExpectedReceipt[];
  const { receipts, replies } = await toldOf(vector);
  const got = receipts.map(({ receipt, evidence }, index) => ({
    status: receipt.status,
    ...(evidence.reason && { code: evidence.reason.code }),
    ...(expected[index]?.error && { error: guestErrorOf(replies[index]) }),
    actions: receipt.actions.map(({ type, target, status }) => ({ type, target, status })),
    expanded: receipt.expanded.map(({ symbol_or_section_id, slice, content_hash }) => ({
      ...{ symbol_or_section_id, slice, content_hash },
    })),
    ...(expected[index]?.outputs && { outputs: hashesOf(receipt.outputs) }),
  }));
  expect(got).toEqual(expected);
  expect(receipts.flatMap(({ receipt }) => contractFaults(receipt, receipt.run_id))).toEqual([]);
});

function guestErrorOf(reply: JsonObject | undefined): string | undefined {
  const { error } = (reply?.['details'] ?? {}) as { readonly error?: { readonly name: string } };
  return error?.name;
}

function hashesOf(outputs: { readonly [name: string]: { readonly sha256: string } }): object {
  return Object.fromEntries(Object.entries(outputs).map(([name, { sha256 }]) => [name, sha256]));
}
