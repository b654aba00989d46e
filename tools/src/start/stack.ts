import type { Unit } from './unit.ts';

/** Tells where a step is. */
export type Note = (text: string) => void;

/** A running Postgres or NATS. */
export interface Server {
  name: string;
  /** With its version, as the table names it. */
  title: string;
  where: string;
  /** Absent when it is not ours, or no process of its own: then it is not watched. */
  own?: OwnServer;
  /** Ends one that lives in this very process. */
  close?(): Promise<void>;
}

/** A server that we started and therefore keep and stop. */
export interface OwnServer {
  readonly pid: number;
  readonly log: string;
  /** How its present run ended, in words, once it has. */
  readonly exited: Promise<string>;
  restart(): Promise<void>;
  stop(): Promise<void>;
  kill(): void;
}

/** Work that is done once on the way up. */
export interface Step {
  name: string;
  run(note: Note): Promise<void>;
}

/** A command that must work on a stack that is up. */
export interface DemoCheck {
  name: string;
  command: string;
  /** What a unit that is shown tells then, soon after: a part of a line. */
  shows?: { by: string; part: string; withinMs: number };
}

/** All that `npm start` brings up, in the order in which it does. */
export interface Stack {
  /** Started together and first; stopped last, the last of them first. */
  servers: readonly { name: string; start(note: Note): Promise<Server> }[];
  /** Databases, migrations, the demo company. */
  steps: readonly Step[];
  /** Asked for after the steps. */
  units(): readonly Unit[];
  /** Done when everything runs. */
  whenUp?: readonly Step[];
  /** The page that shows how the stack is. */
  board?: string;
  /** Where the API explains itself. */
  docs?: string;
  /** A command to copy; what it needs to know it reads from files. */
  tryThis: string;
  /** More of them, each with what it shows. */
  alsoTry?: readonly { what: string; command: string }[];
  /** What `--check` tries. */
  demoChecks: readonly DemoCheck[];
  /** Where the generated secrets lie. */
  secrets: string;
}
