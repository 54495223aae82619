import { TOOLS_CALL } from '../../capability/built-in-power.ts';
import type { Capability, CapabilityManifest } from '../../capability/capability.ts';
import type { SchemaVerdict } from '../../capability/check.ts';
import { type HostAnswer, type Power, type PowerAnswer, toolPower } from '../../capability/power.ts';
import { placesOf } from '../../errors/refuse.ts';
import { refuse } from '../../errors.ts';
import { canonicalText } from '../../json/canonical.ts';
import { decode } from '../../json/decode.ts';
import { encodeText } from '../../json/utf8.ts';
import type { JsonValue } from '../../json/value.ts';
import { DECODE_LIMITS } from '../../limits.ts';
import { type Outcome, pass, type Refused } from '../../outcome.ts';
import type { FailedCheck } from '../../tool-error.ts';
import type { Executing, RunState } from '../state.ts';
import { checkHere, type WantedSchemas } from '../validate/check-here.ts';

/** The power of this name, if the running capability has declared it and the program provides it. */
export function powerOf(state: RunState, at: Executing, name: string): Power | undefined {
  return declaredPower(state, at.charged.capability.manifest, name);
}

/** True for a tool that the running capability names: its calls are recorded, whatever their effect. */
export function isTool({ charged: { capability } }: Executing, name: string): boolean {
  return capability.manifest.tools?.includes(name) === true;
}

/** A tool that the capability names, or a power of the page that it declares. */
function declaredPower(
  { facts, policy }: RunState,
  { powers, tools = [] }: Pick<CapabilityManifest, 'powers' | 'tools'>,
  name: string,
): Power | undefined {
  if (!tools.includes(name)) return powers.includes(name) ? facts.powers?.powers.get(name) : undefined;
  const tool = facts.registry.capabilities.get(name);
  return tool?.manifest.host !== undefined && policy.enabled.has(tool.hash) ? toolPower(tool) : undefined;
}

/**
 * A guest's request, with a call of `tools.call` as a request for the tool that it names: `tools.call("a", x)` asks
 * for `a` with the argument `x`. A request without the name of a tool stays as it is.
 */
export function requestedPower<R extends { readonly name: string; readonly args: JsonValue }>(request: R): R {
  const { name, args } = request;
  if (name !== TOOLS_CALL || !Array.isArray(args) || args.length !== 2) return request;
  const [tool, argument] = args as readonly JsonValue[];
  return typeof tool === 'string' ? { ...request, name: tool, args: [argument as JsonValue] } : request;
}

/** The request of a guest, whose arguments are the JSON text of a list. */
export function readRequest(name: string, args: string): { readonly name: string; readonly args: string } {
  const list = name === TOOLS_CALL ? decode(encodeText(args), DECODE_LIMITS) : undefined;
  if (list === undefined || !list.ok) return { name, args };
  const asked = requestedPower({ name, args: list.value });
  return { name: asked.name, args: canonicalText(asked.args) };
}

/** Validators to run outside before a power call is decided: these schemas, on this text. */
export interface PowerChecks {
  readonly text: string;
  readonly schemas: readonly string[];
  /** Results of the schemas that need no realm. */
  readonly here: ReadonlyMap<string, SchemaVerdict>;
}

/** Checks for an argument: the power's own schema, and the constraints of the grants that might permit it. */
export function powerChecks(
  state: RunState,
  { manifest }: Pick<Capability, 'manifest'>,
  name: string,
  args: string,
): PowerChecks | undefined {
  const power = declaredPower(state, manifest, name);
  const argument = power && soleArgument(args);
  if (power === undefined || argument === undefined) return undefined;
  return checks(state, { own: power.schemas.args, subject: power.hash }, argument.value);
}

/** Checks for a result: the power's result schema, if it has a result schema. */
export function resultChecks(state: RunState, { schemas }: Power, text: string): PowerChecks | undefined {
  const schema = schemas.result;
  const value = decode(encodeText(text), DECODE_LIMITS);
  return schema === undefined || !value.ok ? undefined : checks(state, { own: schema }, value.value);
}

/** Results of the schemas that are checked here, and the schemas to check outside. */
export function checks(state: RunState, wanted: WantedSchemas, value: JsonValue): PowerChecks {
  const { here, outside: schemas } = checkHere(state, wanted, value);
  return { text: canonicalText(value), schemas, here };
}

/** The argument of a page power, which takes a single JSON value. The list is the guest's text. */
export function soleArgument(args: string): { readonly value: JsonValue } | undefined {
  const list = decode(encodeText(args), DECODE_LIMITS);
  if (!list.ok || !Array.isArray(list.value) || list.value.length !== 1) return undefined;
  return { value: list.value[0] as JsonValue };
}

export function readArgument(
  power: Power,
  args: string,
  checked: ReadonlyMap<string, SchemaVerdict>,
): Outcome<JsonValue> {
  const { name } = power.manifest;
  const argument = soleArgument(args);
  if (argument === undefined) return refuse('power_arguments', { name, reason: 'it takes one JSON value' });
  const reason = complaint(checked.get(power.schemas.args));
  return reason === undefined ? pass(argument.value) : refuse('power_arguments', { name, reason });
}

/**
 * Reads a power's result, which is hostile text: it is decoded like a proposal, checked against the schema, and written
 * again in canonical form.
 */
export function readResult(
  { manifest: { name }, schemas }: Power,
  answer: HostAnswer,
  checked: SchemaVerdict | undefined,
  bytes: number,
): Outcome<PowerAnswer> {
  if (!answer.ok) {
    if ('threw' in answer) return refuse('host_failed', { name });
    if ('check' in answer) return refusedBy(name, answer.check);
    const { name: kind, message } = answer.error;
    return pass({ ok: false, error: { name: clip(kind, 64), message: clip(message, 1024) } });
  }
  const value = decode(encodeText(answer.text.toWellFormed()), { ...DECODE_LIMITS, bytes });
  if (!value.ok) return refuse('power_result', { name, reason: value.refusal.message });
  const reason = schemas.result === undefined ? undefined : complaint(checked);
  if (reason !== undefined) return refuse('power_result', { name, reason });
  return pass({ ok: true, text: canonicalText(value.value) });
}

/** The refusal of the own check of a power's schema. */
function refusedBy(name: string, { part, issues }: FailedCheck): Refused {
  if (part === 'transformed') return refuse('args_transformed', { name });
  if (part === 'args') return refuse('args_refused', { name, issues });
  return refuse('power_result', { name, reason: placesOf(issues) });
}

function clip(text: string, units: number): string {
  return text.slice(0, units).toWellFormed();
}

/** The schema's complaint; a missing check counts as a complaint. */
function complaint(checked: SchemaVerdict | undefined): string | undefined {
  if (checked === undefined || !('issues' in checked)) return 'its schema gave no verdict';
  const [issue] = checked.issues;
  return issue && `${issue.message} at ${issue.pointer === '' ? 'the top level' : issue.pointer}`;
}
