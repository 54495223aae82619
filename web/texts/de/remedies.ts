import type { RemedyTexts } from '../en/remedies.ts';

const NEW_TOKEN = 'Holen Sie ein neues Token.';
const TOKEN_OF_ISSUER = 'Holen Sie ein Zugriffstoken von dem Aussteller, den die Ressource nennt.';
const WITHOUT = 'Machen Sie ohne sie weiter.';
const OTHER = 'Verwenden Sie eine andere Fähigkeit.';
const LESS = 'Senden Sie weniger.';
const LESS_WORK = 'Verlangen Sie weniger Arbeit in einem Aufruf.';
const SMALLER_ARGUMENTS = 'Senden Sie kleinere Argumente.';
const SMALLER_RESULT = 'Verlangen Sie ein kleineres Ergebnis.';
const AGAIN = 'Schlagen Sie es noch einmal vor.';
const NEW_RUN = 'Beginnen Sie einen neuen Lauf.';
const LISTED = 'Verwenden Sie etwas aus der Liste.';
const OTHER_NAME = 'Wählen Sie einen anderen Namen.';
const CHECK_FIRST = 'Prüfen Sie es nach, bevor Sie es wiederholen.';
const RECORD_ALTERED = 'Der Eintrag wurde verändert.';
const UNRECORDED = 'nichts läuft, ohne festgehalten zu werden.';

