import type { EventName, FeedEventOf, Sealed } from '@codase/contracts';
import type { Pool, PoolClient } from 'pg';
import { postgresInbox, type CodaseClient, type Handlers, type Handling, type Inbox } from './index.ts';

// What must and what must not compile.

/** A handler knows its event by its name, and its transaction by its inbox. */
export const handles = (codase: CodaseClient, pool: Pool) =>
  codase.handle('customers', postgresInbox(pool), {
    connection_created: async (event, { tx }) => {
      const type: 'person' | 'company' = event.customer_type;
      const { rows } = await tx.query<{ n: number }>('select 1 as n');
      return void [type, rows[0]?.n.toFixed()];
    },
    field_updated: async ({ slug, value }, { open }) => {
      const { plaintext, attested } = await open({ value: value!, field_type: 'email' });
      return void [slug, plaintext.trim(), attested === true];
    },
    document_status_changed: async ({ document_id, action, sealed_at }) => {
      const acted: 'signed' | 'accepted' | 'cancelled' | null = action;
      const { file, verification } = await codase.documents.download(document_id);
      return void [acted, sealed_at?.length, file?.bytes.length, verification?.verdict];
    },
    message_received: {
      opens: ['body'],
      handle: async ({ body }, { tx, open }) => void (await tx.query('select $1', [(await open({ value: body })).plaintext])),
    },
    // @ts-expect-error this event has no slug
    flow_completed: async ({ slug }) => void slug,
    // @ts-expect-error there is no such event
    field_changed: async () => {},
  });

/** A handler declares only sealed members of its event. */
export const declares: Handlers<null> = {
  field_updated: { opens: ['value'], handle: () => {} },
  // @ts-expect-error this event has no value
  connection_deleted: { opens: ['value'], handle: () => {} },
  // @ts-expect-error a slug is not sealed
  field_deleted: { opens: ['slug'], handle: () => {} },
};

/** A handler that takes several events knows their kind too. */
export const handlesTogether = (codase: CodaseClient, pool: Pool) =>
  codase.handle('customers', postgresInbox(pool), {
    message_received: {
      opens: ({ body }) => [{ value: body }],
      together: async (taken, tx) => {
        const opened = await Promise.all(taken.map(({ event, open }) => open({ value: event.body })));
        await tx.query('select unnest($1::text[])', [opened.map(({ plaintext }) => plaintext)]);
      },
    },
    // @ts-expect-error this event has no body
    flow_completed: { together: (taken) => void taken.map(({ event }) => event.body) },
  });

/** The transaction is the complete client that the pool hands out. */
export const transaction = (pool: Pool): Inbox<PoolClient> => postgresInbox(pool);
// @ts-expect-error a pool is not a transaction
export const noPool = (pool: Pool): Inbox<Pool> => postgresInbox(pool);

/** Another store has its own transaction. */
export const other: Handlers<Map<string, string>> = { connection_deleted: ({ person_user_id }, { tx }) => void tx.delete(person_user_id) };

/** A document is JSON or a file, and always names its recipient. */
export const sends = (codase: CodaseClient) => [
  codase.documents.send({ share_code: 'ANA' }, { name: 'Offer', json: { price: 12 } }),
  // @ts-expect-error it has no payload
  codase.documents.send({ share_code: 'ANA' }, { name: 'Offer' }),
  // @ts-expect-error it is for nobody
  codase.documents.send({}, { name: 'Offer', json: 1 }),
];

/** A company says how it made sure who signs; the unlock of a phone is only for persons. */
export const signs = (codase: CodaseClient) => [
  codase.flows.sign('run_1', 'lease', { method: 'custodian', first_name: 'Eva', last_name: 'Berg' }),
  // @ts-expect-error a company has no phone to unlock
  codase.flows.sign('run_1', 'lease', { method: 'biometric', first_name: 'Eva', last_name: 'Berg' }),
  // @ts-expect-error somebody signs
  codase.flows.sign('run_1', 'lease'),
];

// @ts-expect-error a clear text is not opened
export const clear = ({ open }: Handling<null>) => open({ value: 'Main Street 1' });
export const sealed = ({ open }: Handling<null>, value: Sealed) => open({ value });

/** Every event can be handled, by the name it has on the wire. */
export const every = <N extends EventName>(name: N): N & keyof Handlers<null> => name;
type Completed = FeedEventOf<'2fa_challenge_completed'>;
export const one: NonNullable<Handlers<null>['2fa_challenge_completed']> = (event: Completed) => void event.challenge_id;
