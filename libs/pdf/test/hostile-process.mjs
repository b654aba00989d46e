// A program that an attacker has brought into the place of the one that reads PDFs. For each job it tries what the text of the job names,
// and answers with what came of it: the code of the refusal, or `done`.
import { createRequire } from 'node:module';

const require = createRequire(import.meta.url);
const once = (emitter, event) => new Promise((resolve, reject) => emitter.once(event, resolve).once('error', reject));

/** Errors of sockets that start to listen reach only the process. */
const uncaught = (start) =>
  new Promise((resolve, reject) => {
    process.once('uncaughtException', reject);
    start(resolve);
  });

const ATTEMPTS = {
  'read a file': (path) => require('node:fs').readFileSync(path),
  'see a file': (path) => require('node:fs').statSync(path),
  'list a folder': () => require('node:fs').readdirSync('/'),
  "read another process's environment": () => require('node:fs').readFileSync(`/proc/${process.ppid}/environ`),
  'write a file': (path) => require('node:fs').writeFileSync(path, ''),
  'write by a database': (path) => new (require('node:sqlite').DatabaseSync)(path).exec('create table t (x)'),
  'write a report': (path) => process.report.writeReport(path),
  'write a heap snapshot': (path) => require('node:v8').writeHeapSnapshot(path),
  'connect by TCP': (port) => once(require('node:net').connect(Number(port), '127.0.0.1'), 'connect'),
  'send by UDP': () =>
    new Promise((resolve, reject) => require('node:dgram').createSocket('udp4').once('error', reject).send('x', 9, resolve)),
  'look up a name': () => require('node:dns').promises.lookup('localhost'),
  fetch: (port) => fetch(`http://127.0.0.1:${port}`).catch((error) => Promise.reject(error.cause)),
  listen: () => uncaught((resolve) => require('node:net').createServer().listen(0, '127.0.0.1', resolve)),
  'listen at a path': (path) => uncaught((resolve) => require('node:net').createServer().listen(path, resolve)),
  'start a process': () => require('node:child_process').execFileSync('/bin/true'),
  'start a thread': () => new (require('node:worker_threads').Worker)('', { eval: true }),
  'load an addon': (path) => process.dlopen({ exports: {} }, path),
  'call a library': () => require('node:ffi').dlopen('libc.so.6', {}),
  'open an inspector': () => require('node:inspector').open(0),
  'reach the inside of Node': () => process.binding('fs'),
  'kill its parent': () => process.kill(process.ppid, 0),
  'kill by import': async () => (await import('node:process')).kill(process.ppid, 0),
  'pass for its parent': () => {
    Object.defineProperty(process, 'pid', { value: process.ppid });
    return process.kill(process.ppid, 0);
  },
  'debug its parent': () => process._debugProcess(process.ppid),
  'slow its parent down': () => require('node:os').setPriority(process.ppid, 19),
  'read its environment': () => {
    const names = Object.keys(process.env).filter((name) => !name.startsWith('NODE_CHANNEL_')); // Node's own, for the pipe
    if (names.length === 0) throw new Error('the environment is empty');
  },
};

process.on('message', ({ values }) => {
  const [[attempt, given]] = values;
  const answer = (text) => process.send({ ok: true, result: Buffer.from(text) });
  void (async () => ATTEMPTS[attempt](given))().then(
    () => answer('done'),
    (error) => answer(`refused: ${error.code ?? error.message}`),
  );
});
process.send('ready');
