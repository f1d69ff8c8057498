// `bridle backup` copies a data folder while its server works. The copy is a data folder that a server can start with.
import { existsSync } from 'node:fs'
import { cp, mkdir, rename, rm, stat } from 'node:fs/promises'
import { join, relative, resolve } from 'node:path'
import { dataOptions, defineCommand, EXIT_CODES, ExitError, outputOptions } from '../command.ts'
import { commandName } from '../command-name.ts'
import { serverSettings } from '../config/settings.ts'

const DATABASE = 'bridle.sqlite'
/** Names that belong to the process which has the folder, and the database, which SQLite copies itself. */
const LEFT_OUT = new Set(['lock', 'owner', DATABASE, `${DATABASE}-wal`, `${DATABASE}-shm`])

export const backup = defineCommand({
  options: { ...dataOptions, ...outputOptions },
  notes: `The copy is a data folder: bridle start --data FOLDER serves it. It has the secrets of the server; keep it as safe as the original.`,
  run: async ({ args: [folder = ''], flags, env, out }) => {
    const data = resolve((await serverSettings(flags, env)).data)
    const target = resolve(folder)
    if (!existsSync(join(data, DATABASE)))
      throw new ExitError(EXIT_CODES.usage, `There is no data of a server in ${data}. Name its folder with --data.`)
    if (existsSync(target)) throw new ExitError(EXIT_CODES.usage, `${folder} exists. Name a folder that does not.`)
    if (!relative(data, target).startsWith('..'))
      throw new ExitError(EXIT_CODES.usage, `${folder} is inside of the data folder. Name one outside.`)
    // A copy that is cut off must not stand under its name.
    const partial = `${target}.partial`
    await rm(partial, { recursive: true, force: true })
    try {
      await mkdir(partial, { recursive: true, mode: 0o700 })
      await copyDatabase(join(data, DATABASE), join(partial, DATABASE))
      await cp(data, partial, { recursive: true, verbatimSymlinks: true, filter: (path) => isCopied(data, path) })
      await rename(partial, target)
    } catch (cause) {
      await rm(partial, { recursive: true, force: true })
      throw new ExitError(
        EXIT_CODES.failed,
        `The copy broke off: ${(cause as Error).message}. Nothing is kept of it.`,
        {
          cause,
        },
      )
    }
    if (out.isJson) out.row({ data, backup: target })
    else out.line(`${data} is copied to ${folder}. ${commandName()} start --data ${folder} serves the copy.`)
    return EXIT_CODES.ok
  },
})

/** SQLite's own online backup: a consistent state, while others write. */
const copyDatabase = async (from: string, to: string): Promise<void> => {
  const { backup: copy, DatabaseSync } = await import('node:sqlite')
  const database = new DatabaseSync(from, { readOnly: true })
  try {
    await copy(database, to)
  } finally {
    database.close()
  }
}

/** Sockets and the like cannot be copied, and belong to the process. */
const isCopied = async (data: string, path: string): Promise<boolean> => {
  if (LEFT_OUT.has(relative(data, path))) return false
  const found = await stat(path).catch(() => null)
  return found === null || found.isFile() || found.isDirectory()
}
