import { afterAll, afterEach, beforeAll, beforeEach, expect, test, vi } from 'vitest';
import { SallyportError } from '../../../core/index.ts';
import { Agent } from '../../../web/element/agent.ts';
import { keepRun, keptRuns } from '../../../web/element/kept-runs.ts';
import { RunElement } from '../../../web/element/run.ts';
import { shareRuntime, startAhead } from '../../../web/element/shared-runtime.ts';
import { openRuntime } from '../../../web/index.ts';
import type { GrantOption, ModelPort, Runtime } from '../../../workers/api.ts';
import { deferred } from '../../../workers/async.ts';
import { keep, keepCall, keeps } from '../keep.ts';

const open = (mode: 'ask' | 'allow') =>
  openRuntime({ store: 'memory', capabilities: [keep], grants: [{ capability: 'keep', mode }] });

/** A registry takes each class a single time, and files of tests share the page. */
class DrivenRun extends RunElement {}

let asking: Runtime;
beforeAll(async () => {
  customElements.define('driven-run', DrivenRun);
  asking = await open('ask');
});
afterAll(() => asking.close());

let unhandled: unknown[] = [];
const note = (event: PromiseRejectionEvent) => {
  event.preventDefault();
  unhandled.push(event.reason);
};
beforeEach(() => {
  unhandled = [];
  addEventListener('unhandledrejection', note);
});
afterEach(async () => {
  document.body.replaceChildren();
  await new Promise((resolve) => setTimeout(resolve));
  removeEventListener('unhandledrejection', note);
  expect(unhandled).toEqual([]);
});

async function shown(model: ModelPort, runtime: Runtime = asking): Promise<RunElement> {
  const element = Object.assign(document.createElement('driven-run') as RunElement, { model, runtime, task: 'Keep.' });
  document.body.append(element);
  await element.updateComplete;
  return element;
}

const part = (element: RunElement, name: string) =>
  element.shadowRoot?.querySelector<HTMLButtonElement>(`[part=${name}]`) as HTMLButtonElement;
const partInFocus = (element: RunElement) => element.shadowRoot?.activeElement?.getAttribute('part');
const asks = (element: RunElement) => element.shadowRoot?.querySelector('sallyport-question') ?? undefined;

test('the focus stays on Step while a step runs, and the button waits', async () => {
  const gate = deferred<{ text: string }>();
  const element = await shown({ id: 'slow', propose: () => gate.promise });
  part(element, 'step').focus();
  part(element, 'step').click();
  await expect.poll(() => part(element, 'step').ariaDisabled).toBe('true');
  expect(partInFocus(element)).toBe('step');
  part(element, 'step').click();
  gate.resolve({ text: 'no proposal' });
  await expect.poll(() => part(element, 'step').ariaDisabled).toBe('false');
  expect(partInFocus(element)).toBe('step');
  expect(element.state?.steps).toBe(1);
});

test('the focus goes from Run to Pause and back, and stays on Abort', async () => {
  const element = await shown({ id: 'slow', propose: () => new Promise(() => undefined) });
  part(element, 'run').focus();
  part(element, 'run').click();
  await expect.poll(() => partInFocus(element)).toBe('pause');
  part(element, 'abort').focus();
  part(element, 'abort').click();
  await expect.poll(() => part(element, 'abort').ariaDisabled).toBe('true');
  expect(partInFocus(element)).toBe('abort');
});

test('an agent that is open behind the abort of its opening is closed', async () => {
  const close = vi.spyOn(Agent.prototype, 'close');
  const element = Object.assign(document.createElement('driven-run') as RunElement, { store: 'memory', task: 'Keep.' });
  element.addEventListener('sallyport-ready', () => void element.abort(), { once: true });
  document.body.append(element);
  await element.start();
  await expect.poll(() => close.mock.calls.length).toBe(1);
  expect([element.trouble, element.state]).toEqual([undefined, undefined]);
  close.mockRestore();
});

