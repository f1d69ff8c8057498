import { defineCommand, sessionOptions, usageError } from '../command/command.ts'
import { commandName } from '../command/command-name.ts'
import { createClient } from '../config/settings.ts'
import { findSession } from '../session-ids/session-prefix.ts'
import { truncateLine } from '../terminal/output.ts'
import { confirm } from '../terminal/question.ts'

export const deleteSession = defineCommand({
  options: {
    yes: { type: 'boolean', short: 'y', help: 'without a question; needed where nobody can answer one' },
    ...sessionOptions,
  },
  notes: 'The log, the artifacts and the files of the session are gone for good, and its run ends. Its branches stay.',
  run: async ({ args: [session = ''], flags, env, out }) => {
    if (!flags.yes && !out.canAsk) throw usageError(`Nobody can be asked here: ${commandName()} delete needs --yes.`)
    const fabric = await createClient(flags, env)
    const { id, agent, title } = await findSession(fabric, session, flags.agent)
    if (!flags.yes) {
      const which = `${id} of ${agent}`
      const room = out.width - `${which}: “”`.length
      out.line(title === '' || room < 1 ? which : `${which}: “${truncateLine(title, room)}”`)
      await confirm(out, 'This cannot be undone. Delete it?', 'Nothing was deleted.')
    }
    await fabric.remove(agent, id)
    if (out.isJson) out.row({ sessionId: id, agent, deleted: true })
    else out.line(`Deleted ${id}.`)
  },
})
