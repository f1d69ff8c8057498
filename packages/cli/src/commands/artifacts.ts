import { pipeline } from 'node:stream/promises'
import type { ArtifactPage, FabricClient } from '@bridle/client/index'
import { present } from '@bridle/events/json'
import { type CliFlags, defineCommand, failure, sessionOptions, usageError } from '../command/command.ts'
import { commandName } from '../command/command-name.ts'
import { allPages } from '../config/all-pages.ts'
import { createClient, repeatedFlags } from '../config/settings.ts'
import { bodyOf, saveFile } from '../files/save-file.ts'
import { sessionFlags } from '../session-ids/session-flags.ts'
import { isNotFound, withSession } from '../session-ids/session-prefix.ts'
import { type CliOutput, escapeControls } from '../terminal/output.ts'
import { printTable, timeAgo } from '../terminal/table.ts'

const options = {
  output: { type: 'string', short: 'o', value: 'FILE', help: 'save the artifact there; else it is printed' },
  ...sessionOptions,
} as const

export const artifacts = defineCommand({
  options,
  notes: 'An artifact is named by its id, or by its name: then it is the newest of that name.',
  run: async ({ args: [session = '', artifact], flags, env, out }) => {
    if (artifact === undefined && flags.output !== undefined)
      throw usageError('-o needs an artifact to save: its id or its name.')
    const fabric = await createClient(flags, env)
    if (artifact === undefined) await list(fabric, session, flags, out)
    else await read(fabric, session, artifact, flags, out)
  },
})

const list = async (fabric: FabricClient, session: string, flags: CliFlags<typeof options>, out: CliOutput) => {
  const { agent } = flags
  const rows: ArtifactPage['artifacts'][number][] = []
  const all = async (id: string): Promise<string> => {
    for await (const page of allPages((before) => fabric.artifacts(id, present({ agent, before }))))
      rows.push(...page.artifacts)
    return id
  }
  const id = await withSession(fabric, session, agent, all)
  if (out.isJson) for (const row of rows) out.row({ sessionId: id, ...row })
  else if (rows.length === 0) out.note(`${id} has no artifacts.`)
  else {
    const now = Date.now()
    const cells = rows.map(({ id: artifact, kind, size, createdAt, name }) => [
      artifact,
      kind,
      `${size} bytes`,
      timeAgo(createdAt, now),
      name,
    ])
    printTable(out, ['ARTIFACT', 'KIND', 'SIZE', 'WHEN', 'NAME'], cells)
    const words = await sessionFlags(fabric, { id, agent }, repeatedFlags(flags))
    out.note(`\n${commandName()} artifacts ${id} ${rows[0]?.id} -o FILE${words}`)
  }
}

const read = async (
  fabric: FabricClient,
  session: string,
  artifact: string,
  flags: CliFlags<typeof options>,
  out: CliOutput,
): Promise<void> => {
  const { agent, output } = flags
  let id = session
  const readFrom = (each: string) => {
    id = each
    return fabric.artifact(id, artifact, agent)
  }
  const answer = await withSession(fabric, session, agent, readFrom).catch(async (error: unknown) => {
    if (!isNotFound(error)) throw error
    const words = await sessionFlags(fabric, { id, agent }, repeatedFlags(flags))
    throw failure(`There is no artifact ${artifact} in ${id}. Try ${commandName()} artifacts ${id}${words}`)
  })
  if (output !== undefined) {
    await saveFile(answer, output, 'artifact')
    if (out.isJson) out.row({ artifact, file: output })
    else out.line(`Saved to ${output}.`)
    return
  }
  // Pipes get raw bytes. A terminal would execute control sequences in them.
  if (process.stdout.isTTY !== true) return pipeline(bodyOf(answer), process.stdout, { end: false })
  const type = answer.headers.get('content-type') ?? ''
  if (!/^text\/|json|xml|javascript/.test(type))
    throw usageError(`${artifact} is ${type || 'no text'}; save it with -o FILE.`)
  out.line(escapeControls(await answer.text()))
}
