import { batch, type ReadonlySignal, type Signal, signal } from '@preact/signals-core';
import { decode, encodeText, isObject } from '../../../core/index.ts';
import { loadPart } from '../../../workers/load-part.ts';
import {
  type EndpointModel,
  type EndpointSettings,
  type EndpointTest,
  type ResponseFormat,
  SERVER_PRESETS,
  type ServerName,
} from '../../index.ts';
import type { RecordTone } from '../../records/describe.ts';
import { endpoint } from '../../texts/en/endpoint.ts';
import { readSetting, writeSetting } from '../parts/local-storage.ts';

/** The entries of a person. The key goes only to the worker that needs it. */
export interface EndpointForm {
  readonly baseUrl: string;
  readonly model: string;
  readonly apiKey: string;
  /** The known server that was chosen; its form holds where its address was changed, too. */
  readonly server: ServerName | undefined;
  /** Proposals are calls of the server's own tools. */
  readonly native: boolean;
}

/** A remote model that has been set, in the words by which a person knows it. */
export interface ConnectedModel {
  readonly model: EndpointModel;
  readonly name: string;
  readonly origin: string;
  /** The settings without the key. */
  readonly settings: Pick<EndpointForm, 'baseUrl' | 'model' | 'native'>;
}

/** The model endpoint of this tab: undefined until a person sets it, or the device's last one is connected again. */
export interface EndpointState {
  readonly connected: ReadonlySignal<ConnectedModel | undefined>;
  readonly finding: ReadonlySignal<EndpointFinding | 'testing' | undefined>;
  /** The model that was connected last on this device, without its key; undefined where none was. */
  readonly last: ReadonlySignal<LastEndpoint | undefined>;
  /** Connects the last model again, unless it needs a key. No request is made. */
  restore(): Promise<void>;
  /** Drops the answer of a test: the form has changed. */
  forget(): void;
  /** True from a request for the dialog until it opens. */
  readonly asks: Signal<boolean>;
  test(form: EndpointForm): Promise<void>;
  /** Asks for the names of the server's models. */
  list(form: EndpointForm): Promise<void>;
  /** False for settings that could never work; the finding gives the reason. */
  connect(form: EndpointForm): Promise<boolean>;
  disconnect(): void;
}

/** Entries that this device keeps. A key is never kept. */
interface LastEndpoint extends Omit<EndpointForm, 'apiKey'> {
  /** A key was entered with it. */
  readonly isKeyed: boolean;
}

const SETTING = 'sallyport.endpoint';

/** The entries that a device keeps, without what may be a key: some servers take theirs in the query of the address. */
export function keptOf({ baseUrl, model, native, server, apiKey }: EndpointForm): LastEndpoint {
  const { origin, pathname, href } = new URL(baseUrl);
  const plain = origin + pathname;
  return { baseUrl: plain, model, native, server, isKeyed: apiKey !== '' || href !== plain };
}

/** Settings of another build, or of a stranger's script, may have another form. */
function readLast(): LastEndpoint | undefined {
  const kept = decode(encodeText(readSetting(SETTING) ?? ''));
  if (!kept.ok || !isObject(kept.value)) return undefined;
  const { baseUrl, model, native, isKeyed, server } = kept.value;
  if (typeof baseUrl !== 'string' || typeof model !== 'string' || !URL.canParse(baseUrl)) return undefined;
  const known = Object.keys(SERVER_PRESETS).find((name) => name === server) as ServerName | undefined;
  return { baseUrl, model, native: native === true, isKeyed: isKeyed === true, server: known };
}

/** Calls `note` with every requested address, so that the page counts the data that leaves the device. */
export function openEndpoint(note: (url: string) => void): EndpointState {
  const connected = signal<ConnectedModel | undefined>(undefined);
  const finding = signal<EndpointFinding | 'testing' | undefined>(undefined);
  const last = signal(readLast());
  let attempts = 0;
  /** The form of answer that a test has found, by the address and the name of the model. */
  const formats = new Map<string, ResponseFormat>();

  /** A later attempt, or another form, makes an earlier answer meaningless. */
  const open = async (form: EndpointForm): Promise<EndpointModel | undefined> => {
    try {
      // loaded with its first use: most visitors name no model of their own
      const { fromEndpoint } = await loadPart(() => import('../../endpoint.ts'));
      return await fromEndpoint(settingsOf(form, formats.get(keyOf(form))));
    } catch (error) {
      finding.value = { tone: 'bad', error };
      return undefined;
    }
  };

  /** Asks a model that ends with its answer. */
  const ask = async (form: EndpointForm, act: (model: EndpointModel) => Promise<EndpointFinding>): Promise<void> => {
    attempts += 1;
    const mine = attempts;
    finding.value = 'testing';
    const model = await open(form);
    if (model === undefined) return;
    note(`${form.baseUrl}/models`);
    const found = await act(model).catch(
      (error: unknown) => ({ tone: 'bad', text: () => endpoint().noAnswer, error }) as const,
    );
    model.close();
    if (mine === attempts) finding.value = found;
  };

  const state: EndpointState = {
    connected,
    finding,
    last,
    restore: async () => {
      const kept = last.peek();
      if (kept !== undefined && !kept.isKeyed) await state.connect({ ...kept, apiKey: '' });
    },
    forget: () => {
      attempts += 1;
      finding.value = undefined;
    },
    asks: signal(false),
    test: (form) =>
      ask(form, async (model) => {
        const found = findingOf(await model.test(), placeOf(form));
        if (found.tone !== 'good') return found;
        // a list proves little, so a tiny answer is asked for, too
        const format = await model.probe();
        formats.set(keyOf(form), format);
        return { ...found, text: () => `${found.text?.() ?? ''} ${formText(form, format)}` };
      }),
    list: (form) => ask(form, async (model) => listingOf(await model.test(), placeOf(form))),
    async connect(form) {
      attempts += 1;
      const model = await open(form);
      if (model === undefined) return false;
      batch(() => {
        connected.peek()?.model.close();
        finding.value = undefined;
        const { origin } = new URL(form.baseUrl);
        const { baseUrl, model: name, native } = form;
        const settings = { baseUrl, model: name, native };
        connected.value = { model: counted(model, `${baseUrl}/chat/completions`, note), name, origin, settings };
        last.value = keptOf(form);
        writeSetting(SETTING, JSON.stringify(last.peek()));
      });
      return true;
    },
    disconnect() {
      connected.peek()?.model.close();
      connected.value = undefined;
    },
  };
  return state;
}

