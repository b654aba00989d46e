// npm run operator: what only an operator of the platform may ask of it.
import { TERMINAL } from '@cds/command-line';
import { operator } from './operator.ts';

process.exitCode = await operator(process.argv.slice(2), process.env, TERMINAL);
