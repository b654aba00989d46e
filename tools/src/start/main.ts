import { ROOT } from '../command/root.ts';
import { defaultSurroundings, npmStart } from './npm-start.ts';

// A closed terminal must not end this process before everything is stopped.
for (const stream of [process.stdout, process.stderr]) stream.on('error', () => {});

// Work that an interruption has cut short is not waited for.
process.exit(await npmStart(process.argv.slice(2), process.env, defaultSurroundings(ROOT)));
