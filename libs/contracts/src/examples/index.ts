import { companyExamples } from './company.ts';
import { customerExamples } from './customers.ts';
import { dataExamples } from './data.ts';
import type { Examples } from './example.ts';
import { flowExamples } from './flows.ts';

export type { Example, Examples } from './example.ts';
export { PARAMETER_SAMPLES } from './samples.ts';

/** An example of every endpoint, by its name. */
export const EXAMPLES: Examples = { ...dataExamples, ...companyExamples, ...flowExamples, ...customerExamples };
