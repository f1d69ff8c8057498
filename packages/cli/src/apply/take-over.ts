// Brings the changes of a session's worktree into the folder of a person. Git reads the worktree by the repository's own note about it,
// since an agent wrote everything in the worktree, its `.git` too.
import { copyFile, mkdtemp, rm, stat, utimes } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, sep } from 'node:path'
import { isProtected, protectedPlaces } from '@bridle/runners/sandboxes/protection/protected-places'
import { AGENT_FOLDERS } from '@bridle/runners/sandboxes/protection/server-projects'
import { type GitCall, git } from '@bridle/runners/workspaces/git'
import { findRepository, findWorktree, makeGitFolder } from '@bridle/runners/workspaces/worktree'
import { type ExitError, failure } from '../command/command.ts'
import { readAppliedNote, writeAppliedNote } from './applied-note.ts'
import { appliedFiles, type ChangedFile, changePlan, type FileEntries, keptFiles } from './change-plan.ts'
import { blockedFiles, changedFiles, foldersAmong, targetEntries, treesOf } from './file-entries.ts'
import { gitRefusal, gitWords, isGitFailure } from './git-refusal.ts'
import { findKept, keepFlag, keepOffer, namesOf } from './kept-files.ts'

export interface TakeOverChoice {
  /** Names of files that stay as they are in the folder, and count as applied. */
  readonly keep: readonly string[]
  /** Files that a server loads come over, too. */
  readonly withSettings?: boolean
  /** The command that was typed, with other flags to keep files. */
  readonly command: (keepFlags: string) => string
}

/** The number of files that were brought over: those that changed since the last apply. Either all of them are, or none. */
export const takeOver = (
  source: string,
  workspace: string,
  { keep, withSettings = false, command }: TakeOverChoice,
): Promise<number> =>
  withChanges(source, workspace, keep, async (changes) => {
    const { isEmpty, files, conflicts, blocked, work } = changes
    if (isEmpty) return 0
    const offer = (paths: readonly ChangedFile[]) => keepOffer(paths, changes.kept, work, command)
    const bothChanged = (paths: readonly ChangedFile[]) =>
      refusal(`, since the session and you both changed ${namesOf(paths.map(({ path }) => path))}.${offer(paths)}`)
    const bring = async (): Promise<number> => {
      if (files === 0) return 0
      try {
        await changes.apply()
        return files
      } catch (error) {
        if (await changes.isThere()) return 0
        const misfits = await changes.misfits()
        if (misfits.length > 0) throw bothChanged(misfits)
        throw refusal(
          `, since the changes do not fit: ${gitWords(error as Error)}. The session has its files in ${workspace}`,
        )
      }
    }
    if (conflicts.length > 0) throw bothChanged(conflicts)
    if (changes.loaded.length > 0 && !withSettings) {
      const names = namesOf(changes.loaded.map(({ path }) => path))
      const all = command([...changes.kept].map(keepFlag).join('') + WITH_SETTINGS)
      throw refusal(`, since a server that starts here would load what the session changed: ${names}. Look at it first. This brings it over:
  ${all}${keepOffer(changes.loaded, changes.kept, work, command)}`)
    }
    if (blocked.length > 0) {
      const names = namesOf(blocked.map(({ path }) => path))
      throw refusal(`: ${source} has something else in the place of ${names}.${offer(blocked)}`)
    }
    const brought = await bring()
    if (brought === 0 && keep.length === 0) {
      const but = changes.keptBefore.length === 0 ? '' : `, but for ${namesOf(changes.keptBefore)}, which you kept`
      throw refusal(`: the changes of the session are in ${source} already${but}.`)
    }
    // The files are there. Without its note, the next apply is like a first one.
    await changes.note().catch(() => {})
    return brought
  }).catch(async (error: unknown) => {
    throw isGitFailure(error) ? refusal(await gitRefusal(error, workspace)) : error
  })

const WITH_SETTINGS = ' --with-settings'

const refusal = (reason: string): ExitError => failure(`Nothing was changed${reason}`)

