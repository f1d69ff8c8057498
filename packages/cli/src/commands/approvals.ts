import { FabricError } from '@bridle/client/http/error'
import type { PendingApproval } from '@bridle/client/index'
import { present } from '@bridle/events/json'
import { inboxLines } from '../approvals/inbox-text.ts'
import { clientOptions, defineCommand, outputOptions } from '../command/command.ts'
import { commandName } from '../command/command-name.ts'
import { allPages } from '../config/all-pages.ts'
import { createClient, repeatedFlags } from '../config/settings.ts'
import { sessionFlags } from '../session-ids/session-flags.ts'
import { answerCommand } from '../terminal/answer-command.ts'
import { requestOf } from '../terminal/answer-fields.ts'
import { cellsWithIds } from '../terminal/session-table.ts'
import { printTable, timeAgo } from '../terminal/table.ts'
import { escapeInvisible } from '../terminal/text-lines.ts'

export const approvals = defineCommand({
  options: { ...clientOptions, ...outputOptions },
  notes: 'Answer with bridle approve or bridle reject, and a question with bridle answer.',
  run: async ({ flags, env, out }) => {
    const fabric = await createClient(flags, env)
    const open: PendingApproval[] = []
    for await (const page of allPages((cursor) => fabric.approvals(present({ cursor })))) open.push(...page.approvals)
    const rows: PendingApproval[] = []
    for (const row of open) rows.push(await whole(fabric, row))
    const show = async (): Promise<void> => {
      const now = Date.now()
      const heads = ['SESSION', 'APPROVAL', 'AGENT', 'TOOL', 'ASKED', 'TITLE']
      const table = (ids: readonly string[]) =>
        rows.map((row, at) => [
          ids[at] ?? row.sessionId,
          row.id,
          row.agent,
          requestOf(row) === null ? escapeInvisible(row.toolName) : 'question',
          timeAgo(row.requestedAt, now),
          escapeInvisible(row.title ?? ''),
        ])
      const ids = rows.map(({ sessionId }) => sessionId)
      const under = rows.map((row) => inboxLines({ ...row, request: requestOf(row) }, out.width))
      printTable(out, heads, cellsWithIds(out, heads, ids, table), under)
      const [first] = rows
      if (first === undefined) return
      const { sessionId: id, agent } = first
      const words = await sessionFlags(fabric, { id, agent }, repeatedFlags(flags))
      const command = commandName(env)
      const request = requestOf(first)
      out.note(
        request === null
          ? `${command} approve ${id} ${first.id}${words}`
          : answerCommand({ command, id, approvalId: first.id, nextFlags: words }, request),
      )
      out.note(`${command} reject ${id} ${first.id}${words}`)
    }
    if (out.isJson) rows.forEach(out.row)
    else if (rows.length === 0) out.note('Nothing waits.')
    else await show()
  },
})

/** Fetches the complete approval, because lists shorten long arguments and reasons and people must see everything. */
const whole = async (
  fabric: Awaited<ReturnType<typeof createClient>>,
  row: PendingApproval,
): Promise<PendingApproval> => {
  // Older servers have no `isCut` and omit the arguments.
  if (row.isCut === false) return row
  try {
    const { approvals: open, title } = await fabric.session(row.sessionId, row.agent)
    const found = open.find(({ id }) => id === row.id)
    // Keep the row if the approval was answered in the meantime.
    return found ? { ...row, ...found, title, isCut: false } : row
  } catch (error) {
    if (error instanceof FabricError && error.status === 404) return row
    throw error
  }
}
