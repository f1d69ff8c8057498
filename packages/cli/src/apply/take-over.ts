// Copies a worktree's changes to the user's folder. Git reads the worktree through the repository's own metadata, because
// an agent may have written anything in the worktree, including its `.git`.
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
  /** Files to leave alone and count as applied. */
  readonly keep: readonly string[]
  /** Also copies files that a server loads. */
  readonly withSettings?: boolean
  /** The typed command with other keep flags. */
  readonly command: (keepFlags: string) => string
}

/** Returns the number of copied files, those changed since the last apply. All or nothing. */
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
    // The files are copied. Without the record, the next apply behaves like the first.
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
  /** The session changed nothing and nothing was applied before. */
  readonly isEmpty: boolean
  readonly files: number
  readonly conflicts: readonly ChangedFile[]
  /** Files blocked by something else in the user's folder. */
  readonly blocked: readonly ChangedFile[]
  readonly loaded: readonly ChangedFile[]
  readonly kept: ReadonlySet<string>
  readonly keptBefore: readonly string[]
  readonly work: string
  readonly apply: () => Promise<unknown>
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
    // A fresh git folder without configured filters, because an agent's `.gitattributes` could name one of the
    // repository's. Its separate index leaves the agent's index untouched.
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
    // Separately, because one unreadable file fails a whole call, and the user may be keeping it.
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

/** Preserves the mtime: git re-reads files modified in the index's second or later, and otherwise trusts the stat data. */
const copyIndex = async (from: string, to: string): Promise<void> => {
  const { mtimeMs } = await stat(from)
  await copyFile(from, to)
  const seconds = Math.floor(mtimeMs / 1_000)
  await utimes(to, seconds, seconds)
}

/** Complete binary diffs, without running programs. */
const PATCH = ['--binary', '--full-index', '--no-ext-diff', '--no-textconv']

/** Treats submodules as unchanged: git checks them with a nested process that obeys configuration an agent could write. */
const skipSubmodules = async (call: GitCall): Promise<void> => {
  const entries = (await git(['ls-files', '--stage', '-z'], call)).toString('latin1').split('\0')
  const paths = entries
    .filter((entry) => entry.startsWith(SUBMODULE))
    .map((entry) => entry.slice(entry.indexOf('\t') + 1))
  const input = Buffer.from(paths.map((path) => `${path}\0`).join(''), 'latin1')
  if (paths.length > 0) await git(['update-index', '--skip-worktree', '-z', '--stdin'], { ...call, input })
}

const SUBMODULE = '160000 '

/** The line-ending configuration, which cannot run programs. */
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

/** Changes that a server here would load outside any sandbox. `source`: its starting folder. `top`: the repository root. */
const loadedFiles = (changed: readonly ChangedFile[], source: string, top: string): readonly ChangedFile[] => {
  const agents = AGENT_FOLDERS.map((name) => join(source, name))
  const places = protectedPlaces(top, [{ root: source, agents }])
  return changed.filter(({ path }) => {
    const name = Buffer.from(path, 'latin1').toString()
    return name.split('/').some(isSettingsName) || isProtected(places, join(top, name.replaceAll('/', sep)))
  })
}

/** Read by a server started in any folder, even outside a project. */
const isSettingsName = (name: string): boolean => /^(\.env|bridle\.config\.|\.bridle$|\.fabricharness$)/i.test(name)
