import type { Exceeded, GuestError } from './details.ts';
import { over, wordsOf } from './refuse.ts';

/** Codes for a call that started and has no result. */
export const EXECUTION_CODES = {
  capability_threw: {
    class: 'execution',
    what: (d: { readonly error: GuestError }): string => `The capability failed: ${wordsOf(d.error)}`,
    todo: 'Change the arguments or use another capability.',
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