test('a silent model is named with its seconds, and a person cancels the request', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] });
  const asked = deferred<void>();
  const propose = () => (asked.resolve(), new Promise<never>(() => undefined));
  const element = await shown({ id: 'openai-compatible:x', name: 'tiny', propose });
  void element.start();
  await asked.promise;
  await vi.advanceTimersByTimeAsync(3000);
  vi.useRealTimers();
  await element.updateComplete;
  expect(part(element, 'asking').textContent).toContain('Waiting for tiny, 3 s');
  part(element, 'cancel').click();
  await expect.poll(() => element.state?.waiting?.message).toContain('cancelled');
  expect(element.state).toMatchObject({ mode: 'paused' });
  await expect.poll(() => part(element, 'asking')).toBeNull();
});

test('an answered question returns the focus to where it was', async () => {
  const element = await shown(keeps(1));
  part(element, 'step').focus();
  part(element, 'step').click();
  await expect.poll(() => partInFocus(element)).toBe('approval');
  await element.abort();
  await expect.poll(() => asks(element)).toBeUndefined();
  expect(partInFocus(element)).toBe('step');
});

test('an answered question returns the focus to a button of the page', async () => {
  const element = await shown(keeps(1));
  element.view = 'approve-only';
  const button = document.body.appendChild(document.createElement('button'));
  button.focus();
  await element.start();
  await expect.poll(() => document.activeElement).toBe(element);
  await element.abort();
  await expect.poll(() => document.activeElement).toBe(button);
});

test('a run that cannot begin has its reason as trouble, and leaves no rejection unhandled', async () => {
  const element = await shown(keeps());
  element.dialect = 'none' as 'xct';
  await element.start();
  await expect.poll(() => element.trouble ?? '').toContain('dialect');
  await element.start();
  await expect.poll(() => element.trouble ?? '').toContain('dialect');
});

test('an element takes another runtime after the page has closed the first', async () => {
  const closed = await open('allow');
  const element = await shown(keeps(1), closed);
  await closed.close();
  await element.step();
  expect(element.trouble).toContain('closed');
  element.runtime = asking;
  await element.start();
  expect(element.trouble).toBeUndefined();
  await expect.poll(() => asks(element)).toBeDefined();
});

test('a run that another tab takes over leaves its question, and the next step starts another run', async () => {
  const options = { capabilities: [keep], grants: [{ capability: 'keep', mode: 'ask' as const }] };
  await using here = await openRuntime(options);
  await using there = await openRuntime(options);
  const element = await shown({ id: 'same', propose: async () => ({ text: JSON.stringify(keepCall(1)) }) }, here);
  await element.start();
  await expect.poll(() => asks(element)).toBeDefined();
  const first = element.state?.run_id as string;
  const taken = await there.resume(first, keeps(1), { takeOver: true });
  await expect.poll(() => asks(element)).toBeUndefined();
  await expect.poll(() => element.trouble ?? '').toContain('open elsewhere');
  expect(part(element, 'step').ariaDisabled).toBe('false');
  await taken.abort();
  await element.step();
  await expect.poll(() => asks(element)).toBeDefined();
  expect(element.state?.run_id).not.toBe(first);
  element.remove();
});

test('the numbers of the receipts stand beside the last words of an ended run', async () => {
  const turns = ['no proposal', JSON.stringify({ done: true, message: 'It is kept.' })];
  const element = await shown({ id: 'boastful', propose: async () => ({ text: turns.shift() ?? '' }) });
  expect(part(element, 'receipts')).toBeNull();
  part(element, 'run').click();
  await expect.poll(() => element.state?.end?.state).toBe('completed');
  await element.updateComplete;
  expect(element.shadowRoot?.querySelector('.message')?.textContent).toBe('It is kept.');
  expect(part(element, 'receipts').textContent).toBe('The receipts say: 1 refused');
});

test('Abort ends an opening that does not come to an end, and the next step opens again', async () => {
  const { fetch } = globalThis;
  const element = Object.assign(document.createElement('driven-run') as RunElement, {
    ...{ store: 'memory', capabilities: [keep], grants: [{ capability: 'keep', mode: 'allow' }] },
    ...{ model: keeps(1), task: 'Keep.' },
  });
  document.body.append(element);
  await element.updateComplete;
  const badge = () => element.shadowRoot?.querySelector('[part=verdict]')?.textContent;
  try {
    // the engine never comes
    globalThis.fetch = () => new Promise(() => undefined);
    part(element, 'step').click();
    await expect.poll(badge).toBe('Starting');
    expect(part(element, 'abort').ariaDisabled).toBe('false');
    part(element, 'abort').click();
    await expect.poll(badge).toBe('Ready');
    expect(part(element, 'abort').ariaDisabled).toBe('true');
    // an element that is taken away while it opens
    part(element, 'step').click();
    await expect.poll(badge).toBe('Starting');
    element.remove();
    await expect.poll(badge).toBe('Ready');
  } finally {
    globalThis.fetch = fetch;
  }
  document.body.append(element);
  expect(element.trouble).toBeUndefined();
  await element.start();
  await expect.poll(() => element.state?.end?.state).toBe('completed');
});

