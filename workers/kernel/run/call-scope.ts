import type { AnsweredRead } from '../../../core/capability/call.ts';
import type { Label } from '../../../core/capability/guard.ts';
import type { RunEffect } from '../../../core/run/effect.ts';
import type { RunEvent, SettledReads } from '../../../core/run/event.ts';
import type { RunState } from '../../../core/run/state.ts';
import type { Ports, PowerRunner } from '../../ports.ts';
import type { RunContent } from '../content/run-content.ts';

/** Effect of a run by its type. */
export type EffectOf<T extends RunEffect['type']> = Extract<RunEffect, { type: T }>;

/** The run that a call belongs to. */
export interface CallHost {
  readonly ports: Ports & { readonly content: RunContent };
  readonly state: () => RunState;
  readonly dispatch: (event: RunEvent) => void;
  /** Runner of the page's power with this hash; undefined when the page that resumed the run does not provide it. */
  readonly runner: (power_hash: string) => PowerRunner | undefined;
  /** Disables a capability, which ends its calls. */
  readonly disable: (capability_hash: string) => void;
}

/** A call of a run, as its parts share it. */
export class CallScope {
  readonly host: CallHost;
  readonly step: number;
  readonly call: EffectOf<'execute'>['call'];
  /** Labels of the content that the call has read. */
  labels: readonly Label[] = [];
  /** Ids of the sections that the call has touched. */
  touched: () => readonly string[] = () => [];
  #reads: readonly AnsweredRead[] = [];

  constructor(host: CallHost, { step, call }: EffectOf<'execute' | 'unpark'>) {
    this.host = host;
    this.step = step;
    this.call = call;
  }

  shows(labels: readonly Label[]): void {
    this.labels = [...new Set([...this.labels, ...labels])];
  }

  /** Notes a read of the call that has settled. */
  hasRead(read: AnsweredRead): void {
    this.#reads = [...this.#reads, read];
  }

  /** The reads since the last event, for the next event. */
  takeReads(): SettledReads {
    const calls = this.#reads;
    this.#reads = [];
    return { calls, touched: this.touched() };
  }
}
