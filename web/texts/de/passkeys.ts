import type { PasskeyTexts } from '../en/passkeys.ts';

export const passkeys: PasskeyTexts = {
  sign: 'Mit Passkey unterschreiben',
  wanted: (of, names) => `Das Ja muss mit einem Passkey unterschrieben werden, von ${of} von: ${names}.`,
  signed: (count, of, names) => `${count} von ${of} haben unterschrieben: ${names}.`,
  signing: 'Ihr Gerät fragt nach dem Passkey.',
  troubles: {
    ip_address:
      'Eine Seite unter einer IP-Adresse kann keine Passkeys haben. Öffnen Sie sie unter einem Namen, etwa localhost.',
    insecure: 'Eine Seite ohne https kann keine Passkeys haben.',
    unsupported: 'Dieser Browser hat für diese Seite keine Passkeys.',
    framed: 'Eine Unterschrift im Rahmen einer anderen Seite zählt nicht. Unterschreiben Sie in einem eigenen Fenster.',
    forbidden: 'Der Server dieser Seite oder die Seite um sie herum verbietet hier Passkeys.',
    storage:
      'Diese Seite darf hier nichts speichern, also könnte sie den öffentlichen Schlüssel eines Passkeys nicht behalten.',
    nameless: 'Geben Sie den Namen der Person an.',
    lost: (names) =>
      `Dieser Browser hat die Passkeys von ${names} nicht. Ein privates Fenster und gelöschter Speicher verlieren sie: Legen Sie einen neuen Passkey an, und lassen Sie ihn in der Erlaubnis nennen.`,
    elsewhere: (origins) => `Diese Passkeys wurden auf einer Seite von ${origins} angelegt. Unterschreiben Sie dort.`,
    all_signed: (names) => `${names}: schon unterschrieben. Eine andere Person muss unterschreiben.`,
    not_signed:
      'Nichts wurde unterschrieben: Die Anfrage wurde abgebrochen oder dauerte zu lange, oder diesem Gerät fehlt der Passkey. Die Frage ist noch offen.',
    not_made: 'Kein Passkey wurde angelegt: Die Anfrage wurde abgebrochen oder dauerte zu lange.',
    repeated: (name) => `Dieses Gerät hat für diese Seite schon einen Passkey von ${name}.`,
    unsuitable: 'Dieses Gerät hat keinen Passkey, der nach PIN, Fingerabdruck oder Gesicht fragt.',
    site: 'Der Browser lässt diese Seite diese Passkeys nicht verwenden: Sie gehören zu einer anderen Seite.',
    busy: 'Der Browser ist mit einer anderen Anfrage nach einem Passkey beschäftigt. Beenden Sie sie, und versuchen Sie es noch einmal.',
    unreadable:
      'Das Gerät hat einen Passkey von einer Art angelegt, die sich nicht prüfen lässt. Nehmen Sie ein anderes Gerät.',
    failed: (message) => `Der Browser konnte nicht nach dem Passkey fragen: ${message}`,
  },
};
