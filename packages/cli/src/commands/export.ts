import { pipeline } from 'node:stream/promises'
import type { FabricClient, SessionFilter } from '@bridle/client/index'
import { present } from '@bridle/events/json'
import { clientOptions, defineCommand, outputOptions } from '../command/command.ts'
import { commandName } from '../command/command-name.ts'
import { createClient } from '../config/settings.ts'
import { bodyOf, saveFile } from '../files/save-file.ts'
import { newestSession, withSession } from '../session-ids/session-prefix.ts'
import { checkAgent } from '../session-ids/unknown-agent.ts'
import { shortIds } from '../terminal/short-ids.ts'

export const exportSessions = defineCommand({
  options: {
    output: { type: 'string', short: 'o', value: 'FILE', help: 'the file; else standard output' },
    'no-branches': { type: 'boolean', help: 'the session alone, without the branches below it' },
    agent: { type: 'string', value: 'NAME', help: 'of this agent' },
    status: { type: 'string', value: 'STATUS', help: 'without a session: only those of this status' },
    kind: { type: 'string', value: 'KIND', help: 'without a session: chat or background' },
    search: { type: 'string', value: 'TEXT', help: 'without a session: found in the title or the id' },
    ...clientOptions,
    ...outputOptions,
  },
  notes:
    'Without a session it writes all sessions that the filters leave. Secrets of known shapes are removed: look through the file before you share it.',
  run: async ({ args: [session], flags, env, out }) => {
    const client = await createClient(flags, env)
    const { agent, status, kind, search, output } = flags
    const branches = flags['no-branches'] ? ('none' as const) : undefined
    if (session === undefined && agent !== undefined && !(await newestSession(client, { agent, archived: 'all' })))
      await checkAgent(client, agent)
    let exported: string | null = null
    const answer = await (session === undefined
      ? client.exportSessions(present({ agent, status, kind, search }) as SessionFilter)
      : withSession(client, session, agent, (id) => {
          exported = id
          return client.exportSession(id, present({ agent, branches }))
        }))
    if (output === undefined) await pipeline(bodyOf(answer), process.stdout, { end: false })
    else {
      await saveFile(answer, output, 'export')
      if (out.isJson) out.row({ file: output })
      else {
        const choice = exported === null || branches === 'none' ? '' : await sessionFlag(client, exported, agent)
        out.line(
          `Written to ${output}. To watch it, or to read it into another server:\n  ${commandName(env)} replay ${output}${choice}\n  ${commandName(env)} import ${output}`,
        )
      }
    }
  },
})

/** The flag that selects the session in its file, with the shortest unambiguous prefix, to fit in 80 columns. */
const sessionFlag = async (client: FabricClient, id: string, agent: string | undefined): Promise<string> => {
  const tree = await client.sessionTree(id, agent).catch(() => null)
  if (tree === null) return ` --session ${id}`
  const others = tree.sessions.flatMap((each) => (each.id === id ? [] : [each.id]))
  return others.length === 0 ? '' : ` --session ${shortIds([id, ...others])[0]}`
}
