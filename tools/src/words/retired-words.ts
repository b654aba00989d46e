/** A word that no name of ours and no message may have, and what to say instead. */
export interface RetiredWord {
  /** The word in kebab-case, singular. It is found in every way of writing a name, and also with a plural s. */
  word: string;
  instead: string;
  /** Names that may have the word, because the specification or the outside world says so. */
  except?: readonly string[];
  /** Longer terms, in kebab-case, in which the word has another meaning. */
  unlessIn?: readonly string[];
  /** Whether the word is retired only where it stands in the name of a constant. */
  isConstant?: boolean;
  /** Whether the word is retired as a name alone, because sentences need it: every reader knows what it means there. */
  isEveryday?: boolean;
  /** The beginnings of paths whose files may have the word; the list says why. */
  files?: readonly string[];
}

/** Operations on connections, whose messages between regions have members with these words. */
const OF_CONNECTIONS = [
  'apps/platform/src/sharing/connections/connection-operations.service.ts',
  'apps/platform/src/sharing/connections/customers.service.ts',
  'apps/platform/src/sharing/connections/region-operations.service.ts',
  'libs/contracts/src/connections/subjects.ts',
];

/** Tests and tools that fill in the built-in plugin of that name, or a field of the specification. */
const FILLS_A_PLUGIN = [
  'apps/platform/test/accounts/sign-in-apps/app-sign-ins-plugins.spec.ts',
  'apps/platform/test/services/plugins/forwarder.spec.ts',
  'libs/runtime/test/orders-service.ts',
  'tools/src/scrape-check/traffic.ts',
];

const ALPHABET = [
  'LETTER',
  'LETTERS',
  'LETTERS_IN_JSON',
  'URL_LETTERS',
  'endOfLetters',
  'hasLettersAlone',
  'inLetters',
  'isLetter',
  'letter',
  'letters',
];

/** What somebody holds: a lease, a lock, or a turn of a run. */
const LEASES_AND_TURNS = ['HeldLeases', 'held-leases', 'held-leases.spec', 'isHeld', 'leasesHeld'];

/** Files about leases and turns, and those of the reply `held` between regions: which held files (D2-4.3) a company still has. */
const HOLDS = [
  'apps/feed-consumer/test/leases.spec.ts',
  'apps/flows/src/turns/turns.service.ts',
  'apps/flows/test/runs-store.spec.ts',
  'apps/platform/src/agreements/runs/files/run-files.service.ts',
  'libs/contracts/src/flows/region-subjects.ts',
  'libs/runtime/src/resilience/leases/',
];

/** Words that meant several things or nothing at first reading. The glossary (docs/glossary.md) has the words that replaced them. */
export const RETIRED_WORDS: readonly RetiredWord[] = [
  { word: 'amends', instead: 'republish' },
  { word: 'asked', instead: 'request, query or options', isEveryday: true, files: OF_CONNECTIONS },
  { word: 'cast', instead: 'actors', isEveryday: true },
  { word: 'comings-and-goings', instead: 'region move' },
  { word: 'common', instead: 'the noun of what is inside', except: ['COMMON_NAME'], isEveryday: true },
  { word: 'door', instead: 'HTTP server, or entry point', unlessIn: ['front-door'], isEveryday: true },
  { word: 'dto', instead: 'a shape of the contracts' },
  { word: 'endeavour', instead: 'attempt' },
  { word: 'few', instead: 'a name that says what is bounded', isConstant: true, isEveryday: true },
  { word: 'few-at-once', instead: 'semaphore' },
  { word: 'footing', instead: 'service context' },
  { word: 'gathering', instead: 'batcher' },
  { word: 'ground', instead: 'context, or core module', isEveryday: true },
  { word: 'happened', instead: 'event', isEveryday: true },
  { word: 'hearing', instead: 'receiver, or subscription', isEveryday: true },
  {
    word: 'held',
    instead: 'stored, locked, kept, received, reserved or pending',
    except: LEASES_AND_TURNS,
    files: HOLDS,
    isEveryday: true,
  },
  { word: 'helper', instead: 'the noun of what is inside' },
  { word: 'hint', instead: 'notification', isEveryday: true },
  { word: 'impl', instead: 'a name that says what is special about it' },
  { word: 'in-time', instead: 'with timeout, within deadline, or refuse stale change', isEveryday: true },
  { word: 'lane', instead: 'queue, rate limiter or key pool', except: ['Lane', 'LANES', 'LANES_OF', 'lane', 'lanes', 'laneOf'] },
  { word: 'least', instead: 'MIN_', isConstant: true, isEveryday: true },
  { word: 'letter', instead: 'mail', except: ALPHABET, isEveryday: true },
  { word: 'look', instead: 'find, read, check or visit', files: ['tools/src/board/pages.ts'], isEveryday: true },
  { word: 'looked', instead: 'found, read, checked or visited', isEveryday: true },
  { word: 'looking', instead: 'finding, reading, checking or visiting', isEveryday: true },
  { word: 'maker', instead: 'factory', isEveryday: true },
  { word: 'mortal', instead: 'restartable' },
  { word: 'most', instead: 'MAX_', isConstant: true, isEveryday: true },
  { word: 'mourn', instead: 'record unexpected exit' },
  { word: 'obituary', instead: 'exit report' },
  { word: 'pace', instead: 'schedule, or backoff', isEveryday: true },
  { word: 'parcel', instead: 'chunk' },
  { word: 'passing-trouble', instead: 'transient' },
  { word: 'patience', instead: 'timeout, or backoff' },
  { word: 'persistence', instead: 'retry, or storage', isEveryday: true },
  {
    word: 'place',
    instead: 'position, path, folder, offset, token of a subject, or location',
    unlessIn: ['in-place'],
    except: ['PLACE', 'PLACES', 'withPlaces'],
    files: [...OF_CONNECTIONS, 'apps/platform/src/services/plugins/builtin/places.ts', ...FILLS_A_PLUGIN],
    isEveryday: true,
  },
  { word: 'pursue', instead: 'retry' },
  { word: 'room', instead: 'capacity', isEveryday: true },
  {
    word: 'sharing',
    instead: 'connection subjects, or connection operations',
    files: ['tools/src/architecture/rules.ts'],
    isEveryday: true,
  },
  { word: 'teller', instead: 'writer' },
  { word: 'told', instead: 'present, or presented', isEveryday: true },
  { word: 'trial', instead: 'test delivery, or check', isEveryday: true },
  { word: 'trouble', instead: 'failure, or problem', isEveryday: true },
  { word: 'try-again', instead: 'retry', isEveryday: true },
  { word: 'trying', instead: 'retry', isEveryday: true },
  { word: 'understood', instead: 'the verb of what it decides', isEveryday: true },
  { word: 'undone', instead: 'pending', isEveryday: true },
  { word: 'util', instead: 'the noun of what is inside', files: ['bench/src/'] },
];
