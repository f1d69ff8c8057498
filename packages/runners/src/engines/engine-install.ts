// How to install an engine: with npm in a project; in a checkout, in the folder that pins the engines.
import { existsSync } from 'node:fs'
import { join, relative, resolve } from 'node:path'
import { checkoutFolder } from '@bridle/system/package-folder'
import type { EngineDescription } from './description.ts'

export interface InstallPlace {
  /** The folder in which the command was typed. */
  readonly cwd: string
  /** The checkout whose source runs; null = the package runs. */
  readonly checkout: string | null
}

/** In sentences that end with words to type. */
export const notInstalledMessage = (
  { title, packageName }: Pick<EngineDescription, 'title' | 'packageName'>,
  env: NodeJS.ProcessEnv,
  place: InstallPlace = thisPlace(),
): string => {
  const pinned = pinnedFolder(place)
  if (pinned === null || isNamed(pinned, env, place) || !existsSync(join(pinned, 'node_modules', packageName)))
    return `${title} is not installed. ${installHint(packageName, env, place)}`
  const folder = relative(place.cwd, pinned) || '.'
  return `${title} is in ${folder}, and was not looked for there: start with BRIDLE_ENGINES=${folder}`
}

export const installHint = (packageName: string, env: NodeJS.ProcessEnv, place: InstallPlace = thisPlace()): string => {
  const pinned = pinnedFolder(place)
  if (pinned === null) return `Run: npm install ${packageName}`
  const folder = relative(place.cwd, pinned) || '.'
  const start = isNamed(pinned, env, place) ? '' : ` and then start with BRIDLE_ENGINES=${folder}`
  return `Run: (cd ${folder} && npm ci)${start}`
}

const thisPlace = (): InstallPlace => ({ cwd: process.cwd(), checkout: sourceCheckout() })

/** Null in a project, also in one that runs the source of a checkout elsewhere: it has packages of its own. */
const pinnedFolder = ({ cwd, checkout }: InstallPlace): string | null =>
  checkout === null || relative(checkout, cwd).startsWith('..') ? null : join(checkout, 'apps', 'sandbox')

const isNamed = (folder: string, { BRIDLE_ENGINES: named }: NodeJS.ProcessEnv, { cwd }: InstallPlace): boolean =>
  Boolean(named) && resolve(cwd, named ?? '') === folder

/** Five folders above this file, where it is source. */
const sourceCheckout = (): string | null => {
  const root = checkoutFolder?.replace(/[\\/]$/, '') ?? null
  return root !== null && existsSync(join(root, 'apps', 'sandbox', 'package.json')) ? root : null
}
