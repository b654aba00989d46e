import type { CodaseClient, Handlers } from '@codase/client';
import type { PoolClient } from 'pg';
import { findCustomer } from './customer-table.ts';

/**
 * Answers the messages of customers. The text is sealed to its reader in this process, so the bus and the platform carry ciphertext. An
 * event may be handled twice: because of the idempotency key the person still gets one answer.
 */
export function messageHandlers(codase: CodaseClient, report: (line: string) => void): Pick<Handlers<PoolClient>, 'message_received'> {
  return {
    message_received: {
      opens: ['body'],
      handle: async (event, { tx, open }) => {
        const { plaintext } = await open({ value: event.body });
        const customer = await findCustomer(tx, event.person_user_id);
        await codase.messages.send(event, answerTo(plaintext), { key: `answer-${event.message_id}` }).catch(unlessGone);
        await codase.messages.acknowledge(event).catch(unlessGone);
        report(`${customer?.name ?? event.share_code} wrote: ${plaintext}`);
      },
    },
  };
}

const answerTo = (text: string): string => `Thank you for your message of ${text.length} characters. We answer within a day.`;

/** Ignores the error of a person who has left meanwhile, because that event will arrive. */
function unlessGone(error: unknown): void {
  if ((error as { key?: string }).key !== 'company_data.connection_not_found') throw error;
}
