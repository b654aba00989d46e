import { at, companyData, operation, valuesOf } from '@codase/contracts';
import { bench } from './harness/bench.ts';
import { repeat } from './harness/repeat.ts';

const WHOAMI = operation(companyData.whoami);

/** Measures what building and reading subjects by their checked pattern costs, compared with doing it by hand. */
export default bench({
  name: 'subjects',
  what: 'a bus subject built from its pattern and read back, against the same string work by hand',
  unit: 'subjects/s',
  contenders: {
    floor: repeat(() => `codase.gateway.v1.${'svc_1'}.whoami`.split('.')),
    ours: repeat(() => valuesOf(WHOAMI, at(WHOAMI, { service: 'svc_1' }))),
  },
  bar: 0.1,
});
