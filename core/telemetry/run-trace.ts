import type { EventType, StampedEvent } from './event.ts';
import type { Attributes } from './otlp-form.ts';
import {
  callSpanId,
  type EndedSpan,
  endedSpan,
  extendSpan,
  hashSpanId,
  type OpenSpan,
  openSpan,
  runSpanId,
  type SpanStart,
  stepSpanId,
  traceIdOf,
} from './span.ts';

/** A span of another program, under which the spans of a run stand. */
export interface SpanParent {
  /** 32 hex digits. */
  readonly traceId: string;
  /** 16 hex digits. */
  readonly spanId: string;
}

/** The spans of a run: a turn, in it a step at a time, in the step its call, and in the call each call that it makes. */
export class RunTrace {
  readonly #run_id: string;
  readonly #parent: SpanParent | undefined;
  readonly #next: () => number;
  #turn: OpenSpan | undefined;
  #step: OpenSpan | undefined;
  #call: OpenSpan | undefined;
  /** Calls that the running call has made, by their tickets. */
  readonly #made = new Map<number, OpenSpan>();
  /** The turn that logs belong to, also after its end. */
  #turnId: string;
  #turns = 0;
  /** Time of the newest request to the model. */
  #asked: number | undefined;
  #lastStep: string | undefined;
  /** Attributes of the model for its spans; undefined where a caller proposes. */
  #model: Attributes | undefined = {};

  constructor(run_id: string, parent: SpanParent | undefined, next: () => number) {
    this.#run_id = run_id;
    this.#parent = parent;
    this.#next = next;
    this.#turnId = runSpanId(run_id);
  }

  take(event: StampedEvent): readonly EndedSpan[] {
    const { event: told, timestamp } = event;
    const [, step_id] = told.execution_id.split('/');
    if (told.event_type === 'run_started' || told.event_type === 'run_resumed') this.#model = modelAttributes(told);
    const ended = step_id === undefined || step_id === this.#step?.step_id ? [] : this.#endStep();
    this.#enterTurn(event, step_id);
    if (this.#turn !== undefined) extendSpan(this.#turn, RUN_ENDS, event);
    if (step_id !== undefined) return [...ended, ...this.#takeInStep(event, step_id)];
    switch (told.event_type) {
      case 'state_transition':
        if (told.to === 'INPUT_RECEIVED') this.#asked = timestamp;
        return told.from === 'MEMORY_COMMITTING' ? this.#endStep() : [];
      case 'model_failed':
        return this.#chat(event, undefined);
      case 'run_completed':
        return this.endTurn();
      default:
        return [];
    }
  }

  /** Ids of the span that an event occurs in. */
  idsOf({ event }: StampedEvent): { readonly traceId: string; readonly spanId: string } {
    const [, step_id] = event.execution_id.split('/');
    return { traceId: this.#traceId, spanId: step_id === undefined ? this.#turnId : stepSpanId(step_id) };
  }

  endTurn(): readonly EndedSpan[] {
    const turn = this.#turn;
    this.#turn = undefined;
    return [...this.#endStep(), ...this.#close(turn)];
  }

  get #traceId(): string {
    return this.#parent?.traceId ?? traceIdOf(this.#run_id);
  }

  /** Opens a turn where none is open. Acknowledgements behind the end of a turn open no other. */
  #enterTurn({ event, timestamp, seq }: StampedEvent, step_id: string | undefined): void {
    const isWithin = this.#turns === 0 || step_id !== undefined || TURN_STARTS.has(event.event_type);
    if (this.#turn !== undefined || !isWithin) return;
    // Another process may have told the turn before: a time tells apart where the run was not started here.
    if (this.#turns > 0 || event.event_type === 'run_resumed')
      this.#turnId = hashSpanId(`turn ${this.#run_id} ${timestamp} ${seq}`);
    this.#turns++;
    this.#turn = this.#open({
      of: 'turn',
      id: this.#turnId,
      parent: this.#parent?.spanId,
      name: 'invoke_agent sallyport',
      start: timestamp,
      attributes: { 'gen_ai.operation.name': 'invoke_agent', 'gen_ai.agent.name': 'sallyport', ...this.#model },
    });
  }

  #takeInStep(event: StampedEvent, step_id: string): readonly EndedSpan[] {
    const { event_type } = event.event;
    if (this.#step === undefined && step_id === this.#lastStep) return [];
    this.#step ??= this.#openStep(step_id, this.#asked ?? event.timestamp);
    if ('ticket' in event.event && event.event.ticket !== undefined)
      return this.#takeInCall(event, step_id, event.event.ticket);
    extendSpan(this.#step, STEP_ENDS, event);
    if (CALL_ENDS.has(event_type)) {
      this.#call ??= this.#openCall(step_id, event.timestamp);
      extendSpan(this.#call, CALL_ENDS, event);
    }
    // no model was asked for a person's call
    return event_type === 'protocol_received' && !('by' in event.event) ? this.#chat(event, step_id) : [];
  }

  /** An event about a call that the running call makes. It describes neither its step nor the running call. */
  #takeInCall(event: StampedEvent, step_id: string, ticket: number): readonly EndedSpan[] {
    const { event_type } = event.event;
    for (const span of [this.#step, this.#call]) if (span !== undefined) extendSpan(span, NONE, event);
    if (!CALL_ENDS.has(event_type)) return [];
    const span = this.#made.get(ticket) ?? this.#openMade(event, step_id, ticket);
    extendSpan(span, CALL_ENDS, event);
    if (event_type === 'capability_started') return [];
    this.#made.delete(ticket);
    return this.#close(span);
  }

  #openMade({ timestamp, seq }: StampedEvent, step_id: string, ticket: number): OpenSpan {
    const made = this.#open({
      of: 'power',
      step_id,
      // each operation of a message numbers its calls anew
      id: hashSpanId(`power ${step_id} ${ticket} ${seq}`),
      parent: callSpanId(step_id),
      name: 'execute_tool',
      start: timestamp,
      attributes: { 'gen_ai.operation.name': 'execute_tool', 'gen_ai.tool.type': 'function' },
    });
    this.#made.set(ticket, made);
    return made;
  }

  #openStep(step_id: string, start: number): OpenSpan {
    this.#lastStep = step_id;
    return this.#open({
      of: 'step',
      step_id,
      id: stepSpanId(step_id),
      parent: this.#turnId,
      name: 'sallyport.step',
      start,
      attributes: {},
    });
  }

