import type { FabricClient } from '@bridle/client/index'
import { present } from '@bridle/events/json'
import { approvalQuestions } from '../approvals/approval-questions.ts'
import { withWholeApproval } from '../approvals/child-approval.ts'
import { clientOptions, defineCommand, EXIT_CODES, failure, outputOptions, usageError } from '../command/command.ts'
import { commandName } from '../command/command-name.ts'
import { createClient, createWatchingClient, repeatedFlags } from '../config/settings.ts'
import { awayRemarks } from '../runs/away-remarks.ts'
import { leaveRun } from '../runs/leaving.ts'
import { asRemoval } from '../runs/missing-session.ts'
import { pauseWatch } from '../runs/pause-watch.ts'
import { parseEventFlag } from '../session-ids/event-id.ts'
import { sessionFlags } from '../session-ids/session-flags.ts'
import { findSession, isNotFound } from '../session-ids/session-prefix.ts'
import { checkAgent } from '../session-ids/unknown-agent.ts'
import { endLine } from '../terminal/event-printer.ts'
import { listenForInterrupt } from '../terminal/interruption.ts'
import { writeRemark } from '../terminal/output.ts'
import { withWorkingLine } from '../terminal/working-line.ts'

export const attach = defineCommand({
  options: {
    after: { type: 'string', value: 'EVENT', help: 'only what comes after this event, such as ev-12' },
    replay: { type: 'string', value: 'N', help: 'how much of what was before: all (default), none, or the last N' },
    agent: { type: 'string', value: 'NAME', help: 'whose session; with it the session need not exist yet' },
    ...clientOptions,
    ...outputOptions,
  },
  notes: `On a terminal it asks about open approvals. Ctrl+C detaches, and the session continues. While something runs, Ctrl+C again
within 2 seconds cancels it.`,
  run: async ({ args, flags, env, out: terminal }) => {
    const [session = ''] = args
    const { agent = null } = flags
    const replay = replayOf(flags.replay ?? 'all')
    const after = flags.after === undefined ? undefined : parseEventFlag('--after', flags.after)
    const lookup = await createClient(flags, env)
    // With an agent, the session need not exist yet, so the text is its complete id.
    const known = agent === null ? await findSession(lookup, session, undefined) : null
    const id = known?.id ?? session
    const { isAnswered, read } = await answeredBefore(lookup, id, agent)
    const fabric = await createWatchingClient(flags, env)
    const { signal, isTerminated, dispose } = listenForInterrupt()
    const command = commandName(env)
    let runId = known?.runId ?? null
    const words = await sessionFlags(lookup, { id, agent: flags.agent }, repeatedFlags(flags))
    const nextFlags = () => words
    const pause = pauseWatch(() => `${command} resume ${id}${words}`)
    pause.readStatus(known?.status)
    const { out, stop } = withWorkingLine(terminal, {
      words: () => (pause.isPaused ? pause.words() : `waiting for ${agent ?? known?.agent}`),
      isWorking: () => runId !== null || pause.isPaused,
    })
    const printing = { withPrompts: true, withHints: !out.canAsk, withEnds: true, isAnswered }
    const questions = approvalQuestions({ fabric, out, printing, env, id, agent, nextFlags })
    const { printer } = questions
    if (known && out.canAsk)
      out.note(`${known.agent}, session ${id}, ${known.status}; Ctrl+C leaves, twice cancels what runs.`)
    let hasOpened = false
    const away = awayRemarks(questions.remark)
    const feed = fabric.events(agent, id, {
      signal,
      replay,
      ...present({ after }),
      onRetry: away.onRetry,
      onOpen: () => {
        away.onOpen()
        hasOpened = true
      },
    })
    try {
      for await (const event of feed) {
        if (event.type === 'prompt_start') runId = event.data.runId ?? null
        if (event.type === 'idle' || (event.type === 'cancelled' && event.data.runId === runId)) runId = null
        pause.read(event)
        read(event)
        if (out.isJson) out.row(event)
        else questions.show(await withWholeApproval(lookup, event))
      }
      await questions.close()
      if (!stop()) endLine(out, printer)
      const run = runId === null || isTerminated() ? null : { id, runId, agent: flags.agent }
      if (run && (await leaveRun(terminal, lookup, run)) === 'cancelled') return EXIT_CODES.cancelled
    } catch (error) {
      if (hasOpened || !isNotFound(error)) throw asRemoval(error, id)
      await checkAgent(lookup, flags.agent)
      throw failure(`There is no ${agent === null ? `session ${id}` : `agent ${agent}`}.`)
    } finally {
      await questions.close()
      printer.freshLine()
      stop()
      dispose()
    }
    const state = pause.isPaused ? `it is ${pause.words()}` : 'nothing was stopped'
    writeRemark(`Detached from ${id}; ${state}.\nCome back with\n  ${command} attach ${id}${words}`)
    return EXIT_CODES.ok
  },
})

interface AnsweredBefore {
  readonly isAnswered: (approvalId: string) => boolean
  /** Records where the log asks. The id of a sub-agent's approval belongs to another log. */
  readonly read: (event: { readonly id: string; readonly type: string; readonly data: object }) => void
}

/** True if an old event asked for the approval and it is no longer open. */
const answeredBefore = async (fabric: FabricClient, id: string, agent: string | null): Promise<AnsweredBefore> => {
  const session = await fabric.session(id, agent ?? undefined).catch(() => null)
  if (!session) return { isAnswered: () => false, read: () => {} }
  const open = new Set(session.approvals.map((each) => each.id))
  const last = sequenceOf(session.lastEventId)
  const old = new Set<string>()
  return {
    isAnswered: (approvalId) => old.has(approvalId) && !open.has(approvalId),
    read: ({ id: eventId, type, data }) => {
      if (type === 'approval_requested' && 'approvalId' in data && sequenceOf(eventId) <= last)
        old.add(String(data.approvalId))
    },
  }
}

const sequenceOf = (name: string): number => Number(/(\d+)(~\d+)?$/.exec(name)?.[1] ?? Number.POSITIVE_INFINITY)

const replayOf = (text: string): 'all' | 'none' | number => {
  if (text === 'all' || text === 'none') return text
  if (/^\d{1,9}$/.test(text)) return Number(text)
  throw usageError(`--replay ${text} is neither all, none nor a number.`)
}
