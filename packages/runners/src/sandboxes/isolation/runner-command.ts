// The commands of our own runner and of the first program in a sandbox, and the files that an engine inside must see for them.
import { existsSync, realpathSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { commandFile } from '@bridle/system/package-folder'
import { ENGINE_PACKAGES } from '../../engine-table/engine-packages.ts'
import type { SandboxUser } from './sandbox-user.ts'

const isSource = import.meta.url.endsWith('.ts')
const fileOf = (name: string) => fileURLToPath(new URL(`${name}.${isSource ? 'ts' : 'js'}`, import.meta.url))
const entry = fileOf('./sandbox-entry')

export const runnerCommand = (): string[] => [
  realpathSync(process.execPath),
  // A signal would open the debugger, through which a program of the same user could read the runner's memory.
  '--disable-sigusr1',
  ...(isSource ? ['--conditions=bridle-source'] : []),
  commandFile,
  'runner',
]

/** The command that comes before an engine's command in a sandbox; null = the user stays the same. */
export const entryCommand = (ports: readonly number[], user: SandboxUser | null, folder: string): string[] => [
  realpathSync(process.execPath),
  // Warnings of Node must not mix with the engine's output.
  '--no-warnings',
  entry,
  ports.join(','),
  user ? `${user.uid}:${user.gid}` : '',
  folder,
]

/** Node, and Bridle's one file that runs inside, with the package.json that makes it a module. */
export const entryFiles = (): string[] => [...nodeFolders(), entry, ...manifestsAbove(entry).slice(0, 1)]

/** The folders of an installation of Node; only the program where Node lies among other files. */
const nodeFolders = (): string[] => {
  const program = realpathSync(process.execPath)
  const prefix = dirname(dirname(program))
  const isInstallation = existsSync(join(prefix, 'lib', 'node_modules', 'npm'))
  return isInstallation ? [join(prefix, 'bin'), join(prefix, 'lib')] : [program]
}

/** Where engines are installed: the packages, and nothing of the project that they are in. */
export const engineFolders = (folder: string): string[] => {
  const modules = modulesAbove(folder)
  return [...new Set([...modules, ...modules.flatMap(linkedEngines)])]
}

/** An engine may be a link that leads elsewhere, as `npm link` makes it: its own folder, and the packages that it finds from there. */
const linkedEngines = (modules: string): string[] =>
  ENGINE_PACKAGES.map((name) => join(modules, name))
    .filter((path) => existsSync(path) && realpathSync(path) !== path)
    .flatMap((path) => [realpathSync(path), ...modulesAbove(path)])

const modulesAbove = (folder: string): string[] => modulesIn(foldersAbove(join(realpathSync(folder), 'any')))

const manifestsAbove = (file: string): string[] =>
  foldersAbove(file)
    .map((folder) => join(folder, 'package.json'))
    .filter((manifest) => existsSync(manifest))

const modulesIn = (folders: readonly string[]): string[] =>
  folders.map((folder) => join(folder, 'node_modules')).filter((folder) => existsSync(folder))

const foldersAbove = (file: string): string[] => {
  const above: string[] = []
  for (let folder = dirname(file); folder !== dirname(folder); folder = dirname(folder)) above.push(folder)
  return above
}
