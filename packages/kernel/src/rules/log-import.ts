// An import starts a new session with all events of a file and continues none of their work.

import { present } from '@bridle/events/json'
import { type Answers, type ImportCommand, type Refusal, refuse } from '../commands.ts'
import { IMPORTED } from '../event.ts'
import type { BranchParent } from '../ports/log.ts'
import type { SessionState } from '../projections/state.ts'
import type { DecisionBuilder } from './decision-builder.ts'
import { endOpenWork } from './open-work.ts'

/** Refuses if the session exists or was opened for another branch point. */
export const importRefusal = (
  state: SessionState,
  { parent, events }: ImportCommand,
  branchPoint: BranchParent | null,
): Refusal | null => {
  if (!branchPoint && state.lifecycle.created) return refuse('session_exists')
  const isSame =
    parent?.agent === branchPoint?.agent && parent?.id === branchPoint?.id && parent?.seq === branchPoint?.seq
  if (!isSame) return refuse('bad_branch_point')
  const first = events[0]?.seq
  return first === state.head + 1
    ? null
    : refuse('session_exists', `A session of this id was here and used the numbers up to ${state.head}.`)
}

export const importLog = (
  w: DecisionBuilder,
  { events, source, digest, settings, owner, actor, partial }: ImportCommand,
): Answers['import'] => {
  for (const event of events) w.addNumbered(event)
  const before = w.state
  w.add('session_imported', { source, digest, settings, ...present({ owner, actor, partial }) })
  endOpenWork(w, before, IMPORTED)
  return { sessionId: w.key.id }
}
