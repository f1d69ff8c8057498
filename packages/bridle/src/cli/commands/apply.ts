// `bridle apply` brings the changes of a session that works on a branch into the folder that it began with.
import { existsSync } from 'node:fs'
import type { SessionDetail } from '../../client/index.ts'
import {
  agentOption,
  clientOptions,
  dataOptions,
  defineCommand,
  EXIT_CODES,
  ExitError,
  outputOptions,
} from '../command.ts'
import { commandName } from '../command-name.ts'
import { inspectDataFolder } from '../config/data-folder.ts'
import { repeatedFlags, serverSettings } from '../config/settings.ts'
import { connectOrStart } from '../runs/server-connection.ts'
import { takeOver } from '../runs/take-over.ts'
import { NoSessionError, withSession } from '../session-ids/session-prefix.ts'

export const apply = defineCommand({
  options: {
    ...agentOption,
    ...clientOptions,
    ...dataOptions,
    ...outputOptions,
  },
  notes: `For sessions that were started with --workspace on a repository. The changes come into the folder, uncommitted: look at them
with git diff. Where they do not fit, nothing is changed. After further work of the session, apply brings what changed since.`,
  run: async ({ args, flags, env, out }) => {
    const [session = ''] = args
    // A session of `run` may have been served by that command alone, which has ended.
    const connection = await connectOrStart(flags, env, out)
    const { fabric } = connection
    const card = await withSession(fabric, session, flags.agent, (id) => fabric.session(id, flags.agent))
      .catch(async (error: unknown) => {
        const { data } = await serverSettings(flags, env)
        const isHere = connection.ownData === null && inspectDataFolder(data).state === 'free'
        throw error instanceof NoSessionError && isHere
          ? withFolderHint(
              error,
              data,
              `apply ${session} --url http://127.0.0.1:4318${repeatedFlags({ ...flags, url: undefined })}`,
            )
          : error
      })
      .finally(connection.close)
    const { source, path } = foldersOf(card)
    const files = await takeOver(source, path)
    if (out.isJson) out.row({ type: 'applied', sessionId: card.id, source, files })
    else
      out.line(
        files === 0
          ? 'The session changed nothing.'
          : `${files} ${files === 1 ? 'file' : 'files'} changed in ${source}; see git status.`,
      )
    return EXIT_CODES.ok
  },
})

/** The session may be one of this folder, which no server has at the moment, while another server has the port. */
const withFolderHint = ({ code, message }: NoSessionError, data: string, words: string): ExitError =>
  new ExitError(
    code,
    `${message} No server has the sessions in ${data} now. To look there, name a free port: ${commandName()} ${words}`,
  )

/** The folder that the session began with, and the one in which it works. */
const foldersOf = ({
  workspace_kind: kind,
  workspace_source: source,
  workspace_path: path,
}: SessionDetail): { readonly source: string; readonly path: string } => {
  const refuse = (message: string) => new ExitError(EXIT_CODES.failed, message)
  if (kind === 'in_place') throw refuse(`The session works in ${source} itself.`)
  if (kind === 'copy') throw refuse(`The session works in a copy: its files are in ${path}.`)
  if (kind !== 'git_worktree' || source === undefined || path === undefined)
    throw refuse('The session has no workspace of a repository.')
  if (!existsSync(source) || !existsSync(path))
    throw refuse(`The folders of the session are not on this machine: ${source}.`)
  return { source, path }
}
