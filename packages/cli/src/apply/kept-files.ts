import { basename, join, relative, resolve } from 'node:path'
import { nearestName } from '@bridle/kernel/text/nearest-name'
import { NAMES_SHOWN } from '../command/limits.ts'
import { shellWord } from '../command/shell-word.ts'
import { escapeInvisible } from '../terminal/text-lines.ts'
import type { ChangedFile } from './change-plan.ts'

/** A longer command does not fit on a screen. The next refusal offers the rest. */
const KEPT_NAMES_MAX = 50

/** Paths of the named files, as `apply` prints them or as file system paths. A string is the reason for failure. */
export const findKept = (
  names: readonly string[],
  changed: readonly ChangedFile[],
  top: string,
): ReadonlySet<string> | string => {
  const paths = changed.map(({ path }) => path)
  const found = new Set<string>()
  for (const name of names) {
    const place = relative(top, resolve(name))
    const fitting = [name, place].map((each) => paths.filter((path) => [textOf(path), nameOf(path)].includes(each)))
    const [matches] = fitting.filter(({ length }) => length > 0)
    if (matches === undefined) return `The session did not change ${escapeInvisible(name)}. ${otherFiles(name, paths)}`
    for (const path of matches) found.add(path)
  }
  return found
}

const otherFiles = (name: string, paths: readonly string[]): string => {
  if (paths.length === 0) return 'It changed nothing.'
  const names = paths.map(nameOf)
  const near = nearestName(name, names)
  const same = names.filter((each) => basename(each) === basename(name))
  const meant = same.length === 0 && near !== null ? [near] : same
  return meant.length > 0 ? `Did you mean ${listOf(meant, ' or ')}?` : `It changed ${listOf(names)}.`
}

export const keepOffer = (
  files: readonly ChangedFile[],
  kept: ReadonlySet<string>,
  work: string,
  command: (flags: string) => string,
): string => {
  const written = files.filter(({ now }) => now !== '').map(({ path }) => path)
  const removed = files.filter(({ now }) => now === '').map(({ path }) => path)
  const [one, many] = [written.length === 1, files.length > 1]
  const places = written.slice(0, NAMES_SHOWN).map((path) => `\n  ${join(work, nameOf(path))}`)
  const more = written.length - places.length
  const flags = [...kept, ...files.slice(0, KEPT_NAMES_MAX).map(({ path }) => path)].map(keepFlag).join('')
  return [
    removed.length === 0 ? '' : ` The session removed ${many ? namesOf(removed) : 'it'}.`,
    written.length === 0 ? '' : ` The session has its ${one ? 'version' : 'versions'} in${places.join('')}`,
    more > 0 ? `\n  and ${more} more` : '',
    '\nIf you want both, merge them by hand first. This leaves yours as it is, and brings over the rest:',
    `\n  ${command(flags)}`,
  ].join('')
}

/** A value starting with a dash would be parsed as a flag. */
export const keepFlag = (path: string): string => {
  const name = nameOf(path)
  return ` --keep${name.startsWith('-') ? '=' : ' '}${shellWord(name)}`
}

export const namesOf = (paths: readonly string[]): string => listOf(paths.map(nameOf))

const listOf = (names: readonly string[], joint = ', '): string => {
  const shown = names.slice(0, NAMES_SHOWN)
  const more = names.length - shown.length
  return [...shown, ...(more > 0 ? [`${more} more`] : [])].join(joint)
}

const nameOf = (path: string): string => escapeInvisible(textOf(path))

const textOf = (path: string): string => Buffer.from(path, 'latin1').toString()
