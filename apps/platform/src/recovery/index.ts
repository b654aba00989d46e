export { RECOVERY } from './capability.ts';
export { RECOVERY_SUBJECTS, type RecoverySubject, type RecoverySubjects } from './recovery-subjects.hook.ts';
