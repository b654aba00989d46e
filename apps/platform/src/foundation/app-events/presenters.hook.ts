import type { AppEventData, AppEventKind } from '@codase/contracts';
import { hook } from '../../kit/hooks.ts';

/** An event by its ids, as it is stored. */
interface StoredAppEvent<K extends AppEventKind = AppEventKind> {
  kind: K;
  person_user_id: string;
  /** The company whose service the event is about. It may live in another region, and may have moved since. */
  company_user_id: string;
  /** The id of what the event is about, such as the `challenge_id` of a challenge. */
  object_id: string;
}

/**
 * Makes what a phone gets for events of some kinds. It is asked in the home region of the person, at the moment of sending and outside of
 * any transaction, and may ask another region. It returns null when there is nothing to say any more: then the event is left out.
 */
export interface AppEventPresenter {
  readonly presents: { readonly [K in AppEventKind]?: (event: StoredAppEvent<K>) => Promise<AppEventData<K> | null> };
}
export const APP_EVENT_PRESENTERS = hook<AppEventPresenter>('presenters of app events');
