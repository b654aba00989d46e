/** What every command at a terminal uses: its arguments, its exit code, its tables, and faults as sentences. */
export {
  command,
  INTERRUPTED,
  interruption,
  readArguments,
  readNumber,
  runCommand,
  TERMINAL,
  UsageFault,
  type Terminal,
} from './command.ts';
export { asFault, failedWith, Fault, ignoringGone, messageOf } from './fault.ts';
export { table } from './table.ts';
