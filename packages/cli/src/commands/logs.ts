import { setTimeout as sleep } from 'node:timers/promises'
import { FabricError } from '@bridle/client/http/error'
import { RETRY_BASE_MS, RETRY_MAX_MS } from '@bridle/client/http/limits'
import type { FabricClient } from '@bridle/client/index'
import { present } from '@bridle/events/json'
import { defineCommand, sessionOptions, usageError } from '../command/command.ts'
import { LOG_PAGE } from '../command/limits.ts'
import { createClient } from '../config/settings.ts'
import { eventOfEntry, eventOfEnvelope, type LogEvent } from '../logs/log-event.ts'
import { logFilter, typeHint } from '../logs/log-filter.ts'
import { LogPrinter } from '../logs/log-printer.ts'
import { awayRemarks } from '../runs/away-remarks.ts'
import { asRemoval } from '../runs/missing-session.ts'
import { parseEventFlag } from '../session-ids/event-id.ts'
import { withSession } from '../session-ids/session-prefix.ts'
import { listenForInterrupt } from '../terminal/interruption.ts'
import type { CliOutput } from '../terminal/output.ts'

export const logs = defineCommand({
  options: {
    follow: { type: 'boolean', short: 'f', help: 'go on with the events that come, until Ctrl+C' },
    last: { type: 'string', short: 'n', value: 'N', help: 'only the last N events that fit' },
    after: {
      type: 'string',
      value: 'EVENT',
      help: 'only events after this one, such as ev-12; for the last N use --last',
    },
    type: { type: 'string', multiple: true, value: 'TYPE', help: 'of this type, such as tool_call; also a,b' },
    tier: { type: 'string', value: 'TIER', help: 'default, or debug: also what helps to find a fault' },
    tool: { type: 'string', value: 'NAME', help: 'about this tool' },
    status: { type: 'string', value: 'STATUS', help: 'with this status, such as error' },
    grep: { type: 'string', value: 'PATTERN', help: 'whose JSON has this, in upper or lower case' },
    ...sessionOptions,
  },
  notes: `With -f it survives restarts of the server: nothing is lost, repeated or reordered.
Lines are cut to the terminal; JSON has everything.`,
  run: async ({ args: [session = ''], flags, env, out }) => {
    const { agent, follow = false } = flags
    const tier = tierOf(flags.tier ?? 'default')
    const last = flags.last === undefined ? null : countOf(flags.last)
    const after = flags.after === undefined ? 0 : parseEventFlag('--after', flags.after).replace('ev-', '')
    const isWanted = logFilter(flags)
    const fabric = await createClient(flags, env)
    const printer = new LogPrinter(out)
    const kept: LogEvent[] = []
    let shown = 0
    const take = (event: LogEvent): void => {
      if (!isWanted(event)) return
      shown += 1
      if (last === null) return printer.print(event)
      kept.push(event)
      if (kept.length > last) kept.shift()
    }
    const { events: known } = await fabric.streamEvents()
    const visible = new Set<string>(
      known.flatMap((each) => (tier === 'debug' || each.tier === 'default' ? [each.type] : [])),
    )
    const past = await withSession(fabric, session, agent, (id) =>
      readPast(fabric, id, { ...present({ agent }), after }, (event) => {
        if (event.custom || visible.has(event.type)) take(event)
      }),
    )
    for (const event of kept) printer.print(event)
    printer.flush()
    if (shown === 0) {
      const hint = typeHint(flags.type, known, tier)
      if (!follow) out.note(`No event fits.${hint}`)
      else if (hint !== '') out.note(`No event fits so far.${hint}`)
    }
    if (follow) await followEvents(fabric, { ...past, tier, agent, isWanted }, out)
  },
})

interface LogEnd {
  readonly id: string
  readonly cursor: string
}

const readPast = async (
  fabric: FabricClient,
  id: string,
  { agent, after }: { readonly agent?: string; readonly after: number | string },
  onEvent: (event: LogEvent) => void,
): Promise<LogEnd> => {
  for (let from: number | string = after; ; ) {
    const page = await fabric.log(id, { ...present({ agent }), after: from, limit: LOG_PAGE, content: 'none' })
    for (const entry of page.entries) if (!entry.withheld) onEvent(eventOfEntry(entry, id))
    // All entries of a page share one incarnation.
    from = page.entries.at(-1)?.seq ?? Math.min(Number.parseInt(`${from}`, 10), page.head)
    if (page.next === null) return { id, cursor: page.incarnation === 1 ? `${from}` : `${from}~${page.incarnation}` }
  }
}

const followEvents = async (
  fabric: FabricClient,
  {
    id,
    cursor,
    tier,
    agent,
    isWanted,
  }: LogEnd & {
    readonly tier: 'default' | 'debug'
    readonly agent: string | undefined
    readonly isWanted: (event: LogEvent) => boolean
  },
  out: CliOutput,
): Promise<void> => {
  const { signal, dispose } = listenForInterrupt()
  const printer = new LogPrinter(out)
  const away = awayRemarks(out.note)
  let hasOpened = false
  const onOpen = () => {
    away.onOpen()
    hasOpened = true
  }
  const follow = async (): Promise<void> => {
    const feed = fabric.envelopes(id, {
      tier,
      signal,
      after: cursor,
      onRetry: away.onRetry,
      onOpen,
      ...present({ agent }),
    })
    for await (const envelope of feed) {
      const event = eventOfEnvelope(envelope)
      // The greeting of a connection is not a logged event.
      if (event.type === 'session') {
        if (event.payload.reset) out.note('The history is another one than before; from the start:')
      } else if (isWanted(event)) {
        printer.print(event)
        // Print live events immediately.
        printer.flush()
      }
    }
  }
  // A feed fails if its first connection fails. The server was reachable a moment ago, so retry.
  for (let tries = 0; !signal.aborted; tries++) {
    try {
      await follow()
    } catch (error) {
      if (hasOpened || !(error instanceof FabricError) || !error.isRetryable) throw asRemoval(error, id)
      away.onRetry(error)
      await sleep(Math.min(RETRY_BASE_MS * 2 ** tries, RETRY_MAX_MS), undefined, { signal }).catch(() => {})
    }
  }
  dispose()
}

const tierOf = (text: string): 'default' | 'debug' => {
  if (text === 'default' || text === 'debug') return text
  throw usageError(`--tier ${text} is neither default nor debug.`)
}

const countOf = (text: string): number => {
  if (/^[1-9]\d{0,8}$/.test(text)) return Number(text)
  throw usageError(`--last ${text} is not a number from 1.`)
}
