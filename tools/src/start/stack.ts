import type { Unit } from './unit.ts';

type Note = (text: string) => void;

export interface Server {
  name: string;
  /** Its name with the version, as the table shows it. */
  title: string;
  where: string;
  /** Absent when the server is not ours, or has no process of its own: then it is not watched. */
  own?: OwnServer;
  /** Ends a server that lives in this process. */
  close?(): Promise<void>;
}

/** A server that `npm start` has started and therefore keeps alive and stops. */
export interface OwnServer {
  readonly pid: number;
  readonly log: string;
  /** Resolves when the present run of the server ends, with a text that says how. */
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
  /** A part of the line that a shown unit prints soon after the command. */
  shows?: { by: string; part: string; withinMs: number };
}

/** Everything that `npm start` brings up, in this order. */
export interface Stack {
  /** The servers are started first, all together. They are stopped last, in reverse order. */
  servers: readonly { name: string; start(note: Note): Promise<Server> }[];
  /** The steps before the units: databases, migrations, the demo company. */
  steps: readonly Step[];
  units(): readonly Unit[];
  whenUp?: readonly Step[];
  /** The page that shows how the stack is. */
  board?: string;
  docs?: string;
  /** A command to copy. It reads what it needs from files. */
  tryThis: string;
  alsoTry?: readonly { what: string; command: string }[];
  demoChecks: readonly DemoCheck[];
  secrets: string;
}
