import type { AppEventData, AppEventKind } from '@cds/contracts';
import { hook } from '../hooks.ts';

/** An event by its ids, as it is stored. */
export interface StoredAppEvent<K extends AppEventKind = AppEventKind> {
  kind: K;
  person_user_id: string;
  /** Whose service it is about. The company may live in another region, and may have moved since. */
  company_user_id: string;
  /** Of a challenge its challenge_id. */
  object_id: string;
}

/**
 * What a phone gets for events of some kinds. It is asked in the home region of the person, at the moment of sending and outside of any
 * transaction, and may ask another region. Null leaves the event out: there is nothing to say any more.
 */
export interface AppEventPresenter {
  readonly presents: { readonly [K in AppEventKind]?: (event: StoredAppEvent<K>) => Promise<AppEventData<K> | null> };
}
export const APP_EVENT_PRESENTERS = hook<AppEventPresenter>('presenters of app events');
