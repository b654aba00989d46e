import type { Read } from './command.ts';

/** One command of `npm run cds`, as its help tells it; what it does is loaded when it is done. */
export interface CdsCommand {
  usage: string;
  what: string;
  /** What it takes, a line each. */
  takes: readonly (readonly [word: string, meaning: string])[];
  load(): Promise<Read>;
}

const PERSON = ['--person CODE', 'ANA, BEN or CHIARA (default ANA)'] as const;
const SERVICE = ['--service NAME', "whose events, by the gateway's name of the service (default shop)"] as const;

/** By the words they are called with. */
export const COMMANDS: Readonly<Record<string, CdsCommand>> = {
  listen: {
    usage: 'listen [--service NAME] [--event KIND] [--open] [--most N]',
    what: 'the events of a service from now on, a line each; Ctrl-C ends it',
    takes: [
      SERVICE,
      ['--event KIND', 'this kind alone'],
      ['--open', 'have the decryptor open sealed values; without it they are not shown'],
      ['--most N', 'end after so many'],
    ],
    load: async () => (await import('./listen.ts')).listen,
  },
  trigger: {
    usage: 'trigger [KIND] [--person CODE] [--field NAME] [--value TEXT]',
    what: 'a person of the demo does what its shop hears as KIND (default field_updated)',
    takes: [
      ['field_updated', 'edits a field of the own profile that the shop follows (email, unless named)'],
      ['field_deleted', 'stops sharing a field (phone, unless named)'],
      ['consent_accepted', 'shares a field that was not shared (phone, unless named)'],
      ['consent_declined', 'declines a field that is asked for and not answered (phone, unless named)'],
      ['connection_created', 'connects to the shop'],
      ['connection_deleted', 'leaves the shop'],
      PERSON,
      ['--field NAME', 'first_name, email or phone'],
      ['--value TEXT', 'what the field says from then on; made up unless given'],
    ],
    load: async () => (await import('./trigger.ts')).trigger,
  },
  challenge: {
    usage: 'challenge [--person CODE] [--context TEXT] [--key KEY]',
    what: 'a login of the demo asks a person for approval, shows the digits, and waits; exit code 1 when it is not approved',
    takes: [
      PERSON,
      ['--context TEXT', 'what the person reads on the phone'],
      ['--key KEY', 'of a login that was interrupted; a new login has a new one'],
      ['--service NAME', "for which service, by the gateway's name of it (default shop)"],
    ],
    load: async () => (await import('./challenge.ts')).challenge,
  },
  enrol: {
    usage: 'enrol [--person CODE]',
    what: 'a person of the demo agrees to approve the logins of its shop; Ana has',
    takes: [PERSON],
    load: async () => (await import('./phone-commands.ts')).enrol,
  },
  approve: {
    usage: 'approve [--person CODE] [--digits NN]',
    what: "the phone's tap: approves the newest login that waits",
    takes: [PERSON, ['--digits NN', 'what the login shows, where it shows digits; wrong ones deny it']],
    load: async () => (await import('./phone-commands.ts')).approve,
  },
  deny: {
    usage: 'deny [--person CODE]',
    what: 'denies the newest login that waits',
    takes: [PERSON],
    load: async () => (await import('./phone-commands.ts')).deny,
  },
  'delete-person': {
    usage: 'delete-person --person CODE',
    what: 'a person of the demo deletes the account, with the code that is mailed; it does not come back',
    takes: [['--person CODE', 'ANA, BEN or CHIARA']],
    load: async () => (await import('./phone-commands.ts')).deletePerson,
  },
  'events resend': {
    usage: 'events resend --from TIME | --id EVENT [--to TIME] [--service NAME] [--lost]',
    what: 'the feed consumer sends the events of a time once more, those left out that a newer one has replaced',
    takes: [
      ['--id EVENT', 'only the event with this id, of any time'],
      ['--from TIME', 'such as 2026-01-31T12:00:00Z, or how long ago: 90s, 10m, 2h, 7d'],
      ['--to TIME', 'the same (default now)'],
      SERVICE,
    ],
    load: async () => (await import('./resend.ts')).resend,
  },
  mail: {
    usage: 'mail [--to ADDRESS]',
    what: 'the mails that the platform would have sent: in development, where no relay is set',
    takes: [['--to ADDRESS', 'those to this address alone']],
    load: async () => (await import('./mail.ts')).mail,
  },
  status: {
    usage: 'status',
    what: 'how every service is, what waits for which handlers, what was parked; exit code 1 when something is wrong',
    takes: [],
    load: async () => (await import('./status.ts')).status,
  },
};