/** An element with a runtime of its own, after its first step. */
async function stepped(grants: RunElement['grants'] = [{ capability: 'keep', mode: 'allow' }]): Promise<RunElement> {
  const model = { id: 'keeps', propose: async () => ({ text: JSON.stringify(keepCall(1)) }) };
  const own = { store: 'memory', task: 'Keep.', capabilities: [keep], grants, model } as const;
  const element = Object.assign(document.createElement('driven-run') as RunElement, own);
  document.body.append(element);
  await element.step();
  return element;
}

test('elements with the same options share a kernel, each with a run of its own, and the last to go ends it', async () => {
  const [one, same] = await Promise.all([stepped(), stepped()]);
  const other = await stepped([{ capability: 'keep', mode: 'ask' }]);
  expect(one.info).toBe(same.info);
  expect(other.info).not.toBe(one.info);
  expect(other.state?.phase).toBe('AWAITING_APPROVAL');
  const run = (element: RunElement) => element.records[0]?.run_id;
  expect(new Set([run(one), run(same)]).size).toBe(2);
  one.remove();
  await same.step();
  expect(same.state?.steps).toBe(2);
  same.remove();
  // an element that comes before the run of the last has ended shares its kernel
  await expect.poll(() => same.state?.end?.state).toBe('aborted');
  const later = await stepped();
  expect(later.info).not.toBe(same.info);
});

test('a shared runtime has the options of the moment in which it was asked for', async () => {
  const grants: GrantOption[] = [{ capability: 'keep', mode: 'ask' }];
  const definition = { ...keep };
  const share = () =>
    shareRuntime({ isData: false, options: { store: 'memory', capabilities: [definition], grants } }, {});
  const asked = share();
  Object.assign(grants[0] ?? {}, { mode: 'allow' });
  const one = await asked;
  expect(await one.runtime.grants.list()).toMatchObject([{ mode: 'ask' }]);
  const other = await share();
  expect(await other.runtime.grants.list()).toMatchObject([{ mode: 'allow' }]);
  Object.assign(definition, { description: 'Keeps another way.' });
  const third = await share();
  expect(new Set([one.runtime, other.runtime, third.runtime]).size).toBe(3);
  await Promise.all([one, other, third].map(({ release }) => release()));
});

/** The kernels that `act` starts and ends. */
async function kernelsOf(act: () => Promise<void>): Promise<{ readonly started: number; readonly ended: number }> {
  const kernels: Worker[] = [];
  const { Worker: Real } = globalThis;
  class Watched extends Real {
    constructor(url: string | URL, how?: WorkerOptions) {
      super(url, how);
      if (how?.name === 'sallyport-kernel') kernels.push(this);
    }
  }
  vi.stubGlobal('Worker', Watched);
  const terminate = vi.spyOn(Real.prototype, 'terminate');
  try {
    await act();
    const ended = new Set(terminate.mock.contexts);
    return { started: kernels.length, ended: kernels.filter((each) => ended.has(each)).length };
  } finally {
    vi.unstubAllGlobals();
    terminate.mockRestore();
  }
}

const memory = { isData: false, options: { store: 'memory', capabilities: [], grants: [] } } as const;

test('an opening takes the kernel that was started ahead, while its options still load', async () => {
  const { started } = await kernelsOf(async () => {
    const end = startAhead({ store: 'memory' });
    const { runtime, release } = await shareRuntime(memory, {});
    end();
    expect(await runtime.runs()).toEqual([]);
    // the page has a runtime, which another element may share
    startAhead({ store: 'memory' });
    await release();
  });
  expect(started).toBe(1);
});

