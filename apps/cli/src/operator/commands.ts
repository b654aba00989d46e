import { CAPABILITIES, describeIssue, FieldTypeRow, Level, OPERATOR, RESERVED_PURPOSES, type Capability } from '@codase/contracts';
import { readFileSync } from 'node:fs';
import { Fault, table, UsageFault } from '@codase/command-line';
import { oneOf, TEXT } from '../command.ts';
import { log } from './log-command.ts';
import { afterRestore } from './after-restore-command.ts';
import { audit } from './audit-command.ts';
import {
  resealSecrets,
  rotateIdTokenKey,
  rotatePepper,
  rotateSigningKey,
  rotateStoredSecretsKey,
  rotateWebhookKey,
} from './rotate-commands.ts';
import { verificationProvider } from './verification-provider-command.ts';
import { operatorCommand, type OperatorCommand } from './operator-command.ts';

const SWITCHES = { 'writes-paused': 'writes_paused', 'out-of-order': 'out_of_order' } as const;
/** Long, because there may be many clients to look at. */
const BACKFILL_MS = 600_000;

type Mode = { region: string; writes_paused: boolean; out_of_order: boolean };
const onOff = (state: boolean) => (state ? 'on' : 'off');
const modeTable = (modes: readonly Mode[]) =>
  table([
    ['region', 'writes-paused', 'out-of-order'],
    ...modes.map((mode) => [mode.region, onOff(mode.writes_paused), onOff(mode.out_of_order)]),
  ]);

const modes: OperatorCommand = {
  usage: 'modes [REGION…]',
  what: 'the mode of the regions; those of npm start unless named',
  read:
    (words) =>
    async ({ bus, regions }) => {
      const requested = words.length ? words : regions;
      if (!requested.length) throw new UsageFault('Name the regions, as in: modes eu us.');
      const result: Mode[] = [];
      for (const region of requested) result.push(await bus.request(OPERATOR.setMode, {}, { region }));
      return { result, said: modeTable(result) };
    },
};

const mode = operatorCommand(
  {
    usage: `mode REGION ${Object.keys(SWITCHES).join('|')} on|off`,
    what: 'pause the saving of a region, or take it out of order; it lasts until it is switched off',
  },
  (_, region, name, state) => {
    const member = SWITCHES[oneOf(Object.keys(SWITCHES), 'A mode', name) as keyof typeof SWITCHES];
    const isOn = oneOf(['on', 'off'], 'A mode', state) === 'on';
    return async ({ bus }) => {
      const result = await bus.request(OPERATOR.setMode, {}, { region, [member]: isOn });
      return { result, said: modeTable([result]) };
    };
  },
);

const level = operatorCommand({ usage: `level USER ${Level.options.join('|')}`, what: 'what an account pays for' }, (_, user_id, given) => {
  const wanted = oneOf(Level.options, 'A level', given);
  return async ({ bus }) => {
    await bus.request(OPERATOR.setLevel, {}, { user_id, level: wanted });
    return { result: { user_id, level: wanted }, said: `${user_id} has the level ${wanted}.` };
  };
});

const counted = (sessions: number) => `${sessions} ${sessions === 1 ? 'session' : 'sessions'} ended`;

const endSessions = operatorCommand(
  { usage: 'end-sessions USER', what: 'sign a user out everywhere, at once and in every region; they may sign in again' },
  (_, user_id) =>
    async ({ bus }) => {
      const result = await bus.request(OPERATOR.endSessions, {}, { user_id });
      return { result, said: `${counted(result.sessions)}.` };
    },
);

const switchAccount = (name: string, disabled: boolean, what: string): OperatorCommand =>
  operatorCommand({ usage: `${name} USER`, what }, (_, user_id) => async ({ bus }) => {
    const result = await bus.request(OPERATOR.setAccountDisabled, {}, { user_id, disabled });
    return { result, said: `${user_id} is ${disabled ? `disabled, ${counted(result.sessions)}` : 'enabled'}.` };
  });

