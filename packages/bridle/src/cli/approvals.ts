// `bridle approvals`: what waits for somebody's word, oldest first, over all sessions.
import type { OpenApproval } from '../client/index.ts'
import { clientOf } from './settings.ts'
import { ago, table } from './table.ts'
import { asking, EXIT, showing, verb } from './verb.ts'

export const approvals = verb({
  summary: 'list what waits for your word',
  takes: [],
  options: { ...asking, ...showing },
  notes: 'Answer by bridle approve or bridle reject.',
  act: async ({ flags, env, out }) => {
    const fabric = await clientOf(flags, env)
    const open: OpenApproval[] = []
    for (let cursor: string | undefined, isFirst = true; isFirst || cursor !== undefined; isFirst = false) {
      const page = await fabric.approvals(cursor === undefined ? {} : { cursor })
      open.push(...page.approvals)
      cursor = page.next
    }
    if (out.isJson) open.forEach(out.row)
    else if (open.length === 0) out.note('Nothing waits.')
    else show(open)
    return EXIT.ok

    function show(rows: readonly OpenApproval[]): void {
      const now = Date.now()
      const cells = rows.map((row) => [
        row.sessionId,
        row.id,
        row.agent,
        row.toolName,
        ago(row.requestedAt, now),
        row.reason,
      ])
      table(out, ['SESSION', 'APPROVAL', 'AGENT', 'TOOL', 'ASKED', 'REASON'], cells)
      const [first] = rows
      if (first)
        out.note(`\nbridle approve ${first.sessionId} ${first.id}   or   bridle reject ${first.sessionId} ${first.id}`)
    }
  },
})