test('a kernel that was started ahead ends with an opening that does not come', async () => {
  expect(
    await kernelsOf(async () => {
      startAhead({ store: 'memory' })();
      const end = startAhead({ store: 'memory' });
      await new Promise((resolve) => setTimeout(resolve, 500));
      end();
      await expect.poll(() => document.readyState).toBe('complete');
    }),
  ).toEqual({ started: 2, ended: 2 });
});

test('an opening with other options has a kernel of its own', async () => {
  const { started } = await kernelsOf(async () => {
    const end = startAhead({ store: 'browser' });
    const { release } = await shareRuntime(memory, {});
    end();
    await release();
  });
  expect(started).toBe(2);
});

test.each([{ store: 'disk' }, { assets: 'http://[' }])('nothing is started ahead from %o', async (wrong) => {
  expect(await kernelsOf(async () => startAhead(wrong as never)())).toEqual({ started: 0, ended: 0 });
});

test('an opening that is given up ends the kernel that was started ahead', async () => {
  expect(
    await kernelsOf(async () => {
      const stop = new AbortController();
      const end = startAhead({ store: 'memory' });
      const shared = shareRuntime(memory, { signal: stop.signal });
      stop.abort(new Error('given up'));
      await expect(shared).rejects.toThrow('given up');
      end();
      await new Promise((resolve) => setTimeout(resolve, 500));
    }),
  ).toEqual({ started: 1, ended: 1 });
});

test('an element that is taken away while its scenario loads ends the kernel that was started ahead', async () => {
  const { fetch } = globalThis;
  const { started, ended } = await kernelsOf(async () => {
    globalThis.fetch = (asked, how) =>
      asked instanceof URL && asked.pathname === '/never.json' ? new Promise(() => {}) : fetch(asked, how);
    const own = { store: 'memory', task: 'Keep.', src: '/never.json' } as const;
    const element = Object.assign(document.createElement('driven-run') as RunElement, own);
    document.body.append(element);
    void element.start();
    await expect.poll(() => element.opening).toBe(0);
    await new Promise((resolve) => setTimeout(resolve, 500));
    element.remove();
    await new Promise((resolve) => setTimeout(resolve, 500));
    globalThis.fetch = fetch;
  });
  expect({ started, ended }).toEqual({ started: 1, ended: 1 });
});

test('a start goes before a kept run, where the page calls both', async () => {
  keepRun('both', 'kept');
  const takeUp = vi.spyOn(Agent.prototype, 'takeUp').mockRejectedValue(new Error('taken up'));
  const row = { run_id: 'kept', records: 2, head: '', at: 0, dialect: 'xct', sealed: false };
  const element = await shown(keeps(1), { ...asking, runs: async () => [row] });
  element.keep = 'both';
  void element.start();
  expect(await element.takeUp()).toBe(false);
  expect(takeUp).not.toHaveBeenCalled();
  await expect.poll(() => asks(element)).toBeDefined();
  await expect.poll(() => keptRuns('both')).toEqual([element.state?.run_id, 'kept']);
  takeUp.mockRestore();
  localStorage.clear();
});

test('an element that gives up an opening leaves it to the others', async () => {
  const ended = stepped();
  void (document.body.lastElementChild as RunElement).abort();
  const stays = await stepped();
  await ended;
  expect(stays.state?.steps).toBe(1);
});

test('a file that a deploy took away is told with a button, which comes behind an open question', async () => {
  const gone = new SallyportError('build_gone', 'gone', {});
  const element = await shown({ id: 'keeps', propose: async () => ({ text: JSON.stringify(keepCall(1)) }) });
  const told = vi.fn();
  element.addEventListener('sallyport-error', ({ detail }: CustomEventInit) => told(detail));
  await element.step();
  await expect.poll(() => asks(element)).toBeDefined();
  vi.spyOn(asking.held, 'parts').mockRejectedValueOnce(gone);
  await element.openHeld('h1');
  await element.updateComplete;
  expect(told).toHaveBeenCalledWith(gone);
  expect(element.shadowRoot?.querySelector('[role=alert]')?.textContent).toBe(element.words.older);
  expect(asks(element)).toBeDefined();
  expect(part(element, 'reload')).toBeNull();
  await element.abort();
  element.trouble = element.words.older;
  element.isOlder = true;
  await element.updateComplete;
  expect(part(element, 'reload').textContent).toBe('Reload the page');
});
