import { constants, monitorEventLoopDelay, performance, PerformanceObserver, type PerformanceEntry } from 'node:perf_hooks';
import { getHeapStatistics } from 'node:v8';
import type { Meter } from '@opentelemetry/api';

const NANOSECONDS = 1e9;
const GC_KINDS: Readonly<Record<number, string>> = {
  [constants.NODE_PERFORMANCE_GC_MAJOR]: 'major',
  [constants.NODE_PERFORMANCE_GC_MINOR]: 'minor',
  [constants.NODE_PERFORMANCE_GC_INCREMENTAL]: 'incremental',
  [constants.NODE_PERFORMANCE_GC_WEAKCB]: 'weakcb',
};

/** Measures what the process itself uses, with the names of OpenTelemetry: event loop, garbage collection, heap, memory, CPU. */
export function observeProcess(meter: Meter): void {
  observeEventLoop(meter);
  observeMemory(meter);
  const collected = meter.createHistogram('v8js.gc.duration', { unit: 's', description: 'Time of a garbage collection, by its kind' });
  const observer = new PerformanceObserver((list) => {
    for (const { duration, detail } of list.getEntries() as (PerformanceEntry & { detail?: unknown })[])
      collected.record(duration / 1000, { 'v8js.gc.type': GC_KINDS[(detail as { kind: number }).kind] ?? 'other' });
  });
  observer.observe({ entryTypes: ['gc'] });
}

/** Each reading covers the time since the one before. */
function observeEventLoop(meter: Meter): void {
  const delays = monitorEventLoopDelay({ resolution: 20 });
  delays.enable();
  const gauge = (name: string, what: string) =>
    meter.createObservableGauge(`nodejs.eventloop.delay.${name}`, { unit: 's', description: what });
  const [p50, p99, max] = [
    gauge('p50', 'Delay of the event loop, median'),
    gauge('p99', 'Delay of the event loop'),
    gauge('max', 'The same'),
  ];
  meter.addBatchObservableCallback(
    (result) => {
      result.observe(p50, delays.percentile(50) / NANOSECONDS);
      result.observe(p99, delays.percentile(99) / NANOSECONDS);
      result.observe(max, delays.max / NANOSECONDS);
      delays.reset();
    },
    [p50, p99, max],
  );
  let before = performance.eventLoopUtilization();
  meter
    .createObservableGauge('nodejs.eventloop.utilization', { unit: '1', description: 'Part of the time that the event loop was busy' })
    .addCallback((result) => {
      const now = performance.eventLoopUtilization();
      result.observe(performance.eventLoopUtilization(now, before).utilization);
      before = now;
    });
}

function observeMemory(meter: Meter): void {
  const bytes = (name: string, what: string, value: () => number) =>
    meter.createObservableGauge(name, { unit: 'By', description: what }).addCallback((result) => result.observe(value()));
  bytes('v8js.memory.heap.used', 'Heap in use', () => process.memoryUsage().heapUsed);
  bytes('v8js.memory.heap.limit', 'Heap that V8 may use', () => getHeapStatistics().heap_size_limit);
  bytes('process.memory.usage', 'Resident memory', () => process.memoryUsage.rss());
  meter.createObservableCounter('process.cpu.time', { unit: 's', description: 'CPU time, by its mode' }).addCallback((result) => {
    const { user, system } = process.cpuUsage();
    result.observe(user / 1e6, { 'cpu.mode': 'user' });
    result.observe(system / 1e6, { 'cpu.mode': 'system' });
  });
}
