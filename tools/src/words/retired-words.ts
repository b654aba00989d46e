/** A word that no exported name and no file name may have, and what to say in its place. */
export interface RetiredWord {
  /** The word in kebab-case, singular. It is found in every way of writing a name, and also with a plural s. */
  word: string;
  instead: string;
  /** Names that may have the word, because the specification or the outside world says so. */
  except?: readonly string[];
  /** Longer terms, in kebab-case, in which the word has another meaning. */
  unlessIn?: readonly string[];
}

/** Words that meant several things or nothing at first reading. The glossary (docs/glossary.md) has the words that replaced them. */
export const RETIRED_WORDS: readonly RetiredWord[] = [
  { word: 'amends', instead: 'republish' },
  { word: 'asked', instead: 'request, query or options' },
  { word: 'cast', instead: 'actors' },
  { word: 'comings-and-goings', instead: 'region move' },
  { word: 'common', instead: 'the noun of what is inside' },
  { word: 'door', instead: 'HTTP server, or entry point', unlessIn: ['front-door'] },
  { word: 'dto', instead: 'a shape of the contracts' },
  { word: 'endeavour', instead: 'attempt' },
  { word: 'few-at-once', instead: 'semaphore' },
  { word: 'footing', instead: 'service context' },
  { word: 'gathering', instead: 'batcher' },
  { word: 'ground', instead: 'context, or core module' },
  { word: 'happened', instead: 'event' },
  { word: 'hearing', instead: 'receiver, or subscription' },
  { word: 'helper', instead: 'the noun of what is inside' },
  { word: 'hint', instead: 'notification' },
  { word: 'impl', instead: 'a name that says what is special about it' },
  { word: 'in-time', instead: 'with timeout, within deadline, or refuse stale change' },
  { word: 'lane', instead: 'queue, rate limiter or key pool', except: ['Lane', 'LANES'] },
  { word: 'letter', instead: 'mail' },
  { word: 'maker', instead: 'factory' },
  { word: 'mortal', instead: 'restartable' },
  { word: 'mourn', instead: 'record unexpected exit' },
  { word: 'obituary', instead: 'exit report' },
  { word: 'pace', instead: 'schedule, or backoff' },
  { word: 'parcel', instead: 'chunk' },
  { word: 'passing-trouble', instead: 'transient' },
  { word: 'patience', instead: 'timeout, or backoff' },
  { word: 'persistence', instead: 'retry, or storage' },
  { word: 'pursue', instead: 'retry' },
  { word: 'room', instead: 'capacity' },
  { word: 'sharing', instead: 'connection subjects, or connection operations' },
  { word: 'teller', instead: 'writer' },
  { word: 'told', instead: 'present, or presented' },
  { word: 'trial', instead: 'test delivery, or check' },
  { word: 'trouble', instead: 'failure, or problem' },
  { word: 'try-again', instead: 'retry' },
  { word: 'trying', instead: 'retry' },
  { word: 'understood', instead: 'the verb of what it decides' },
  { word: 'undone', instead: 'pending' },
  { word: 'util', instead: 'the noun of what is inside' },
];
