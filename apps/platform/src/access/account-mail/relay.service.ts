import { withTimeout } from '@codase/runtime/resilience';
import type { Note } from '@codase/runtime/service';
import { createTransport } from 'nodemailer';
import type { RelayAddress } from './relay-address.ts';
import { isRefusedForGood, type SendFailure } from './mail-retries.ts';

export const RELAY = Symbol('Relay');

/** A mail as it is handed to the relay. */
export interface OutgoingMail {
  subject: string;
  text: string;
  /** The id of the mail. It stays the same however often the mail is sent, so that a reader sees the mail once. */
  id: string;
  to: string;
  at: Date;
}

/** How long an attempt may take from begin to end. A relay may need long to check a mail. */
export const SEND_SECONDS = 60;
const TIMEOUTS = { dnsTimeout: 5_000, connectionTimeout: 10_000, greetingTimeout: 10_000, socketTimeout: 50_000 } as const;

/** The operator's mail server, which takes mails from the platform and delivers them. */
export class Relay {
  private readonly transport: ReturnType<typeof open>;
  private lastFailure: string | undefined;

  constructor(
    address: RelayAddress & { tls?: { ca: string } },
    private readonly from: string,
  ) {
    this.transport = open(address);
  }

  /** Sends a mail. Throws a `SendFailure` when the relay does not take it. */
  async send({ id, to, at, subject, text }: OutgoingMail): Promise<void> {
    const message = {
      // Addresses are given as objects, so that none is read as a list or as a header.
      from: { name: '', address: this.from },
      to: { name: '', address: to },
      messageId: `<${id}@${this.from.split('@').at(-1)}>`,
      date: at,
      subject,
      text,
      // RFC 3834: automatic replies, such as holiday notices, do not answer this mail.
      headers: { 'Auto-Submitted': 'auto-generated' },
    };
    try {
      // The timeouts of the connection start again with every byte. This one limits the whole attempt.
      await withTimeout(SEND_SECONDS * 1000, this.transport.sendMail(message), notSentBeforeDeadline);
      this.lastFailure = undefined;
    } catch (error) {
      this.lastFailure = isRefusedForGood(error as SendFailure) ? undefined : codeOf(error as SendFailure);
      throw error;
    }
  }

  /** A note for the operator on how the latest attempt failed; null when it did not fail. */
  get note(): Note | null {
    return this.lastFailure === undefined ? null : { note: `the mail relay did not take the latest mail (${this.lastFailure})` };
  }
}

/** Returns a short code for a failure. It contains nothing of the mail. */
export const codeOf = ({ code, responseCode }: SendFailure): string => (responseCode ? `${code} ${responseCode}` : (code ?? 'unknown'));

const open = (address: RelayAddress) => createTransport({ ...address, ...TIMEOUTS, disableFileAccess: true, disableUrlAccess: true });

const notSentBeforeDeadline = () => Object.assign(new Error(`not sent within ${SEND_SECONDS} seconds`), { code: 'ETIMEDOUT' });
