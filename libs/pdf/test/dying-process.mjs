// A child process that is killed at each job, as when the system runs out of memory.
process.on('message', () => process.kill(process.pid, 'SIGKILL'));
process.send('ready');
