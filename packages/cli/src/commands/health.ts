import type { FabricClient, SessionRow } from '@bridle/client/index'
import { connectChanges } from '@bridle/client/operator/changes'
import { present } from '@bridle/events/json'
import { type CliFlags, defineCommand, sessionOptions, usageError } from '../command/command.ts'
import { commandName } from '../command/command-name.ts'
import { LIST_PAGE } from '../command/limits.ts'
import { allPages } from '../config/all-pages.ts'
import { createClient, repeatedFlags, serverAddress } from '../config/settings.ts'
import { awayRemarks } from '../runs/away-remarks.ts'
import { asRemoval } from '../runs/missing-session.ts'
import { sessionFlags } from '../session-ids/session-flags.ts'
import { withSession } from '../session-ids/session-prefix.ts'
import { checkAgent } from '../session-ids/unknown-agent.ts'
import { printFields } from '../terminal/fields.ts'
import { healthChangeLines, healthTexts, healthWords } from '../terminal/health-text.ts'
import { listenForInterrupt } from '../terminal/interruption.ts'
import type { CliOutput } from '../terminal/output.ts'
import { printSessionTable, worstFirst } from '../terminal/session-table.ts'
import { behindLabel } from '../terminal/text-lines.ts'

const options = {
  watch: { type: 'boolean', short: 'w', help: 'go on with each change, until Ctrl+C' },
  below: { type: 'string', value: 'SCORE', help: 'only sessions with a lower score than this, from 1 to 100' },
  ...sessionOptions,
} as const

export const health = defineCommand({
  options,
  notes: `A score of 100 is fine; each finding lowers it. With -w the server says what changes: nothing polls.
JSON rows are { sessionId, agent, status, title, score, flags, hint }; with a session, its whole health.`,
  run: async ({ args: [session], flags, env, out }) => {
    const below = flags.below === undefined ? Number.POSITIVE_INFINITY : scoreOf(flags.below)
    if (session !== undefined && flags.below !== undefined)
      throw usageError('--below chooses sessions of the list; leave it out, or the session.')
    const fabric = await createClient(flags, env)
    if (session !== undefined) await oneSession(fabric, session, flags, out)
    else if (flags.watch) await watchAll(fabric, below, flags, env, out)
    else await printList(fabric, await unhealthy(fabric, below, flags.agent), repeatedFlags(flags), out)
  },
})

const oneSession = async (
  fabric: FabricClient,
  session: string,
  { agent, watch }: CliFlags<typeof options>,
  out: CliOutput,
): Promise<void> => {
  const show = (id: string, now: Awaited<ReturnType<FabricClient['sessionHealth']>>): void => {
    if (out.isJson) out.row({ sessionId: id, ...now })
    else printFields(out, [[id, healthTexts(now)]])
  }
  const id = await withSession(fabric, session, agent, async (each) => {
    // The health route returns 404 for an unknown session, so no lookup is needed.
    const now = await fabric.sessionHealth(each, agent)
    if (!watch) show(each, now)
    return each
  })
  if (!watch) return
  const { signal, dispose } = listenForInterrupt()
  const away = awayRemarks(out.note)
  try {
    for await (const { payload } of fabric.healthFeed(id, { signal, ...away, ...present({ agent }) })) show(id, payload)
  } catch (error) {
    throw asRemoval(error, id)
  }
  dispose()
}

const unhealthy = async (fabric: FabricClient, below: number, agent: string | undefined): Promise<SessionRow[]> => {
  const rows: SessionRow[] = []
  const read = (cursor: string | undefined) =>
    fabric.sessions({ order: 'created', limit: LIST_PAGE, ...present({ agent, cursor }) })
  for await (const page of allPages(read)) rows.push(...page.sessions.filter((row) => isBelow(row, below)))
  if (rows.length === 0) await checkAgent(fabric, agent)
  return worstFirst(rows)
}

