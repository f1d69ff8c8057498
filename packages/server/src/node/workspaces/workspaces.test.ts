import { execFileSync } from 'node:child_process'
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { readablePaths, sessionFolder } from '@bridle/runners/sandboxes/folders/session-paths'
import { bubblewrapCommand } from '@bridle/runners/sandboxes/isolation/bubblewrap'
import type { Access } from '@bridle/surfaces/http/access/authenticate'
import { get, post, scriptBody } from '@bridle/surfaces/http/test-client.suite'
import type { Workspace, WorkspaceProblem } from '@bridle/surfaces/http/workspaces/workspaces'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { needs } from '../../../../../scripts/needs.ts'
import { HarnessServer } from '../index.ts'
import { NodeWorkspaces, type NodeWorkspacesOptions } from './workspaces.ts'

let folder: string
let root: string
let data: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'bridle-workspaces-'))
  root = join(folder, 'project')
  data = join(root, '.bridle')
  mkdirSync(join(root, 'src'), { recursive: true })
  writeFileSync(join(root, 'src', 'a.txt'), 'committed')
})
afterEach(() => rmSync(folder, { recursive: true, force: true }))

const put = (name: string) => {
  mkdirSync(dirname(join(root, name)), { recursive: true })
  writeFileSync(join(root, name), name)
}
const key = (id = 's1') => ({ tenant: 't', agent: 'scripted', id })
const git = (...args: string[]) =>
  execFileSync('git', ['-C', root, '-c', 'user.name=n', '-c', 'user.email=e@example.org', ...args], {
    encoding: 'utf8',
    stdio: 'pipe',
  })
const repository = () => {
  git('init', '--quiet')
  writeFileSync(join(root, '.gitignore'), '.bridle\n')
  git('add', '.')
  git('commit', '--quiet', '-m', 'one')
}
const access: Access = { tenant: 't', scopes: ['operate'], sessionId: null, user: null, who: 'somebody' }
const workspaces = (more: Partial<NodeWorkspacesOptions> = {}) =>
  new NodeWorkspaces({ data, workspaces: { sources: [root] }, exists: async () => false, ...more })
const ready = (made: Workspace | WorkspaceProblem): Workspace => {
  if (!('id' in made)) throw new Error(JSON.stringify(made))
  return made
}
const made = async (source: string | null = root, id?: string, from = workspaces()): Promise<Workspace> =>
  ready(await from.prepare(key(id), { source, access }))

