/**
 * Puts a message into the outbox, from which a mail program would send it. The sandbox has no network.
 *
 * @param {{ to: string, subject: string, text: string }} args
 */
export default async function ({ to, subject, text }) {
  return { kept_in: 'receipt', outbox: { to, subject, text } };
}
