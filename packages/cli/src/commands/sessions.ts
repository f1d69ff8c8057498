import type { SessionFilter, SessionRow } from '@bridle/client/index'
import { present } from '@bridle/events/json'
import { clientOptions, defineCommand, outputOptions, usageError } from '../command/command.ts'
import { commandName } from '../command/command-name.ts'
import { allPages } from '../config/all-pages.ts'
import { createClient, repeatedFlags } from '../config/settings.ts'
import { sessionFlags } from '../session-ids/session-flags.ts'
import { checkAgent } from '../session-ids/unknown-agent.ts'
import { writeRemark } from '../terminal/output.ts'
import { changedColumn, printSessionTable } from '../terminal/session-table.ts'

export const sessions = defineCommand({
  options: {
    status: { type: 'string', value: 'STATUS', help: 'idle, queued, running, awaiting_approval, paused …' },
    agent: { type: 'string', value: 'NAME', help: 'of this agent' },
    kind: { type: 'string', value: 'KIND', help: 'chat or background' },
    parent: { type: 'string', value: 'SESSION', help: 'branched from, or started by' },
    search: { type: 'string', value: 'TEXT', help: 'found in the title or the id' },
    limit: { type: 'string', value: 'N', help: 'at most this many' },
    cursor: { type: 'string', value: 'CURSOR', help: 'the next page of an earlier list' },
    all: { type: 'boolean', help: 'all pages, oldest first' },
    ...clientOptions,
    ...outputOptions,
  },
  run: async ({ flags, env, out }) => {
    const fabric = await createClient(flags, env)
    const rows: SessionRow[] = []
    // Ordered by last change, a session that changes between two page requests would be missed.
    const filter = { ...filterOf(flags), ...(flags.all && flags.cursor === undefined && { order: 'created' as const }) }
    let next: string | undefined
    let count = 0
    for await (const page of allPages((cursor) => fabric.sessions({ ...filter, ...present({ cursor }) }))) {
      next = page.next
      count += page.sessions.length
      if (out.isJson) page.sessions.forEach(out.row)
      else rows.push(...page.sessions)
      if (!flags.all && count > 0) break
    }

    if (count === 0) await checkAgent(fabric, flags.agent)
    if (count === 0) out.note('No sessions.')
    const [first] = rows
    if (first) {
      printSessionTable(out, rows, changedColumn)
      out.note(`\n${commandName(env)} inspect ${first.id}${await sessionFlags(fabric, first, repeatedFlags(flags))}`)
    }
    if (next !== undefined) writeRemark(`There are more: --cursor ${next}, or --all`)
  },
})

const filterOf = (
  flags: {
    readonly [N in 'status' | 'agent' | 'kind' | 'parent' | 'search' | 'limit' | 'cursor']?: string
  },
): SessionFilter => {
  const { status, agent, kind, parent, search, limit, cursor } = flags
  if (limit !== undefined && !/^[1-9]\d{0,2}$/.test(limit))
    throw usageError(`--limit ${limit} is not a number from 1 to 500.`)
  const count = limit === undefined ? undefined : Number(limit)
  return present({ status, agent, kind, parent, search, limit: count, cursor }) as SessionFilter
}
