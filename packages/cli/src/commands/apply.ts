import { existsSync } from 'node:fs'
import type { SessionDetail } from '@bridle/client/index'
import { takeOver } from '../apply/take-over.ts'
import { defineCommand, ExitError, failure, sessionOptions } from '../command/command.ts'
import { commandName } from '../command/command-name.ts'
import { dataOptions } from '../command/setting-flags.ts'
import { shellWord } from '../command/shell-word.ts'
import { inspectDataFolder } from '../config/data-folder.ts'
import { namedUrl, repeatedFlags, serverSettings, startCommand } from '../config/settings.ts'
import { rethrowMissing } from '../runs/missing-session.ts'
import { connectOrStart } from '../runs/server-connection.ts'
import { sessionFlags } from '../session-ids/session-flags.ts'
import { NoSessionError, withSession } from '../session-ids/session-prefix.ts'
import { escapeInvisible } from '../terminal/text-lines.ts'

export const apply = defineCommand({
  options: {
    keep: {
      type: 'string',
      multiple: true,
      value: 'FILE',
      help: 'leave this file as it is in the folder, and count it as applied',
    },
    'with-settings': {
      type: 'boolean',
      help: 'also bring files that a server loads: agents, settings, .env, packages of a project',
    },
    ...sessionOptions,
    ...dataOptions,
  },
  notes: `For sessions that were started with --workspace on a repository. The changes come into the folder, uncommitted: look at them
with git diff. Where they do not fit, nothing is changed, and the words have the command that keeps your version of those files.
Files that a server loads (agents/, .env, bridle.config.*) come over with --with-settings alone.
After further work of the session, apply brings what changed since.`,
  run: async ({ args, flags, env, out }) => {
    const [session = ''] = args
    // The server of a `run` may have stopped with that command.
    const connection = await connectOrStart(flags, env, out)
    const { fabric } = connection
    const { card, nextFlags } = await withSession(fabric, session, flags.agent, async (id) => ({
      card: await fabric.session(id, flags.agent),
      // Fetched while the server is available, because a refusal needs the follow-up command.
      nextFlags: await sessionFlags(fabric, { id, agent: flags.agent }, repeatedFlags(flags)),
    }))
      .catch(async (error: unknown) => {
        const { data } = await serverSettings(flags, env)
        // Unless a server was named, a remark already explained how to start the one of this folder.
        const isNamed = connection.ownData === null && namedUrl(flags, env) !== null
        throw error instanceof NoSessionError && isNamed && inspectDataFolder(data).state === 'free'
          ? withFolderHint(error, data, [
              startCommand(flags, env),
              `${commandName()} apply ${session}${repeatedFlags({ ...flags, url: undefined })}`,
            ])
          : error
      })
      .catch((error: unknown) => rethrowMissing(error, connection, session))
      .finally(connection.close)
    const { source, path } = foldersOf(card)
    const keep = flags.keep ?? []
    const command = (keepFlags: string) => `${commandName()} apply ${shellWord(card.id)}${keepFlags}${nextFlags}`
    const files = await takeOver(source, path, { keep, command, withSettings: flags['with-settings'] ?? false })
    if (out.isJson)
      out.row({ type: 'applied', sessionId: card.id, source, files, ...(keep.length > 0 && { kept: keep }) })
    else out.line(appliedText(files, source, keep))
  },
})

const appliedText = (files: number, source: string, keep: readonly string[]): string => {
  const kept = keep.length === 0 ? '' : ` Kept as it is there: ${escapeInvisible(keep.join(', '))}.`
  if (files > 0) return `${files} ${files === 1 ? 'file' : 'files'} changed in ${source}; see git status.${kept}`
  return keep.length === 0 ? 'The session changed nothing.' : `Nothing else was to be changed in ${source}.${kept}`
}

/** The session may belong to this folder, whose server is not running while another one uses the port. */
const withFolderHint = ({ code, message }: NoSessionError, data: string, commands: readonly string[]): ExitError =>
  new ExitError(
    code,
    `${message} No server has the sessions in ${data} now. To look there, start one: ${commands.join(', then ')}`,
  )

const foldersOf = ({
  workspace_kind: kind,
  workspace_source: source,
  workspace_path: path,
}: SessionDetail): { readonly source: string; readonly path: string } => {
  if (kind === 'in_place') throw failure(`The session works in ${source} itself.`)
  if (kind === 'copy') throw failure(`The session works in a copy: its files are in ${path}.`)
  if (kind !== 'git_worktree' || source === undefined || path === undefined)
    throw failure('The session has no workspace of a repository.')
  if (!existsSync(source) || !existsSync(path))
    throw failure(`The folders of the session are not on this machine: ${source}.`)
  return { source, path }
}
