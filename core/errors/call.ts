import type { Breach, Details, Exceeded, GuestError, SchemaIssue } from './details.ts';
import { firstOf, over, placesOf, wordsOf } from './refuse.ts';

/** Codes for a call that names no capability, or whose arguments its schema refuses. */
export const CALL_CODES = {
  unknown_capability: {
    class: 'unknown_capability',
    what: (d: { readonly name: string }): string => `No capability ${JSON.stringify(d.name)}`,
    todo: 'Names are exact and case-sensitive; use a listed one.',
  },
  arguments_schema: {
    class: 'invalid_arguments',
    what: (d: { readonly issues: readonly SchemaIssue[] }): string => `Argument refused: ${firstOf(d.issues)}`,
    todo: 'Send arguments that match the schema.',
  },
  held_form: {
    class: 'invalid_arguments',
    what: (d: { readonly reason: string }): string => `This is no handle: ${d.reason}`,
    todo: 'Write {"$held":"h12"}, or {"$held":"h12","at":"/0/subject"} for a part of the value.',
  },
  held_place: {
    class: 'invalid_arguments',
    what: (d: { readonly reason: string }): string => `A held value has no place here: ${d.reason}`,
    todo: 'Put handles into the args of an EXECUTE; write, and call held.read, in a message of their own.',
  },
  held_unknown: {
    class: 'resolution',
    what: (d: { readonly handle: string }): string => `No value of this run is known as ${d.handle}`,
    todo: 'Use a handle that a result of this run has told.',
  },
  schema_fuel: {
    class: 'invalid_arguments',
    what: (d: Exceeded): string => over('Checking the arguments took too long', 'operations', d),
    todo: 'Send smaller arguments.',
  },
  schema_memory: {
    class: 'invalid_arguments',
    what: (d: Exceeded): string => over('Checking the arguments took too much memory', 'bytes', d),
    todo: 'Send smaller arguments.',
  },
  validator_lost: {
    class: 'execution',
    what: (): string => 'The argument validator was lost',
    todo: 'Propose again.',
  },
} as const;

