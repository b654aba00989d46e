import { createPrivateKey } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { createServer } from 'node:https';
import { PICKUP_POINTS } from './pickup-points.mjs';
import { answerRequests } from './plugin-server.mjs';

const file = (variable) => {
  const path = process.env[variable];
  if (!path) throw new Error(`${variable} is missing: give the path of a file`);
  return readFileSync(path, 'utf8');
};

const listener = answerRequests(PICKUP_POINTS, {
  privateKey: createPrivateKey(file('PLUGIN_KEY_FILE')),
  token: file('PLUGIN_TOKEN_FILE').trim(),
});
const server = createServer({ key: file('TLS_KEY_FILE'), cert: file('TLS_CERT_FILE'), requestTimeout: 10_000 }, listener);
server.listen(Number(process.env['PORT'] ?? 8443), () => console.log('the plugin listens'));
for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, () => void server.close());
