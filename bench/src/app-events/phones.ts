import { once } from 'node:events';
import { get, type ClientRequest, type IncomingMessage } from 'node:http';

interface Phone {
  url: string;
  headers?: Readonly<Record<string, string>>;
}

/** Phones that hold streams open, and notice when a card with a given context arrives. */
export class Phones {
  private readonly requests: ClientRequest[] = [];
  private readonly waiting = new Map<string, () => void>();

  /** Connects a few phones at a time, because connecting is not measured. */
  static async connect(phones: readonly Phone[]): Promise<Phones> {
    const connected = new Phones();
    for (let first = 0; first < phones.length; first += 25) {
      await Promise.all(phones.slice(first, first + 25).map((phone) => connected.open(phone)));
    }
    return connected;
  }

  /** Settles when the card with this context is on a phone. */
  card(context: string): Promise<void> {
    return new Promise((resolve) => this.waiting.set(context, resolve));
  }

  close(): void {
    for (const request of this.requests) request.destroy();
  }

  private async open({ url, headers }: Phone): Promise<void> {
    const request = get(url, { agent: false, headers: { accept: 'text/event-stream', ...headers } });
    const [answer] = (await once(request, 'response')) as [IncomingMessage];
    if (answer.statusCode !== 200) throw new Error(`a stream was refused with ${answer.statusCode}`);
    answer.on('error', () => undefined); // the stream is closed at the end
    request.on('error', () => undefined);
    answer.setEncoding('utf8').on('data', (text: string) => this.arrived(text));
    this.requests.push(request);
  }

  private arrived(text: string): void {
    for (const [, context] of text.matchAll(/"context":"([^"]+)"/g)) {
      this.waiting.get(context!)?.();
      this.waiting.delete(context!);
    }
  }
}
