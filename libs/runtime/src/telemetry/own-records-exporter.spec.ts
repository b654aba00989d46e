import { context, logs, trace, TraceFlags } from '@opentelemetry/api';
import { AsyncLocalStorageContextManager } from '@opentelemetry/context-async-hooks';
import { InMemoryLogRecordExporter, LoggerProvider, SimpleLogRecordProcessor } from '@opentelemetry/sdk-logs';
import { Refusal } from '@codase/contracts';
import { openLog, type Facts } from './index.ts';
import { keepOwnRecords } from './own-records-exporter.ts';

describe('a record of the log, as it is sent', () => {
  let memory: InMemoryLogRecordExporter;
  const log = openLog('tester', { write: () => undefined });
  const sent = () => memory.getFinishedLogRecords();
  beforeEach(() => {
    memory = new InMemoryLogRecordExporter();
    logs.disable();
    context.disable();
    logs.setGlobalLoggerProvider(new LoggerProvider({ processors: [new SimpleLogRecordProcessor({ exporter: keepOwnRecords(memory) })] }));
    context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable());
  });
  afterEach(() => {
    logs.disable();
    context.disable();
  });

  it('has the message, the level, the facts and the trace of its line', () => {
    const span = { traceId: '0af7651916cd43dd8448eb211c80319c', spanId: 'b7ad6b7169203331', traceFlags: TraceFlags.SAMPLED };
    context.with(trace.setSpanContext(context.active(), span), () => log.warn('token renewed', { 'codase.service': 'shop' }));

    expect(sent()).toHaveLength(1);
    expect(sent()[0]).toMatchObject({
      body: 'token renewed',
      severityText: 'WARN',
      attributes: { 'codase.service': 'shop' },
      spanContext: span,
    });
  });

  it('has only what the closed list knows, whoever wrote it', () => {
    log.info('careless', { 'codase.service': 'shop', client_secret: 'hunter2' } as Facts);
    logs.getLogger('codase').emit({ body: 'by hand', attributes: { 'url.full': 'https://x/?code=hunter2', 'codase.role': 'delivery' } });
    logs.getLogger('library').emit({ body: 'choked on hunter2' });

    expect(sent().map(({ body, attributes }) => [body, attributes])).toEqual([
      ['careless', { 'codase.service': 'shop' }],
      ['by hand', { 'codase.role': 'delivery' }],
    ]);
  });

  it('describes an error as its line does: without a message that may quote data', () => {
    log.error('request failed', { error: new Error('choked on hunter2') });
    log.error('refused', { error: new Refusal('auth.token_invalid') });
    log.error('no file', { error: Object.assign(new Error('ENOENT: no such file'), { code: 'ENOENT', syscall: 'open' }) });

    const [failed, refused, missing] = sent().map(({ attributes }) => attributes);
    expect(failed).toEqual({ 'error.type': 'Error', 'exception.stacktrace': expect.stringContaining('own-records-exporter.spec') });
    expect(JSON.stringify(failed)).not.toContain('hunter2');
    expect(refused).toMatchObject({ 'codase.error_key': 'auth.token_invalid', 'error.message': expect.stringContaining('token') });
    expect(missing).toMatchObject({ 'error.code': 'ENOENT', 'error.message': 'ENOENT: no such file' });
  });

  it('is not made of a line below the level of the log', () => {
    log.debug('small', {});
    expect(sent()).toEqual([]);
  });
});
