import { afterEach, describe, expect, test } from 'vitest';
import type { Dialect } from '../../../../core/index.ts';
import { CORPUS } from '../../../../web/playground/demo/corpus.ts';
import { bakery } from '../../../../web/playground/demo/scenario.ts';
import { CARDS } from '../../../../web/playground/gallery/cards.ts';
import { loadScenario, openShelf, SCENARIO_IDS } from '../../../../web/playground/gallery/shelf.ts';
import { namesOf, type PlaygroundScenario } from '../../../../web/playground/scenario.ts';
import type { CapabilityDefinition, Runtime } from '../../../../workers/api.ts';
import { fromScript } from '../../../../workers/bridges/models/script.ts';
import { openRuntime } from '../../../runtime/shared.ts';

const inForm = (dialect: Dialect): PlaygroundScenario => ({ ...bakery(dialect), files: CORPUS, symbols: [] });
const HOME_FORMS = [inForm('xct'), inForm('femtoclaw'), inForm('catalytic')] as const;

let runtime: Runtime;
afterEach(() => runtime.close());

async function shelf(more: readonly CapabilityDefinition[] = []) {
  const { capabilities, grants } = HOME_FORMS[2];
  runtime = await openRuntime({ capabilities: [...capabilities, ...more], grants });
  let names: readonly string[] = [];
  const changed = async (): Promise<void> => {
    names = (await runtime.capabilities.list()).map(({ name }) => name);
  };
  await changed();
  return openShelf({ runtime, home: HOME_FORMS, names: () => names, changed });
}

function own(name: string): CapabilityDefinition {
  const args = { type: 'object', properties: {}, additionalProperties: false };
  return {
    name,
    version: '1.0.0',
    description: 'Of the person.',
    effect: 'pure',
    args,
    source: 'export default () => 1',
  };
}

describe('the shelf of scenarios', () => {
  test('a run of a scenario sees its own capabilities and those of the person, and no other scenario’s', async () => {
    const { open, offer } = await shelf([own('my.own')]);
    expect(offer(HOME_FORMS[0])).toBeUndefined();
    const [shop] = (await open('shop')) ?? [];
    await open('mail');
    if (shop === undefined) throw new Error('shop has no form');
    expect(offer(shop)?.toSorted()).toEqual(['calc.eval', 'my.own', 'orders.find', 'refund.issue']);
    expect(offer(HOME_FORMS[0])).toContain('corpus.search');
    expect(offer(HOME_FORMS[0])).not.toContain('mail.send');
    expect(offer(HOME_FORMS[0])).not.toContain('content.read');
    expect(offer(HOME_FORMS[2])).toContain('content.read');

    const model = fromScript([
      '{"next_step":{"tool":"mail.list","arguments":{},"goal":"g"}}',
      '{"done":true,"message":"m"}',
    ]);
    const run = runtime.start({ dialect: 'xct', task: 'Look.', model, offer: offer(shop) ?? [] });
    await run.result;
    const [receipt] = (await runtime.ledger.records(run.id)).flatMap((each) => (each.kind === 'receipt' ? [each] : []));
    expect(receipt?.body.evidence.reason?.code).toBe('unknown_capability');
  });

  test('a scenario that is opened twice at once is registered once, with its grants', async () => {
    const { open, opened } = await shelf();
    const [one, other] = await Promise.all([open('mail'), open('mail')]);
    expect(one).toBe(other);
    expect(await open('mail')).toBe(one);
    expect(opened.value.filter(({ id }) => id === 'mail')).toHaveLength(2);
    const granted = (await runtime.grants.list()).filter(({ capability }) => capability.startsWith('mail.'));
    expect(granted).toHaveLength(4);
  });

  test('a name of another capability keeps a scenario closed, and nothing of it is registered', async () => {
    const { open, opened } = await shelf([own('wiki.read')]);
    await expect(open('wiki')).rejects.toThrow('another capability is called wiki.read');
    const names = (await runtime.capabilities.list()).map(({ name }) => name);
    expect(names.filter((name) => name.startsWith('wiki.'))).toEqual(['wiki.read']);
    expect(opened.value).toEqual(HOME_FORMS);
    await runtime.capabilities.remove('wiki.read');
    expect(await open('wiki')).toHaveLength(2);
  });

  test('the tools of a scenario are provided with its grants, and offered in its runs alone', async () => {
    const { open, offer } = await shelf();
    const [library] = (await open('library')) ?? [];
    if (library === undefined) throw new Error('library has no form');
    expect(offer(library)?.toSorted()).toEqual(['shelf.lend', 'shelf.look', 'shelf.move']);
    expect(offer(HOME_FORMS[0])).not.toContain('shelf.lend');
    const granted = (await runtime.grants.list()).filter(({ capability }) => capability.startsWith('shelf.'));
    expect(granted.map(({ mode }) => mode).toSorted()).toEqual(['allow', 'ask', 'ask']);
  });

  test('a capability with the name of a tool keeps a scenario closed, and none of its tools is provided', async () => {
    const { open } = await shelf([own('shelf.move')]);
    await expect(open('library')).rejects.toThrow('another capability is called shelf.move');
    const names = (await runtime.capabilities.list()).map(({ name }) => name);
    expect(names.filter((name) => name.startsWith('shelf.'))).toEqual(['shelf.move']);
  });

  test('an id of no scenario opens none', async () => {
    const { open } = await shelf();
    expect(await open('nowhere')).toBeUndefined();
    expect(await open('bakery')).toEqual(HOME_FORMS);
  });
});

describe('the cards of the gallery', () => {
  test('each scenario has a card with its name and its tools, the bakery first', async () => {
    runtime = await openRuntime();
    expect(CARDS.map(({ id }) => id)).toEqual(['bakery', ...SCENARIO_IDS]);
    for (const { id, name, tools } of CARDS.slice(1)) {
      const source = await loadScenario(id);
      expect(name).toBe(source?.name);
      expect(tools.toSorted()).toEqual(source && namesOf(source).toSorted());
    }
    const { name, capabilities } = HOME_FORMS[0];
    expect(CARDS[0]?.name).toBe(name);
    for (const tool of CARDS[0]?.tools ?? []) expect(capabilities.map((each) => each.name)).toContain(tool);
  });
});
