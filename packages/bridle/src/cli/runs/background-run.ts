// `bridle run --background`: the work is in the server's log when the command ends, and nobody has to watch it.
import { FabricError } from '../../client/fabric/error.ts'
import type { OperatorClient } from '../../client/index.ts'
import { present } from '../../kernel/json.ts'
import { EXIT_CODES, ExitError } from '../command.ts'
import { commandName } from '../command-name.ts'
import { sharedId } from '../session-ids/session-flags.ts'
import { unknownAgent } from '../session-ids/unknown-agent.ts'
import type { CliOutput } from '../terminal/output.ts'
import type { RunPayload } from './run-input.ts'
import { takeOverNote, workspaceNote } from './workspace-note.ts'
import type { FolderChoice } from './workspace-option.ts'

export interface BackgroundRun {
  readonly agent: string
  readonly id: string | undefined
  readonly input: RunPayload
  readonly workspace: FolderChoice | null
  /** The flags that lead a further command to the same server. */
  readonly serverFlags: string
}

/** The session is there, as a branch is: the prompt is its next one, as in a run that is watched. */
const nextRun = async (
  fabric: OperatorClient,
  { agent, id, input, workspace }: Pick<BackgroundRun, 'agent' | 'input' | 'workspace'> & { readonly id: string },
) => {
  const { runId } = await fabric.invoke(agent, id, input, { async: true, ...(workspace && { workspace }) })
  return { ...(await fabric.session(id, agent)), run_id: runId }
}

export const startInBackground = async (
  fabric: OperatorClient,
  { agent, id, input: { prompt, ...fields }, workspace, serverFlags }: BackgroundRun,
  out: CliOutput,
  env: NodeJS.ProcessEnv,
): Promise<void> => {
  if (typeof prompt !== 'string')
    throw new ExitError(EXIT_CODES.usage, `Say what to do: ${commandName(env)} run ${agent} "Hello" --background`)
  const input = Object.keys(fields).length === 0 ? undefined : fields
  const request = { agent, prompt, ...present({ session_id: id, input, workspace: workspace ?? undefined }) }
  const card = await fabric.startBackground(request).catch(async (error: unknown) => {
    if (!(error instanceof FabricError)) throw error
    if (error.status === 409 && id !== undefined)
      return nextRun(fabric, { agent, id, input: { ...fields, prompt }, workspace })
    throw unknownAgent(error) ?? error
  })
  const { id: sessionId, status } = card
  if (out.isJson) return out.row({ sessionId, agent, runId: card.run_id, status })
  out.line(sessionId)
  const { agentFlag, remark } = await sharedId(fabric, { id: sessionId, agent })
  const nextFlags = agentFlag + serverFlags
  const work = workspace ? [workspaceNote(card), takeOverNote(card, nextFlags)] : []
  for (const note of [remark, ...work]) if (note !== null) out.note(note)
  const named = `${sessionId}${nextFlags}`
  const state =
    status === 'paused'
      ? `The session is paused, so this waits. Go on with\n  ${commandName(env)} resume ${named}\nWatch`
      : 'It works in the background. Watch'
  out.note(`${state} it with ${commandName(env)} attach ${named}`)
}
