import { sha256Text } from '../hash.ts';
import type { ErrorSeverity } from './category.ts';
import { EVENTS, type EventStatus, type EventType, type StampedEvent } from './event.ts';
import { type Attributes, attributesOf, errorOf, keyValues, nanos } from './otlp-attributes.ts';
import type { OtlpLog, OtlpSpan } from './otlp-form.ts';

/** A span of another program, under which the spans of a run stand. */
export interface SpanParent {
  /** 32 hex digits. */
  readonly traceId: string;
  /** 16 hex digits. */
  readonly spanId: string;
}

/** A span that has ended. */
export interface EndedSpan {
  readonly of: 'turn' | 'step' | 'chat' | 'call';
  /** Place among the spans in the order in which they began. */
  readonly opened: number;
  /** Step that the span belongs to; absent for a turn, and for a request that the model has not answered. */
  readonly step_id?: string;
  readonly span: OtlpSpan;
}

/** Spans and logs of runs, made event by event. */
export interface Trace {
  /** The spans that this event ends, each a single time, and its log. */
  take(event: StampedEvent): { readonly spans: readonly EndedSpan[]; readonly logs: readonly OtlpLog[] };
  /** Ends the open spans at their last event. */
  end(): readonly EndedSpan[];
}

/**
 * Opens the trace of one or more runs. Without a parent, the run's id is the trace id, and halves of existing ids or of
 * their hashes are the span ids: the same in every export.
 */
export function openTrace(parent?: SpanParent): Trace {
  const runs = new Map<string, RunTrace>();
  let opened = 0;
  const next = () => opened++;
  return {
    take(event) {
      const [run_id = ''] = event.event.execution_id.split('/');
      const run = runs.get(run_id) ?? new RunTrace(run_id, parent, next);
      runs.set(run_id, run);
      return { spans: run.take(event), logs: SPANNED.has(event.event.event_type) ? [] : [run.log(event)] };
    },
    end: () => [...runs.values()].flatMap((run) => run.endTurn()),
  };
}

/** Events that a span's ends and attributes express. */
const SPANNED: ReadonlySet<EventType> = new Set([
  'run_started',
  'run_completed',
  'capability_started',
  'capability_completed',
  'capability_failed',
]);

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

interface OpenSpan {
  readonly of: EndedSpan['of'];
  readonly id: string;
  readonly parent: string | undefined;
  readonly name: string;
  readonly kind: OtlpSpan['kind'];
  readonly opened: number;
  readonly start: number;
  readonly step_id?: string;
  end: number;
  attributes: Attributes;
  status: OtlpSpan['status'];
}