/** Prints the list at start and after each gap, then a line per change of health or status. */
const watchAll = async (
  fabric: FabricClient,
  below: number,
  flags: CliFlags<typeof options>,
  env: NodeJS.ProcessEnv,
  out: CliOutput,
): Promise<void> => {
  // The stream would wait for an unreachable server, so fail now.
  await fabric.sessions({ limit: 1 })
  const { signal, interrupted, dispose } = listenForInterrupt()
  const { url, authToken } = await serverAddress(flags, env)
  const failed = Promise.withResolvers<never>()
  const shown = new Map<string, { readonly text: string; readonly updatedAt: string }>()
  /** True if the list would look different. A recovery is news once. */
  const isNews = (row: SessionRow): boolean => {
    const key = `${row.agent} ${row.id}`
    const last = shown.get(key)
    const isWanted = (flags.agent ?? row.agent) === row.agent && isBelow(row, below)
    // A list may be older than a change received while it loaded.
    if ((!isWanted && !last) || (last && last.updatedAt > row.updatedAt)) return false
    const text = JSON.stringify([row.status, row.health?.score, row.health?.flags])
    if (isWanted) shown.set(key, { text, updatedAt: row.updatedAt })
    else shown.delete(key)
    return last?.text !== text
  }
  let isFirst = true
  const load = async (): Promise<void> => {
    const rows = (await unhealthy(fabric, below, flags.agent)).filter(isNews)
    if (!signal.aborted && (rows.length > 0 || isFirst)) await printList(fabric, rows, repeatedFlags(flags), out)
    isFirst = false
  }
  let isAway = false
  const handle = connectChanges({
    url,
    ...present({ authToken, tenantId: flags.tenant }),
    onChange: (change) => {
      if (change.type === 'ready') load().catch((error: unknown) => (isAway ? undefined : failed.reject(error)))
      if (change.type === 'session' && isNews(change.session)) printChange(out, change.session)
    },
    onPhase: (phase, { error }) => {
      if (phase === 'closed' && !signal.aborted) failed.reject(error ?? new Error('The server closed the stream.'))
      if (phase === 'reconnecting' && !isAway) out.note('The server is away; waiting for it.')
      if (phase === 'open' && isAway) out.note('It is back.')
      isAway = phase === 'reconnecting'
    },
  })
  try {
    await Promise.race([interrupted, failed.promise])
  } finally {
    handle.close()
    dispose()
  }
}

const isBelow = ({ health: now }: SessionRow, below: number): boolean =>
  below === Number.POSITIVE_INFINITY || (now !== null && now.score < below)

const printList = async (
  fabric: FabricClient,
  rows: readonly SessionRow[],
  serverFlags: string,
  out: CliOutput,
): Promise<void> => {
  const [first] = rows
  if (out.isJson) for (const row of rows) out.row(rowOf(row))
  else if (first === undefined) out.note('No sessions.')
  else {
    printSessionTable(out, rows, healthColumn)
    out.note(`\n${commandName()} health ${first.id}${await sessionFlags(fabric, first, serverFlags)}`)
  }
}

/** A separate line with the time, because the list's header may have scrolled away. */
const printChange = (out: CliOutput, row: SessionRow): void => {
  if (out.isJson) return out.row(rowOf(row))
  const time = `${new Date().toTimeString().slice(0, 8)}  `
  const lines = healthChangeLines(row, out.width - time.length)
  behindLabel(out.style('dim', time), lines, time.length).forEach(out.line)
}

const healthColumn = {
  head: 'HEALTH',
  text: ({ health: now }: SessionRow): string => healthWords(now),
}

const rowOf = ({ id, agent, status, title, health: now }: SessionRow) => ({
  ...{ sessionId: id, agent, status, title },
  ...{ score: now?.score ?? null, flags: now?.flags ?? [], hint: now?.hint ?? null },
})

const scoreOf = (text: string): number => {
  if (/^\d{1,3}$/.test(text) && Number(text) >= 1 && Number(text) <= 100) return Number(text)
  throw usageError(`--below ${text} is not a number from 1 to 100.`)
}
