import { counter } from '@codase/runtime/metrics';

/** The metrics of this capability, by the names that dashboards and alerts use. */
export const METRICS = {
  signInsBegun: counter(
    'codase.sign_in_apps.sign_ins',
    '{sign_in}',
    'Sign-ins with apps of companies that were begun with a right password',
  ),
  outcomes: counter(
    'codase.sign_in_apps.outcomes',
    '{sign_in}',
    'Sign-ins with apps that stopped to wait: approved, denied, pushed out or expired; and codes that apps exchanged',
    { labels: [{ 'codase.outcome': ['approved', 'denied', 'pushed_out', 'expired', 'exchanged'] }] },
  ),
  notesForgotten: counter(
    'codase.sign_in_apps.plugins_freed',
    '{plugin}',
    'Plugins that a worker freed, because no claim of the sign-in app used them any more: a change of the app was interrupted',
  ),
  notesRestored: counter(
    'codase.sign_in_apps.plugins_held_again',
    '{plugin}',
    'Plugins that a worker holds again, because a claim of a sign-in app uses them: a database was restored',
  ),
};
