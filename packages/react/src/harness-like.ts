// The part of a `HarnessClient` that the hooks use, so that tests and pages can pass a stand-in.
import type { HarnessClient } from '@bridle/client/harness/client'

/** A HarnessClient, or anything that behaves like one: the part that the hooks use. */
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