/** Codes for a valid step that is not permitted. */
export const AUTHORIZATION_CODES = {
  capability_gone: {
    class: 'authorization',
    what: (d: { readonly name: string }): string => `${d.name} is no longer registered`,
    todo: 'Use a listed capability.',
  },
  capability_disabled: {
    class: 'authorization',
    what: (d: { readonly name: string }): string => `${d.name} is not enabled`,
    todo: 'Ask the person to enable it, or continue without it.',
  },
  no_grant: {
    class: 'authorization',
    what: (d: { readonly name: string }): string => `Valid, but not permitted: ${d.name} has no grant in this run`,
    todo: 'Continue without it.',
  },
  grant_denied: {
    class: 'authorization',
    what: (d: { readonly name: string }): string => `Denied by policy: ${d.name}`,
    todo: 'Continue without it.',
  },
  definition_changed: {
    class: 'authorization',
    what: (d: { readonly name: string; readonly pinned: string; readonly declared: string }): string =>
      `The server changed the definition of ${d.name} after it was pinned, so it is not called`,
    todo: 'A person has to compare the definitions and accept the new one on the page of sallyport mcp.',
  },
  grant_expired: {
    class: 'authorization',
    what: (d: { readonly name: string; readonly expires: number }): string => `The grant for ${d.name} has expired`,
    todo: 'Continue without it.',
  },
  grant_used_up: {
    class: 'authorization',
    what: (d: { readonly name: string; readonly uses: number }): string =>
      `Grant used up: ${d.name}, ${d.uses} of ${d.uses} calls`,
    todo: 'Continue without it.',
  },
  grant_rate: {
    class: 'authorization',
    what: (d: {
      readonly name: string;
      readonly calls: number;
      readonly windowMs: number;
      /** Integer ms since epoch: the next call is permitted then. Absent: a use is kept for a question that is open. */
      readonly next?: number;
      readonly after_ms?: number;
    }): string =>
      `Too many calls for now: ${d.name}, at most ${d.calls} in ${d.windowMs} ms; ${
        d.after_ms === undefined
          ? 'the next has to wait for a person to answer an open question'
          : `the next is permitted in ${d.after_ms} ms`
      }`,
    todo: 'Wait until then, or continue without it.',
  },
  read_unasked: {
    class: 'authorization',
    what: (d: { readonly name: string }): string => `A person decides on each READ, and ${d.name} cannot ask`,
    todo: 'Propose a READ, or ask for a grant of content.read that does not ask.',
  },
  grant_constraint: {
    class: 'authorization',
    what: (d: { readonly name: string }): string => `The grant for ${d.name} does not cover these arguments`,
    todo: 'Use arguments within the grant.',
  },
  /** Of a call with handles: nobody but a person is told. */
  held_failed: {
    class: 'authorization',
    what: (d: { readonly handle: string }): string => `The call behind ${d.handle} has no value: it failed`,
    todo: 'Look at the outcome of that call.',
  },
  held_beyond: {
    class: 'authorization',
    what: (d: { readonly handle: string; readonly at: string }): string =>
      `The value behind ${d.handle} has no part ${d.at} to put`,
    todo: 'Look at the value.',
  },
  held_large: {
    class: 'authorization',
    what: (d: Exceeded): string => over('The arguments are too long with their values', 'bytes', d),
    todo: 'Use fewer values in one call.',
  },
  permission_revoked: {
    class: 'authorization',
    what: (d: { readonly name: string }): string =>
      `A person took the permission for ${d.name} back before it had ended`,
    todo: 'Check what it has done, and continue without it.',
  },
  approval_denied: {
    class: 'authorization',
    what: (d: { readonly reason: string }): string => `A person said no${d.reason === '' ? '' : `: ${d.reason}`}`,
    todo: 'Continue without it.',
  },
  replaced: {
    class: 'authorization',
    what: (_: { readonly instead: Details }): string => 'A person has put another call in the place of this one',
    todo: 'details.instead says what was changed and what came of it; do not repeat the call.',
  },
  approval_unavailable: {
    class: 'authorization',
    what: (d: { readonly name: string }): string =>
      `${d.name} needs the approval of a person, and nobody can be asked here`,
    todo: 'Continue without it.',
  },
  approval_pending: {
    class: 'authorization',
    what: (d: { readonly name: string }): string =>
      `A person is asked about ${d.name} and has not answered yet, on the approval page or where the program asks`,
    todo: 'Tell the person, then call again with the same arguments: that call gets the outcome.',
  },
  approval_deferred: {
    class: 'authorization',
    what: (d: { readonly name: string }): string => `A person is asked about ${d.name} before it is proposed again`,
    todo: 'Wait for the answer; the call is then proposed again.',
  },
  approval_failed: {
    class: 'authorization',
    what: (d: { readonly name: string }): string =>
      `${d.name} needs an approval, and the program that asks for it failed`,
    todo: 'Continue without it.',
  },
  authorizer_denied: {
    class: 'authorization',
    what: (d: { readonly reason: string }): string =>
      `The rules of this program’s authorizer do not permit it${d.reason === '' ? '' : `: ${d.reason}`}`,
    todo: 'Continue without it.',
  },
  consent_denied: {
    class: 'authorization',
    what: (): string => 'Private content may not go to this model',
    todo: 'Use a model on this device, or another task.',
  },
  model_elsewhere: {
    class: 'authorization',
    what: (d: { readonly origin: string }): string => `The run was not begun with a model at ${d.origin}`,
    todo: 'Take it up with its own model, or with one on this device.',
  },
  run_foreign: {
    class: 'authorization',
    what: (d: { readonly run_id: string }): string =>
      `The run ${d.run_id} came from a backup, with grants and code of whoever made it`,
    todo: 'Read or replay it; start a new run to go on with its task.',
  },
} as const;