function settingsOf(
  { baseUrl, model, apiKey, server: preset, native }: EndpointForm,
  responseFormat: ResponseFormat | undefined,
): EndpointSettings {
  return {
    baseUrl,
    model,
    tools: native ? 'native' : 'json',
    ...(preset !== undefined && { preset }),
    ...(responseFormat !== undefined && { responseFormat }),
    ...(apiKey === '' ? {} : { apiKey }),
  };
}

function keyOf({ baseUrl, model }: EndpointForm): string {
  return JSON.stringify([baseUrl, model]);
}

/** The name of this model in the records of a run; undefined until an address and a model are entered. */
export function modelIdOf({ baseUrl, model }: Pick<EndpointForm, 'baseUrl' | 'model'>): string | undefined {
  return model === '' || !URL.canParse(baseUrl) ? undefined : `openai-compatible:${new URL(baseUrl).origin}/${model}`;
}

function placeOf({ baseUrl, model }: EndpointForm): TestedModel {
  return { origin: new URL(baseUrl).origin, model, page: location.origin };
}

/** The form of answer that the model keeps to. */
function formText({ native }: EndpointForm, format: ResponseFormat): string {
  return native ? endpoint().native : endpoint().formats[format];
}

function counted(model: EndpointModel, url: string, note: (url: string) => void): EndpointModel {
  return { ...model, propose: (request, io) => (note(url), model.propose(request, io)) };
}

/** The result of a test, for a person: the fault, its place, and the remedy. */
export interface EndpointFinding {
  readonly tone: RecordTone;
  /** The finding in the language of the interface. */
  readonly text?: () => string;
  /** The failure that a library reports; it follows the text. */
  readonly error?: unknown;
  /** Models of the server, where the person should choose another model. */
  readonly models?: readonly string[];
  /** A base URL that answers. */
  readonly suggestion?: string;
}

interface TestedModel {
  readonly origin: string;
  readonly model: string;
  /** Origin of this page: the origin that the server has to allow. */
  readonly page: string;
}

function findingOf(test: EndpointTest, { origin, model, page }: TestedModel): EndpointFinding {
  switch (test.status) {
    case 'ok':
      return { tone: 'good', text: () => endpoint().ok(origin, model) };
    case 'unknown_model':
      return { ...bad(() => endpoint().unknownModel(origin, model)), models: test.models };
    case 'unreachable':
      return bad(() => endpoint().unreachable(origin));
    case 'cors':
      return bad(() => endpoint().cors(origin, page));
    case 'mixed_content':
      return bad(() => endpoint().mixedContent);
    case 'redirected':
      return bad(() => endpoint().redirected(origin));
    case 'timeout':
      return bad(() => endpoint().timeout(origin));
    case 'unauthorized':
      return bad(() => endpoint().unauthorized(origin, test.http));
    case 'wrong_path':
      return wrongPath(test, origin);
    case 'http_error':
      return bad(() => endpoint().httpError(origin, test.http, test.said));
    case 'not_json':
      return bad(() => endpoint().notJson(origin));
    default:
      return bad(() => endpoint().untested(origin));
  }
}

/** The models of a server, for a person who chooses one. */
function listingOf(test: EndpointTest, place: TestedModel): EndpointFinding {
  if (test.status !== 'ok' && test.status !== 'unknown_model') return findingOf(test, place);
  const { models } = test;
  if (models.length === 0) return bad(() => endpoint().noModels(place.origin));
  return { tone: 'good', text: () => endpoint().models(place.origin, models.length), models };
}

function wrongPath({ http, suggestion }: WrongPath, origin: string): EndpointFinding {
  if (suggestion === undefined) return bad(() => endpoint().wrongPath(origin, http));
  return { ...bad(() => endpoint().otherPath(origin, http, suggestion)), suggestion };
}

type WrongPath = Extract<EndpointTest, { status: 'wrong_path' }>;

function bad(text: () => string): EndpointFinding {
  return { tone: 'bad', text };
}