describe('[F17] a workspace', () => {
  test('of a repository is a worktree on a branch of its own', async () => {
    repository()
    const { kind, path, branch, commit, discard } = await made()
    expect(kind).toBe('git_worktree')
    expect(commit).toBe(git('rev-parse', 'HEAD').trim())
    writeFileSync(join(path, 'src', 'a.txt'), 'changed')
    expect(readFileSync(join(root, 'src', 'a.txt'), 'utf8')).toBe('committed')
    expect(git('status', '--porcelain')).toBe('')
    expect(git('branch', '--list', branch!)).toContain(branch)
    await discard()
    expect(existsSync(path)).toBe(false)
    expect(git('branch', '--list', branch!)).toBe('')
    expect(git('worktree', 'list').trim().split('\n')).toHaveLength(1)
  })

  test('has the branch of a session whose data folder was removed; with one that is there the reason is said', async () => {
    repository()
    const three = ['s1', 's2', 's3']
    const server = (name: string) => workspaces({ data: join(folder, name) })
    for (const id of three) await made(root, id, server('first'))
    for (const id of three)
      expect(await server('second').prepare(key(id), { source: root, access })).toEqual({
        problem: expect.stringMatching(/^Another folder has the branch bridle\/ws-.*Choose another id/),
      })
    // The sessions of the first server keep theirs.
    expect(git('branch', '--list', 'bridle/*').trim().split('\n')).toHaveLength(3)
    rmSync(join(folder, 'first'), { recursive: true })
    for (const id of three) expect((await made(root, id, server('second'))).kind).toBe('git_worktree')
    expect(git('worktree', 'list').trim().split('\n')).toHaveLength(4)
  })

  test.skipIf(needs('bubblewrap'))('in a sandbox shows its history, read-only and without settings', async () => {
    repository()
    git('config', 'http.extraHeader', 'Authorization: secret')
    const { path } = await made()
    const workspace = sessionFolder(data, key())
    const [state, tmp] = ['state', 'tmp'].map((name) => join(workspace, name)) as [string, string]
    for (const each of [state, tmp]) mkdirSync(each)
    const view = { work: path, state, tmp, folder: tmp, readOnly: readablePaths(workspace), hidden: [data] }
    writeFileSync(join(path, 'src', 'a.txt'), 'changed')
    const inside = (script: string) => {
      const [program = '', ...args] = bubblewrapCommand(['sh', '-c', `cd ${path} && { ${script}; }`], view)
      return execFileSync(program, args, { encoding: 'utf8', stdio: 'pipe' }).trim()
    }
    expect(inside('git log --format=%s; git status --short; git show HEAD:src/a.txt')).toBe(
      'one\n M src/a.txt\ncommitted',
    )
    expect(inside('git config --get http.extraHeader; echo $?')).toBe('1')
    expect(inside('git commit -qam two 2>/dev/null || echo refused')).toBe('refused')
    expect(git('log', '--all', '--format=%s').trim()).toBe('one')
  })

  test('of a folder inside a repository begins in that folder', async () => {
    repository()
    const { path } = await made(join(root, 'src'))
    expect(readdirSync(path)).toEqual(['a.txt'])
  })

  test('of anything else is a copy, without our own data', async () => {
    mkdirSync(data)
    writeFileSync(join(data, 'secret'), 'x')
    const { kind, path } = await made()
    expect(kind).toBe('copy')
    expect(readdirSync(path)).toEqual(['src'])
    writeFileSync(join(path, 'src', 'a.txt'), 'changed')
    expect(readFileSync(join(root, 'src', 'a.txt'), 'utf8')).toBe('committed')
  })

  test('[F82] of anything else is copied without what programs make again, in three sessions', async () => {
    for (const name of [
      'node_modules/left/index.js',
      'src/node_modules/x',
      '.venv/bin/python',
      'src/__pycache__/a.pyc',
    ])
      put(name)
    for (const name of ['.next/cache', '.hg/store', 'dist/app.js', 'build/x', 'target/x', 'docs/.cache']) put(name)
    symlinkSync('../elsewhere', join(root, 'src', '.turbo'))
    symlinkSync('a.txt', join(root, 'src', 'link'))
    const copies = [await made(undefined, 's1'), await made(undefined, 's2'), await made(undefined, 's3')]
    for (const { kind, path } of copies) {
      expect(kind).toBe('copy')
      expect(readdirSync(path, { recursive: true }).map(String).sort()).toEqual([
        'build',
        'build/x',
        'dist',
        'dist/app.js',
        'docs',
        'docs/.cache',
        'src',
        'src/a.txt',
        'src/link',
        'target',
        'target/x',
      ])
      expect(readlinkSync(join(path, 'src/link'))).toBe('a.txt')
    }
    expect(existsSync(join(root, 'node_modules/left/index.js'))).toBe(true)
  })

  test('of a repository without a commit is a copy', async () => {
    git('init', '--quiet')
    expect((await made()).kind).toBe('copy')
  })

  test('is the same for the same session, and another for another', async () => {
    const all = workspaces()
    const first = await made(root, 's1', all)
    writeFileSync(join(first.path, 'new.txt'), 'kept')
    const again = await made(root, 's1', all)
    expect([again.id, again.path]).toEqual([first.id, first.path])
    // Neither of two requests may throw away what the other is about to use.
    await again.discard()
    await first.discard()
    expect(existsSync(join(first.path, 'new.txt'))).toBe(true)
    expect((await made(root, 's2')).path).not.toBe(first.path)
  })

  test('that a killed process left half done is made anew', async () => {
    repository()
    const { path } = await made()
    const note = join(sessionFolder(data, key()), 'workspace.json')
    writeFileSync(note, JSON.stringify({ ...JSON.parse(readFileSync(note, 'utf8')), state: 'preparing' }))
    writeFileSync(join(path, 'half.txt'), 'x')
    const again = await made()
    expect(readdirSync(again.path)).not.toContain('half.txt')
    expect(git('worktree', 'list').trim().split('\n')).toHaveLength(2)
  })

  test.each(['git_worktree', 'copy', 'empty'] as const)(
    '[F37] of a branch has its parent’s files as they are, and what its engine remembers: %s',
    async (kind) => {
      if (kind === 'git_worktree') {
        writeFileSync(join(root, 'gone.txt'), 'committed')
        repository()
      }
      const source = kind === 'empty' ? null : root
      const parent = await made(source, 'parent')
      expect(parent.kind).toBe(kind)
      mkdirSync(join(parent.path, 'src'), { recursive: true })
      writeFileSync(join(parent.path, 'src', 'a.txt'), 'changed')
      writeFileSync(join(parent.path, 'made.txt'), 'uncommitted')
      writeFileSync(join(parent.path, '.env'), 'SECRET=1')
      rmSync(join(parent.path, 'gone.txt'), { force: true })
      const state = (id: string) => join(sessionFolder(data, key(id)), 'state')
      mkdirSync(state('parent'))
      writeFileSync(join(state('parent'), 'transcript'), 'said')
      // The source changes meanwhile; the branch has the files of its parent.
      writeFileSync(join(root, 'src', 'a.txt'), 'later')
      if (kind === 'git_worktree') git('commit', '--quiet', '-am', 'two')
      const all = workspaces()
      const children = await Promise.all(
        ['one', 'two', 'three'].map(async (id) =>
          ready(await all.prepare(key(id), { source, access, parent: key('parent') })),
        ),
      )
      for (const [index, child] of children.entries()) {
        expect([child.kind, child.commit]).toEqual([kind, parent.commit])
        const names = readdirSync(child.path).filter((name) => !name.startsWith('.git'))
        expect(names.toSorted()).toEqual(['made.txt', 'src'])
        expect(readFileSync(join(child.path, 'src', 'a.txt'), 'utf8')).toBe('changed')
        expect(readFileSync(join(state(['one', 'two', 'three'][index] ?? ''), 'transcript'), 'utf8')).toBe('said')
        writeFileSync(join(child.path, 'made.txt'), `of ${index}`)
      }
      expect(readFileSync(join(parent.path, 'made.txt'), 'utf8')).toBe('uncommitted')
      expect(children.map(({ path }) => readFileSync(join(path, 'made.txt'), 'utf8'))).toEqual(['of 0', 'of 1', 'of 2'])
      if (kind !== 'git_worktree') return
      // The child has a separate worktree with the history of its parent; uncommitted changes stay uncommitted.
      const [child] = children as [Workspace]
      const inChild = (...args: string[]) =>
        execFileSync('git', ['-C', child.path, ...args], { encoding: 'utf8', stdio: 'pipe' }).trim()
      expect(inChild('log', '--format=%s')).toBe('one')
      expect(inChild('rev-parse', '--abbrev-ref', 'HEAD')).toBe(child.branch)
      expect(
        inChild('status', '--short')
          .split('\n')
          .map((line) => line.trim())
          .toSorted(),
      ).toEqual(['?? made.txt', 'D gone.txt', 'M src/a.txt'])
      expect(git('worktree', 'list').trim().split('\n')).toHaveLength(5)
    },
  )

  test('[F37] of a branch follows commits of its parent, and no link or repository that an agent put there', async () => {
    repository()
    const parent = await made(join(root, 'src'), 'parent')
    writeFileSync(join(parent.path, 'a.txt'), 'two')
    const inParent = ['-C', parent.path, '-c', 'user.name=n', '-c', 'user.email=e@example.org']
    execFileSync('git', [...inParent, 'commit', '--quiet', '-am', 'by the operator'])
    const commit = execFileSync('git', [...inParent, 'rev-parse', 'HEAD'], { encoding: 'utf8' }).trim()
    const request = { source: join(root, 'src'), access, parent: key('parent') }
    const child = ready(await workspaces().prepare(key('child'), request))
    expect(child.commit).toBe(commit)
    expect(readFileSync(join(child.path, 'a.txt'), 'utf8')).toBe('two')
    // The agent puts a repository of its own in place of the worktree's file, and a link in place of the folder it began in.
    const work = join(sessionFolder(data, key('parent')), 'work')
    rmSync(join(work, '.git'))
    mkdirSync(join(work, '.git', 'hooks'), { recursive: true })
    writeFileSync(join(work, '.git', 'config'), '[core]\n\tfsmonitor = touch /tmp/never')
    rmSync(join(work, 'src'), { recursive: true })
    symlinkSync(folder, join(work, 'src'))
    const other = ready(await workspaces().prepare(key('other'), request))
    expect(readFileSync(join(sessionFolder(data, key('other')), 'work', '.git'), 'utf8')).toMatch(/^gitdir: /)
    expect(other.path).toBe(join(sessionFolder(data, key('other')), 'work'))
    expect(other.commit).toBe(commit)
  })

  test('[F37] of a branch whose parent’s files are too many is refused, and leaves nothing', async () => {
    repository()
    const parent = await made(root, 'parent')
    writeFileSync(join(parent.path, 'large'), 'x'.repeat(200_000))
    const small = workspaces({ workspaces: { sources: [root], maxTenantBytes: 350_000 } })
    const refused = await small.prepare(key('child'), { source: root, access, parent: key('parent') })
    expect(refused).toMatchObject({ problem: expect.stringContaining('may hold') })
    expect(existsSync(sessionFolder(data, key('child')))).toBe(false)
    expect(git('worktree', 'list').trim().split('\n')).toHaveLength(2)
  })

  test('of a session that never came to be goes at the next start', async () => {
    repository()
    await made(root, 'kept')
    const { path } = await made(root, 'orphan')
    await workspaces({ exists: async ({ id }) => id === 'kept' }).removeOrphans()
    expect(existsSync(path)).toBe(false)
    expect(readdirSync(join(data, 'workspaces'))).toHaveLength(1)
    expect(git('worktree', 'list').trim().split('\n')).toHaveLength(2)
  })

  test('of a request under way is not taken for one that was left behind', async () => {
    const all = workspaces()
    const { path } = await made(root, 's1', all)
    await all.removeOrphans()
    expect(existsSync(path)).toBe(true)
  })
})

