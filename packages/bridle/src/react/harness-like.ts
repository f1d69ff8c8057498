// What the hooks need of a client: a `HarnessClient`, or whatever behaves like one.
import type { HarnessClient } from '../client/harness/client.ts'

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
  | 'pause'
  | 'resume'
>
