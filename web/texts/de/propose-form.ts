import { html } from 'lit';
import type { ProposeFormTexts } from '../en/propose-form.ts';

export const proposeForm: ProposeFormTexts = {
  arguments: 'Argumente',
  allTools: 'Alle Werkzeuge',
  noArguments: 'Es nimmt keine Argumente.',
  edited: 'Sie haben den Vorschlag von Hand geändert, daher lässt das Formular ihn, wie er ist.',
  write: 'Aus dem Formular schreiben',
  asJson: '· als JSON',
  notJson: (why) => `Das ist kein JSON. ${why}`,
  include: (name) => html`${name} angeben`,
  remove: (name) => `${name} entfernen`,
  addTo: (name) => html`Zu ${name} hinzufügen`,
  hints: {
    integer: 'eine ganze Zahl',
    minimum: (limit) => `mindestens ${limit}`,
    exclusiveMinimum: (limit) => `mehr als ${limit}`,
    maximum: (limit) => `höchstens ${limit}`,
    exclusiveMaximum: (limit) => `weniger als ${limit}`,
    multipleOf: (limit) => `ein Vielfaches von ${limit}`,
    minLength: (limit) => `mindestens ${limit} Zeichen`,
    maxLength: (limit) => `höchstens ${limit} Zeichen`,
    format: (format) => `im Format ${format}`,
    pattern: (pattern) => `passt zu ${pattern}`,
    minItems: (limit) => `mindestens ${limit} Elemente`,
    maxItems: (limit) => `höchstens ${limit} Elemente`,
    uniqueItems: 'jedes Element einmal',
  },
};
