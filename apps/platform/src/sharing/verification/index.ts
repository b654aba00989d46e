export { ATTESTED_ANSWERS, type AttestedAnswers } from './attested-answers.hook.ts';
export { VERIFICATION } from './capability.ts';
