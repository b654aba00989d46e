import { fork } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, existsSync, mkdtempSync, openSync, readdirSync, readlinkSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { AddressInfo } from 'node:net';
import { PdfProcesses } from './pdf-processes.ts';
import { DENIES_NETWORK } from './sandbox.ts';

const HOSTILE = new URL('../test/hostile-process.mjs', import.meta.url);

describe('a hostile program in the place of the one that reads PDFs', () => {
  const pool = new PdfProcesses({ size: 1, entry: HOSTILE });
  const folder = mkdtempSync(join(tmpdir(), 'pdf-sandbox-'));
  const key = join(folder, 'token-signing-key.pem');
  const fresh = () => join(folder, `written-${readdirSync(folder).length}`);
  let server: Server;
  beforeAll(async () => {
    writeFileSync(key, 'a private key');
    server = createServer((socket) => socket.on('error', () => undefined).end()).listen(0, '127.0.0.1');
    await once(server, 'listening');
  });
  afterAll(() => {
    pool.stop();
    server?.close();
    rmSync(folder, { recursive: true, force: true });
  });

  const port = () => String((server.address() as AddressInfo).port);
  const attempts = async (attempt: string, given = '') => (await pool.fill(Buffer.alloc(0), new Map([[attempt, given]]))).toString('utf8');

  const DENIED = 'refused: ERR_ACCESS_DENIED';
  /** What it tries, with what, and what comes of it. */
  const FILES: [string, () => string, string][] = [
    ['read a file', () => '/etc/passwd', DENIED],
    ['read a file', () => key, DENIED],
    ['see a file', () => key, DENIED],
    ['list a folder', () => '', DENIED],
    ["read another process's environment", () => '', DENIED],
    ['write a file', fresh, DENIED],
    ['write by a database', fresh, 'refused: ERR_UNKNOWN_BUILTIN_MODULE'],
    ['write a report', fresh, DENIED],
    ['write a heap snapshot', fresh, DENIED],
    ['read its environment', () => '', 'refused: the environment is empty'],
  ];
  const PROCESSES: [string, () => string, string][] = [
    ['start a process', () => '', DENIED],
    ['start a thread', () => '', DENIED],
    ['open an inspector', () => '', DENIED],
    ['reach the inside of Node', () => '', DENIED],
    ['load an addon', () => key, 'refused: ERR_DLOPEN_DISABLED'],
    ['kill its parent', () => '', 'refused: EPERM'],
    ['kill by import', () => '', 'refused: EPERM'],
    ['pass for its parent', () => '', 'refused: EPERM'],
    ['debug its parent', () => '', 'refused: process._debugProcess is not a function'],
    ['slow its parent down', () => '', expect.stringMatching(/^refused: .*setPriority is not a function$/)],
  ];
  const NETWORK: [string, () => string, string][] = [
    ['connect by TCP', port, DENIED],
    ['send by UDP', () => '', DENIED],
    ['look up a name', () => '', DENIED],
    ['fetch', port, DENIED],
    ['listen', () => '', DENIED],
    ['listen at a path', fresh, DENIED],
    ['call a library', () => '', DENIED],
  ];

  it.each([...FILES, ...PROCESSES, ...(DENIES_NETWORK ? NETWORK : [])])('cannot %s', async (attempt, given, outcome) => {
    expect(await attempts(attempt, given())).toEqual(outcome);
    expect(readdirSync(folder)).toEqual(['token-signing-key.pem']);
  });

  it('has no file and no socket of its parent open', async () => {
    const [descriptor, connection] = [openSync(key, 'r'), server];
    const one = new PdfProcesses({ size: 1, entry: HOSTILE });
    try {
      expect(connection.listening).toBe(true);
      await one.fill(Buffer.alloc(0), new Map([['list a folder', '']]));
      const open = `/proc/${one.pids[0]}/fd`; // only some systems have such a folder
      const links = existsSync(open) ? readdirSync(open).map((fd) => readlinkSync(join(open, fd))) : [];

      expect(links.filter((link) => link.startsWith('/') && link !== '/dev/null' && !link.startsWith('/dev/io_uring'))).toEqual([]);
      expect(links.filter((link) => link.startsWith('socket:')).length).toBeLessThanOrEqual(1); // the pipe to its parent
    } finally {
      one.stop();
      closeSync(descriptor);
    }
  });

  const ABLE = [
    'read a file',
    'see a file',
    'list a folder',
    'write a file',
    'connect by TCP',
    'listen',
    'start a process',
    'kill by import',
  ];

  it('could do all that without the sandbox', async () => {
    const child = fork(HOSTILE, [], { serialization: 'advanced', execArgv: [], stdio: ['ignore', 'ignore', 'ignore', 'ipc'] });
    try {
      await once(child, 'message');
      const outcomes: string[] = [];
      for (const attempt of [...ABLE, 'write by a database', 'start a thread', 'read its environment']) {
        const given = attempt === 'connect by TCP' ? port() : attempt.startsWith('write') ? fresh() : key;
        child.send({ values: new Map([[attempt, given]]) });
        const [{ result }] = (await once(child, 'message')) as [{ result: Uint8Array }];
        outcomes.push(Buffer.from(result).toString('utf8'));
      }

      expect(new Set(outcomes)).toEqual(new Set(['done']));
    } finally {
      child.kill('SIGKILL');
      for (const name of readdirSync(folder)) if (name.startsWith('written')) rmSync(join(folder, name));
    }
  });
});
