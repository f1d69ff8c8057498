// A session that was started from another tells that one when it starts and when it ends, so that the parent's streams show
// the work it handed on. The child keeps what it has told in its own log: a crash in between loses no notice.
import type { Key } from './event.ts'
import { isTerminal, type SessionState } from './state.ts'

export interface ChildNotice {
  readonly parentId: string
  readonly child: Key
  readonly status: string
  /** Number of the child's event that made it so: an older notice that arrives late changes nothing. */
  readonly seq: number
}

/** The notice that the parent does not have yet. */
export const pendingNotice = (key: Key, state: SessionState): ChildNotice | null => {
  const { parentSessionId, standing, parentToldSeq } = state.lifecycle
  if (parentSessionId === null || standing === null || standing.seq <= parentToldSeq) return null
  // Between two prompts of its queue the child is still at work.
  if (standing.status !== 'running' && !isTerminal(state)) return null
  return { parentId: parentSessionId, child: key, status: standing.status, seq: standing.seq }
}

/**
 * The session that a child names by its id alone: the one of its own agent, else the first that was made, as everywhere. `found`
 * is in that order. Null = there is none.
 */
export const parentAmong = (found: readonly Key[], child: Key): Key | null => {
  const others = found.filter(({ agent, id }) => agent !== child.agent || id !== child.id)
  return others.find(({ agent }) => agent === child.agent) ?? others[0] ?? null
}
