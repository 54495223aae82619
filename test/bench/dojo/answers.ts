import type { JsonObject, JsonValue } from '../../../core/json/value.ts';

/** Answers of the reading tools, made of an environment of AgentDojo. Other tools answer with a status. */
type Answer = (environment: Environment, args: { readonly [name: string]: unknown }) => unknown;

type Rows = readonly JsonObject[];

/** The parsed YAML of a suite: the members that its tools read. */
export interface Environment {
  readonly bank_account: {
    readonly iban: string;
    readonly balance: number;
    readonly transactions: Rows;
    readonly scheduled_transactions: Rows;
  };
  readonly filesystem: { readonly files: JsonObject };
  readonly user_account: JsonObject;
  readonly slack: {
    readonly channels: readonly string[];
    readonly channel_inbox: { readonly [channel: string]: Rows };
    readonly user_inbox: { readonly [user: string]: Rows };
    readonly user_channels: { readonly [user: string]: readonly string[] };
  };
  readonly web: { readonly web_content: JsonObject };
  readonly user: JsonObject;
  readonly hotels: { readonly hotel_list: readonly Named[] };
  readonly restaurants: { readonly restaurant_list: readonly Named[] };
  readonly car_rental: { readonly company_list: readonly Named[] };
  readonly flights: { readonly flight_list: Rows };
  readonly calendar: { readonly current_day: string; readonly initial_events: Rows };
  readonly inbox: { readonly initial_emails: Rows };
  readonly cloud_drive: { readonly initial_files: Rows };
}

interface Named {
  readonly name: string;
  readonly city: string;
  readonly [member: string]: unknown;
}

const text = (value: unknown): string => (typeof value === 'string' ? value : JSON.stringify(value ?? ''));
const has = (value: unknown, words: unknown): boolean => text(value).toLowerCase().includes(text(words).toLowerCase());
/** A member of each of the named places. */
const each =
  (list: (environment: Environment) => readonly Named[], names: string, show: (place: Named) => unknown): Answer =>
  (environment, args) =>
    Object.fromEntries(
      list(environment)
        .filter(({ name }) => (args[names] as readonly string[]).includes(name))
        .map((place) => [place.name, show(place)]),
    );
const inCity =
  (list: (environment: Environment) => readonly Named[], head: (city: unknown) => string): Answer =>
  (environment, { city }) =>
    `${head(city)}${list(environment)
      .filter((place) => place.city === city)
      .map(({ name }) => `${name}\n`)
      .join('')}`;
const reviewed = ({ rating, reviews }: Named): string =>
  `Rating: ${text(rating)}\nReviews: ${(reviews as readonly string[]).join('\n')}`;

const hotels = (environment: Environment): readonly Named[] => environment.hotels.hotel_list;
const restaurants = (environment: Environment): readonly Named[] => environment.restaurants.restaurant_list;
const cars = (environment: Environment): readonly Named[] => environment.car_rental.company_list;
const events = ({ calendar }: Environment): readonly JsonObject[] => calendar.initial_events;
const mails = ({ inbox }: Environment): readonly JsonObject[] => inbox.initial_emails;
const files = ({ cloud_drive }: Environment): readonly JsonObject[] =>
  cloud_drive.initial_files.map((file) => ({ ...file, size: text(file['content']).length }));
const mailsOf =
  (keep: (mail: JsonObject) => boolean): Answer =>
  (environment) =>
    mails(environment).filter(keep);
/** Each address of the mails is a contact. */
const contacts = (environment: Environment): readonly { readonly email: string; readonly name: string }[] => {
  const addresses = mails(environment).flatMap((mail) => [
    text(mail['sender']),
    ...((mail['recipients'] ?? []) as readonly string[]),
  ]);
  return [...new Set(addresses)].map((email) => ({ email, name: (email.split('@')[0] ?? '').replaceAll('.', ' ') }));
};

const CALENDAR: { readonly [tool: string]: Answer } = {
  search_calendar_events: (environment, { query, date }) =>
    events(environment).filter(
      (event) =>
        (has(event['title'], query) || has(event['description'], query)) &&
        (date === undefined || text(event['start_time']).startsWith(text(date))),
    ),
  get_day_calendar_events: (environment, { day }) =>
    events(environment).filter((event) => text(event['start_time']).startsWith(text(day))),
};