export const remedies: RemedyTexts = {
  // Decode
  limit_size: LESS,
  utf8: 'Kodieren Sie den Text als UTF-8.',
  bom: 'Senden Sie den JSON-Text ohne diese Marke.',
  limit_depth: 'Machen Sie den Wert flacher.',
  limit_nodes: 'Senden Sie weniger Werte.',
  json_syntax: 'Senden Sie genau ein JSON-Objekt und sonst nichts.',
  duplicate_member: 'Entfernen Sie eines davon.',
  lone_surrogate: 'Senden Sie wohlgeformtes Unicode.',
  number_precision: 'Senden Sie die Zahl als String.',
  not_json: 'Senden Sie null, Wahrheitswerte, endliche Zahlen, Strings, Arrays und einfache Objekte.',

  // Protocol
  not_object: 'Senden Sie ein einziges JSON-Objekt.',
  form_none: 'Senden Sie eine dieser Formen.',
  form_both: 'Senden Sie genau eine.',
  missing_member: 'Fügen Sie es hinzu; nichts wird ergänzt.',
  unknown_member: 'Entfernen Sie es.',
  wrong_type: 'Senden Sie den richtigen Typ; nichts wird umgewandelt.',
  intent_empty: 'Sagen Sie, wozu die Arbeit dient.',
  symbol_syntax: 'Schreiben Sie @NAMENSRAUM/NAME, nur mit A-Z a-z 0-9 . _ -.',
  operation_unknown: 'Verwenden Sie READ, WRITE oder EXECUTE.',
  limit_operations: 'Senden Sie sie in mehreren Nachrichten.',
  target_undeclared: 'Führen Sie jedes Ziel in refs auf.',
  output_name: 'Verwenden Sie 1 bis 64 der Zeichen A-Z a-z 0-9 . _ und -.',
  output_twice: 'Nennen Sie jede Ausgabe einmal.',

  // Call
  unknown_capability: 'Namen gelten genau, auch in Groß und Klein; verwenden Sie einen aus der Liste.',
  arguments_schema: 'Senden Sie Argumente, die zum Schema passen.',
  held_form: 'Schreiben Sie {"$held":"h12"}, für einen Teil des Werts {"$held":"h12","at":"/0/subject"}.',
  held_place:
    'Setzen Sie Griffe in die args eines EXECUTE; schreiben Sie, und rufen Sie held.read auf, in einer eigenen Nachricht.',
  held_unknown: 'Verwenden Sie einen Griff, den ein Ergebnis dieses Laufs genannt hat.',
  schema_fuel: SMALLER_ARGUMENTS,
  schema_memory: SMALLER_ARGUMENTS,
  validator_lost: AGAIN,

  // Definition
  definition_invalid: 'Korrigieren Sie die Definition.',
  source_refused: 'Korrigieren Sie den Quelltext.',
  history_large: 'Geben Sie ihr weniger Läufe, zum Beispiel die neuesten.',
  hold_unsupported: 'Lesen Sie sie dort, wo eine Person es darf: mit runtime.ledger oder mit sallyport show.',
  grant_widens: 'Verlangen Sie nicht mehr, als die Freigabe erlaubt.',
  capability_twice: OTHER_NAME,
  option_invalid: 'Korrigieren Sie sie; nichts wird umgewandelt oder ergänzt.',
  schema_refused: 'Ändern Sie das Schema; nichts wird angenähert.',
  schema_too_large: 'Teilen Sie es, oder lassen Sie Teile weg.',

  // Content
  symbol_unknown: LISTED,
  symbol_twice: OTHER_NAME,
  symbol_ambiguous: 'Nennen Sie den Abschnitt bei seiner Kennung.',
  target_unknown: LISTED,
  target_kind: 'Verwenden Sie ein anderes Symbol oder eine andere Operation.',
  target_gone: 'Definieren Sie das Symbol neu.',
  section_unknown: 'Verwenden Sie einen Abschnitt aus der Liste.',
  section_range: 'Indizieren Sie die Datei neu.',
  slice_syntax: 'Schreiben Sie lines[a:b], chars[a:b], head(n) oder tail(n).',
  slice_bounds: 'Verlangen Sie einen Bereich, den es gibt und der nicht leer ist.',
  slice_unbounded: 'Verlangen Sie die Zeilen, die Sie brauchen.',
  content_utf8: 'Speichern Sie die Datei als UTF-8.',
  content_missing: 'Indizieren Sie den Inhalt neu.',
  content_changed: 'Lesen Sie ihn noch einmal, bevor Sie weitermachen.',
  content_unwritten: 'Nennen Sie einen Schritt, dessen Einträge eine Änderung enthalten.',
  content_unended: 'Beenden Sie den Inhalt mit einem Zeilenumbruch.',
  content_neighbour:
    'Schließen Sie, was der Inhalt öffnet, beginnen Sie ihn mit einer Überschrift derselben Ebene, und beenden Sie ihn mit einer leeren Zeile; oder schreiben Sie die ganze Datei.',
  path_invalid: 'Schreiben Sie einen relativen Pfad mit / zwischen seinen Teilen.',
  path_twice: 'Geben Sie jede Datei einmal an.',

  // Authorization
  capability_gone: 'Verwenden Sie eine Fähigkeit aus der Liste.',
  capability_disabled: 'Bitten Sie die Person, sie einzuschalten, oder machen Sie ohne sie weiter.',
  no_grant: WITHOUT,
  grant_denied: WITHOUT,
  definition_changed:
    'Ein Mensch muss die Definitionen vergleichen und die neue auf der Seite von sallyport mcp annehmen.',
  grant_expired: WITHOUT,
  grant_used_up: WITHOUT,
  grant_rate: 'Warten Sie so lange, oder machen Sie ohne sie weiter.',
  read_unasked: 'Schlagen Sie ein READ vor, oder bitten Sie um eine Freigabe für content.read, die nicht fragt.',
  grant_constraint: 'Verwenden Sie Argumente, die die Freigabe abdeckt.',
  held_failed: 'Sehen Sie sich an, wie jener Aufruf ausging.',
  held_beyond: 'Sehen Sie sich den Wert an.',
  held_large: 'Verwenden Sie in einem Aufruf weniger Werte.',
  permission_revoked: 'Prüfen Sie, was sie getan hat, und machen Sie ohne sie weiter.',
  approval_denied: WITHOUT,
  approval_unavailable: WITHOUT,
  approval_pending:
    'Sagen Sie es dem Menschen, und rufen Sie dann mit denselben Argumenten noch einmal auf: Dieser Aufruf bekommt das Ergebnis.',
  approval_deferred: 'Warten Sie die Antwort ab; der Aufruf wird dann noch einmal vorgeschlagen.',
  approval_failed: WITHOUT,
  authorizer_denied: WITHOUT,
  token_missing: 'Senden Sie Authorization: Bearer TOKEN.',
  token_form: TOKEN_OF_ISSUER,
  token_algorithm: 'Lassen Sie den Aussteller mit RS256, ES256 oder EdDSA unterschreiben.',
  token_issuer: TOKEN_OF_ISSUER,
  token_audience: 'Verlangen Sie vom Aussteller ein Token, dessen Empfänger (aud) die Adresse dieser Ressource ist.',
  token_expired: NEW_TOKEN,
  token_early: 'Warten Sie bis zu seinem nbf, oder stellen Sie die Uhr richtig.',
  token_key: NEW_TOKEN,
  token_signature: NEW_TOKEN,
  issuer_unreachable: 'Versuchen Sie es später noch einmal.',
  assertion_missing: 'Unterschreiben Sie mit einem Passkey, den die Erlaubnis nennt.',
  assertion_repeated: 'Lassen Sie eine andere Person unterschreiben, die die Erlaubnis nennt.',
  question_unknown: 'Öffnen Sie den Lauf, der diese Frage stellt, und antworten Sie dort.',
  question_answered: 'Sehen Sie sich die erste Antwort an; sie zählt.',
  edit_unavailable: 'Antworten Sie mit Ja oder Nein.',
  edit_stale: 'Sehen Sie sich den geänderten Aufruf noch einmal an, und antworten Sie mit seinem Digest.',
  replaced:
    'Was geändert wurde und was daraus geworden ist, steht in details.instead; wiederholen Sie den Aufruf nicht.',
  assertion_form: 'Unterschreiben Sie noch einmal.',
  assertion_key: 'Unterschreiben Sie mit einem Passkey, den die Erlaubnis nennt.',
  assertion_challenge: 'Unterschreiben Sie die Antwort auf diese Frage.',
  assertion_origin:
    'Unterschreiben Sie auf einer Seite des Ursprungs, den die Erlaubnis nennt, oder melden Sie den Passkey dort an.',
  assertion_rp: 'Unterschreiben Sie mit dem Passkey, der für diese Seite gemacht wurde.',
  assertion_framed: 'Unterschreiben Sie in einem eigenen Fenster.',
  assertion_unverified:
    'Unterschreiben Sie noch einmal, mit PIN, Fingerabdruck oder Gesicht, wie der Passkey es verlangt.',
  assertion_signature: 'Unterschreiben Sie noch einmal.',
  consent_denied: 'Verwenden Sie ein Modell auf diesem Gerät, oder eine andere Aufgabe.',
  model_elsewhere: 'Setzen Sie ihn mit seinem eigenen Modell fort, oder mit einem auf diesem Gerät.',
  run_foreign: 'Lesen Sie ihn, oder führen Sie ihn noch einmal aus; beginnen Sie für seine Aufgabe einen neuen Lauf.',

  // Budget
  budget_symbols: 'Verweisen Sie auf weniger Symbole.',
  budget_sections: 'Verwenden Sie weniger Abschnitte.',
  budget_bytes: 'Verlangen Sie einen kleineren Ausschnitt.',
  budget_expands: 'Lesen Sie weniger in einem Schritt.',
  budget_run: 'Schließen Sie mit dem ab, was Sie haben.',
  budget_raised: 'Eine Nachricht darf die Budgets ihres Laufs senken, aber nie erhöhen.',

  // Execution
  capability_threw: 'Ändern Sie die Argumente, oder verwenden Sie eine andere Fähigkeit.',
  effect_done: 'Wiederholen Sie nicht denselben Aufruf; prüfen Sie zuerst, was er getan hat.',
  args_refused: 'Ändern Sie die Argumente; ausgeführt wurde nichts.',
  args_transformed: 'Wer das Programm schreibt, muss Werte in run ändern, nicht im Schema; ausgeführt wurde nichts.',
  host_failed: 'Prüfen Sie, was sie getan hat, bevor Sie sie wiederholen, oder machen Sie ohne sie weiter.',
  fuel_exhausted: LESS_WORK,
  memory_exceeded: LESS_WORK,
  stack_exceeded: 'Verlangen Sie weniger tief verschachtelte Arbeit.',
  deadline_exceeded: LESS_WORK,
  hang_killed: WITHOUT,
  hung_before: WITHOUT,
  jobs_exceeded: LESS_WORK,
  tool_gone: 'Stellen Sie das Werkzeug mit derselben Definition bereit, oder machen Sie ohne es weiter.',
  power_failed: WITHOUT,
  power_unknown: 'Öffnen Sie die Laufzeit mit dieser Befugnis.',
  power_arguments: OTHER,
  power_result: WITHOUT,
  power_timeout: CHECK_FIRST,
  power_interrupted: CHECK_FIRST,
  kept_key: 'Verwenden Sie einen kurzen Text.',
  kept_value: 'Bewahren Sie unter einem Schlüssel weniger auf.',
  store_held:
    'Beginnen Sie einen neuen Lauf, oder lassen Sie einen Menschen die Markierung des Speichers zurücknehmen.',
  kept_keys: 'Legen Sie null unter die Schlüssel, die nicht mehr gebraucht werden.',
  power_calls_exceeded: LESS_WORK,
  bytes_in_exceeded: LESS,
  console_exceeded: LESS_WORK,
  call_aborted: 'Beginnen Sie einen neuen Lauf; dieser ist beendet.',
  heap_corrupt: AGAIN,
  worker_lost: 'Laden Sie die Seite neu, oder starten Sie das Programm neu.',
  interrupted: CHECK_FIRST,

  // Output
  result_not_json: OTHER,
  result_schema: OTHER,
  bytes_out_exceeded: SMALLER_RESULT,
  reply_omitted: SMALLER_RESULT,
  output_missing: 'Nennen Sie eine Operation, die sie ergibt.',

  // Run
  run_open: 'Verwenden Sie ihn dort, wo er offen ist.',
  run_suspended: 'Er geht mit resume() einer späteren Laufzeit weiter.',
  run_kept: 'Löschen Sie ihn nach dieser Zeit.',
  model_exhausted: NEW_RUN,
  model_failed: 'Prüfen Sie das Modell, und setzen Sie den Lauf dann fort.',
  runtime_failed: 'Öffnen Sie die Laufzeit neu, und setzen Sie den Lauf fort.',
  limit_steps: NEW_RUN,
  limit_tokens: 'Beginnen Sie einen neuen Lauf mit einer höheren Grenze, oder mit einer kürzeren Aufgabe.',
  limit_refusals: 'Beginnen Sie einen neuen Lauf mit anderen Anweisungen.',
  limit_wall: NEW_RUN,
  message_unserved: 'Senden Sie eine Nachricht, die dieser Server kennt.',
  answer_unknown: 'Rufen Sie das Werkzeug noch einmal auf.',
  calls_busy: 'Warten Sie auf eine Antwort, und rufen Sie dann noch einmal auf.',
  session_limited: 'Ein Mensch muss diese Grenze erhöhen; bis dahin wird jeder Aufruf abgelehnt.',

  // Storage
  facts_altered: 'Prüfen Sie das Protokoll.',
  undo_impossible: 'Nehmen Sie einen Teil ohne diese Aufrufe zurück; nichts wurde geändert.',
  undo_done: 'Sehen Sie sich diesen Lauf an; nichts wurde geändert.',
  undo_open: 'Warten Sie auf sein Ende, oder verlangen Sie dasselbe noch einmal, damit er weitergeht.',
  run_erased: 'Beginnen Sie für seine Aufgabe einen neuen Lauf; lesen, prüfen oder löschen Sie diesen.',
  payload_missing: 'Vielleicht wurden sie entfernt.',
  log_failed: `Schaffen Sie Platz im Speicher; ${UNRECORDED}`,
  head_moved: 'Lesen Sie ihn nur mit, oder übernehmen Sie ihn ab seinem neuen Kopf.',
  run_absent: 'Sehen Sie in der Liste der Läufe nach.',
  backup_refused:
    'Verwenden Sie eine ganze Sicherung dieses Protokolls, oder leeren Sie es zuerst; nichts wurde verändert.',
  run_sealed: NEW_RUN,
  store_absent:
    'Verlassen Sie den privaten Modus, erlauben Sie der Website (ein Rahmen ist eine eigene), Daten zu speichern, oder halten Sie das Protokoll im Arbeitsspeicher.',
  store_blocked: 'Schließen Sie die anderen Tabs dieser Seite; gibt es keine, starten Sie den Browser neu.',
  store_newer: 'Aktualisieren Sie, oder exportieren Sie es dort.',
  log_lost:
    'Stellen Sie eine Datenbank so wieder her, wie sie war. In einem Browser hat eine neue Epoche begonnen, und ihr erster Eintrag sagt es; ältere Läufe gibt es nur dort, wohin sie exportiert wurden.',
  mirror_lost: `Laden Sie die Seite neu; ${UNRECORDED}`,
  store_busy: 'Schließen Sie die anderen Tabs, und versuchen Sie es noch einmal.',
  store_locked:
    'Beenden Sie diesen Prozess, oder öffnen Sie ein anderes Verzeichnis. Ein Prozess, der in einem anderen Container, auf einer anderen Maschine oder vor einem Neustart dieser Maschine getötet wurde, behält es 30 Sekunden lang. Mehrere Prozesse teilen sich ein Protokoll in SQLite: sallyport/sqlite, ab Node 22.',
  port_taken:
    'Beenden Sie dieses Programm, oder nennen Sie einen anderen Port. Ein Passkey gehört zu dem Port, an dem er gemacht wurde.',
  store_readonly: 'Verbinden Sie sich mit dem Server, der Änderungen annimmt; ein Replikat lässt sich nur lesen.',
  store_denied: 'Verwenden Sie eine Rolle mit diesem Recht, oder lassen Sie es vom Eigentümer der Datenbank erteilen.',
  store_unopened: 'Korrigieren Sie, was das Programm als Speicher nennt; geschrieben wurde nichts.',
  store_damaged:
    'Stellen Sie die ganze Datei oder Datenbank wieder her, oder spielen Sie eine Sicherung an anderer Stelle ein; nichts wurde verändert.',
  store_full: `Schaffen Sie Platz im Speicher; ${UNRECORDED}`,
  store_lost: 'Öffnen Sie das Protokoll wieder, auf einer Seite durch Neuladen; was bestätigt wurde, ist aufbewahrt.',
  decision_differs: 'Der Eintrag folgt nicht aus dem, was vor ihm festgehalten ist.',
  replay_differs: 'Entweder wurde der Eintrag verändert, oder eine andere Engine hat ihn gemacht.',
  not_replayed:
    'Verlassen Sie sich nur so weit darauf, wie Sie der Herkunft der Datei vertrauen; die Datei enthält dafür keinen Nachweis.',

  // Ledger
  receipt_incomplete: 'Hängen Sie einen vollständigen an; ohne ihn wird nichts angehängt.',
  record_malformed: 'Die Datei wurde verändert oder beschädigt.',
  export_malformed: 'Die Datei wurde verändert, beschädigt oder abgeschnitten.',
  body_altered: RECORD_ALTERED,
  record_altered: RECORD_ALTERED,
  payload_altered: 'Die Payload wurde verändert.',
  payload_unnamed: 'Sie wurde der Datei hinzugefügt.',
  payload_beginning: 'Was davon gezeigt wird, gilt so, wie es festgehalten ist.',
  chain_broken: 'Einträge wurden entfernt, hinzugefügt oder verschoben.',
  end_disagrees: 'Am Ende wurden Einträge entfernt oder hinzugefügt.',
  anchor_disagrees: 'Vertrauen Sie dem Anker, nicht dieser Datei.',
  anchor_foreign: 'Lassen Sie sich einen Anker des Protokolls geben, in dem der Lauf entstanden ist.',
  anchor_malformed: 'Kopieren Sie ANZAHL:KOPF oder den Text eines Checkpoints noch einmal; nichts wurde verglichen.',
  anchor_of_store: 'Verwahren Sie den Kopf an einem anderen Ort, und vergleichen Sie den Lauf damit.',
  store_disagrees: 'Eines von beiden wurde verändert; ein Kopf von anderswo zeigt, welches.',
  export_cut: 'Lassen Sie sich die ganze Datei geben, oder exportieren Sie sie noch einmal.',
  export_absent: 'Öffnen Sie, was „Exportieren“ gespeichert hat: JSONL, oder eine Seite, die es enthält.',
  checkpoint_malformed: 'Verwenden Sie den Text so, wie er exportiert wurde.',
  engine_other: 'Spielen Sie den Lauf in einer Version mit seiner Engine nach, um auch sie zu vergleichen.',
  behaviour_other:
    'Treffen Sie die Entscheidungen neu, oder setzen Sie ihn fort, in einer Version mit dem Verhalten des Laufs; hier lässt er sich exportieren, und seine Hashes lassen sich prüfen.',

  // Witness
  checkpoint_unsigned:
    'Bitten Sie den Eigentümer des Protokolls um seinen Checkpoint, und auf einem anderen Weg um seinen Schlüssel.',
  log_forked:
    'Bewahren Sie beide als Nachweis auf: Einträge wurden neu geschrieben, oder zwei Leser sahen zwei Protokolle.',
  log_rolled_back:
    'Bewahren Sie beide als Nachweis auf: Einträge gingen verloren oder wurden entfernt, oder eine ältere Kopie wurde eingespielt.',
  tiles_malformed: 'Veröffentlichen Sie das Protokoll noch einmal; nichts wurde verglichen.',
};
