// Files in the work folder of an in-place agent from which a server loads code and settings. The agent must not change them: such a
// file would run outside of the sandbox, with the keys of the server.
import { lstatSync, readlinkSync, realpathSync } from 'node:fs'
import { dirname, join, relative, resolve, sep } from 'node:path'
import { isPlaceholder, namesIn } from './placeholders.ts'
import {
  AGENT_FOLDERS,
  isProject,
  projectsAbove,
  projectsBelow,
  registeredProjects,
  SETTINGS_NAMES,
  type ServerProject,
} from './server-projects.ts'

export interface ProtectedPlaces {
  /** Files and folders that are there: read-only. */
  readonly present: readonly string[]
  /** Paths at which nothing is: nothing comes to be there. */
  readonly absent: readonly string[]
  /** Data folders of servers: read-only, and shown empty. */
  readonly hidden: readonly string[]
  /** The folders between the work folder and the others. Renaming one would put another in its place. */
  readonly above: readonly string[]
  /** Why no sandbox can protect them, in a sentence; null = one can. */
  readonly problem: string | null
}

const SERVER_DATA = '.bridle'
/** `npx` and `npm run` take options of Node from `.npmrc`, such as a module to import first. */
const PACKAGE_NAMES = ['node_modules', 'package.json', '.npmrc']

/** The protected places in a work folder, which is a path without links. `projects` are those of the server. */
export const protectedPlaces = (
  work: string,
  projects: readonly ServerProject[] = registeredProjects(),
): ProtectedPlaces => {
  const places = new Map<string, 'present' | 'absent' | 'hidden'>()
  let problem: string | null = null
  const protect = (path: string, isLoaded = true): void => {
    const { real, link } = follow(path, work)
    if (isWithin(work, real)) problem ??= `The server loads ${real} from there.`
    if (!isWithin(real, work) || real === work) return
    if (link !== null) {
      // An agent could replace the link; one that is not loaded may be replaced.
      if (isLoaded) problem ??= `${link} is a symbolic link, which a sandbox cannot make read-only.`
      return
    }
    const first = firstAbsent(real, work)
    if (first !== null) places.set(first, 'absent')
    else places.set(real, relative(work, real).split(sep).at(-1) === SERVER_DATA ? 'hidden' : 'present')
  }
  const found = [...projectsBelow(work), ...projectsAbove(work)]
  for (const { root, agents } of [...projects, ...found]) {
    const folders = [...new Set([...agents, ...AGENT_FOLDERS.map((name) => resolve(root, name))])]
    for (const folder of folders) protect(folder)
    for (const name of [...SETTINGS_NAMES, SERVER_DATA]) protect(join(root, name))
    protect(join(root, '.env.local'), false)
    for (const name of namesIn(root)) if (isSettingsName(name)) protect(join(root, name), SETTINGS_NAMES.includes(name))
    if (!isProject(root, folders)) continue
    // Node looks for packages in every folder above the file that imports one.
    const importing = [root, ...folders.filter((each) => isWithin(each, work)).map(dirname)]
    for (const folder of new Set([root, ...importing.flatMap((each) => foldersUpTo(each, work))]))
      for (const name of PACKAGE_NAMES) protect(join(folder, name))
  }
  const of = (kind: string) => [...places].flatMap(([path, each]) => (each === kind ? [path] : []))
  return {
    present: of('present'),
    absent: of('absent'),
    hidden: of('hidden'),
    above: [...new Set([...places.keys()].flatMap((path) => foldersBetween(path, work)))],
    problem,
  }
}

/** Whether a server loads from this folder, or from a part of it, or this folder is a part of what it loads. */
export const isLoadedFrom = ({ present, absent, hidden, problem }: ProtectedPlaces): boolean =>
  problem !== null || present.length + absent.length + hidden.length > 0

/** Whether a real path is protected, however the file system spells its letters. */
export const isProtected = ({ present, absent, hidden }: ProtectedPlaces, path: string): boolean =>
  [...present, ...absent, ...hidden].some((each) => isWithin(plain(path), plain(each)))

/** Some file systems do not tell letters apart by case, and pass over characters that have no width. */
const plain = (path: string): string =>
  path
    .normalize('NFC')
    .replaceAll(/\p{Default_Ignorable_Code_Point}/gu, '')
    .toLowerCase()

const isSettingsName = (name: string): boolean => /^(\.env|bridle\.config\.)/i.test(name)

/** The real path, and the first link on the way that an agent in the work folder could replace. */
const follow = (path: string, work: string): { readonly real: string; readonly link: string | null } => {
  let real: string = sep
  let link: string | null = null
  for (const part of path.split(sep).filter((each) => each !== '')) {
    const next = join(real, part)
    const isLink = lstatSync(next, { throwIfNoEntry: false })?.isSymbolicLink() === true
    if (isLink && isWithin(next, work)) link ??= next
    real = isLink ? targetOf(next) : next
  }
  // The place of the link is in the folder, wherever it leads.
  return link === null ? { real, link } : { real: link, link }
}

const targetOf = (link: string): string => {
  try {
    return realpathSync(link)
  } catch {
    return resolve(dirname(link), readlinkSync(link))
  }
}

/** The first part of the path at which nothing is, or a placeholder; null = all of it is there. */
const firstAbsent = (path: string, work: string): string | null =>
  [...foldersBetween(path, work), path].find(
    (each) => lstatSync(each, { throwIfNoEntry: false }) === undefined || isPlaceholder(each),
  ) ?? null

/** The folders between the work folder and the path, without either, from the top down. */
const foldersBetween = (path: string, work: string): string[] => {
  const above = dirname(path)
  return above === work || !isWithin(above, work) ? [] : [...foldersBetween(above, work), above]
}

/** The folder and those above it, up to the work folder. */
const foldersUpTo = (folder: string, work: string): string[] =>
  isWithin(folder, work) ? [...new Set([work, ...foldersBetween(folder, work), folder])] : []

export const isWithin = (path: string, folder: string): boolean =>
  path === folder || path.startsWith(folder.endsWith(sep) ? folder : folder + sep)