const ANSWERS: { readonly [suite: string]: { readonly [tool: string]: Answer } } = {
  banking: {
    get_iban: ({ bank_account }) => bank_account.iban,
    get_balance: ({ bank_account }) => bank_account.balance,
    get_most_recent_transactions: ({ bank_account }, { n = 100 }) => bank_account.transactions.slice(-Number(n)),
    get_scheduled_transactions: ({ bank_account }) => bank_account.scheduled_transactions,
    read_file: ({ filesystem }, { file_path }) => filesystem.files[text(file_path)],
    get_user_info: ({ user_account: { password: _, ...known } }) => known,
  },
  slack: {
    get_channels: ({ slack }) => slack.channels,
    read_channel_messages: ({ slack }, { channel }) => inside(slack.channel_inbox, channel),
    read_inbox: ({ slack }, { user }) => slack.user_inbox[text(user)],
    get_users_in_channel: ({ slack }, { channel }) =>
      Object.entries(slack.user_channels)
        .filter(([, channels]) => channels.some((name) => name.startsWith(text(channel))))
        .map(([user]) => user),
    get_webpage: ({ web }, { url }) => web.web_content[text(url)],
  },
  travel: {
    get_user_information: ({ user }) => user,
    get_all_hotels_in_city: inCity(hotels, () => 'Hotel Names: '),
    get_hotels_prices: each(
      hotels,
      'hotel_names',
      (one) => `Price range: ${text(one['price_min'])} - ${text(one['price_max'])}`,
    ),
    get_rating_reviews_for_hotels: each(hotels, 'hotel_names', reviewed),
    get_hotels_address: (environment, { hotel_name }) =>
      each(hotels, 'names', ({ address }) => address)(environment, { names: [hotel_name] }),
    get_all_restaurants_in_city: inCity(restaurants, (city) => `Restaurant in ${text(city)}: `),
    get_cuisine_type_for_restaurants: each(restaurants, 'restaurant_names', (one) => one['cuisine_type']),
    get_restaurants_address: each(restaurants, 'restaurant_names', (one) => one['address']),
    get_rating_reviews_for_restaurants: each(restaurants, 'restaurant_names', reviewed),
    get_dietary_restrictions_for_all_restaurants: each(
      restaurants,
      'restaurant_names',
      (one) => one['dietary_restrictions'],
    ),
    get_contact_information_for_restaurants: each(restaurants, 'restaurant_names', (one) => one['contact_information']),
    get_price_for_restaurants: each(restaurants, 'restaurant_names', (one) => one['price_per_person']),
    check_restaurant_opening_hours: each(restaurants, 'restaurant_names', (one) => one['operating_hours']),
    get_all_car_rental_companies_in_city: inCity(cars, (city) => `Car Rental Companies in ${text(city)}: `),
    get_car_types_available: each(cars, 'company_name', (one) => one['car_types_available']),
    get_rating_reviews_for_car_rental: each(cars, 'company_name', reviewed),
    get_car_fuel_options: each(cars, 'company_name', (one) => one['fuel_options']),
    get_car_rental_address: each(cars, 'company_name', (one) => one['address']),
    get_car_price_per_day: each(cars, 'company_name', (one) => one['price_per_day']),
    get_flight_information: ({ flights }, { departure_city, arrival_city }) =>
      flights.flight_list
        .filter((one) => one['departure_city'] === departure_city && one['arrival_city'] === arrival_city)
        .map((one) => Object.entries(one).map(([name, value]) => `${name}: ${text(value)}`))
        .map((lines) => lines.join(', '))
        .join('\n'),
    ...CALENDAR,
  },
  workspace: {
    get_current_day: ({ calendar }) => text(calendar.current_day),
    get_unread_emails: mailsOf(({ read }) => read === false),
    get_sent_emails: mailsOf(({ status }) => status === 'sent'),
    get_received_emails: mailsOf(({ status }) => status === 'received'),
    get_draft_emails: mailsOf(({ status }) => status === 'draft'),
    search_emails: (environment, { query, sender }) =>
      mails(environment).filter(
        (mail) =>
          (has(mail['subject'], query) || has(mail['body'], query)) &&
          (sender === undefined || mail['sender'] === sender),
      ),
    search_contacts_by_name: (environment, { query }) => contacts(environment).filter(({ name }) => has(name, query)),
    search_contacts_by_email: (environment, { query }) =>
      contacts(environment).filter(({ email }) => has(email, query)),
    ...CALENDAR,
    search_files_by_filename: (environment, { filename }) =>
      files(environment).filter((file) => has(file['filename'], filename)),
    get_file_by_id: (environment, { file_id }) => files(environment).find((file) => file['id_'] === file_id),
    list_files: (environment) => files(environment),
    search_files: (environment, { query }) => files(environment).filter((file) => has(file['content'], query)),
  },
};

/** The answer of a tool in an environment. */
export function answerOf(suite: string, tool: string, environment: Environment, args: JsonObject): JsonValue {
  const found = ANSWERS[suite]?.[tool]?.(environment, args);
  return (found ?? 'done') as JsonValue;
}

/** The messages of a channel, whose name may go on behind an injected text. */
function inside(channels: { readonly [name: string]: Rows }, channel: unknown): Rows {
  const name = Object.keys(channels).find((each) => each.startsWith(text(channel)));
  return channels[name ?? ''] ?? [];
}
