import { ROOT } from '../command/root.ts';
import { defaultStack, defaultSurroundings } from '../start/npm-start.ts';
import { npmDev } from './npm-dev.ts';

// A closed terminal must not end this process before everything is stopped.
for (const stream of [process.stdout, process.stderr]) stream.on('error', () => {});

const surroundings = { ...defaultSurroundings(ROOT), services: async () => (await defaultStack()).services() };
// Work that an interruption has cut short is not waited for.
process.exit(await npmDev(process.argv.slice(2), process.env, surroundings));
