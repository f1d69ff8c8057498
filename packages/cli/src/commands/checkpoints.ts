import { defineCommand, sessionOptions } from '../command/command.ts'
import { commandName } from '../command/command-name.ts'
import { createClient, repeatedFlags } from '../config/settings.ts'
import { sessionFlags } from '../session-ids/session-flags.ts'
import { findSession } from '../session-ids/session-prefix.ts'
import { printTable, timeAgo } from '../terminal/table.ts'

export const checkpoints = defineCommand({
  options: sessionOptions,
  notes: `Newest first. Besides checkpoints of the agent, the end of a turn and an approval are points to branch from.
A server lists the newest of them; bridle branch --from takes any event of the log.`,
  run: async ({ args: [session = ''], flags, env, out }) => {
    const fabric = await createClient(flags, env)
    const detail = await findSession(fabric, session, flags.agent)
    const { id, resume_points: points, checkpoints: kept } = detail
    const numbers = new Map(kept.map(({ event_id: event, sequence }) => [event, sequence]))
    const rows = points.toReversed().map((point) => {
      const checkpoint = numbers.get(point.event_id)
      return { sessionId: id, ...point, ...(checkpoint !== undefined && { checkpoint }) }
    })
    if (out.isJson) rows.forEach(out.row)
    else if (rows.length === 0) out.note(`${id} has no checkpoint yet.`)
    else {
      const now = Date.now()
      const cells = rows.map(({ event_id: event, kind, checkpoint, timestamp, summary }) => [
        event,
        checkpoint === undefined ? kind : `${kind} ${checkpoint}`,
        timeAgo(timestamp, now),
        summary,
      ])
      printTable(out, ['EVENT', 'KIND', 'WHEN', 'ABOUT'], cells)
      const words = await sessionFlags(fabric, { id, agent: flags.agent }, repeatedFlags(flags))
      out.note(`\n${commandName(env)} branch ${id} --from ${rows[0]?.event_id}${words}`)
    }
  },
})
