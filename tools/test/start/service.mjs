// A service for the tests of npm start. Its environment says how it behaves:
//   NAME, OPS_PORT       as for every service
//   STORY                a file to which the service writes what happens to it
//   BEHAVES              well (default), broken (ends before it is ready), not-ready,
//                        stubborn (ignores SIGTERM), hung (also goes on without its parent process)
//   DIES_AFTER           milliseconds from its first request until it fails
// A request for /say/TEXT writes TEXT to its standard output.
import { appendFileSync } from 'node:fs';
import { createServer } from 'node:http';

const { NAME, OPS_PORT, STORY, BEHAVES = 'well', DIES_AFTER } = process.env;
const tell = (what) => STORY && appendFileSync(STORY, `${NAME} ${what}\n`);
const leave = (why) => {
  tell(why);
  process.exit(0);
};

tell(`runs ${process.pid}`);
if (BEHAVES === 'broken') {
  console.error(`${NAME} did not start. DATABASE_URL: not set`);
  process.exit(1);
}
process.on('SIGTERM', () => (['stubborn', 'hung'].includes(BEHAVES) ? tell('stays') : leave('leaves')));
process.on('SIGINT', () => leave('was hit by Ctrl-C'));
if (BEHAVES !== 'hung') process.on('disconnect', () => leave('is orphaned'));

const [status, answer] = BEHAVES === 'not-ready' ? [503, '{"checks":{"database":"away"}}'] : [200, '{}'];
const server = createServer(({ url }, response) => {
  if (url.startsWith('/say/')) console.log(url.slice('/say/'.length));
  response.writeHead(status).end(answer);
});
server.listen(Number(OPS_PORT), '127.0.0.1', () => {
  tell('serves');
  process.send?.('ready');
});

if (DIES_AFTER) server.once('request', () => setTimeout(fail, Number(DIES_AFTER)));

function fail() {
  console.error(`${NAME} cannot go on`);
  process.exit(3);
}
