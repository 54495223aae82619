import { batch, type ReadonlySignal, type Signal, signal } from '@preact/signals-core';
import {
  type EndpointModel,
  type EndpointSettings,
  fromEndpoint,
  type ResponseFormat,
  type ServerName,
} from '../../index.ts';
import { sentenceOf } from '../../shared/error-text.ts';
import { type EndpointFinding, findingOf, listingOf, type TestedModel } from './endpoint-finding.ts';

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
}

/** The model endpoint of this tab: undefined until a person sets it, and gone when the tab closes. */
export interface EndpointState {
  readonly connected: ReadonlySignal<ConnectedModel | undefined>;
  readonly finding: ReadonlySignal<EndpointFinding | 'testing' | undefined>;
  /** The dialog is open. */
  readonly asks: Signal<boolean>;
  test(form: EndpointForm): Promise<void>;
  /** Asks for the names of the server's models. */
  list(form: EndpointForm): Promise<void>;
  /** False for settings that could never work; the finding gives the reason. */
  connect(form: EndpointForm): Promise<boolean>;
  disconnect(): void;
}

/** Calls `note` with every requested address, so that the page counts the data that leaves the device. */
export function openEndpoint(note: (url: string) => void): EndpointState {
  const connected = signal<ConnectedModel | undefined>(undefined);
  const finding = signal<EndpointFinding | 'testing' | undefined>(undefined);
  let attempts = 0;
  /** The form of answer that a test has found, by the address and the name of the model. */
  const formats = new Map<string, ResponseFormat>();

  /** A later attempt, or another form, makes an earlier answer meaningless. */
  const open = async (form: EndpointForm): Promise<EndpointModel | undefined> => {
    try {
      return await fromEndpoint(settingsOf(form, formats.get(keyOf(form))));
    } catch (error) {
      finding.value = { tone: 'bad', text: sentenceOf(error) };
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
    const found = await act(model).catch((error: unknown) => broken(error));
    model.close();
    if (mine === attempts) finding.value = found;
  };

  return {
    connected,
    finding,
    asks: signal(false),
    test: (form) =>
      ask(form, async (model) => {
        const found = findingOf(await model.test(), placeOf(form));
        if (found.tone !== 'good') return found;
        // a list proves little, so a tiny answer is asked for, too
        const format = await model.probe();
        formats.set(keyOf(form), format);
        return { ...found, text: `${found.text} ${form.native ? NATIVE : FORMATS[format]}` };
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
        connected.value = { model: counted(model, `${form.baseUrl}/chat/completions`, note), name: form.model, origin };
      });
      return true;
    },
    disconnect() {
      connected.peek()?.model.close();
      connected.value = undefined;
    },
  };
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

function placeOf({ baseUrl, model }: EndpointForm): TestedModel {
  return { origin: new URL(baseUrl).origin, model, page: location.origin };
}

const NATIVE = 'It is asked by calls of its own tools.';

const FORMATS = {
  json_schema: 'It keeps to a schema.',
  'openai-strict': 'It keeps to a schema by the rules of OpenAI.',
  json_object: 'It keeps to JSON, but to no schema: expect more refusals.',
  none: 'The server cannot hold the model to a form of answer, so expect many refusals.',
} as const;

function broken(error: unknown): EndpointFinding {
  return { tone: 'bad', text: `It lists its models, but gives no answer. ${sentenceOf(error)}` };
}

function counted(model: EndpointModel, url: string, note: (url: string) => void): EndpointModel {
  return { ...model, propose: (request, io) => (note(url), model.propose(request, io)) };
}
