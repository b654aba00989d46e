import { connect, type Socket } from 'node:net';

/** Sends one prepared request over and over, and reads just enough of answers to find their ends, so that mostly the server is measured. */
export class HttpLoad {
  private readonly sockets: Promise<Connection>[];

  constructor(
    url: string,
    { path, headers, body, connections }: { path: string; headers: Readonly<Record<string, string>>; body: string; connections: number },
  ) {
    const { hostname, port } = new URL(url);
    const lines = Object.entries({ host: `${hostname}:${port}`, ...headers, 'content-length': String(Buffer.byteLength(body)) });
    const request = Buffer.from(`POST ${path} HTTP/1.1\r\n${lines.map(([name, value]) => `${name}: ${value}\r\n`).join('')}\r\n${body}`);
    this.sockets = Array.from({ length: connections }, () => Connection.open(hostname, Number(port), request));
  }

  /** Returns how many requests were answered with 200 in this time. Any other answer ends the run. */
  async run(seconds: number): Promise<number> {
    const until = performance.now() + seconds * 1000;
    const counts = await Promise.all(this.sockets.map(async (socket) => (await socket).exchange(until)));
    return counts.reduce((sum, count) => sum + count, 0);
  }

  async close(): Promise<void> {
    for (const socket of this.sockets) (await socket).close();
  }
}

class Connection {
  private constructor(
    private readonly socket: Socket,
    private readonly request: Buffer,
  ) {}

  static open(host: string, port: number, request: Buffer): Promise<Connection> {
    return new Promise((resolve, reject) => {
      const socket = connect(port, host, () => resolve(new Connection(socket.setNoDelay(), request))).once('error', reject);
    });
  }

  exchange(until: number): Promise<number> {
    return new Promise((resolve, reject) => {
      let done = 0;
      let buffered: Buffer = Buffer.alloc(0);
      const onData = (chunk: Buffer) => {
        buffered = buffered.length ? Buffer.concat([buffered, chunk]) : chunk;
        const length = lengthOf(buffered);
        if (length === undefined || buffered.length < length) return;
        if (!buffered.subarray(0, 12).equals(OK))
          return finish(() => reject(new Error(`The server answered ${buffered.toString('utf8').slice(0, 500)}`)));
        buffered = Buffer.alloc(0);
        done += 1;
        if (performance.now() < until) this.socket.write(this.request);
        else finish(() => resolve(done));
      };
      const finish = (settle: () => void) => {
        this.socket.off('data', onData);
        settle();
      };
      this.socket.on('data', onData).once('error', reject);
      this.socket.write(this.request);
    });
  }

  close(): void {
    this.socket.destroy();
  }
}

const OK = Buffer.from('HTTP/1.1 200');
const HEAD_END = Buffer.from('\r\n\r\n');

/** Returns the size of the whole answer, or undefined until its head is complete. */
function lengthOf(buffered: Buffer): number | undefined {
  const end = buffered.indexOf(HEAD_END);
  if (end < 0) return undefined;
  const length = /content-length: (\d+)/i.exec(buffered.toString('latin1', 0, end))?.[1];
  return end + HEAD_END.length + Number(length ?? 0);
}
