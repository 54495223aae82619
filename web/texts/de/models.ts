import { html } from 'lit';
import type { EndpointTexts } from '../en/endpoint.ts';
import type { EndpointDialogTexts } from '../en/endpoint-dialog.ts';
import type { ModelTexts } from '../en/models.ts';
import { number, plural } from '../intl.ts';

export const models: ModelTexts = {
  which: 'Welches Modell',
  offers: {
    small: {
      word: 'Ein kleines Modell, in dieser Seite',
      hint: 'Unseres: 0,7 Megabyte, und es kennt 15 Werkzeuge.',
    },
    gguf: {
      word: 'Eine GGUF-Datei auf diesem Gerät',
      hint: 'Ein eigenes Modell, mit llama.cpp in WebAssembly.',
    },
    browser: { word: 'Das Modell des Browsers', hint: 'Der Browser bewahrt es auf.' },
    server: { word: 'Ein Modellserver', hint: 'Auf diesem Gerät oder anderswo, in der Form von OpenAI.' },
  },
  places: {
    page: 'in dieser Seite',
    browser: 'vom Browser aufbewahrt',
    threads: (threads) => `auf diesem Gerät, in ${plural(threads, { one: '# Thread', other: '# Threads' })}`,
  },
  names: { small: 'Das kleine Modell', browser: 'Das Modell des Browsers' },
  changeServer: 'Server wechseln',
  anyServer: 'Jeder Server, der die Form von OpenAI spricht, ist geeignet: Ollama, llama.cpp, LM Studio, vLLM.',
  connect: 'Ein Modell verbinden',
  knowsForms: 'Es kennt die Drahtformen XCT und FemtoClaw. Wählen Sie unten eine davon.',
  rate: (tokens) => `, ${number(tokens, { maximumFractionDigits: 1 })} Tokens pro Sekunde`,
  begunWithout: 'Ein Lauf nennt sein Modell im ersten Eintrag, und dieser hat ohne es begonnen.',
  newRun: 'Neuer Lauf mit diesem Modell',
  cancel: 'Abbrechen',

  said: {
    title: 'Was es gesagt hat',
    step: (step) => `Schritt ${step}`,
    failed: (code) =>
      html`In der Sandbox gescheitert: ${code}. Das Modell erfährt den Grund und kann sich korrigieren.`,
    refused: (gate, code) =>
      html`Abgelehnt bei ${gate}: ${code}. Das Modell erfährt den Grund und kann sich korrigieren.`,
    aGate: 'einer Schranke',
    ran: (name) => html`${name} ist gelaufen.`,
    noWord: 'Wartet auf das erste Wort. „Abbrechen“ hält es an.',
    characters: (characters) => `Bisher ${plural(characters, { other: '# Zeichen' })}. „Abbrechen“ hält es an.`,
    saying: 'Was das Modell gerade sagt',
    words: 'Die Worte des Modells',
    explained:
      'Die Worte sind die des Modells: Es kann eine falsche Zahl flüssig aussprechen. Ein Wert ist, was die Fähigkeit zurückgab, und ihr Beleg beweist ihn.',
  },

  small: {
    constrain: () =>
      html`An die Form eines Vorschlags halten<span class="soft"> · sonst sagt es seinen wahrscheinlichsten Text, und mehr davon wird abgelehnt</span>`,
    limits: (_limits) =>
      'Es hat 0,7 Millionen Parameter und kennt fünfzehn Werkzeuge und kurze englische Aufgaben: Es ruft ein falsches Werkzeug so flüssig auf wie ein richtiges und sagt eine falsche Zahl so flüssig wie eine richtige. Vertrauen Sie also dem Beleg und nicht seinen Worten.',
    noWeights: 'Die Gewichte des kleinen Modells konnten nicht geladen werden. Wählen Sie es online noch einmal.',
    elsewhere:
      'Das kleine Modell ist ein eigenes Paket. Führen Sie npm install sallyport-small-model aus, und starten Sie den Server dann neu.',
  },

  browser: {
    asking: 'Der Browser wird gefragt …',
    states: {
      unavailable: 'Dieser Browser hat die Schnittstelle, aber kein Modell für dieses Gerät.',
      downloadable: 'Der Browser kann sein Modell herunterladen. Er bewahrt es für alle Seiten auf.',
      downloading: 'Der Browser lädt sein Modell herunter.',
      available: 'Der Browser hat sein Modell auf diesem Gerät.',
    },
    explained:
      'Die Seite sieht nur seine Worte. Was es hinter seiner Schnittstelle tut, entscheidet sein Hersteller: Der Browser darf seine Antworten prüfen, und sein Anbieter sagt, was das Gerät verlässt.',
    use: 'Verwenden',
    download: 'Herunterladen',
    preparing: 'Wird vorbereitet …',
    progress: 'Herunterladen des Modells des Browsers',
  },

  gguf: {
    label: 'Modelle auf diesem Gerät',
    loaded: 'Geladen',
    load: 'Laden',
    loadNamed: (name) => `${name} laden`,
    remove: 'Entfernen …',
    removeNamed: (name) => `${name} entfernen …`,
    removeQuestion: (name, size) =>
      html`${name} von diesem Gerät entfernen? ${size} werden frei. Die Einträge seiner Läufe bleiben.`,
    leave: 'Behalten',
    removeIt: 'Entfernen',
    pick: 'GGUF-Datei auswählen',
    drop: 'Oder legen Sie sie hier ab. Sie wird in die privaten Dateien dieser Seite kopiert und antwortet von da an ohne Netz.',
    loading: (name) => `${name} wird geladen`,
    copying: (name) => `${name} wird kopiert`,
    reading: (name) => `${name} wird gelesen`,
    noEngine: 'Die Engine konnte nicht geladen werden. Sie kommt mit dem ersten Modell, sobald das Gerät online ist.',
    noEngineHere:
      'Dieser Playground hat keine Engine für GGUF-Modelle, wie der des npm-Pakets, das diese 9 MB weglässt. Der Playground des Repositorys hat sie: Führen Sie dort npm start aus. Auch ein Modellserver kann die Datei anbieten.',
    noRoom: (name, size, room) =>
      `${name} hat ${size}, und der Browser hat noch ${room} für diese Seite. Entfernen Sie ein anderes Modell, oder schaffen Sie Platz auf dem Datenträger.`,
    oneThread: 'Die Engine rechnet in einem Thread, weil diese Seite nicht von anderen Origins isoliert ist.',
    threads: (threads) => `Die Engine rechnet in ${number(threads)} Threads.`,
    withGpu: 'Dieser Browser hat WebGPU; die Engine rechnet auf dem Prozessor und braucht es nicht.',
    withoutGpu: 'Hier gibt es kein WebGPU; die Engine rechnet auf dem Prozessor und braucht es nicht.',
    limit: 'Ein Modell und sein Kontext haben zusammen höchstens 4 GB.',
    unknown: 'unbekannt',
    notGguf: 'Diese Datei ist kein Modell im Format GGUF. Wählen Sie eine Datei, die auf .gguf endet.',
    cutInHead: (used) =>
      `Diese Datei ist abgeschnitten: Sie endet nach ${used}, mitten in ihrem Kopf. Laden Sie sie noch einmal herunter.`,
    cut: (used, size) =>
      `Diese Datei ist abgeschnitten: Sie hat ${used} von ${size}. Laden Sie sie noch einmal herunter.`,
    tooLarge: (used, limit) =>
      `Dieses Modell braucht ${used} Arbeitsspeicher, und hier sind ${limit} die Grenze: Die Adressen der Engine enden bei 4 GB, und das Gerät hat vielleicht weniger. Wählen Sie ein kleineres Modell oder eines mit weniger Bits pro Gewicht (Q4).`,
    noMemory:
      'Der Browser hat jetzt nicht genug Arbeitsspeicher für dieses Modell. Schließen Sie andere Tabs, oder wählen Sie ein kleineres Modell.',
    noMemory64:
      'Diesem Browser fehlt der 64-Bit-Speicher für WebAssembly, den die Engine braucht. Ein aktuelles Chromium oder Firefox hat ihn.',
    notLoaded:
      'Die Engine kennt dieses Modell nicht. Vielleicht ist seine Datei nur ein Teil eines Modells oder neuer als die Engine.',
  },
};

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
  httpError: (origin, http, said) =>
    said === undefined
      ? `${origin} antwortet mit einem Fehler (HTTP ${http}). Sehen Sie im Protokoll des Servers nach.`
      : `${origin} antwortet mit einem Fehler (HTTP ${http}): „${said}“`,
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

export const endpointDialog: EndpointDialogTexts = {
  title: 'Ein Modellserver',
  close: 'Schließen',
  server: 'Server',
  otherServer: 'Ein anderer Server',
  base: 'Basis-URL',
  baseHint: 'Jeder Server mit der Schnittstelle von OpenAI: Ollama, llama.cpp, LM Studio, vLLM.',
  model: 'Modell',
  key: 'Schlüssel, falls nötig',
  keyHint:
    'Bleibt im Arbeitsspeicher dieses Tabs und geht nur an diesen Server. Steht nie in Einträgen, Exporten oder Links.',
  native: 'Durch Aufrufe eigener Werkzeuge vorschlagen',
  nativeHint: ' · für gehostete Modelle; Modelle auf diesem Gerät halten sich besser an JSON-Text',
  list: 'Modelle auflisten',
  test: 'Verbindung testen',
  use: 'Dieses Modell verwenden',
  gates:
    'Die Vorschläge eines Modells passieren dieselben Schranken wie Ihre. Bevor private Daten an ein Modell außerhalb dieses Geräts gehen, fragt die Seite Sie.',
  asking: 'Anfrage läuft …',
  useAddress: (address) => `${address} verwenden`,
};
