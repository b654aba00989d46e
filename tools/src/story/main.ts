// npm run story: what npm start recommends to try, told by the demo company against the running stack.
import { connect } from '@cds/client';
import { companyData, Refusal } from '@cds/contracts';
import { silentLog } from '@cds/runtime/telemetry';
import { Backend } from '@cds/testing';
import { clientSecret, DEMO, frontDoorUrl, portsFrom, regionUrl, Secrets, tracesUrl, type Ports } from '@cds/testing/stack';
import { join } from 'node:path';
import { command } from '../command/command.ts';
import { ROOT } from '../command/root.ts';
import { asFault, Fault } from '../start/fault.ts';
import { holderOf } from '../start/lock.ts';
import { readOptions, type Options } from '../start/options.ts';
import { externalServers, ownServers } from '../start/servers.ts';
import { lockOf } from '../start/state-folder.ts';
import { traced } from './traced.ts';

const HELP = `npm run story   what the default stack of npm start does, told by its demo company

Gets a token at the front door, asks whoami at home and at the wrong region, asks the same of the gateway over NATS,
and draws the trace of that last request. The stack must be running; CDS_STATE_DIR names its state folder.`;

async function tellStory(): Promise<void> {
  const options = readOptions([], process.env, ROOT);
  const running = holderOf(lockOf(options.stateDir));
  if (!running) throw new Fault(`Nothing runs from ${options.stateDir}: start it with npm start in another terminal, then try again.`);
  const ports = portsFrom(running.port_base);
  const secrets = new Secrets(join(options.stateDir, 'secrets'));
  await askDirectly(ports, secrets);
  await askOverTheBus(options, ports, secrets);
}

async function askDirectly(ports: Ports, secrets: Secrets): Promise<void> {
  const shop = new Backend(frontDoorUrl(ports), DEMO.client_id, clientSecret(secrets, DEMO.client_id), '', null);
  const { api_url, expires_in } = await shop.getsToken();
  tell(`${DEMO.client_id} gets a token at ${shop.frontDoorUrl}`, `good for ${expires_in} s, and its data is at ${api_url}`);
  tell('it asks there who it is', JSON.stringify(await shop.asksWhoami()));
  const elsewhere = regionUrl(ports, 'us');
  const answered = () => new Fault(`${elsewhere} answered for a company that does not live there.`);
  const refusal = await shop.asksWhoami({ at: elsewhere }).then(answered, (error: unknown) => error);
  if (!(refusal instanceof Refusal)) throw refusal;
  tell(`it asks the wrong region, ${elsewhere}`, `${refusal.status} ${refusal.key} ${JSON.stringify(refusal.extras)}`);
}

async function askOverTheBus(options: Options, ports: Ports, secrets: Secrets): Promise<void> {
  const { nats } = options.external ? externalServers(options.external) : ownServers(options, ports, secrets);
  const { user = '', password = '' } = nats.credentials(DEMO.consumer);
  const backend = await connect({ url: nats.url, user, password, service: DEMO.service, log: silentLog });
  try {
    const { answer, drawing } = await traced(options.traces ? undefined : tracesUrl(ports), () => backend.request(companyData.whoami, {}));
    tell(`${DEMO.consumer}, a service of the company, asks the same of the gateway over NATS`, JSON.stringify(answer));
    if (drawing) tell('the trace of that request, across both planes', drawing);
  } finally {
    await backend.close();
  }
}

const tell = (what: string, outcome: string): void => console.log(`${what}\n${outcome.replaceAll(/^/gm, '  ')}`);

await command(HELP, async () => {
  try {
    await tellStory();
    return 0;
  } catch (error) {
    console.error(asFault(error).message);
    return 1;
  }
});
