export { onlyKnown, type Attributes } from './attributes.ts';
export { describeError } from './describe-error.ts';
export { exemplars, type Exemplar } from './exemplars.ts';
export { LOG, openLog, silentLog, type Facts, type Log } from './log.ts';
export { nameWithUnit } from './name-with-unit.ts';
export {
  count,
  countFromZero,
  measure,
  observe,
  raise,
  read,
  RUNTIME_METRICS,
  startAtZero,
  timed,
  type ConfiguredLabels,
  type Metric,
} from './metrics.ts';
export { telemetry } from './running.ts';
export {
  activeTraceparent,
  carryTrace,
  failSpan,
  inSpan,
  inTrace,
  linkTo,
  SpanKind,
  startSpan,
  storedTrace,
  traceOf,
  type Carrier,
} from './tracing.ts';