test('[F17] write-capable work behind a server: artifacts, session_state, branches, removal', async () => {
  repository()
  const server = await HarnessServer.start({ port: 0, data, workspaces: { sources: [root] } })
  try {
    const start = await post(`${server.url}/sessions`, {
      engine: 'scripted',
      ...scriptBody({ text: 'done' }),
      workspace: { mode: 'write', source: root },
    })
    const id = String(start.body.session_id)
    expect(start.body).toMatchObject({
      workspace_id: expect.stringMatching(/^ws-/),
      task_graph_id: `tg-${id}`,
      workspace_mode: 'write',
      workspace_source: root,
    })
    const path = String(start.body.workspace_path)
    expect(readFileSync(join(path, 'src', 'a.txt'), 'utf8')).toBe('committed')
    let detail = start.body
    while (detail.status !== 'completed') detail = (await get(`${server.url}/sessions/${id}`)).body
    expect((detail.artifacts as { artifact_type: string }[]).map((each) => each.artifact_type)).toEqual([
      'final_output',
      'task_graph',
      'run_record',
      'task_graph',
      'workspace',
      'task_graph',
    ])
    expect(detail).toMatchObject({ sandbox_mode: 'task_workspace', sandbox_isolation: 'workspace' })
    const [, graph, , , workspace] = detail.artifacts as { id: string }[]
    expect((await get(`${server.url}/sessions/${id}/artifacts/${workspace?.id}`)).body).toMatchObject({
      kind: 'git_worktree',
      path,
    })
    expect((await get(`${server.url}/sessions/${id}/artifacts/${graph?.id}`)).body).toMatchObject({
      nodes: [
        { id: 'prepare', status: 'completed' },
        { id: 'work', status: 'completed' },
        { id: 'report', status: 'completed' },
      ],
    })
    const branch = await post(`${server.url}/sessions/${id}/resume`, { from_event_id: detail.lastEventId })
    expect(branch.body.workspace_path).not.toBe(path)
    expect(existsSync(String(branch.body.workspace_path))).toBe(true)
    const refused = await post(`${server.url}/sessions`, {
      engine: 'scripted',
      prompt: 'x',
      workspace: { mode: 'write', source: join(data, 'workspaces') },
    })
    expect(refused.status).toBe(400)
    await fetch(`${server.url}/agents/scripted/${id}`, { method: 'DELETE' })
    const worktrees = () => git('worktree', 'list').trim().split('\n').length
    for (let tries = 0; tries < 400 && worktrees() > 2; tries++) await new Promise((resolve) => setTimeout(resolve, 5))
    expect([existsSync(path), worktrees()]).toEqual([false, 2])
  } finally {
    await server.close()
  }
})
