import { readPrivateKeyPem } from '@codase/crypto/open';
import { DEMO, privateKeyOf } from '@codase/stack';
import { CompanyTurns } from './flows/company-turns.ts';
import { HttpTurns } from './flows/http-turns.ts';
import { FlowsStack } from './flows/flows-stack.ts';
import { SqlTurns } from './flows/sql-turns.ts';
import { FIELDS } from './flows/turns.ts';
import { BareRsa } from './harness/bare-rsa.ts';
import { bench, type Contender } from './harness/bench.ts';
import { halves, keepTo } from './harness/cores.ts';

const PORT = 15_100;
/** How many answers the company has to open for its turn, after a customer has answered a page of questions. */
const OPENINGS = 12;

async function setup() {
  const cores = halves();
  keepTo(cores.rest);
  const platform = await FlowsStack.open({ port: PORT, units: ['front-door', 'region-eu'], fields: FIELDS });
  const planes = await FlowsStack.open({
    port: PORT + 100,
    units: ['front-door', 'region-eu', 'gateway', 'feed-consumer', 'decryptor', 'flows'],
    fields: OPENINGS,
    cores: { decryptor: cores.stage },
  });
  const { pem, passphrase } = privateKeyOf(planes.stack.settings.secrets, DEMO.keys.shop);
  return {
    stacks: [platform, planes],
    sql: new SqlTurns(platform),
    http: new HttpTurns(platform),
    rsa: new BareRsa(await readPrivateKeyPem(pem, passphrase), planes.sealed, cores.stage),
    company: await CompanyTurns.open(planes),
  };
}
type State = Awaited<ReturnType<typeof setup>>;

/** Counts as many turns as the RSA operations suffice for. */
const rsa: Contender<State> = async ({ state, seconds }) => {
  const { operations, rate, ...sample } = await state.rsa.run(seconds);
  return { ...sample, operations: operations / OPENINGS, rate: rate / OPENINGS };
};

/** Measures turns at a region and through both planes. The decryptor and the floor of its work share one half of the cores. */
export default bench({
  name: 'flows',
  what:
    'turns of runs over HTTP at a region, against plain SQL that writes the same rows; and turns of the company, from the event ' +
    `to the platform, against bare RSA-2048 of the ${OPENINGS} openings that each takes`,
  unit: 'turns/s',
  seconds: 180,
  rounds: 8,
  setup,
  teardown: async ({ stacks, sql, http, rsa: floor }: State) => {
    await Promise.all([sql.close(), http.close(), floor.stop()]);
    for (const stack of stacks) await stack.close();
  },
  contenders: {
    sql: ({ state, seconds }) => state.sql.run(seconds),
    http: ({ state, seconds }) => state.http.run(seconds),
    rsa,
    company: ({ state, seconds }) => state.company.run(seconds),
  },
  bar: [
    { name: 'turns by HTTP over plain SQL', of: 'http', over: 'sql', atLeast: 0.4 },
    { name: 'turns of the company over RSA', of: 'company', over: 'rsa', atLeast: 0.6 },
  ],
});
