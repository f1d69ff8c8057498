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
  /** Created by this chat, and removed again if the user leaves without a prompt. */
  readonly isNew: boolean
}

export interface ChatChoice {
  readonly agent: string | undefined
  readonly id: string | undefined
  readonly continues: boolean
  readonly workspace: FolderChoice | null
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

/** Creates a chat. Undefined: the server's default agent. */
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
  // A server without workspaces for chats accepts the request, but would run the agent in an empty folder.
  if (workspace && (await fabric.workspace(target.id, target.agent)).mode === 'none') {
    await fabric.remove(target.agent, target.id)
    throw failure(
      `This server gives a chat no workspace, so ${target.agent} cannot work on ${workspace.source}. Go without it with --no-workspace.`,
    )
  }
  return target
}

/** With an agent, the id is complete: a missing session is created under it. */
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
    // Look before the session exists, because its own id would match.
    const remark = say && (await longerIdText(fabric, id, serverFlags))
    const target = await createTarget(fabric, agent, workspace, id)
    if (remark) say(remark)
    return target
  }
}

export const chatCommand = ({ agent, id }: Pick<ChatTarget, 'agent' | 'id'>, serverFlags: string): string =>
  `${commandName()} chat ${agent} --id ${id}${serverFlags}`

/** Warns about ids with this prefix, because lists shorten ids and other verbs accept prefixes. Null if there are none. */
const longerIdText = async (fabric: FabricClient, id: string, serverFlags: string): Promise<string | null> => {
  // Only a remark, so ignore failures.
  const found = await sessionsByPrefix(fabric, id, undefined).catch(() => null)
  const [first, ...others] = [...(found?.values() ?? [])].filter((each) => each.id !== id)
  if (first === undefined) return null
  const which = others.length === 0 ? 'the one that begins so' : `one of the ${others.length + 1} that begin so`
  const commands = [first, ...others].slice(0, CANDIDATES_MAX).map((each) => `  ${chatCommand(each, serverFlags)}`)
  return [`${id} is a new session. If you meant ${which}, leave with Ctrl+D and type`, ...commands].join('\n')
}