  #openCall(step_id: string, start: number): OpenSpan {
    const [id, parent] = [callSpanId(step_id), stepSpanId(step_id)];
    const attributes = {
      'gen_ai.operation.name': 'execute_tool',
      'gen_ai.tool.call.id': step_id,
      'gen_ai.tool.type': 'function',
    };
    return this.#open({ of: 'call', step_id, id, parent, name: 'execute_tool', start, attributes });
  }

  /** The span of a request to the model, answered or not. In a session no model is asked. */
  #chat(event: StampedEvent, step_id: string | undefined): readonly EndedSpan[] {
    if (this.#model === undefined) return [];
    const { execution_id, event_type } = event.event;
    const model = this.#model['gen_ai.request.model'];
    const chat = this.#open({
      of: 'chat',
      ...(step_id !== undefined && { step_id }),
      id: hashSpanId(`chat ${execution_id} ${step_id === undefined ? event.seq : ''}`),
      parent: step_id === undefined ? this.#turnId : stepSpanId(step_id),
      name: model === undefined ? 'chat' : `chat ${String(model)}`,
      kind: 3,
      start: this.#asked ?? event.timestamp,
      attributes: { 'gen_ai.operation.name': 'chat', 'gen_ai.provider.name': '_OTHER', ...this.#model },
    });
    extendSpan(chat, new Set([event_type]), event);
    return this.#close(chat);
  }

  #open({ attributes, ...span }: Omit<SpanStart, 'kind' | 'opened'> & Partial<Pick<SpanStart, 'kind'>>): OpenSpan {
    const conversation = { 'gen_ai.conversation.id': this.#run_id };
    return openSpan({ kind: 1, ...span, opened: this.#next(), attributes: { ...attributes, ...conversation } });
  }

  #endStep(): readonly EndedSpan[] {
    const [call, step, made] = [this.#call, this.#step, [...this.#made.values()]];
    this.#made.clear();
    this.#call = undefined;
    this.#step = undefined;
    return [...made.flatMap((span) => this.#close(span)), ...this.#close(call), ...this.#close(step)];
  }

  #close(open: OpenSpan | undefined): readonly EndedSpan[] {
    return open === undefined ? [] : [endedSpan(this.#traceId, open)];
  }
}

/** Events that describe a span, rather than only occur within it. */
const RUN_ENDS: ReadonlySet<EventType> = new Set(['run_started', 'run_completed']);
const STEP_ENDS: ReadonlySet<EventType> = new Set([
  'protocol_received',
  'protocol_rejected',
  'capability_denied',
  'capability_failed',
  'content_failed',
  'budget_spent',
  'step_failed',
]);
const CALL_ENDS: ReadonlySet<EventType> = new Set(['capability_started', 'capability_completed', 'capability_failed']);

const NONE: ReadonlySet<EventType> = new Set();

/** Events that open a turn where none is open. */
const TURN_STARTS: ReadonlySet<EventType> = new Set(['run_started', 'run_resumed', 'state_transition']);

/**
 * Attributes of the model, by the names that its adapter gives; the kind in its id stands for a provider that is not
 * named. Undefined for a session, in which a caller proposes.
 */
function modelAttributes(told: {
  readonly model?: string;
  readonly caller?: true;
  readonly provider?: string;
  readonly model_name?: string;
}): Attributes | undefined {
  const { model, caller, provider = model?.split(':')[0], model_name: name = model } = told;
  if (caller) return undefined;
  return {
    ...(provider !== undefined && { 'gen_ai.provider.name': provider }),
    ...(name !== undefined && { 'gen_ai.request.model': name }),
    ...serverOf(model),
  };
}

/** Address and port of the server that an adapter's id names, as in `openai-compatible:https://api.example/model`. */
function serverOf(model: string | undefined): Attributes {
  const [, scheme, host, port] = /^[a-z-]+:(https?):\/\/(\[[^\]]+\]|[^/:]+)(?::(\d+))?(?:\/|$)/.exec(model ?? '') ?? [];
  if (host === undefined) return {};
  return { 'server.address': host, 'server.port': Number(port ?? (scheme === 'https' ? 443 : 80)) };
}
