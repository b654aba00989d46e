import { connect, createServer } from 'node:net';
import { once } from 'node:events';
import { constants, setPriority } from 'node:os';
import { setTimeout as pause } from 'node:timers/promises';
import { assaults, type Assault, type TargetName } from './assaults.ts';
import type { Orders, Report } from './attackers.ts';

/**
 * Strangers from many addresses, in a process of their own and at the lowest priority: they have computers of their own elsewhere, and what
 * is measured is the server. It tells how many tried what, and which statuses they got, until its parent lets go.
 */
setPriority(constants.priority.PRIORITY_LOW);
const orders = JSON.parse(process.env['HOSTILE_ORDERS']!) as Orders;
const report: Report = { tried: 0, open: 0, statuses: {} };
const hasManyAddresses = await bindable('127.13.7.1');

for (const assault of assaults(orders.victim)) {
  const atOnce = Math.max(1, Math.round(assault.atOnce * orders.strength));
  for (let nth = 0; nth < atOnce; nth++) void repeats(assault);
}
setInterval(() => process.send!(report), 500);
process.send!('ready');
process.on('disconnect', () => process.exit(0));

async function repeats(assault: Assault): Promise<never> {
  await pause(Math.random() * assault.pauseMs);
  for (let turn = Math.floor(Math.random() * assault.at.length); ; turn++) {
    await tries(assault, assault.at[turn % assault.at.length]!).catch(() => undefined); // a connection that breaks is what they get
    await pause(assault.pauseMs * (0.5 + Math.random()));
  }
}

async function tries({ opening, more, holdMs, readsNothing }: Assault, at: TargetName): Promise<void> {
  const ports = orders.targets[at];
  const port = ports[Math.floor(Math.random() * ports.length)];
  if (port === undefined) return pause(1000);
  const socket = connect({ host: '127.0.0.1', port, ...(hasManyAddresses && { localAddress: someAddress() }) });
  const closed = once(socket, 'close');
  const repeating = more && setInterval(() => sendMore(), more.everyMs);
  let left = more?.times ?? 0;
  const sendMore = () => {
    if (left-- > 0 && socket.writable && socket.writableLength === 0) socket.write(more!.bytes);
  };
  socket.on('error', () => undefined);
  if (!readsNothing) socket.on('data', (bytes: Buffer) => noteStatuses(bytes.toString('latin1')));
  report.tried++;
  report.open++;
  socket.write(opening());
  const over = setTimeout(() => socket.destroy(), holdMs);
  await closed.catch(() => undefined);
  clearTimeout(over);
  clearInterval(repeating);
  report.open--;
}

function noteStatuses(said: string): void {
  for (const [, status] of said.matchAll(/HTTP\/1\.1 (\d{3}) /g)) report.statuses[status!] = (report.statuses[status!] ?? 0) + 1;
}

/** A few hundred hosts: each is many connections. */
function someAddress(): string {
  return `127.13.${Math.floor(Math.random() * 4)}.${1 + Math.floor(Math.random() * 100)}`;
}

/** Whether this machine has the addresses beyond 127.0.0.1; macOS does not, and its strangers share one. */
async function bindable(address: string): Promise<boolean> {
  const server = createServer();
  const listening = once(server, 'listening').then(
    () => true,
    () => false,
  );
  server.listen(0, address);
  const is = await listening;
  server.close();
  return is;
}
