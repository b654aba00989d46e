import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { SMTPServer, type SMTPServerOptions } from 'smtp-server';

/** A mail as it arrived. */
interface Received {
  from: string;
  to: string[];
  /** The whole mail, headers included. */
  raw: string;
  isSecure: boolean;
  user: string | undefined;
}

interface Refusal {
  at: 'recipient' | 'text';
  status: number;
  /** The recipient whose mails are refused; absent for all. */
  to?: string;
}

/** A real mail server, as an operator has one. It keeps the mails that it takes, and refuses as the test says. */
export class MailServer {
  readonly mails: Received[] = [];
  /** How mails are refused, until the test unsets it. */
  refusal: Refusal | undefined;
  /** How long the server waits before it takes a mail. */
  delayMs = 0;
  private server: SMTPServer | undefined;
  private port = 0;

  private constructor(private readonly options: SMTPServerOptions) {}

  /** Without options, the server uses no TLS and no password. */
  static async open(options: SMTPServerOptions = { disabledCommands: ['AUTH', 'STARTTLS'] }): Promise<MailServer> {
    const opened = new MailServer(options);
    await opened.comesUp();
    return opened;
  }

  get url(): string {
    return `${this.options.secure ? 'smtps' : 'smtp'}://127.0.0.1:${this.port}`;
  }

  /** Starts the server, at the port where it was before. */
  async comesUp(): Promise<void> {
    this.server = new SMTPServer({
      ...this.options,
      logger: false,
      disableReverseLookup: true,
      onRcptTo: ({ address }, _session, done) => done(this.refused('recipient', address)),
      onData: (stream, session, done) =>
        void text(stream).then((raw) =>
          setTimeout(() => {
            const { mailFrom, rcptTo } = session.envelope;
            const refused = this.refused('text', rcptTo[0]?.address);
            if (!refused)
              this.mails.push({
                from: mailFrom ? mailFrom.address : '',
                to: rcptTo.map(({ address }) => address),
                raw,
                isSecure: session.secure,
                user: session.user as string | undefined,
              });
            done(refused);
          }, this.delayMs),
        ),
    });
    // A client may hang up, for example one that misses TLS.
    this.server.on('error', () => undefined);
    await once(this.server.listen(this.port, '127.0.0.1'), 'listening');
    this.port = (this.server.server.address() as AddressInfo).port;
  }

  async goesDown(): Promise<void> {
    const { server } = this;
    this.server = undefined;
    if (server)
      await new Promise<void>((resolve) => {
        server.close(() => resolve());
      });
  }

  private refused(at: Refusal['at'], to: string | undefined): (Error & { responseCode?: number }) | null {
    const isRefused = this.refusal?.at === at && [undefined, to].includes(this.refusal.to);
    return isRefused ? Object.assign(new Error('refused as told'), { responseCode: this.refusal!.status }) : null;
  }
}

/** A header of a mail. */
export const header = ({ raw }: Received, name: string): string | undefined =>
  raw
    .split('\r\n\r\n')[0]!
    .replace(/\r\n[ \t]+/g, ' ')
    .match(new RegExp(`^${name}: (.*)$`, 'im'))?.[1];

/** The text that a reader sees, whether or not it came as quoted-printable. */
export function bodyOf(mail: Received): string {
  const body = mail.raw.slice(mail.raw.indexOf('\r\n\r\n') + 4);
  if (header(mail, 'Content-Transfer-Encoding') !== 'quoted-printable') return body;
  return Buffer.from(
    body.replace(/=\r\n/g, '').replace(/=([0-9A-F]{2})/g, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16))),
    'latin1',
  ).toString('utf8');
}
