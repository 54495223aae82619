import { type Label, type LabelledPlace, unaccepted } from '../../../core/capability/guard.ts';
import { handlesIn, type PlacedHandle } from '../../../core/capability/hold.ts';
import type { Grant, JsonValue, LedgerRecord } from '../../../core/index.ts';
import { type HeldReceipt, heldIn } from '../../../core/ledger/held.ts';
import { isToolCall } from '../../records/tool-call.ts';

type RecordOfKind<K extends LedgerRecord['kind']> = Extract<LedgerRecord, { kind: K }>;

/** A place of arguments, with the handle that stands there. */
export type HeldPlace = LabelledPlace & { readonly handle: string };

/**
 * Why no person was asked about the held values of a call. `accepted`: the grant accepts the labels at these places.
 * `unlabelled`: no value has a label. `inside`: the call does not leave the sandbox. `pure`: the tool only computes.
 * `answered`: a person's earlier answer covers it.
 */
export interface Unasked {
  readonly why: 'accepted' | 'unlabelled' | 'inside' | 'pure' | 'answered';
  readonly places: readonly HeldPlace[];
}

interface UnaskedFacts {
  readonly step: readonly LedgerRecord[];
  /** All records of the run up to the step. */
  readonly run: readonly LedgerRecord[];
  /** The arguments as the model has written them. */
  readonly args: JsonValue;
  readonly grants: readonly Grant[];
}

/** Undefined for a step without handles in its arguments, and for a step that asked or that was not permitted. */
export function whyUnasked({ step, run, args, grants }: UnaskedFacts): Unasked | undefined {
  const receipt = find(step, 'receipt')?.body.evidence;
  const decisions = step.flatMap((record) => (record.kind === 'decision' ? [record.body] : []));
  const [decision] = decisions;
  if (receipt?.held?.by !== 'handles' || decision?.decision !== 'AUTHORIZED') return undefined;
  const handles = handlesIn(args);
  if (!handles.ok || handles.value.length === 0) return undefined;
  const places = placesOf(handles.value, heldIn(run));
  const carried = places.filter(({ labels }) => labels.length > 0);
  if (carried.length === 0) return { why: 'unlabelled', places };
  if (!isToolCall(receipt)) return { why: 'inside', places: carried };
  const grant = [...grants, ...standingIn(run)].find(({ id }) => id === decision.grant);
  if (grant === undefined) return undefined;
  if (carried.every((place) => unaccepted(grant, place).length === 0)) return { why: 'accepted', places: carried };
  return { why: grant.handled === undefined ? 'pure' : 'answered', places: carried };
}

function placesOf(handles: readonly PlacedHandle[], held: readonly HeldReceipt[]): readonly HeldPlace[] {
  const labels = new Map<string, readonly Label[]>(held.map((each) => [each.handle, each.labels]));
  return handles.map(({ pointer, handle }) => ({ pointer, handle, labels: labels.get(handle) ?? [] }));
}

/** The grants that persons gave with their answers. */
function standingIn(run: readonly LedgerRecord[]): readonly Grant[] {
  return run.flatMap(({ kind, body }) =>
    kind === 'approval' && body.event === 'answered' && body.grant !== undefined ? [body.grant] : [],
  );
}

function find<K extends LedgerRecord['kind']>(records: readonly LedgerRecord[], kind: K): RecordOfKind<K> | undefined {
  return records.find((record): record is RecordOfKind<K> => record.kind === kind);
}
