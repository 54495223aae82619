import type { EndpointTexts } from '../en/endpoint.ts';
import { plural } from '../intl.ts';

export const endpoint: EndpointTexts = {
  ok: (origin, model) => `${origin} antwortet und hat ${model}.`,
  unknownModel: (origin, model) =>
    `${origin} antwortet, hat aber kein Modell ${model}. Wählen Sie eines, das dort liegt.`,
  unreachable: (origin) =>
    `Unter ${origin} antwortet nichts. Starten Sie den Server, prüfen Sie den Port, und erlauben Sie dieser Seite das lokale Netz, falls der Browser danach fragt.`,
  cors: (origin, page) =>
    `Unter ${origin} antwortet ein Server, lässt diese Seite die Antwort aber nicht lesen (CORS). Erlauben Sie dort den Ursprung ${page}. Ollama: OLLAMA_ORIGINS=${page}. LM Studio: CORS einschalten. vLLM: --allowed-origins '["${page}"]'.`,
  mixedContent:
    'Diese Seite kam über https, daher darf sie einfaches http nur auf diesem Gerät anfragen (Mixed Content). Verwenden Sie eine https-Adresse, oder betreiben Sie das Modell auf localhost.',
  redirected: (origin) =>
    `${origin} leitet an eine andere Adresse weiter. Ein Schlüssel wird dabei nie mitgesendet: Geben Sie die Adresse ein, an der die Weiterleitung endet.`,
  timeout: (origin) =>
    `${origin} hat die Verbindung angenommen, aber nicht rechtzeitig geantwortet. Warten Sie, bis der Server geladen hat.`,
  unauthorized: (origin, http) =>
    `${origin} lehnt den Schlüssel ab (HTTP ${http}). Geben Sie den Schlüssel dieses Servers ein.`,
  httpError: (origin, http) =>
    `${origin} antwortet mit einem Fehler (HTTP ${http}). Sehen Sie im Protokoll des Servers nach.`,
  notJson: (origin) =>
    `${origin} antwortet, aber nicht wie ein Modellserver: Es kam keine Liste von Modellen. Prüfen Sie die Adresse.`,
  untested: (origin) => `${origin} konnte nicht getestet werden.`,
  wrongPath: (origin, http) =>
    `${origin} hat unter dieser Adresse keine Liste von Modellen (HTTP ${http}). Die meisten Server haben sie unter /v1.`,
  otherPath: (origin, http, suggestion) =>
    `${origin} hat unter dieser Adresse keine Liste von Modellen (HTTP ${http}). Es gibt eine unter ${suggestion}.`,
  noModels: (origin) => `${origin} antwortet, hat aber keine Modelle. Laden Sie dort eines.`,
  models: (origin, models) =>
    `${origin} hat ${plural(models, { one: '# Modell', other: '# Modelle' })}. Wählen Sie eines.`,
  noAnswer: 'Der Server nennt seine Modelle, gibt aber keine Antwort.',
  native: 'Das Modell schlägt durch Aufrufe seiner eigenen Werkzeuge vor.',
  formats: {
    json_schema: 'Das Modell hält sich an ein Schema.',
    'openai-strict': 'Das Modell hält sich an ein Schema nach den Regeln von OpenAI.',
    json_object: 'Das Modell hält sich an JSON, aber an kein Schema: Rechnen Sie mit mehr Ablehnungen.',
    none: 'Der Server kann das Modell auf keine Form der Antwort festlegen, rechnen Sie also mit vielen Ablehnungen.',
  },
};
