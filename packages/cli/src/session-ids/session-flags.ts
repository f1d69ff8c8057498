// The flags with which a printed command finds a session again.
import type { FabricClient } from '@bridle/client/index'
import { shellWord } from '../command/shell-word.ts'
import { sessionsByPrefix } from './session-prefix.ts'

export interface NamedSession {
  readonly id: string
  /** Undefined = a command has found the session without it, so the next one does too. */
  readonly agent: string | undefined
}

/** The flags that lead a further command to this session: those of the server, and `--agent` where the id alone would be refused. */
export const sessionFlags = async (fabric: FabricClient, session: NamedSession, serverFlags: string): Promise<string> =>
  (await sharedId(fabric, session)).agentFlag + serverFlags

export interface SharedId {
  /** ` --agent NAME`; empty where the id is enough. */
  readonly agentFlag: string
  /** For the person who chose the id; null = no other agent has a session of it. */
  readonly remark: string | null
}

/** Whether sessions of other agents have the id. Only words depend on it: where the server does not say, none have. */
export const sharedId = async (fabric: FabricClient, { id, agent }: NamedSession): Promise<SharedId> => {
  const found = agent === undefined ? [] : await sessionsByPrefix(fabric, id, undefined).catch(() => [])
  const other = found.find((each) => each.id === id && each.agent !== agent)
  if (agent === undefined || other === undefined) return { agentFlag: '', remark: null }
  const agentFlag = ` --agent ${shellWord(agent)}`
  return { agentFlag, remark: `${other.agent} has a session ${id} too. Other commands need${agentFlag} for this one.` }
}
