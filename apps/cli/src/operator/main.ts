// npm run operator: commands that only an operator of the platform may run.
import { TERMINAL } from '@codase/command-line';
import { operator } from './operator.ts';

process.exitCode = await operator(process.argv.slice(2), process.env, TERMINAL);
