import { SUITE_STREAMS } from '@codase/contracts';
import type { Bus } from '@codase/runtime/bus';

type StreamInfo = Awaited<ReturnType<Awaited<ReturnType<Bus['manager']>>['streams']['info']>>;

/** Records every message from now on in the accounts of these users, who must be allowed to hear everything: subject, headers and body. */
export class BusRecorder {
  private readonly messages: { subject: string; text: string }[] = [];

  private constructor() {}

  static async begin(...users: readonly Bus[]): Promise<BusRecorder> {
    const overheard = new BusRecorder();
    for (const { connection } of users) connection.subscribe('>', { callback: (_, message) => overheard.take(message) });
    await Promise.all(users.map(({ connection }) => connection.flush()));
    return overheard;
  }

  /** Returns the text of all messages so far, except those on subjects whose readers may see the content. */
  text({ except = /^$/ }: { except?: RegExp } = {}): string {
    return this.messages
      .filter(({ subject }) => !except.test(subject))
      .map(({ text }) => text)
      .join('\n');
  }

  /** The subjects of all messages so far, except those that `except` names. */
  subjectsBut(except: (message: { subject: string; text: string }) => boolean): readonly string[] {
    return this.messages.filter((message) => !except(message)).map(({ subject }) => subject);
  }

  get subjects(): readonly string[] {
    return this.messages.map(({ subject }) => subject);
  }

  private take(message: Said): void {
    this.messages.push({ subject: message.subject, text: written(message) });
  }
}

/**
 * Returns every stream and bucket of a plane: those in the operator's account, and those of the suite's services, which have to be named.
 */
export async function everyStream(operator: Bus): Promise<StreamInfo[]> {
  const { streams } = await operator.manager();
  const found = new Map<string, StreamInfo>();
  for await (const info of streams.list()) found.set(info.config.name, info);
  for (const info of await Promise.all(SUITE_STREAMS.map((name) => streams.info(name).catch(() => undefined))))
    if (info) found.set(info.config.name, info);
  return [...found.values()];
}

/** Returns every message that any stream or bucket of a plane still holds. */
export async function everyStoredMessage(operator: Bus): Promise<string> {
  const manager = await operator.manager();
  const texts: string[] = [];
  for (const { config, state } of await everyStream(operator)) {
    for (let seq = state.first_seq; seq <= state.last_seq; seq++) {
      const message = await manager.streams.getMessage(config.name, { seq }).catch(() => null);
      if (message) texts.push(written({ subject: message.subject, headers: message.header, data: message.data }));
    }
  }
  return texts.join('\n');
}

interface Said {
  subject: string;
  reply?: string | undefined;
  headers?: Iterable<[string, string[]]> | undefined;
  data: Uint8Array;
}

function written({ subject, reply = '', headers = [], data }: Said): string {
  const lines = [...headers].map(([name, values]) => `${name}: ${values.join(', ')}`);
  return [`${subject} ${reply}`, ...lines, Buffer.from(data).toString('latin1')].join('\n');
}
