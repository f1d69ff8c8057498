import { existsSync } from 'node:fs'
import { chmod, mkdir, mkdtemp, realpath, rename, rm } from 'node:fs/promises'
import { basename, dirname, join, resolve } from 'node:path'
import { copyFolder } from '@bridle/runners/sandboxes/folders/folder-copy'
import { isWithin } from '@bridle/runners/sandboxes/protection/protected-places'
import { defineCommand, failure, outputOptions, usageError } from '../command/command.ts'
import { commandName } from '../command/command-name.ts'
import { dataOptions } from '../command/setting-flags.ts'
import { serverSettings } from '../config/settings.ts'

const DATABASE = 'bridle.sqlite'
/** Excluded: files of the process, the database, which SQLite copies, and engine copies, which are recreated on demand. */
const LEFT_OUT = new Set(['lock', 'owner', 'programs', DATABASE, `${DATABASE}-wal`, `${DATABASE}-shm`])

export const backup = defineCommand({
  options: { ...dataOptions, ...outputOptions },
  notes: `The copy is a data folder: bridle start --data FOLDER serves it. It has the secrets of the server; keep it as safe as the original.`,
  run: async ({ args: [folder = ''], flags, env, out }) => {
    const data = resolve((await serverSettings(flags, env)).data)
    const target = resolve(folder)
    if (!existsSync(join(data, DATABASE)))
      throw usageError(`There is no data of a server in ${data}. Name its folder with --data.`)
    if (existsSync(target)) throw usageError(`${folder} exists. Name a folder that does not.`)
    const from = await realpath(data)
    if (isWithin(await realPlace(target), from))
      throw usageError(`${folder} is inside of the data folder. Name one outside.`)
    await mkdir(dirname(target), { recursive: true })
    // Copy to a private folder first: an interrupted copy must not look complete, and the copy contains the server's secrets.
    const partial = await mkdtemp(`${target}.partial-`)
    try {
      const copy = join(partial, 'data')
      await copyDatabase(join(data, DATABASE), join(partial, DATABASE))
      // Agents may be writing. The copy follows no links and grants no program its owner's permissions.
      await copyFolder(from, copy, {
        limits: UNLIMITED,
        isLeftOut: ({ name, depth }) => depth === 0 && LEFT_OUT.has(name),
      })
      // SQLite applies the umask, but the original is private.
      await chmod(join(partial, DATABASE), 0o600)
      await rename(join(partial, DATABASE), join(copy, DATABASE))
      await rename(copy, target)
      await rm(partial, { recursive: true, force: true })
    } catch (cause) {
      await rm(partial, { recursive: true, force: true })
      throw failure(`The copy broke off: ${(cause as Error).message}. Nothing is kept of it.`, { cause })
    }
    if (out.isJson) out.row({ data, backup: target })
    else out.line(`${data} is copied to ${folder}. ${commandName()} start --data ${folder} serves the copy.`)
  },
})

/** SQLite's online backup is consistent despite concurrent writes. */
const copyDatabase = async (from: string, to: string): Promise<void> => {
  const { backup: copy, DatabaseSync } = await import('node:sqlite')
  const database = new DatabaseSync(from, { readOnly: true })
  try {
    await copy(database, to)
  } finally {
    database.close()
  }
}

/** Resolves links in the existing part of the path. */
const realPlace = async (path: string): Promise<string> =>
  path === dirname(path) ? path : realpath(path).catch(async () => join(await realPlace(dirname(path)), basename(path)))

/** The server already limits the folder's contents. */
const UNLIMITED = { bytes: Number.POSITIVE_INFINITY, files: Number.POSITIVE_INFINITY }
