import { counter } from '@codase/runtime/metrics';

/** The metrics of this capability, by the names that dashboards and alerts use. */
export const METRICS = {
  passwordsWrong: counter('codase.passwords.wrong', '{attempt}', 'Passwords that were wrong'),
  passwordsDelayed: counter(
    'codase.passwords.delayed',
    '{attempt}',
    'Passwords that were not looked at, since too many before them were wrong',
  ),
};
