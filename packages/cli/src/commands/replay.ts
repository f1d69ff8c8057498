import { existsSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { FabricError } from '@bridle/client/http/error'
import type { History, SessionAt } from '@bridle/history/index'
import type { AnyEvent } from '@bridle/kernel/event'
import { defineCommand, ExitError, sessionOptions, usageError } from '../command/command.ts'
import { createClient } from '../config/settings.ts'
import { explainError } from '../errors/explain-error.ts'
import { NoSessionError, withSession } from '../session-ids/session-prefix.ts'
import { createEventPrinter } from '../terminal/event-printer.ts'
import { printFields } from '../terminal/fields.ts'
import { healthTexts } from '../terminal/health-text.ts'
import { listenForInterrupt } from '../terminal/interruption.ts'
import type { CliOutput } from '../terminal/output.ts'

/** Longest wait between two events at normal speed: an agent that waits for its operator is dull to watch. */
const REPLAY_GAP_MS = 2_000

export const replay = defineCommand({
  options: {
    to: { type: 'string', value: 'EVENT', help: 'only up to this event, such as ev-12' },
    speed: { type: 'string', value: 'SPEED', help: '4x, 0.5x, or max: without a wait. Default: 1x on a terminal' },
    session: { type: 'string', value: 'ID', help: 'which session, where a file has several' },
    ...sessionOptions,
  },
  notes: `A file is one that bridle export wrote; no server is needed for it. Waits longer than 2 seconds are shortened.
JSON is one line: the session as it was at the last event that is shown.
To ask the prompts again, with another model for instance, use bridle rerun.`,
  run: async ({ args: [source = ''], flags, env, out }) => {
    const speed = speedOf(flags.speed ?? (out.canAsk ? '1x' : 'max'))
    const history = await historyFrom(source, flags, env)
    const to = flags.to === undefined ? history.head : history.seqOf(flags.to)
    if (to === undefined)
      throw usageError(
        `--to ${flags.to} is no event of this session; it has ev-${history.first} to ev-${history.head}.`,
      )
    if (out.isJson) {
      const { seq, time, type, conversation, session } = history.at(to)
      out.row({ seq, time, type, conversation, session })
      return
    }
    const { signal, dispose } = listenForInterrupt()
    const shown = await play(out, history, to, speed, signal)
    dispose()
    printMoment(out, history.at(shown), history.head)
  },
})

const historyFrom = async (
  source: string,
  flags: { readonly session?: string; readonly agent?: string; readonly url?: string; readonly data?: string },
  env: NodeJS.ProcessEnv,
): Promise<History> => {
  // Imported lazily: a fold loads half of the kernel.
  const { historyInFile, historyOnServer } = await import('../past/past-session.ts')
  if (existsSync(source)) return historyInFile(source, flags.session)
  if (flags.session !== undefined)
    throw usageError(`--session chooses a session of a file, and there is no file ${source}.`)
  const fabric = await createClient(flags, env)
  return withSession(fabric, source, flags.agent, (id) => historyOnServer(fabric, id, flags.agent)).catch(
    (error: unknown) => {
      const isNowhere = error instanceof NoSessionError || (error instanceof FabricError && error.status === 0)
      if (!isNowhere) throw error
      const { code, message } = explainError(error)
      throw new ExitError(code, `There is no file ${source}. ${message}`, { cause: error })
    },
  )
}

/** Prints events up to `to`. Returns the sequence number of the last one. */
const play = async (
  out: CliOutput,
  history: History,
  to: number,
  speed: number,
  signal: AbortSignal,
): Promise<number> => {
  const { agentEvent } = await import('@bridle/surfaces/fabric/codec')
  const { id, agent } = history.session
  const printer = createEventPrinter(out, { withPrompts: true, withHints: false })
  let before: number | null = null
  for (let seq = history.first; seq <= to; seq++) {
    const entry = history.entry(seq)
    const event = entry && !entry.withheld ? agentEvent({ tenant: '', agent, id }, entry as unknown as AnyEvent) : null
    if (!entry || !event) continue
    const waitMs = Math.min(entry.at - (before ?? entry.at), REPLAY_GAP_MS) / speed
    before = entry.at
    if (waitMs > 0) await sleep(waitMs, undefined, { signal }).catch(() => {})
    if (signal.aborted) {
      printer.freshLine()
      return Math.max(seq - 1, history.first)
    }
    printer.print(event)
  }
  printer.freshLine()
  return to
}

const printMoment = (out: CliOutput, { seq, time, session }: SessionAt, head: number): void => {
  const { id, agent, title, status, messages, earlierMessages = 0, usage, health } = session
  out.line('')
  printFields(out, [
    ['Session', [`${id} (${agent})`]],
    ['Title', title === '' ? [] : [title]],
    ['At', [`ev-${seq} of ev-${head}, ${new Date(time).toISOString()}`]],
    ['Status', [status]],
    ['Messages', [String(earlierMessages + messages.length)]],
    ['Tokens', [String(usage.total_tokens)]],
    ['Health', healthTexts(health)],
  ])
}

const speedOf = (text: string): number => {
  if (text === 'max') return Number.POSITIVE_INFINITY
  const [, factor] = /^(\d{1,4}(?:\.\d{1,3})?)x?$/.exec(text) ?? []
  if (Number(factor) > 0) return Number(factor)
  throw usageError(`--speed ${text} is neither a factor such as 4x nor max.`)
}
