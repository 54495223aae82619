import { checkArguments, type SchemaVerdict } from '../capability/check.ts';
import type { Bound } from '../capability/registry.ts';
import type { Details, RefusalClass, Step } from '../errors/details.ts';
import type { Code } from '../errors.ts';
import type { JsonObject } from '../json/value.ts';
import type { Refusal } from '../outcome.ts';
import type { Read } from './parse.ts';
import type { CatalyticMessage } from './proposal.ts';

/** FemtoClaw Protocol 10, step 6, as other programs see it. Acceptance is not permission: that is asked afterwards. */
export type Verdict =
  | { readonly accepted: true; readonly kind: 'say'; readonly content: string }
  | {
      readonly accepted: true;
      readonly kind: 'call';
      readonly capability: string;
      readonly version: string;
      readonly capability_hash: string;
      readonly args: JsonObject;
      readonly goal?: string;
    }
  | { readonly accepted: true; readonly kind: 'finish'; readonly message: string }
  | { readonly accepted: true; readonly kind: 'work'; readonly message: CatalyticMessage }
  | {
      readonly accepted: false;
      readonly class: RefusalClass;
      readonly code: Code;
      readonly step: Step;
      readonly pointer: string;
      readonly message: string;
      readonly details: Details;
    };

export function rejected({ step = 'parse', pointer = '', ...rest }: Refusal): Verdict {
  return { accepted: false, ...rest, step, pointer };
}

/** The verdict on a proposal that was read and, where it is a call, whose arguments were checked. */
export function verdictOn(read: Read, checked: SchemaVerdict): Verdict {
  switch (read.kind) {
    case 'call':
      return verdictOnCall(read.call, checked);
    case 'say':
      return { accepted: true, kind: 'say', content: read.content };
    case 'finish':
      return { accepted: true, kind: 'finish', message: read.message };
    case 'work':
      return { accepted: true, kind: 'work', message: read.message };
  }
}

function verdictOnCall(bound: Bound, checked: SchemaVerdict): Verdict {
  const validated = checkArguments(bound, checked);
  if (!validated.ok) return rejected(validated.refusal);
  const { call, capability } = validated.value;
  const { name, version } = capability.manifest;
  const goal = call.goal === undefined ? {} : { goal: call.goal };
  return {
    accepted: true,
    kind: 'call',
    capability: name,
    version,
    capability_hash: capability.hash,
    args: call.args,
    ...goal,
  };
}
