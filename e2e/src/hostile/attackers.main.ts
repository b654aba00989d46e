import { connect, createServer } from 'node:net';
import { once } from 'node:events';
import { assaults, HALF_HEADERS, type Assault, type TargetName } from './assaults.ts';
import type { Orders, Report } from './attackers.ts';

/** Strangers from many addresses, in their own process, who begin a fixed number of connections of each kind per second. */
const orders = JSON.parse(process.env['HOSTILE_ORDERS']!) as Orders;
const report: Report = { tried: 0, left_out: 0, open: 0, longest_half_ms: 0, statuses: {} };
const hasManyAddresses = await bindable('127.13.7.1');
const TICK_MS = 20;

for (const assault of assaults(orders)) attackRepeatedly(assault);
setInterval(() => process.send!(report), 500);
process.send!('ready');
process.on('disconnect', () => process.exit(0));

/** Begins the connections that are due. One is left out when too many are open, because the server or this process lags. */
function attackRepeatedly(assault: Assault): void {
  const perMs = (assault.perSecond * orders.strength) / 1000;
  const mostOpen = Math.max(1, Math.round(assault.mostOpen * orders.strength));
  const startedAt = performance.now();
  let [begun, open] = [0, 0];
  const attackOnce = async () => {
    if (open >= mostOpen) return void report.left_out++;
    open++;
    await attack(assault, assault.at[begun % assault.at.length]!);
    open--;
  };
  setInterval(() => {
    for (const due = (performance.now() - startedAt) * perMs; begun < due; begun++) void attackOnce();
  }, TICK_MS);
}

/** Runs an attack on one connection, until either side closes it. */
async function attack({ name, opening, more, openMs, readsNothing }: Assault, at: TargetName): Promise<void> {
  const ports = orders.targets[at];
  const port = ports[Math.floor(Math.random() * ports.length)]!;
  const socket = connect({ host: '127.0.0.1', port, ...(hasManyAddresses && { localAddress: someAddress() }) });
  const closed = new Promise<void>((resolve) => void socket.once('close', () => resolve()));
  socket.on('error', () => undefined);
  if (!readsNothing) socket.on('data', (bytes: Buffer) => noteStatuses(bytes.toString('latin1')));
  report.tried++;
  report.open++;
  socket.write(opening());
  const over = setTimeout(() => socket.destroy(), openMs);
  const repeating = more && setInterval(() => sendMore(), more.everyMs);
  let left = more?.times ?? 0;
  const sendMore = () => {
    if (left-- > 0 && socket.writable && socket.writableLength === 0) socket.write(more!.bytes);
  };
  const startedAt = performance.now();
  await closed;
  if (name === HALF_HEADERS) report.longest_half_ms = Math.max(report.longest_half_ms, Math.round(performance.now() - startedAt));
  clearTimeout(over);
  clearInterval(repeating);
  report.open--;
}

function noteStatuses(received: string): void {
  for (const [, status] of received.matchAll(/HTTP\/1\.1 (\d{3}) /g)) report.statuses[status!] = (report.statuses[status!] ?? 0) + 1;
}

/** Returns one of a few hundred addresses. Each has many connections. */
function someAddress(): string {
  return `127.13.${Math.floor(Math.random() * 4)}.${1 + Math.floor(Math.random() * 100)}`;
}

/** Whether this machine has loopback addresses beyond 127.0.0.1. macOS does not, so all strangers there share one. */
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