/** The spans of a run: a turn, in it a step at a time, and in the step its call. */
class RunTrace {
  readonly #run_id: string;
  readonly #parent: SpanParent | undefined;
  readonly #next: () => number;
  #turn: OpenSpan | undefined;
  #step: OpenSpan | undefined;
  #call: OpenSpan | undefined;
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
    this.#turnId = hex(run_id).slice(16);
  }

  take(event: StampedEvent): readonly EndedSpan[] {
    const { event: told, timestamp } = event;
    const [, step_id] = told.execution_id.split('/');
    if (told.event_type === 'run_started' || told.event_type === 'run_resumed') this.#model = modelOf(told);
    const ended = step_id === undefined || step_id === this.#step?.step_id ? [] : this.#endStep();
    this.#enterTurn(event, step_id);
    if (this.#turn !== undefined) extend(this.#turn, RUN_ENDS, event);
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

  log({ event, timestamp, seq }: StampedEvent): OtlpLog {
    const [, step_id] = event.execution_id.split('/');
    const [severityNumber, severityText] = OTEL_SEVERITIES[errorOf(event)?.severity ?? SEVERITIES[event.status]];
    const attributes = { 'gen_ai.conversation.id': this.#run_id, 'sallyport.seq': seq, ...attributesOf(event) };
    return {
      traceId: this.#traceId,
      spanId: step_id === undefined ? this.#turnId : stepSpanId(step_id),
      timeUnixNano: nanos(timestamp),
      observedTimeUnixNano: nanos(timestamp),
      severityNumber,
      severityText,
      eventName: EVENTS[event.event_type].name,
      attributes: keyValues(attributes),
    };
  }

  endTurn(): readonly EndedSpan[] {
    const turn = this.#turn;
    this.#turn = undefined;
    return [...this.#endStep(), ...this.#close(turn)];
  }

  get #traceId(): string {
    return this.#parent?.traceId ?? hex(this.#run_id);
  }

  /** Opens a turn where none is open. Acknowledgements behind the end of a turn open no other. */
  #enterTurn({ event, timestamp, seq }: StampedEvent, step_id: string | undefined): void {
    const isWithin = this.#turns === 0 || step_id !== undefined || TURN_STARTS.has(event.event_type);
    if (this.#turn !== undefined || !isWithin) return;
    // Another process may have told the turn before: a time tells apart where the run was not started here.
    if (this.#turns > 0 || event.event_type === 'run_resumed')
      this.#turnId = spanIdOf(`turn ${this.#run_id} ${timestamp} ${seq}`);
    this.#turns++;
    this.#turn = {
      ...this.#open('turn', this.#turnId, this.#parent?.spanId, 'invoke_agent sallyport', timestamp),
      attributes: {
        'gen_ai.operation.name': 'invoke_agent',
        'gen_ai.agent.name': 'sallyport',
        'gen_ai.conversation.id': this.#run_id,
        ...this.#model,
      },
    };
  }

  #takeInStep(event: StampedEvent, step_id: string): readonly EndedSpan[] {
    const { event_type } = event.event;
    if (this.#step === undefined && step_id === this.#lastStep) return [];
    this.#step ??= this.#openStep(step_id, this.#asked ?? event.timestamp);
    extend(this.#step, STEP_ENDS, event);
    if (CALL_ENDS.has(event_type)) {
      this.#call ??= this.#openCall(step_id, event.timestamp);
      extend(this.#call, CALL_ENDS, event);
    }
    return event_type === 'protocol_received' ? this.#chat(event, step_id) : [];
  }

  #openStep(step_id: string, start: number): OpenSpan {
    this.#lastStep = step_id;
    const attributes = { 'gen_ai.conversation.id': this.#run_id };
    return { ...this.#open('step', stepSpanId(step_id), this.#turnId, 'sallyport.step', start), step_id, attributes };
  }

  #openCall(step_id: string, start: number): OpenSpan {
    const attributes = {
      'gen_ai.operation.name': 'execute_tool',
      'gen_ai.conversation.id': this.#run_id,
      'gen_ai.tool.call.id': step_id,
      'gen_ai.tool.type': 'function',
    };
    const id = hex(step_id).slice(0, 16);
    return { ...this.#open('call', id, stepSpanId(step_id), 'execute_tool', start), step_id, attributes };
  }

  /** The span of a request to the model, answered or not. In a session no model is asked. */
  #chat(event: StampedEvent, step_id: string | undefined): readonly EndedSpan[] {
    if (this.#model === undefined) return [];
    const parent = step_id === undefined ? this.#turnId : stepSpanId(step_id);
    const id = spanIdOf(`chat ${event.event.execution_id} ${step_id === undefined ? event.seq : ''}`);
    const asked: Attributes = {
      'gen_ai.operation.name': 'chat',
      'gen_ai.provider.name': '_OTHER',
      'gen_ai.conversation.id': this.#run_id,
      ...this.#model,
    };
    const model = asked['gen_ai.request.model'];
    const span = this.#open(
      'chat',
      id,
      parent,
      model === undefined ? 'chat' : `chat ${String(model)}`,
      this.#asked ?? event.timestamp,
    );
    const chat: OpenSpan = { ...span, kind: 3, attributes: asked, ...(step_id !== undefined && { step_id }) };
    extend(chat, new Set([event.event.event_type]), event);
    return this.#close(chat);
  }

  #open(of: EndedSpan['of'], id: string, parent: string | undefined, name: string, start: number): OpenSpan {
    return { of, id, parent, name, kind: 1, opened: this.#next(), start, end: start, attributes: {}, status: {} };
  }

  #endStep(): readonly EndedSpan[] {
    const [call, step] = [this.#call, this.#step];
    this.#call = undefined;
    this.#step = undefined;
    return [...this.#close(call), ...this.#close(step)];
  }

  #close(open: OpenSpan | undefined): readonly EndedSpan[] {
    if (open === undefined) return [];
    const { of, id: spanId, parent, name, kind, opened, start, end, step_id, attributes, status } = open;
    const tool = attributes['gen_ai.tool.name'];
    const full = name === 'execute_tool' && tool !== undefined ? `${name} ${String(tool)}` : name;
    const ids = { traceId: this.#traceId, spanId, ...(parent !== undefined && { parentSpanId: parent }) };
    const times = { startTimeUnixNano: nanos(start), endTimeUnixNano: nanos(end) };
    const span = { ...ids, name: full, kind, ...times, attributes: keyValues(attributes), status };
    return [{ of, opened, ...(step_id !== undefined && { step_id }), span }];
  }
}

const TURN_STARTS: ReadonlySet<EventType> = new Set(['run_started', 'run_resumed', 'state_transition']);

function extend(span: OpenSpan, about: ReadonlySet<EventType>, { event, timestamp }: StampedEvent): void {
  span.end = timestamp;
  if (!about.has(event.event_type)) return;
  span.attributes = { ...span.attributes, ...attributesOf(event) };
  if (event.status !== 'ok')
    span.status = { code: 2, message: 'code' in event && event.code !== undefined ? event.code : event.status };
}

/** The model's names, as its adapter gives them; the kind in its id stands for a provider that is not named. */
function modelOf(told: {
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

const SEVERITIES: { readonly [S in EventStatus]: ErrorSeverity } = { ok: 'INFO', refused: 'WARNING', failed: 'ERROR' };
/** OpenTelemetry's severity numbers and names. */
const OTEL_SEVERITIES: { readonly [S in ErrorSeverity]: readonly [number, string] } = {
  INFO: [9, 'INFO'],
  WARNING: [13, 'WARN'],
  ERROR: [17, 'ERROR'],
  CRITICAL: [21, 'FATAL'],
};

function hex(uuid: string): string {
  return uuid.replaceAll('-', '');
}

/**
 * Span id of a step. OTLP forbids an id of zeros only: the half with a UUID's variant is never all zero, nor is the half
 * with its version.
 */
function stepSpanId(step_id: string): string {
  return hex(step_id).slice(16);
}

function spanIdOf(text: string): string {
  return sha256Text(text).slice(0, 16);
}
