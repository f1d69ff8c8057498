// The session of a chat: a new one, a named one, or the newest of the agent.
import { type FabricClient, FabricError } from '@bridle/client/index'
import { failure } from '../command/command.ts'
import { commandName } from '../command/command-name.ts'
import { CANDIDATES_MAX } from '../command/limits.ts'
import { refusalReason } from '../errors/refusal-text.ts'
import type { FolderChoice } from '../runs/workspace-option.ts'
import { findSession, isNotFound, newestSession, sessionsByPrefix } from '../session-ids/session-prefix.ts'
import { unknownAgent } from '../session-ids/unknown-agent.ts'
import { newChatBody } from './chat-workspace.ts'

export interface ChatTarget {
  readonly id: string
  readonly agent: string
  /** Made by this chat: removed again when the person leaves without a prompt. */
  readonly isNew: boolean
}

export interface ChatChoice {
  readonly agent: string | undefined
  readonly id: string | undefined
  readonly continues: boolean
  readonly workspace: FolderChoice | null
  /** The flags that lead a further command to the same server. */
  readonly serverFlags: string
  readonly say?: (text: string) => void
}

export const chooseTarget = async (fabric: FabricClient, choice: ChatChoice): Promise<ChatTarget> => {
  const { agent, id } = choice
  if (id !== undefined) return namedChat(fabric, id, choice)
  if (choice.continues) {
    const newest = await newestSession(fabric, { kind: 'chat', ...(agent !== undefined && { agent }) })
    if (newest) return { id: newest.id, agent: newest.agent, isNew: false }
  }
  return createTarget(fabric, agent, choice.workspace)
}

/** Makes a chat of the agent; without a name, of the server's default agent. */
export const createTarget = async (
  fabric: FabricClient,
  agent: string | undefined,
  workspace: FolderChoice | null,
  id?: string,
): Promise<ChatTarget> => {
  const body = { ...newChatBody(agent, workspace), ...(id !== undefined && { session_id: id }) }
  const card = await fabric.createChat(body).catch((error: unknown) => {
    if (!(error instanceof FabricError)) throw error
    const unknown = unknownAgent(error)
    if (unknown) throw unknown
    if (workspace && error.status === 400)
      throw failure(
        `The server does not take ${workspace.source} as a workspace: ${refusalReason(error)} Go without it with --no-workspace.`,
      )
    throw error
  })
  const target = { id: card.id, agent: card.agent, isNew: true }
  // A server that knows no workspaces of chats takes the request, and would let the agent work in an empty folder.
  if (workspace && (await fabric.workspace(target.id, target.agent)).mode === 'none') {
    await fabric.remove(target.agent, target.id)
    throw failure(
      `This server gives a chat no workspace, so ${target.agent} cannot work on ${workspace.source}. Go without it with --no-workspace.`,
    )
  }
  return target
}

/** With an agent the id is a whole one: a session that does not exist yet is made under it. */
const namedChat = async (fabric: FabricClient, id: string, choice: ChatChoice): Promise<ChatTarget> => {
  const { agent, workspace, serverFlags, say } = choice
  try {
    const session =
      agent === undefined
        ? await findSession(fabric, id, undefined, (row) => chatCommand(row, serverFlags))
        : await fabric.session(id, agent)
    return { id: session.id, agent: session.agent, isNew: false }
  } catch (error) {
    if (agent === undefined || !isNotFound(error)) throw error
    // Before the session is there: afterwards its own id begins so as well.
    const remark = say && (await longerIdText(fabric, id, serverFlags))
    const target = await createTarget(fabric, agent, workspace, id)
    if (remark) say(remark)
    return target
  }
}

export const chatCommand = ({ agent, id }: Pick<ChatTarget, 'agent' | 'id'>, serverFlags: string): string =>
  `${commandName()} chat ${agent} --id ${id}${serverFlags}`

/** Lists show the beginnings of ids, and other verbs take them: a person may mean a session that is there. Null where none begins so. */
const longerIdText = async (fabric: FabricClient, id: string, serverFlags: string): Promise<string | null> => {
  // Only a remark: the chat goes on without it.
  const found = await sessionsByPrefix(fabric, id, undefined).catch(() => null)
  const [first, ...others] = [...(found?.values() ?? [])].filter((each) => each.id !== id)
  if (first === undefined) return null
  const which = others.length === 0 ? 'the one that begins so' : `one of the ${others.length + 1} that begin so`
  const commands = [first, ...others].slice(0, CANDIDATES_MAX).map((each) => `  ${chatCommand(each, serverFlags)}`)
  return [`${id} is a new session. If you meant ${which}, leave with Ctrl+D and type`, ...commands].join('\n')
}
