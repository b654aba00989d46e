// A process that every job costs its life, as a system without memory would take it.
process.on('message', () => process.kill(process.pid, 'SIGKILL'));
process.send('ready');
