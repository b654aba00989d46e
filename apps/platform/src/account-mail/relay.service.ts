import { withTimeout } from '@cds/runtime/resilience';
import type { Note } from '@cds/runtime/service';
import { createTransport } from 'nodemailer';
import type { RelayAddress } from './relay-address.ts';
import { isRefusedForGood, type SendFailure } from './mail-retries.ts';

export const RELAY = Symbol('Relay');

/** What goes over the wire. */
export interface OutgoingMail {
  subject: string;
  text: string;
  /** Stays the same however often the mail is sent, so that a reader sees it once. */
  id: string;
  to: string;
  at: Date;
}

/** How long an attempt may take from begin to end; a relay may check for long what it was given. */
export const SEND_SECONDS = 60;
const TIMEOUTS = { dnsTimeout: 5_000, connectionTimeout: 10_000, greetingTimeout: 10_000, socketTimeout: 50_000 } as const;

/** The operator's mail server, which takes mail from us and sees to the rest. */
export class Relay {
  private readonly transport: ReturnType<typeof open>;
  private lastFailure: string | undefined;

  constructor(
    address: RelayAddress & { tls?: { ca: string } },
    private readonly from: string,
  ) {
    this.transport = open(address);
  }

  /** Throws a `SendFailure` when it was not taken. */
  async send({ id, to, at, subject, text }: OutgoingMail): Promise<void> {
    const message = {
      // As objects: an address is never read as a list, nor as a header.
      from: { name: '', address: this.from },
      to: { name: '', address: to },
      messageId: `<${id}@${this.from.split('@').at(-1)}>`,
      date: at,
      subject,
      text,
      // RFC 3834: nobody's holiday notice answers.
      headers: { 'Auto-Submitted': 'auto-generated' },
    };
    try {
      // The timeouts of a connection begin anew with every byte; this one does not.
      await withTimeout(SEND_SECONDS * 1000, this.transport.sendMail(message), notSentInTime);
      this.lastFailure = undefined;
    } catch (error) {
      this.lastFailure = isRefusedForGood(error as SendFailure) ? undefined : codeOf(error as SendFailure);
      throw error;
    }
  }

  /** What an operator should know: how the latest attempt failed. */
  get note(): Note | null {
    return this.lastFailure === undefined ? null : { note: `the mail relay did not take the latest mail (${this.lastFailure})` };
  }
}

/** A short word for a failure, without anything of the mail. */
export const codeOf = ({ code, responseCode }: SendFailure): string => (responseCode ? `${code} ${responseCode}` : (code ?? 'unknown'));

const open = (address: RelayAddress) => createTransport({ ...address, ...TIMEOUTS, disableFileAccess: true, disableUrlAccess: true });

const notSentInTime = () => Object.assign(new Error(`not sent within ${SEND_SECONDS} seconds`), { code: 'ETIMEDOUT' });