const switchClient = (name: string, disabled: boolean, what: string): OperatorCommand =>
  operatorCommand({ usage: `${name} CLIENT`, what }, (_, client_id) => async ({ bus }) => {
    await bus.request(OPERATOR.setClientDisabled, {}, { client_id, disabled });
    return { result: { client_id, disabled }, said: `${client_id} is ${disabled ? 'disabled' : 'enabled'}.` };
  });

const secondFactorOff = operatorCommand(
  {
    usage: 'second-factor-off USER',
    what: 'let a user sign in by the password alone, who lost authenticator and backup codes: make sure who asks; the owner gets a mail',
  },
  (_, user_id) =>
    async ({ bus }) => {
      const result = await bus.request(OPERATOR.switchSecondFactorOff, {}, { user_id });
      return { result, said: `The second factor of ${user_id} ${result.was_on ? 'is off' : 'was not on'}.` };
    },
);

const backfill = operatorCommand(
  { usage: 'backfill', what: 'give every client the whitelist patterns that came after it was registered' },
  () =>
    async ({ bus }) => {
      const result = await bus.request(OPERATOR.backfillPatterns, {}, {}, { timeout: BACKFILL_MS });
      return { result, said: `${result.clients} clients changed, ${result.patterns} patterns added.` };
    },
);

const managedClient = operatorCommand(
  {
    usage: 'managed-client COMPANY PURPOSE NAME [--capability GROUP]…',
    what:
      `register a client that its company cannot change; PURPOSE begins with ${RESERVED_PURPOSES.join(' or ')}; ` +
      'its secret is shown once',
    options: { capability: { ...TEXT, multiple: true } },
  },
  (values, company_user_id, purpose, name) => {
    const capabilities = (values.capability ?? []).map((given) => oneOf(CAPABILITIES, 'A capability', given) as Capability);
    return async ({ bus }) => {
      const { registerManaged } = await import('@codase/platform'); // imported here, because it takes a while to load
      const result = await registerManaged(bus, { company_user_id, purpose, name, capabilities });
      return {
        result,
        said: `client_id      ${result.client_id}\nclient_secret  ${result.client_secret}\nThe secret is not kept and not shown again.`,
      };
    };
  },
);

const fieldType = operatorCommand(
  { usage: 'field-type FILE', what: 'add a field type from a JSON file, or replace one of your own; a system type never changes' },
  (_, path) => {
    const row = readRow(path);
    return async ({ bus }) => {
      await bus.request(OPERATOR.putFieldType, {}, row);
      return { result: row, said: `The registry has the type ${row.type}.` };
    };
  },
);

const ALL: readonly OperatorCommand[] = [
  audit,
  log,
  afterRestore,
  modes,
  mode,
  level,
  endSessions,
  switchAccount('disable-account', true, 'end the sessions of a user and refuse every sign-in, and the clients of a company'),
  switchAccount('enable-account', false, 'let a disabled account sign in again; its clients work again'),
  secondFactorOff,
  switchClient('disable-client', true, 'give a client no more tokens, and refuse those that it has'),
  switchClient('enable-client', false, 'let a disabled client work again'),
  rotateSigningKey,
  rotatePepper,
  rotateStoredSecretsKey,
  rotateWebhookKey,
  rotateIdTokenKey,
  resealSecrets,
  backfill,
  managedClient,
  fieldType,
  verificationProvider,
];

/** The commands, by the words that their usages begin with. */
export const COMMANDS = Object.fromEntries(ALL.map((command) => [command.usage.split(' ', 1)[0]!, command]));

function readRow(path: string): FieldTypeRow {
  const row = FieldTypeRow.safeParse(readJson(path), { error: describeIssue });
  if (row.success) return row.data;
  const faults = row.error.issues.map(({ path: [member], message }) => `  - ${String(member ?? 'the whole')}: ${message}`);
  throw new Fault([`${path} holds no field type:`, ...faults]);
}

function readJson(path: string): unknown {
  try {
    return JSON.parse(readFileSync(path, 'utf8'));
  } catch (error) {
    const reason = error instanceof SyntaxError ? 'it is not JSON' : (error as NodeJS.ErrnoException).code;
    throw new Fault(`${path} cannot be read (${reason}): name a file with one field type in JSON.`, { cause: error });
  }
}
