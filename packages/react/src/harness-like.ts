import type { HarnessClient } from '@bridle/client/harness/client'

/** The part of `HarnessClient` that the hooks use, so that tests and pages can pass a stand-in. */
export type HarnessLike = Pick<
  HarnessClient,
  | 'getSnapshot'
  | 'subscribe'
  | 'connection'
  | 'held'
  | 'discard'
  | 'submit'
  | 'steer'
  | 'edit'
  | 'reload'
  | 'cancel'
  | 'approve'
  | 'answer'
  | 'pause'
  | 'resume'
  | 'signal'
>