/** Codes for spending over a budget. */
export const BUDGET_CODES = {
  budget_symbols: {
    class: 'budget',
    what: (d: Breach): string => over('Over budget', 'symbols', d),
    todo: 'Refer to fewer symbols.',
  },
  budget_sections: {
    class: 'budget',
    what: (d: Breach): string => over('Over budget', 'sections', d),
    todo: 'Touch fewer sections.',
  },
  budget_bytes: {
    class: 'budget',
    what: (d: Breach): string => over('Over budget', 'bytes', d),
    todo: 'Ask for a smaller slice.',
  },
  budget_expands: {
    class: 'budget',
    what: (d: Breach): string => over('Over budget', 'expansions', d),
    todo: 'Expand less in one step.',
  },
  budget_run: {
    class: 'budget',
    what: (d: Exceeded): string => over('The run has read enough', 'bytes', d),
    todo: 'Finish with what you have.',
  },
  budget_raised: {
    class: 'budget',
    what: (d: { readonly name: string; readonly limit: number; readonly asked: number }): string =>
      `The run allows ${d.limit} as ${d.name}, not ${d.asked}`,
    todo: 'A message may lower the budgets of its run, never raise them.',
  },
} as const;

/** Codes for a call that started and has no result. */
export const EXECUTION_CODES = {
  capability_threw: {
    class: 'execution',
    what: (d: { readonly error: GuestError }): string => `The capability failed: ${wordsOf(d.error)}`,
    todo: 'Change the arguments or use another capability.',
  },
  /**
   * A tool with the effect `write` or `egress` has answered, and its answer is not used. `because`: the code of the
   * reason, and `reason` its words.
   */
  effect_done: {
    class: 'execution',
    what: (d: {
      readonly name: string;
      readonly because: string;
      readonly reason: string;
      readonly issues?: readonly SchemaIssue[];
      readonly error?: GuestError;
    }): string => `${d.name} has been carried out, but its answer is not used: ${d.reason}`,
    todo: 'Do not repeat the same call; check first what it did.',
  },
  /** `issues`: what the schema's own check, in the program, has refused. Nothing was carried out. */
  args_refused: {
    class: 'execution',
    what: (d: { readonly name: string; readonly issues: readonly SchemaIssue[] }): string =>
      `${d.name} does not take these arguments: ${placesOf(d.issues)}`,
    todo: 'Change the arguments; nothing was carried out.',
  },
  args_transformed: {
    class: 'execution',
    what: (d: { readonly name: string }): string =>
      `The args schema of ${d.name} would change these arguments (a default, a transformation), and its function gets only the approved ones`,
    todo: 'The program’s author has to change values in run, not in the schema; nothing was carried out.',
  },
  host_failed: {
    class: 'execution',
    what: (d: { readonly name: string }): string => `${d.name} failed in the program that provides it`,
    todo: 'Check what it did before you repeat it, or continue without it.',
  },
  fuel_exhausted: {
    class: 'execution',
    what: (d: Exceeded): string => over('Stopped: out of fuel', 'operations', d),
    todo: 'Ask for less work in one call.',
  },
  memory_exceeded: {
    class: 'execution',
    what: (d: { readonly limit: number }): string => `Stopped at ${d.limit} bytes of memory`,
    todo: 'Ask for less work in one call.',
  },
  stack_exceeded: {
    class: 'execution',
    what: (d: { readonly limit: number }): string => `Stopped: recursion beyond ${d.limit} bytes of stack`,
    todo: 'Ask for less nested work.',
  },
  deadline_exceeded: {
    class: 'execution',
    what: (d: { readonly limit: number }): string => `Stopped after ${d.limit} ms`,
    todo: 'Ask for less work in one call.',
  },
  hang_killed: {
    class: 'execution',
    what: (d: { readonly limit: number }): string => `Hung, and was killed after ${d.limit} ms`,
    todo: 'Continue without it.',
  },
  hung_before: {
    class: 'execution',
    what: (d: { readonly name: string }): string => `${d.name} hung before in this run, and is not started again`,
    todo: 'Continue without it.',
  },
  jobs_exceeded: {
    class: 'execution',
    what: (d: Exceeded): string => over('Stopped: too many promise jobs', 'jobs', d),
    todo: 'Ask for less work in one call.',
  },
  tool_gone: {
    class: 'execution',
    what: (d: { readonly name: string }): string => `The tool ${d.name} is not provided here any more`,
    todo: 'Provide the tool with the same definition, or continue without it.',
  },
  power_failed: {
    class: 'execution',
    what: (d: { readonly error: GuestError }): string => `A power failed: ${wordsOf(d.error)}`,
    todo: 'Continue without it.',
  },
  power_unknown: {
    class: 'execution',
    what: (d: { readonly name: string }): string => `There is no power ${d.name} here`,
    todo: 'Open the runtime with it.',
  },
  power_arguments: {
    class: 'execution',
    what: (d: { readonly name: string; readonly reason: string }): string =>
      `The power ${d.name} does not take these arguments: ${d.reason}`,
    todo: 'Use another capability.',
  },
  power_result: {
    class: 'execution',
    what: (d: { readonly name: string; readonly reason: string }): string =>
      `What the power ${d.name} answered is refused: ${d.reason}`,
    todo: 'Continue without it.',
  },
  power_timeout: {
    class: 'execution',
    what: (d: { readonly name: string; readonly limit: number }): string =>
      `The power ${d.name} did not answer within ${d.limit} ms; whether it took effect is unknown`,
    todo: 'Check before you repeat it.',
  },
  power_interrupted: {
    class: 'execution',
    what: (d: { readonly name: string }): string =>
      `The power ${d.name} was issued and its answer was lost; whether it took effect is unknown`,
    todo: 'Check before you repeat it.',
  },
  kept_key: {
    class: 'storage',
    what: (d: { readonly reason: string }): string => `Not a key: ${d.reason}`,
    todo: 'Use a short text.',
  },
  kept_value: {
    class: 'storage',
    what: (d: Exceeded): string => over('Too long to keep', 'bytes', d),
    todo: 'Keep less under one key.',
  },
  store_held: {
    class: 'storage',
    what: (d: { readonly name: string }): string =>
      `The store of ${d.name} has values of a call whose results are held, and this run began without knowing of them`,
    todo: 'Begin a new run, or let a person take the mark of the store back.',
  },
  kept_keys: {
    class: 'storage',
    what: (d: Exceeded): string => over('Too many keys', 'keys', d),
    todo: 'Put null under those no longer needed.',
  },
  power_calls_exceeded: {
    class: 'execution',
    what: (d: Exceeded): string => over('Stopped: too many power calls', 'calls', d),
    todo: 'Ask for less work in one call.',
  },
  bytes_in_exceeded: {
    class: 'execution',
    what: (d: Exceeded): string => over('Arguments too long for this capability', 'bytes', d),
    todo: 'Send less.',
  },
  console_exceeded: {
    class: 'execution',
    what: (d: Exceeded): string => over('Stopped: too much console output', 'bytes', d),
    todo: 'Ask for less work in one call.',
  },
  call_aborted: {
    class: 'execution',
    what: (): string => 'The call was aborted',
    todo: 'Start a new run; this one has ended.',
  },
  heap_corrupt: {
    class: 'execution',
    what: (): string => 'The sandbox lost its heap and was replaced',
    todo: 'Propose again.',
  },
  worker_lost: {
    class: 'execution',
    what: (d: { readonly error: GuestError }): string =>
      `The sandbox had no worker for this call, or lost it: ${wordsOf(d.error)}`,
    todo: 'Continue without it, or tell the person to reload the page or to start the program again.',
  },
  interrupted: {
    class: 'execution',
    what: (): string => 'The step was cut off; whether it took effect is unknown',
    todo: 'Check before you repeat it.',
  },
} as const;

/** Codes for a result that is refused. */
export const OUTPUT_CODES = {
  /** `rule`: the kind of value that JSON cannot say, or the refusal's code; `error`: the guest's own words. */
  result_not_json: {
    class: 'output',
    what: (d: { readonly rule: string; readonly error?: GuestError }): string =>
      `The capability returned something that is not JSON (${d.rule})`,
    todo: 'Use another capability.',
  },
  result_schema: {
    class: 'output',
    what: (d: { readonly issues: readonly SchemaIssue[] }): string => `Result refused: ${firstOf(d.issues)}`,
    todo: 'Use another capability.',
  },
  bytes_out_exceeded: {
    class: 'output',
    what: (d: Exceeded): string => over('Result too long', 'bytes', d),
    todo: 'Ask for a smaller result.',
  },
  reply_omitted: {
    class: 'output',
    what: (d: Exceeded): string => over('The answer has no room in the context', 'bytes', d),
    todo: 'Ask for a smaller result.',
  },
  output_missing: {
    class: 'output',
    what: (d: { readonly name: string }): string => `The required output ${d.name} was not made`,
    todo: 'Name an operation that yields it.',
  },
} as const;
