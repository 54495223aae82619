// Stand-in until the kernel is there: replays plausible records so that the views can be built. To be deleted.
import { sha256 } from '@noble/hashes/sha2.js';
import { bytesToHex, utf8ToBytes } from '@noble/hashes/utils.js';
import { BUDGETS, type Draft, type LedgerRecord, NO_PREV, type PayloadRef, refuse, RUN_LIMITS } from '../../core/index.ts';
import type { ApprovalAnswer, ApprovalRequest, Run, RunEnd, Runtime, RuntimeOptions, RunView, StartOptions } from '../../workers/api.ts';
import { bakery } from '../demo/scenario.ts';

const hex = (text: string): string => bytesToHex(sha256(utf8ToBytes(text)));
const H = (name: string): string => hex(name);

export async function openRuntime(options: RuntimeOptions): Promise<Runtime> {
  const store = new Map<string, { records: LedgerRecord[]; payloads: Map<string, Uint8Array>; at: number }>();
  const runtime: Runtime = {
    info: {
      isolation: 'development',
      probes: ['fetch', 'eval', 'import()', 'Worker', 'WebSocket', 'EventSource'].map((name) => ({ name, blocked: true })),
      store: { kind: 'memory', reason: 'private mode: runs in memory only' },
    },
    capabilities: { list: async () => [], register: () => Promise.reject(new Error('no')), enable: async () => {}, disable: async () => {} },
    start: (start) => startRun(start),
    runs: async () => [...store].map(([run_id, { records, at }]) => ({ run_id, records: records.length, head: records.at(-1)?.hash ?? '', at, dialect: 'xct/0.1', sealed: records.at(-1)?.kind === 'seal' })),
    ledger: {
      export: async (id) => (store.get(id)?.records ?? []).map((r) => JSON.stringify(r)).join('\n'),
      records: async (id) => store.get(id)?.records ?? [],
      payload: async (id, sha) => store.get(id)?.payloads.get(sha),
      verify: async (id) => {
        const records = store.get(id)?.records ?? [];
        const n = records.length;
        return { ok: true, records: n, head: records.at(-1)?.hash ?? '', root: H('root'), checks: [
          { id: 'form', status: 'pass', count: n }, { id: 'hashes', status: 'pass', count: n }, { id: 'links', status: 'pass', count: n - 1 },
          { id: 'anchor', status: 'not_run', count: 0 }, { id: 'decisions', status: 'pass', count: 12 }, { id: 'replay', status: 'not_run', count: 0 } ] };
      },
    },
    close: async () => {},
  };
  return runtime;

  function startRun({ task, model, dialect }: StartOptions): Run {
    const id = crypto.randomUUID();
    const records: LedgerRecord[] = [];
    const payloads = new Map<string, Uint8Array>();
    store.set(id, { records, payloads, at: Date.now() });
    const listeners = new Set<(view: RunView) => void>();
    const wake = new Set<() => void>();
    const end = Promise.withResolvers<RunEnd>();
    let view: RunView = { run_id: id, dialect, phase: 'IDLE', mode: 'paused', steps: 0, records: 0 };
    let resolveAnswer: ((a: ApprovalAnswer) => void) | undefined;
    const abort = new AbortController();
    const endings = bakery('xct').steps;
    const messages: { role: 'user' | 'assistant'; content: string }[] = [{ role: 'user', content: task }];

    const set = (next: Omit<Partial<RunView>, "pending"> & { pending?: ApprovalRequest | undefined }): void => {
      const merged = { ...view, ...next };
      if ('pending' in next && next.pending === undefined) delete (merged as { pending?: unknown }).pending;
      view = merged as RunView;
      for (const l of listeners) l(view);
    };
    const keep = (text: string): PayloadRef => {
      const bytes = utf8ToBytes(text);
      const sha = bytesToHex(sha256(bytes));
      payloads.set(sha, bytes);
      return { sha256: sha, bytes: bytes.length };
    };
    const add = (draft: Draft): void => {
      const prev = records.at(-1)?.hash ?? NO_PREV;
      const base = { ...draft, run_id: id, run_seq: records.length, epoch: 1, body_hash: hex(JSON.stringify(draft.body)), at: Date.now(), prev };
      records.push({ ...base, hash: hex(JSON.stringify(base)) } as LedgerRecord);
      set({ records: records.length });
      for (const w of wake) w();
    };
    const seal = (state: RunEnd['state'], code?: 'model_exhausted'): void => {
      if (view.end !== undefined) return;
      add({ kind: 'seal', body: { state, steps: view.steps, ...(code ? { code } : {}) } });
      const e: RunEnd = { state, steps: view.steps, head: records.at(-1)?.hash ?? '', ...(code ? { code } : {}) };
      set({ end: e, mode: 'paused', phase: 'COMPLETED', pending: undefined });
      end.resolve(e);
    };
    add({ kind: 'configuration', body: { format: 'sallyport/1', dialect: 'xct/0.1', behaviour: 1, registry: keep('[]'), registry_hash: H('registry'), policy: keep(JSON.stringify(options.grants)), policy_hash: H('policy'), limits: RUN_LIMITS, limits_hash: H('limits'), budgets: BUDGETS, model: model.id, isolation: 'development' } } as Draft);
    add({ kind: 'task', body: { text: keep(task) } });

    async function once(): Promise<boolean> {
      const step = view.steps + 1;
      set({ phase: 'INPUT_RECEIVED' });
      let text: string;
      try {
        const out = await model.propose({ messages: [...messages], proposalSchema: {}, maxTokens: 1000 }, { signal: abort.signal });
        text = String(out.text);
      } catch {
        if (!abort.signal.aborted) seal('failed', 'model_exhausted');
        return false;
      }
      const at = { step, step_id: crypto.randomUUID() };
      const known = endings.find((e) => e.text === text);
      const ref = keep(text);
      add({ kind: 'proposal', body: { ...at, payload: ref } });
      await pause(60);
      let parsed: { next_step?: { tool: string; arguments: object }; done?: boolean } = {};
      try { parsed = JSON.parse(text); } catch { /* shown below */ }
      const name = parsed.next_step?.tool ?? '';
      const common = { registry_hash: H('registry'), limits_hash: H('limits'), dialect: 'xct/0.1', behaviour: 1 } as const;
      const evidence = { step, proposal: ref, registry_hash: H('registry'), policy_hash: H('policy'), behaviour: 1 };
      const cap = { capability: name, capability_hash: H(name) };
      const finish = (status: 'SUCCESS' | 'FAILURE', reply: string, reason?: object): void => {
        add({ kind: 'observation', body: { ...at, status: status === 'SUCCESS' ? 'success' : 'error', payload: keep(reply) } });
        add({ kind: 'receipt', body: { receipt: { run_id: id, step_id: at.step_id, expanded: [], actions: [], outputs: {}, status }, evidence: { ...evidence, ...(reason ? { reason } : { fuel: 18240 + step * 77, args_hash: H(text) }) } } } as Draft);
        messages.push({ role: 'assistant', content: text }, { role: 'user', content: reply });
        set({ steps: step, phase: 'IDLE' });
      };
      const no = (r: ReturnType<typeof refuse>['refusal']): string => JSON.stringify({ status: 'error', message: r.message, details: { ...r.details, class: r.class, code: r.code, step: r.step, pointer: r.pointer } });
      const ending = known?.ending ?? (text.startsWith('{') ? { end: 'refused', code: 'unknown_capability' } : { end: 'refused', code: 'json_syntax' });
      if (ending.end === 'refused') {
        const step2 = ending.code === 'arguments_schema' ? 'arguments' : ending.code === 'unknown_capability' ? 'capability' : 'parse';
        const r = step2 === 'arguments' ? refuse('arguments_schema', { issues: [{ pointer: '/next_step/arguments', keyword: 'type', message: 'got a string, needs a number' }] }, { step: 'arguments', pointer: '/next_step/arguments' }).refusal : step2 === 'capability' ? refuse('unknown_capability', { name }, { step: 'capability', pointer: '/next_step/tool' }).refusal : refuse('json_syntax', { offset: 0, line: 1, column: 1, found: '"S"' }, { step: 'parse' }).refusal;
        add({ kind: 'verdict', body: { ...at, accepted: false, refusal: { class: r.class, code: r.code, step: step2 }, ...common } } as Draft);
        finish('FAILURE', no(r), { class: r.class, code: r.code, step: step2 });
        return true;
      }
      if (ending.end === 'finished' || parsed.done) {
        add({ kind: 'verdict', body: { ...at, accepted: true, kind: 'finish', ...common } } as Draft);
        finish('SUCCESS', '{"status":"success","result":null}');
        seal('completed');
        return false;
      }
      const args = keep(JSON.stringify(parsed.next_step?.arguments));
      add({ kind: 'verdict', body: { ...at, accepted: true, kind: 'call', ...cap, args, ...common } } as Draft);
      await pause(60);
      const decision = { ...at, ...cap, args_hash: args.sha256, policy_hash: H('policy'), now: Date.now() };
      if (ending.end === 'denied') {
        const r = refuse('no_grant', { name }, { step: 'authorize' }).refusal;
        add({ kind: 'decision', body: { ...decision, decision: 'DENIED_POLICY_VIOLATION', code: 'no_grant' } } as Draft);
        finish('FAILURE', no(r), { class: r.class, code: r.code, step: 'authorize' });
        return true;
      }
      if (ending.end === 'approved') {
        const digest = H(text + step);
        add({ kind: 'decision', body: { ...decision, decision: 'REQUIRES_APPROVAL', grant: 12 } } as Draft);
        add({ kind: 'approval', body: { ...at, ...cap, digest, event: 'asked', effect: 'write', args, nonce: 'n' } } as Draft);
        const answer = await new Promise<ApprovalAnswer>((resolve) => {
          resolveAnswer = resolve;
          set({ phase: 'AWAITING_APPROVAL', pending: { run_id: id, step_id: at.step_id, ...cap, effect: 'write', args: JSON.stringify(parsed.next_step?.arguments), digest, reason: 'The grant asks for a person.' } });
        });
        set({ pending: undefined });
        add({ kind: 'approval', body: { ...at, ...cap, digest, event: 'answered', approved: answer.approved } } as Draft);
        if (!answer.approved) {
          const r = refuse('approval_denied', { reason: answer.reason }, { step: 'approve' }).refusal;
          finish('FAILURE', no(r), { class: r.class, code: r.code, step: 'approve' });
          return true;
        }
        add({ kind: 'intent', body: { ...at, ...cap, args_hash: args.sha256, effect: 'write' } });
      } else add({ kind: 'decision', body: { ...decision, decision: 'AUTHORIZED', grant: step % 7 } } as Draft);
      await pause(120);
      if (ending.end === 'failed') {
        const r = refuse('fuel_exhausted', { limit: 10_000_000, used: 10_000_001 }, { step: 'execute' }).refusal;
        finish('FAILURE', no(r), { class: r.class, code: r.code, step: 'execute' });
      } else finish('SUCCESS', '{"status":"success","result":{"rows":5,"sum":606.6,"note":"sample"}}');
      return true;
    }
    async function drive(mode: RunView['mode']): Promise<void> {
      if (view.end !== undefined || view.mode !== 'paused') return;
      set({ mode });
      while (view.end === undefined && (view.mode as string) !== 'paused') {
        if (!(await once())) break;
        if ((view.mode as string) === 'stepping') break;
      }
      set({ mode: 'paused' });
    }
    return {
      id,
      get view() { return view; },
      result: end.promise,
      step: () => drive('stepping'),
      run: () => drive('running'),
      pause: async () => set({ mode: 'stepping' }),
      resume: () => drive('running'),
      abort: async () => { abort.abort(new Error('aborted')); seal('aborted'); },
      say: async () => {},
      answer: async (_digest, answer) => resolveAnswer?.(answer),
      async *records() {
        for (let i = 0; ; i += 1) {
          while (i >= records.length) {
            if (view.end !== undefined) return;
            await new Promise<void>((r) => { const w = (): void => { wake.delete(w); r(); }; wake.add(w); });
          }
          yield records[i] as LedgerRecord;
        }
      },
      watch: (l) => { listeners.add(l); return () => listeners.delete(l); },
    };
  }
}
const pause = (ms: number): Promise<void> => new Promise((r) => setTimeout(r, ms));
