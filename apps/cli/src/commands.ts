import type { Read } from './command.ts';

/** One command of `npm run codase`, as its help describes it. Its code is loaded only when it runs. */
export interface CodaseCommand {
  usage: string;
  what: string;
  /** The words and options that it takes, one line each. */
  takes: readonly (readonly [word: string, meaning: string])[];
  load(): Promise<Read>;
  /** Whether the command decides itself where an interruption ends it: cut short elsewhere it would leave a database half done. */
  endsItself?: true;
}

const PERSON = ['--person CODE', 'ANA, BEN or CHIARA (default ANA)'] as const;
const SERVICE = ['--service NAME', "whose events, by the gateway's name of the service (default shop)"] as const;

const OF_SERVICE = ['--service NAME', "of which service, by the gateway's name of it (default shop)"] as const;

const RUN = ['RUN', 'its id, as in run_…'] as const;
const OUTPUT = ['OUTPUT', 'the key of the document, as flows documents shows it'] as const;
const FOR_PARTY = ['--party KEY', 'the party for which the company acts, where it plays several'] as const;

const DATABASE = ['DATABASE', 'front-door, region-eu, feed-consumer, flows, twofa; all that are known unless named'] as const;
/** The variables that name databases which npm start does not run. */
const VARIABLES = [
  [
    'X_DATABASE_URL',
    'of the owner of a database, such as REGION_EU_DATABASE_URL; beside it X_DATABASE_PASSWORD, X_DATABASE_CA, X_DELIVERY_ROLE',
  ],
  ['ADMIN_DATABASE_URL', 'of a role that may create databases'],
] as const;

