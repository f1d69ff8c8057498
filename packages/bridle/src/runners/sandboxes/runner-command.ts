// How our own runner is started, from source or as built, and which folders it needs to see for that.
import { existsSync, realpathSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

const isSource = import.meta.url.endsWith('.ts')
const main = fileURLToPath(new URL(`../../cli/main.${isSource ? 'ts' : 'js'}`, import.meta.url))

export const runnerCommand = (): string[] => [
  realpathSync(process.execPath),
  // Whatever runs beside it could open its debugger by a signal, and read what it knows.
  '--disable-sigusr1',
  ...(isSource ? ['--conditions=source'] : []),
  main,
  'runner',
  '--port',
  '0',
]

/** Node, this package, and the packages that it finds from where it is. */
export const runnerFolders = (): string[] => [...nodeFolders(), ...packageFolders(fileURLToPath(import.meta.url))]

/** Its folders where it is an installation; only the program where it lies among other things. */
const nodeFolders = (): string[] => {
  const program = realpathSync(process.execPath)
  const prefix = dirname(dirname(program))
  const isInstallation = existsSync(join(prefix, 'lib', 'node_modules', 'npm'))
  return isInstallation ? [join(prefix, 'bin'), join(prefix, 'lib')] : [program]
}

/** The package of a file, and the packages that it finds. */
const packageFolders = (file: string): string[] => {
  const above = foldersAbove(file)
  const own = above.find((folder) => existsSync(join(folder, 'package.json')))
  return [...(own ? [own] : []), ...modulesIn(above)]
}

/** Where engines are installed: the packages, and nothing of the project that they are in. */
export const engineFolders = (folder: string): string[] => modulesIn(foldersAbove(join(realpathSync(folder), 'any')))

const modulesIn = (folders: readonly string[]): string[] =>
  folders.map((folder) => join(folder, 'node_modules')).filter((folder) => existsSync(folder))

const foldersAbove = (file: string): string[] => {
  const above: string[] = []
  for (let folder = dirname(file); folder !== dirname(folder); folder = dirname(folder)) above.push(folder)
  return above
}
