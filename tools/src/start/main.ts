import { ROOT } from '../command/root.ts';
import { describe, removeElsewhere, wantedPorts } from './default-stack.ts';
import { npmStart } from './npm-start.ts';

// A terminal that is closed must not end us before everything is stopped.
for (const stream of [process.stdout, process.stderr]) stream.on('error', () => {});

const surroundings = { root: ROOT, screen: process.stdout, wantedPorts, describe, removeElsewhere };

// Work that an interruption has cut short is not waited for.
process.exit(await npmStart(process.argv.slice(2), process.env, surroundings));
