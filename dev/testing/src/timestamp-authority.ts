import { execFile } from 'node:child_process';
import { X509Certificate } from 'node:crypto';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

const running = promisify(execFile);
const FOLDER = fileURLToPath(new URL('../../../libs/pdf/test/fixtures/tsa', import.meta.url));

export const TSA_CERTIFICATE = new X509Certificate(readFileSync(join(FOLDER, 'tsa.pem')));

/** What the authority does with a query. It may answer anything. */
export type Answer = (query: Buffer, stamp: (query: Buffer) => Promise<Buffer>, response: ServerResponse) => Promise<Buffer | undefined>;

/** Starts a timestamp authority on this machine: an HTTP server that lets `openssl ts` answer. */
export async function startAuthority(answer: Answer = (query, stamp) => stamp(query)) {
  const folder = mkdtempSync(join(tmpdir(), 'codase-tsa-'));
  writeFileSync(join(folder, 'serial'), '01\n');
  let count = 0;

  const stamp = async (query: Buffer): Promise<Buffer> => {
    const [request, replied] = [join(folder, `${(count += 1)}.tsq`), join(folder, `${count}.tsr`)];
    writeFileSync(request, query);
    const env = { ...process.env, TSA_FOLDER: FOLDER, TSA_SERIAL: join(folder, 'serial') };
    await running(
      'openssl',
      ['ts', '-reply', '-config', join(FOLDER, 'tsa.cnf'), '-section', 'tsa', '-queryfile', request, '-out', replied],
      { env },
    );
    return readFileSync(replied);
  };

  const serve = async (request: IncomingMessage, response: ServerResponse) => {
    const parts: Buffer[] = [];
    for await (const part of request) parts.push(part as Buffer);
    const reply = await answer(Buffer.concat(parts), stamp, response);
    if (reply) response.writeHead(200, { 'content-type': 'application/timestamp-reply' }).end(reply);
  };

  const server = createServer((request, response) => void serve(request, response)).listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/tsa`,
    async stop() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
      rmSync(folder, { recursive: true });
    },
  };
}
