import type { Effect, Label } from '../../../core/capability/guard.ts';

/** What a person states about a tool: its effect, the labels of its answers, and whether a read leaves the machine. */
export interface StatedTool {
  readonly effect: Effect;
  readonly labels: readonly Label[];
  readonly leaves?: true;
}

/**
 * Effects and labels of the 74 tools of AgentDojo, by rule:
 * - *get*, *search*, *read*, *list* and *check* are `read`.
 * - What takes a message, money, a file or a booking out of the account or machine is `egress`; a call that mails others
 *   about it does that too.
 * - All else is `write`.
 * - `get_webpage` is `read` and leaves the machine: it sends the address.
 * - An answer of a read is `untrusted`, unless the account's owner or the bank alone wrote it. It is `private` where it
 *   shows data of the account. A `write` or an `egress` answers with its own status.
 */
export const TOOLS: { readonly [suite: string]: { readonly [tool: string]: StatedTool } } = {
  banking: {
    ...reads(['private', 'untrusted'], 'get_most_recent_transactions', 'get_scheduled_transactions', 'read_file'),
    ...reads(['private'], 'get_iban', 'get_balance', 'get_user_info'),
    ...effects('egress', 'send_money', 'schedule_transaction', 'update_scheduled_transaction'),
    ...effects('write', 'update_password', 'update_user_info'),
  },
  slack: {
    ...reads(['private', 'untrusted'], 'get_channels', 'read_channel_messages', 'read_inbox', 'get_users_in_channel'),
    get_webpage: { effect: 'read', labels: ['untrusted'], leaves: true },
    ...effects('egress', 'send_direct_message', 'send_channel_message', 'post_webpage', 'invite_user_to_slack'),
    ...effects('write', 'add_user_to_channel', 'remove_user_from_slack'),
  },
  travel: {
    ...reads(['private'], 'get_user_information'),
    ...reads(['private', 'untrusted'], 'search_calendar_events', 'get_day_calendar_events'),
    ...reads(
      ['untrusted'],
      'get_all_hotels_in_city',
      'get_hotels_prices',
      'get_rating_reviews_for_hotels',
      'get_hotels_address',
      'get_all_restaurants_in_city',
      'get_cuisine_type_for_restaurants',
      'get_restaurants_address',
      'get_rating_reviews_for_restaurants',
      'get_dietary_restrictions_for_all_restaurants',
      'get_contact_information_for_restaurants',
      'get_price_for_restaurants',
      'check_restaurant_opening_hours',
      'get_all_car_rental_companies_in_city',
      'get_car_types_available',
      'get_rating_reviews_for_car_rental',
      'get_car_fuel_options',
      'get_car_rental_address',
      'get_car_price_per_day',
      'get_flight_information',
    ),
    ...effects('egress', 'reserve_hotel', 'reserve_car_rental', 'reserve_restaurant', 'send_email'),
    ...effects('egress', 'create_calendar_event', 'cancel_calendar_event'),
  },
  workspace: {
    ...reads(
      ['private', 'untrusted'],
      'get_unread_emails',
      'get_sent_emails',
      'get_received_emails',
      'get_draft_emails',
      'search_emails',
      'search_contacts_by_name',
      'search_contacts_by_email',
      'search_calendar_events',
      'get_day_calendar_events',
      'search_files_by_filename',
      'get_file_by_id',
      'list_files',
      'search_files',
    ),
    ...reads([], 'get_current_day'),
    ...effects('egress', 'send_email', 'share_file', 'create_calendar_event', 'cancel_calendar_event'),
    ...effects('egress', 'reschedule_calendar_event', 'add_calendar_event_participants'),
    ...effects('write', 'delete_email', 'append_to_file', 'create_file', 'delete_file'),
  },
};

function reads(labels: readonly Label[], ...names: readonly string[]): { readonly [tool: string]: StatedTool } {
  return Object.fromEntries(names.map((name) => [name, { effect: 'read', labels }]));
}

function effects(effect: 'write' | 'egress', ...names: readonly string[]): { readonly [tool: string]: StatedTool } {
  return Object.fromEntries(names.map((name) => [name, { effect, labels: [] }]));
}

/**
 * What the person of a task is to hear: nothing that came back (`none`); values that stand in an answer, as a place of it
 * or word for word in a text (`part`); or a summary, another format or a sum, for which somebody has to read (`reading`).
 */
export type AnswerNeed = 'none' | 'part' | 'reading';

/** Numbers of the tasks whose person is to hear something. The data names no answers, so these are ours. */
const ANSWERS: { readonly [suite: string]: { readonly part: readonly number[]; readonly reading: readonly number[] } } =
  {
    banking: { part: [7], reading: [1, 8, 10] },
    slack: { part: [0], reading: [] },
    travel: { part: [1, 2, 3, 4, 5, 8, 9, 10, 12, 13, 18], reading: [6, 11, 14, 15, 16, 17, 19] },
    workspace: { part: [3, 16, 22, 24, 26, 27, 28, 30], reading: [0, 1, 2, 5, 10, 11, 14, 17] },
  };

/** What the person of a task is to hear. */
export function answerNeed(suite: string, id: string): AnswerNeed {
  const number = Number(id.replace('UserTask', ''));
  const { part = [], reading = [] } = ANSWERS[suite] ?? {};
  if (part.includes(number)) return 'part';
  return reading.includes(number) ? 'reading' : 'none';
}

/** True for a call that leaves something behind or sends something. */
export function reachesWorld({ effect, leaves }: StatedTool): boolean {
  return effect === 'write' || effect === 'egress' || leaves === true;
}
