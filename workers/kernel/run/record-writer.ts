import { extend, headAfter, type RunHead } from '../../../core/ledger/chain.ts';
import type { LedgerRecord } from '../../../core/ledger/record.ts';
import type { Payload } from '../../../core/run/effect.ts';
import type { RunEvent, StoredRow } from '../../../core/run/event.ts';
import type { RunFacts } from '../../../core/run/state.ts';
import type { Ports, RunUpdate } from '../../ports.ts';
import type { LedgerStore } from '../../store/store.ts';
import type { TableWrite } from '../../store/tables.ts';
import type { ContentHold, RunContent } from '../content/run-content.ts';
import { nameRow } from '../run-names.ts';
import type { EffectOf } from './call-scope.ts';

/** Access of a writer to the ledger and the content. */
export interface WriterPorts extends Pick<Ports, 'now' | 'epoch'> {
  readonly append: LedgerStore['append'];
  readonly content: Pick<RunContent, 'hold'>;
  /** Called after a commit of the run. */
  readonly grown: (run_id: string) => void;
}

/** Writer of a single run's chain. */
export class RunWriter {
  readonly #run_id: string;
  readonly #ports: WriterPorts;
  #head: RunHead;
  #underWay = 0;
  readonly #textsOf: typeof sessionTexts;
  #written: readonly LedgerRecord[];
  #texts: readonly Payload[] = [];
  /** The run has a row with its first task or its caller. */
  #isNamed: boolean;

  /** @param known records of a resumed run: `takeWritten` returns them before new records. */
  constructor(
    { run_id, caller }: Pick<RunFacts, 'run_id' | 'caller'>,
    head: RunHead,
    ports: WriterPorts,
    known: readonly LedgerRecord[] = [],
  ) {
    this.#textsOf = caller ? sessionTexts : openTexts;
    this.#run_id = run_id;
    this.#head = head;
    this.#ports = ports;
    this.#written = known;
    this.#isNamed = head.records > 0 && (known[0]?.run_seq !== 0 || known.some(({ kind }) => kind === 'task'));
  }

  /** Head after every requested record, written or not: a run never continues after a refused write. */
  get head(): RunHead {
    return this.#head;
  }

  /** A write is in flight, and its result is unknown. */
  get isWriting(): boolean {
    return this.#underWay > 0;
  }

  /** The records that have become durable since the last call, with texts that they name. */
  takeWritten(): Pick<RunUpdate, 'records' | 'texts'> {
    const [records, texts] = [this.#written, this.#texts];
    this.#written = [];
    this.#texts = [];
    return { records, ...(texts.length > 0 && { texts }) };
  }

  /**
   * Appends records. A change of content blocks other changes from the check of the old text to the write of the new.
   * Returns the event of the result.
   */
  async append(effect: EffectOf<'append'>): Promise<RunEvent> {
    if (effect.content === undefined) return this.#write(effect, 'appended');
    const held = await this.#ports.content.hold(effect.content);
    if ('outdated' in held) return { type: 'outdated', ...held.outdated };
    return this.#write(effect, 'appended', held).finally(held.release);
  }

  /** As `append`, for records beside a step. */
  note({ drafts, payloads }: EffectOf<'note'>): Promise<RunEvent> {
    return this.#write({ drafts, payloads, durability: 'strict' }, 'noted');
  }

  /** Writes the drafts as the run's next records, in a single commit with their payloads and rows. */
  async #write(
    { drafts, payloads, kept = [], durability }: Omit<EffectOf<'append'>, 'type' | 'content'>,
    type: 'appended' | 'noted',
    held?: ContentHold,
  ): Promise<RunEvent> {
    const { append, now, epoch, grown } = this.#ports;
    const run_id = this.#run_id;
    const stamp = { run_id, epoch: epoch?.() ?? 1, at: now() };
    const expected = this.#head;
    const records = drafts.map((draft) => {
      const link = extend(this.#head, draft, stamp);
      this.#head = headAfter(link.record);
      return link;
    });
    const stored = payloads.map(({ ref, bytes }) => ({ sha256: ref.sha256, bytes }));
    const name = this.#isNamed
      ? undefined
      : nameRow(
          run_id,
          records.map(({ record }) => record),
          stored,
        );
    this.#isNamed ||= name !== undefined;
    const tables = [...kept.map(row), ...(name ? [name] : []), ...(held?.writes ?? [])];
    const wanted = { run_id, expected, records, payloads: stored, ...(tables.length > 0 && { tables }) };
    this.#underWay++;
    const done = await append(wanted, durability).finally(() => this.#underWay--);
    if (!done.ok) return { type: 'append_failed', reason: done.refusal.message };
    held?.committed();
    grown(run_id);
    this.#written = [...this.#written, ...records.map(({ record }) => record)];
    this.#texts = [...this.#texts, ...this.#textsOf({ drafts, payloads })];
    return { type };
  }
}

type Named = Pick<EffectOf<'append'>, 'drafts' | 'payloads'>;

/** Texts of the result, of the whole answer and of the reply. The caller of a session needs them with its receipt. */
function sessionTexts({ drafts, payloads }: Named): readonly Payload[] {
  const named = new Set<string>();
  for (const { kind, body } of drafts) {
    if (kind === 'observation') named.add(body.payload.sha256);
    if (kind !== 'receipt') continue;
    if (body.evidence.answer) named.add(body.evidence.answer.sha256);
    for (const { result } of body.receipt.actions)
      if ('sha256' in result && typeof result['sha256'] === 'string') named.add(result['sha256']);
  }
  return payloads.filter(({ ref }) => named.has(ref.sha256));
}

/** Bytes of the texts of a write that an update carries. */
const TEXTS_MAX = 64 << 10;

/** The texts that a page shows with a step. A secret text, and a text beyond the bound, is for those who ask for it. */
function openTexts({ payloads }: Named): readonly Payload[] {
  let bytesLeft = TEXTS_MAX;
  return payloads.filter(({ ref, bytes }) => {
    if (ref.salt !== undefined || bytes.length > bytesLeft) return false;
    bytesLeft -= bytes.length;
    return true;
  });
}

/** Row of a capability's storage. Core stores plain data only: JSON, and the pages of a parked heap. */
function row({ key, value }: StoredRow): TableWrite {
  return { table: 'kept', key, value: value as TableWrite['value'] };
}
