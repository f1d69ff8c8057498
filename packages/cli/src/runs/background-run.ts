import { FabricError } from '@bridle/client/http/error'
import type { BackgroundReceipt, FabricClient } from '@bridle/client/index'
import { EXIT_CODES, usageError } from '../command/command.ts'
import { commandName } from '../command/command-name.ts'
import { sharedId } from '../session-ids/session-flags.ts'
import { unknownAgent } from '../session-ids/unknown-agent.ts'
import type { CliOutput } from '../terminal/output.ts'
import { backgroundRequest, exitCodeOf, isFinalStatus, type Work } from './once.ts'
import { takeOverNote, workspaceNote } from './workspace-note.ts'

export interface BackgroundRun extends Work {
  readonly id: string | undefined
  readonly key: string | null
  readonly serverFlags: string
}

/** The session exists, so the prompt becomes its next one. */
const nextRun = async (
  fabric: FabricClient,
  { agent, input, workspace, key }: BackgroundRun,
  id: string,
): Promise<StartedRun> => {
  const { runId } = await fabric.invoke(agent, id, input, {
    async: true,
    ...(workspace && { workspace }),
    ...(key !== null && { idempotencyKey: key }),
  })
  return { ...(await fabric.session(id, agent)), run_id: runId }
}

type StartedRun = Omit<BackgroundReceipt, 'messageId' | 'delivery'>

/** Returns the earlier run's exit code if the key belongs to work that has ended. */
export const startInBackground = async (
  fabric: FabricClient,
  work: BackgroundRun,
  out: CliOutput,
  env: NodeJS.ProcessEnv,
): Promise<number> => {
  const { agent, id, key, workspace, serverFlags } = work
  if (typeof work.input.prompt !== 'string')
    throw usageError(`Say what to do: ${commandName(env)} run ${agent} "Hello" --background`)
  const card: StartedRun = await fabric
    .startBackground(backgroundRequest(work, id), key === null ? {} : { idempotencyKey: key })
    .catch(async (error: unknown) => {
      if (!(error instanceof FabricError)) throw error
      if (error.status === 409 && id !== undefined) return nextRun(fabric, work, id)
      throw unknownAgent(error) ?? error
    })
  const { id: sessionId, run_id: runId } = card
  const run = key === null || runId === null ? null : await fabric.run(sessionId, runId, agent)
  const ended = run !== null && isFinalStatus(run.status) ? run : null
  if (out.isJson) out.row({ sessionId, agent, runId, status: card.status, ...ended })
  else out.line(sessionId)
  if (ended !== null) {
    const reason = ended.error === undefined ? '' : `: ${ended.error.message}`
    out.note(`${ended.status}, session ${sessionId}, in an earlier call${reason}`)
    return exitCodeOf(ended.status)
  }
  if (out.isJson) return EXIT_CODES.ok
  const { agentFlag, remark } = await sharedId(fabric, { id: sessionId, agent })
  const nextFlags = agentFlag + serverFlags
  const notes = workspace ? [workspaceNote(card), takeOverNote(card, nextFlags)] : []
  for (const note of [remark, ...notes]) if (note !== null) out.note(note)
  const named = `${sessionId}${nextFlags}`
  const state =
    card.status === 'paused'
      ? `The session is paused, so this waits. Go on with\n  ${commandName(env)} resume ${named}\nWatch`
      : 'It works in the background. Watch'
  out.note(`${state} it with ${commandName(env)} attach ${named}`)
  return EXIT_CODES.ok
}