/** The commands, by the words they are called with. */
export const COMMANDS: Readonly<Record<string, CodaseCommand>> = {
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
    usage: 'trigger [KIND] [--person CODE] [--field NAME] [--value TEXT] [--document ID] [--on DAY]',
    what: 'a person of the demo does what its shop hears as KIND (default field_updated)',
    takes: [
      ['field_updated', 'edits a field of the own profile that the shop follows (email, unless named)'],
      ['field_deleted', 'stops sharing a field (phone, unless named)'],
      ['consent_accepted', 'shares a field that was not shared (phone, unless named)'],
      ['consent_declined', 'declines a field that is asked for and not answered (phone, unless named)'],
      ['connection_created', 'connects to the shop'],
      ['message', 'writes to the shop, which answers (--value is the text)'],
      ['sign', 'signs the newest contract that waits for a signature'],
      ['accept', 'accepts the newest offer that waits'],
      ['decline', 'declines the newest contract or offer that waits'],
      ['cancel', 'cancels the newest contract that is in force and may be cancelled on the phone'],
      ['connection_deleted', 'leaves the shop'],
      PERSON,
      ['--field NAME', 'first_name, email or phone'],
      ['--value TEXT', 'what the field says from then on; made up unless given'],
      ['--document ID', 'of sign, accept, decline and cancel: this document'],
      ['--on DAY', 'of cancel: its last day, as 2026-12-31 (default today)'],
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
  'documents list': {
    usage: 'documents list [--status STATUS] [--connection ID] [--most N] [--service NAME]',
    what: 'what a service has sent to its customers, the newest first',
    takes: [
      ['--status STATUS', 'waiting, offering, ready_to_sign, active, active_but_ending or ended alone'],
      ['--connection ID', 'of this customer alone'],
      ['--most N', 'at most so many, up to 200 (default 50)'],
      OF_SERVICE,
    ],
    load: async () => (await import('./documents.ts')).listDocuments,
  },
  'documents show': {
    usage: 'documents show ID [--service NAME]',
    what: 'one document, with its status and its signatures',
    takes: [['ID', 'of the document, as in doc_…'], OF_SERVICE],
    load: async () => (await import('./documents.ts')).showDocument,
  },
  'documents send': {
    usage: 'documents send FILE --to CODE | --everybody [--sign] [--accept] [--kind KIND] [--name TEXT] [--key KEY]',
    what: 'sends a file to a customer, sealed to their key on this machine, or to everybody in the clear',
    takes: [
      ['FILE', 'up to 25 MB; what ends with .json is sent as JSON, any other as a file'],
      ['--to CODE', 'the share code of a customer, as ANA'],
      ['--everybody', 'to all customers, in the clear: the platform can read it'],
      ['--sign', 'it is a contract that the customer signs: a PDF, or JSON'],
      ['--accept', 'it is an offer that the customer accepts'],
      ['--kind KIND', 'document, agreement or subscription (default document)'],
      ['--cancellable', 'the customer may cancel it on the phone'],
      ['--name TEXT', 'what the customer sees (default the name of the file)'],
      ['--type TYPE', 'of the file, as application/pdf, where its name does not say it'],
      ['--key KEY', 'what you know it by: sent again with the same key it is the same document'],
      OF_SERVICE,
    ],
    load: async () => (await import('./documents.ts')).sendDocument,
  },
  'documents replace': {
    usage: 'documents replace ID FILE [--type TYPE] [--service NAME]',
    what: 'puts another file in the place of the one that was sent, as long as nobody has signed or accepted it',
    takes: [
      ['ID', 'of the document, as in doc_…'],
      ['FILE', 'up to 25 MB; it is sealed as the one before was'],
      ['--type TYPE', 'of the file, as application/pdf, where its name does not say it'],
      OF_SERVICE,
    ],
    load: async () => (await import('./documents.ts')).replaceFile,
  },
  'documents cancel': {
    usage: 'documents cancel ID [--on DAY] [--service NAME]',
    what: 'ends a document, today or on a day to come; the customer is not asked',
    takes: [['ID', 'of the document, as in doc_…'], ['--on DAY', 'its last day, as 2026-12-31, until which it stays in force'], OF_SERVICE],
    load: async () => (await import('./documents.ts')).cancelDocument,
  },
  'documents download': {
    usage: 'documents download ID [--to FILE] [--service NAME]',
    what: "the company's copy of a sealed contract, opened and verified, or what was sent to everybody",
    takes: [['ID', 'of the document, as in doc_…'], ['--to FILE', 'where to write it; its id, in this folder, unless given'], OF_SERVICE],
    load: async () => (await import('./documents.ts')).downloadDocument,
  },
  'flows list': {
    usage: 'flows list [--service NAME]',
    what: 'the published flows of a service, with how many runs of each are where',
    takes: [OF_SERVICE],
    load: async () => (await import('./flows.ts')).listFlows,
  },
  'flows start': {
    usage: 'flows start FLOW --to [PARTY=]CONNECTION… [--key KEY] [--service NAME]',
    what: 'starts a run of a published flow with connected customers',
    takes: [
      ['FLOW', 'its name, or its id where several have that name'],
      ['--to CONNECTION', 'the one customer of the run; with several parties --to PARTY=CONNECTION for each'],
      ['--key KEY', 'what you know the run by: started again with the same key it is the same run'],
      OF_SERVICE,
    ],
    load: async () => (await import('./flows.ts')).startFlow,
  },
  'flows play': {
    usage: 'flows play [--contract] [--person CODE] [--quantity N]',
    what: 'a person of the demo plays a flow with the shop, from the start to the end',
    takes: [
      ['--contract', 'the flow that ends with a contract, which both sign; otherwise the one in which the person agrees'],
      PERSON,
      ['--quantity N', 'what the person orders, 1 to 1000 boxes (default 3)'],
    ],
    load: async () => (await import('./play-order.ts')).playOrder,
  },
  'flows runs': {
    usage: 'flows runs [--status STATUS] [--most N] [--service NAME]',
    what: 'the runs of a service',
    takes: [
      ['--status STATUS', 'awaiting_PARTY, generating, awaiting_signature, completed or cancelled alone'],
      ['--most N', 'at most so many, up to 200 (default 50)'],
      OF_SERVICE,
    ],
    load: async () => (await import('./flows.ts')).listRuns,
  },
  'flows show': {
    usage: 'flows show RUN [--service NAME]',
    what: 'the graph of a run: which steps are answered, where it is, and who blocks it',
    takes: [RUN, OF_SERVICE],
    load: async () => (await import('./flows.ts')).showRun,
  },
  'flows cancel': {
    usage: 'flows cancel RUN [--service NAME]',
    what: 'cancels an open run, for everybody',
    takes: [RUN, OF_SERVICE],
    load: async () => (await import('./flows.ts')).cancelRun,
  },
  'flows resume': {
    usage: 'flows resume RUN [--service NAME]',
    what: 'offers a parked turn again, or has the documents of a parked run generated again, when the cause is mended',
    takes: [RUN, OF_SERVICE],
    load: async () => (await import('./flows.ts')).resumeRun,
  },
  'flows documents': {
    usage: 'flows documents RUN [--service NAME]',
    what: 'the documents that a run has made: each copy with its place in the signing line, > before the one that is next',
    takes: [RUN, OF_SERVICE],
    load: async () => (await import('./run-documents.ts')).listRunDocuments,
  },
  'flows download': {
    usage: 'flows download RUN OUTPUT [--to FILE] [--service NAME]',
    what: "the company's own copy of a document that a run has made, opened",
    takes: [RUN, OUTPUT, ['--to FILE', 'where to write it; RUN-OUTPUT.pdf, in this folder, unless given'], OF_SERVICE],
    load: async () => (await import('./run-documents.ts')).downloadOutput,
  },
  'flows sign': {
    usage: 'flows sign RUN OUTPUT --first-name NAME --last-name NAME [--method METHOD] [--party KEY] [--service NAME]',
    what: "signs the company's own copy of a document when the signing line has come to it",
    takes: [
      RUN,
      OUTPUT,
      ['--first-name NAME', 'of the person who signs for the company'],
      ['--last-name NAME', 'of the same person'],
      ['--method METHOD', 'how the company made sure who signs: custodian, twofa or email (default custodian)'],
      FOR_PARTY,
      OF_SERVICE,
    ],
    load: async () => (await import('./run-documents.ts')).signOutput,
  },
  'flows accept': {
    usage: 'flows accept RUN OUTPUT [--party KEY] [--service NAME]',
    what: "accepts the company's own copy of a document, where it asks for that",
    takes: [RUN, OUTPUT, FOR_PARTY, OF_SERVICE],
    load: async () => (await import('./run-documents.ts')).acceptOutput,
  },
  'flows decline': {
    usage: 'flows decline RUN OUTPUT [--party KEY] [--service NAME]',
    what: "turns the company's own copy of a document down; the whole run is cancelled",
    takes: [RUN, OUTPUT, FOR_PARTY, OF_SERVICE],
    load: async () => (await import('./run-documents.ts')).declineOutput,
  },
  'flows types': {
    usage: 'flows types FLOW [--service NAME]',
    what: 'TypeScript for the handlers of a published flow: what each step of the company knows and gives',
    takes: [['FLOW', 'its name, or its id where several have that name'], OF_SERVICE],
    load: async () => (await import('./flows.ts')).typesOfFlow,
  },
  'events resend': {
    usage: 'events resend --from TIME | --id EVENT [--to TIME] [--service NAME] [--lost]',
    what: 'the feed consumer sends the events of a time once more, those left out that a newer one has replaced',
    takes: [
      ['--id EVENT', 'only the event with this id, of any time'],
      ['--from TIME', 'such as 2026-01-31T12:00:00Z, or how long ago: 90s, 10m, 2h, 7d'],
      ['--to TIME', 'the same (default now)'],
      ['--lost', 'after the stream lost events: they keep their ids, so that groups do not handle again what they have handled'],
      SERVICE,
    ],
    load: async () => (await import('./events.ts')).resend,
  },
  'events compare': {
    usage: 'events compare [--service NAME]',
    what: 'the feed consumer compares the connections of the platform with what it has seen, and publishes what differs: after a restore',
    takes: [SERVICE],
    load: async () => (await import('./events.ts')).compare,
  },
  backup: {
    usage: 'backup --to DIR [DATABASE…] [--copy]',
    what: 'backs databases up while they run, each by itself, with a manifest of what is in them',
    takes: [
      DATABASE,
      ['--to DIR', 'a folder that is not there yet'],
      ['--copy', 'where no pg_dump fits the server: a copy on the server itself, which disconnects services for a moment'],
      ['PG_BIN', 'the folder of pg_dump and pg_restore, where they are not on the PATH'],
      ...VARIABLES,
    ],
    load: async () => (await import('./databases/backup.ts')).backup,
    endsItself: true,
  },
  restore: {
    usage: 'restore DATABASE --from DIR [--into NAME] [--reconcile [--audit FILE]]',
    what: 'restores a database into an empty one, checks it against the manifest, and brings it to the schema of this release',
    takes: [
      ['DATABASE', 'front-door, region-eu, feed-consumer, flows or twofa'],
      ['--from DIR', 'the folder of a backup'],
      ['--into NAME', 'the name of the new database, beside the one that runs; its own name unless given'],
      [
        '--reconcile',
        'of the front door or a region, which must not run: what was revoked or deleted since the backup is revoked or deleted again, ' +
          'as by operator after-restore',
      ],
      ['--audit FILE', 'for --reconcile: lines of operator audit export, which know more'],
      ...VARIABLES,
    ],
    load: async () => (await import('./databases/restore.ts')).restore,
    endsItself: true,
  },
  upgrade: {
    usage: 'upgrade [DATABASE…] [--check]',
    what: 'brings databases to the schema of this release, while the one before runs on them',
    takes: [
      DATABASE,
      ['--check', 'only says what would be done; exit code 1 when there is something, 0 also where a later release has been'],
      ...VARIABLES,
    ],
    load: async () => (await import('./databases/upgrade.ts')).upgrade,
    endsItself: true,
  },
  mail: {
    usage: 'mail [--to ADDRESS]',
    what: 'the mails that the platform would have sent: in development, where no relay is set',
    takes: [['--to ADDRESS', 'those to this address alone']],
    load: async () => (await import('./mail.ts')).mail,
  },
  'key verify': {
    usage: 'key verify KIND OWNER [--key FILE] [--front URL] [--mirrors URLS] [--state FILE] [--service NAME]',
    what: 'whether the transparency log has a public key, as your services are given it; exit code 1 when it has not',
    takes: [
      ['KIND', 'account, service, seal or device'],
      ['OWNER', 'the share code of an account, the id of a service or of the user of a device, the region of a seal'],
      ['--key FILE', 'the key or certificate, in PEM or base64; that of an account is asked for unless named'],
      ['--front URL', 'the front door, which lists the keys that sign the logs; the region says them unless named'],
      ['--mirrors URLS', 'bases whose heads are compared, with commas: regions, or the front door for the log of a region'],
      ['--state FILE', 'keeps the head that was seen, and compares it with later ones'],
      OF_SERVICE,
    ],
    load: async () => (await import('./key.ts')).keyVerify,
  },
  verify: {
    usage: 'verify FILE [--certificate PEM]...',
    what: 'whether the platform sealed this PDF, who and when, and whether it is whole; needs nothing that runs',
    takes: [
      ['FILE', 'any PDF'],
      ['--certificate PEM', "a file with the platform's certificates, those that it had before included; may be given several times"],
    ],
    load: async () => (await import('./verify.ts')).verify,
  },
  'verify-field': {
    usage: 'verify-field FIELD [--person CODE]',
    what: 'a person of the demo has a field verified, by a provider of the demo that is registered for it',
    takes: [['FIELD', 'first_name, email or phone'], PERSON],
    load: async () => (await import('./verify-field.ts')).verifyField,
  },
  status: {
    usage: 'status',
    what: 'how every service is, what waits for which handlers, what was parked; exit code 1 when something is wrong',
    takes: [],
    load: async () => (await import('./status.ts')).status,
  },
};
