// Snapshots change only when the client notifies its subscribers, once per frame.

import type { HarnessConnection, HeldPrompt } from '@bridle/client/harness/options'
import { type OpenQuestion, openQuestions } from '@bridle/client/harness/questions'
import type { HarnessState } from '@bridle/client/harness/state'
import { useCallback, useMemo, useSyncExternalStore } from 'react'
import type { HarnessLike } from './harness-like.ts'

/** A session in a component: its state, its connection, and its commands. */
export interface HarnessView extends HarnessActions {
  /** The state of the session. */
  readonly state: HarnessState
  /** The connection to the server. */
  readonly connection: HarnessConnection
  /** Prompts held until the client is connected. They are not part of `state`. */
  readonly held: readonly HeldPrompt[]
  /** Open questions for a person. Answer one with `answer`. */
  readonly questions: readonly OpenQuestion[]
}

type ActionName = (typeof actionNames)[number]
/** The commands of a session. Referentially stable for a client. */
export type HarnessActions = Pick<HarnessLike, ActionName>

/** Subscribes to a session. The actions are referentially stable for a client. */
export const useHarness = (client: HarnessLike): HarnessView => {
  const state = useSnapshot(client, () => client.getSnapshot())
  const connection = useSnapshot(client, () => client.connection)
  const held = useSnapshot(client, () => client.held)
  const actions = useMemo(() => actionsOf(client), [client])
  const { approvals } = state
  const questions = useMemo(() => openQuestions({ approvals }), [approvals])
  return useMemo(
    () => ({ state, connection, held, questions, ...actions }),
    [state, connection, held, questions, actions],
  )
}

const useSnapshot = <T>(client: HarnessLike, snapshot: () => T): T => {
  const subscribe = useCallback((listener: () => void) => client.subscribe(listener), [client])
  return useSyncExternalStore(subscribe, snapshot, snapshot)
}

const actionNames = [
  'submit',
  'steer',
  'edit',
  'reload',
  'cancel',
  'approve',
  'answer',
  'pause',
  'resume',
  'signal',
  'discard',
] as const satisfies readonly (keyof HarnessLike)[]

const actionsOf = (client: HarnessLike): HarnessActions =>
  Object.fromEntries(actionNames.map((name) => [name, client[name].bind(client)])) as unknown as HarnessActions
