// Runs npm start with a stack that a test describes: node stand-in.mjs STACK.json [options]
// The servers are processes of service.mjs too, so that the story file records when they start and stop.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { appendFileSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { npmStart } from '../../dist/start/npm-start.js';

const SERVICE = fileURLToPath(new URL('service.mjs', import.meta.url));
const [file, ...args] = process.argv.slice(2);
const {
  servers,
  units,
  fails,
  story,
  tryThis,
  demoChecks = [{ name: 'the story', command: tryThis }],
} = JSON.parse(readFileSync(file, 'utf8'));
const tell = (what) => appendFileSync(story, `${what}\n`);

async function launch(name) {
  const env = { NAME: name, OPS_PORT: '0', STORY: story };
  const child = spawn(process.execPath, [SERVICE], { env, detached: true, stdio: ['ignore', 'ignore', 'ignore', 'ipc'] });
  await once(child, 'message');
  return child;
}

async function startServer(name) {
  if (fails === name) throw new Error(`${name} did not start: the disk is full. Free some space and start again.`);
  let child = await launch(name);
  return {
    name,
    title: `${name} 1.0`,
    where: '127.0.0.1',
    own: {
      get pid() {
        return child.pid;
      },
      get exited() {
        return once(child, 'exit').then(([code, signal]) => signal ?? `exit code ${code}`);
      },
      log: `${story}.${name}.log`,
      restart: async () => {
        child = await launch(name);
      },
      stop: async () => {
        if (child.exitCode !== null) return;
        child.kill('SIGTERM');
        await once(child, 'exit');
      },
      kill: () => child.kill('SIGKILL'),
    },
  };
}

async function migrate() {
  tell('migrations run');
  if (fails === 'migrations') throw new Error('no such column');
}

const describe = async () => ({
  servers: servers.map((name) => ({ name, start: () => startServer(name) })),
  steps: [{ name: 'migrations', run: migrate }],
  units: () => units,
  whenUp: [{ name: 'a last step', run: async () => tell('all is up') }],
  tryThis,
  demoChecks,
  secrets: `${story}.secrets`,
});

const surroundings = {
  root: process.cwd(),
  screen: process.stdout,
  wantedPorts: async () => units.map(({ name, opsPort }) => ({ port: opsPort, for: name })),
  describe,
  removeElsewhere: async () => ['/var/lib/elsewhere'],
};
process.exit(await npmStart(args, process.env, surroundings));
