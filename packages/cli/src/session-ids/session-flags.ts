import type { FabricClient } from '@bridle/client/index'
import { shellWord } from '../command/shell-word.ts'
import { sessionsByPrefix } from './session-prefix.ts'

export interface NamedSession {
  readonly id: string
  /** Undefined if the session was found without it. */
  readonly agent: string | undefined
}

/** The server's flags, plus `--agent` if the id is ambiguous. */
export const sessionFlags = async (fabric: FabricClient, session: NamedSession, serverFlags: string): Promise<string> =>
  (await sharedId(fabric, session)).agentFlag + serverFlags

export interface SharedId {
  /** ` --agent NAME`, or empty if the id is enough. */
  readonly agentFlag: string
  /** For the user who chose the id. Null if it is unique. */
  readonly remark: string | null
}

/** Looks for sessions of other agents with this id. Only messages depend on it, so failures count as none. */
export const sharedId = async (fabric: FabricClient, { id, agent }: NamedSession): Promise<SharedId> => {
  const found = agent === undefined ? [] : await sessionsByPrefix(fabric, id, undefined).catch(() => [])
  const other = found.find((each) => each.id === id && each.agent !== agent)
  if (agent === undefined || other === undefined) return { agentFlag: '', remark: null }
  const agentFlag = ` --agent ${shellWord(agent)}`
  return { agentFlag, remark: `${other.agent} has a session ${id} too. Other commands need${agentFlag} for this one.` }
}