export const isTakenOver = (source: string, workspace: string): Promise<boolean> =>
  withChanges(
    source,
    workspace,
    [],
    async ({ isEmpty, files, conflicts, isThere }) =>
      !isEmpty && conflicts.length === 0 && (files === 0 || (await isThere())),
  )

interface WorktreeChanges {
  /** The session changed nothing, and nothing was brought over before. */
  readonly isEmpty: boolean
  /** The number of files to bring over. */
  readonly files: number
  readonly conflicts: readonly ChangedFile[]
  /** Files that cannot be written where the person has something else. */
  readonly blocked: readonly ChangedFile[]
  /** Files to bring over that a server loads. */
  readonly loaded: readonly ChangedFile[]
  /** The paths of the files to keep. */
  readonly kept: ReadonlySet<string>
  /** The paths of the files that an earlier apply kept, and that are not as the session has them. */
  readonly keptBefore: readonly string[]
  /** The top of the worktree. */
  readonly work: string
  readonly apply: () => Promise<unknown>
  /** The files whose changes do not fit, since the person changed them as well. */
  readonly misfits: () => Promise<readonly ChangedFile[]>
  readonly isThere: () => Promise<boolean>
  readonly note: () => Promise<void>
}

const withChanges = async <T>(
  source: string,
  workspace: string,
  keep: readonly string[],
  use: (changes: WorktreeChanges) => Promise<T>,
): Promise<T> => {
  const repository = await findRepository(source)
  const worktree = repository && (await findWorktree(repository.gitDir, workspace))
  if (!repository || !worktree) throw failure(`The worktree of the session is not in the repository of ${source}.`)
  const head = await git(['--git-dir', worktree.entry, 'rev-parse', '--verify', 'HEAD^{commit}'], {
    cwd: repository.gitDir,
  })
  const commit = head.toString().trim()
  const folder = await mkdtemp(join(tmpdir(), 'bridle-apply-'))
  try {
    // A git folder without settings, as the worktree was made with: an agent's `.gitattributes` can name a filter of the repository,
    // and no filter is there. It has an index of its own, too: that of the worktree stays as the agent sees it.
    await makeGitFolder(folder, commit)
    const index = join(folder, 'index')
    await copyIndex(join(worktree.entry, 'index'), index)
    const own = {
      GIT_DIR: folder,
      GIT_INDEX_FILE: index,
      GIT_ALTERNATE_OBJECT_DIRECTORIES: JSON.stringify(join(repository.gitDir, 'objects')),
    } as const
    const call = { cwd: folder, env: { ...own, GIT_WORK_TREE: worktree.work } } as const
    await skipSubmodules(call)
    await git(['add', '--all', '--', worktree.work], call)
    const lineEnds = await lineEndSettings(repository.top)
    const applied = await readAppliedNote(worktree.entry)
    const changed = await changedFiles(call, commit, applied)
    const kept = findKept(keep, changed, repository.top)
    if (typeof kept === 'string') throw refusal(`. ${kept}`)
    const here = { cwd: repository.top, env: { ...own, GIT_WORK_TREE: repository.top } } as const
    const folders = await foldersAmong(repository.top, changed)
    const entriesOf = (areKept: boolean) =>
      targetEntries(
        here,
        lineEnds,
        changed.filter(({ path }) => !folders.has(path) && kept.has(path) === areKept),
        join(folder, areKept ? 'kept' : 'target'),
      )
    // Apart: a file that git cannot read makes all of them unreadable, and the person may keep it.
    const target = new Map([...(await entriesOf(false)), ...(kept.size > 0 ? await entriesOf(true) : [])])
    const personal = { applied, target, keep: kept }
    const { sources, conflicts } = changePlan(changed, personal)
    const among = (paths: readonly string[]) => changed.filter(({ path }) => paths.includes(path))
    const patchOf = async (entries: FileEntries, ...options: readonly string[]) =>
      git(['diff', ...options, ...(await treesOf(call, entries, join(folder, 'sources')))], call)
    const names = (await patchOf(sources, '--name-only', '-z')).toString('latin1').split('\0')
    const apply = (patch: Buffer, ...options: readonly string[]) =>
      git([...lineEnds, 'apply', '--whitespace=nowarn', ...options], { ...here, input: patch })
    const fits = (patch: Buffer, ...options: readonly string[]) =>
      apply(patch, '--check', ...options).then(
        () => true,
        () => false,
      )
    const patch = await patchOf(sources, ...PATCH)
    return await use({
      isEmpty: changed.length === 0,
      files: names.filter((name) => name !== '').length,
      conflicts: among(conflicts),
      blocked: among(await blockedFiles(repository.top, changed, sources)),
      loaded: loadedFiles(among([...sources.keys()]), source, repository.top),
      kept,
      keptBefore: keptFiles(changed, personal),
      work: worktree.work,
      apply: () => apply(patch),
      misfits: async () => {
        const found: string[] = []
        for (const [path, entry] of sources) {
          const isSame = (target.get(path) ?? '') === entry
          if (!isSame && !(await fits(await patchOf(new Map([[path, entry]]), ...PATCH)))) found.push(path)
        }
        return among(found)
      },
      isThere: () => fits(patch, '--reverse'),
      note: () => writeAppliedNote(worktree.entry, appliedFiles(changed, personal)),
    })
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

/** With its time: git looks into files that were changed in the second of the index or later, and trusts their length otherwise. */
const copyIndex = async (from: string, to: string): Promise<void> => {
  const { mtimeMs } = await stat(from)
  await copyFile(from, to)
  const seconds = Math.floor(mtimeMs / 1_000)
  await utimes(to, seconds, seconds)
}

/** A patch of whole files where they are binary, which runs no program. */
const PATCH = ['--binary', '--full-index', '--no-ext-diff', '--no-textconv']

/**
 * Git looks for changes in a submodule with a git of its own, which obeys the settings that lie there, and an agent can write them. So
 * submodules count as unchanged.
 */
const skipSubmodules = async (call: GitCall): Promise<void> => {
  // Bytes, not text: a name need not be UTF-8.
  const entries = (await git(['ls-files', '--stage', '-z'], call)).toString('latin1').split('\0')
  const paths = entries
    .filter((entry) => entry.startsWith(SUBMODULE))
    .map((entry) => entry.slice(entry.indexOf('\t') + 1))
  const input = Buffer.from(paths.map((path) => `${path}\0`).join(''), 'latin1')
  if (paths.length > 0) await git(['update-index', '--skip-worktree', '-z', '--stdin'], { ...call, input })
}

/** The mode of a submodule in an index. */
const SUBMODULE = '160000 '

/** The settings of the folder that say how lines end in it; they name no program. */
const lineEndSettings = async (top: string): Promise<string[]> => {
  const names = ['core.autocrlf', 'core.eol']
  const values = await Promise.all(
    names.map((name) =>
      git(['config', '--get', name], { cwd: top }).then(
        (value) => value.toString().trim(),
        () => '',
      ),
    ),
  )
  return names.flatMap((name, at) => (values[at] ? ['-c', `${name}=${values[at]}`] : []))
}

/** Changes that a server in the folder of the person would load, outside of any sandbox. `source` is the folder that the session began with, `top` that of its repository. */
const loadedFiles = (changed: readonly ChangedFile[], source: string, top: string): readonly ChangedFile[] => {
  const agents = AGENT_FOLDERS.map((name) => join(source, name))
  const places = protectedPlaces(top, [{ root: source, agents }])
  return changed.filter(({ path }) => {
    const name = Buffer.from(path, 'latin1').toString()
    return name.split('/').some(isSettingsName) || isProtected(places, join(top, name.replaceAll('/', sep)))
  })
}

/** Names that a server reads in any folder in which it is started, also in one that is no project yet. */
const isSettingsName = (name: string): boolean => /^(\.env|bridle\.config\.|\.bridle$|\.fabricharness$)/i.test(name)
