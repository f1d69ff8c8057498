import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import {
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { sessionFolder } from '@bridle/runners/sandboxes/folders/session-paths'
import { hostileRepository } from '@bridle/runners/workspaces/hostile-repository.suite'
import type { Access } from '@bridle/surfaces/http/access/authenticate'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { folderAccess } from './workspace-sources.ts'
import { NodeWorkspaces, type NodeWorkspacesOptions } from './workspaces.ts'

const isRoot = process.getuid?.() === 0
const access = (tenant = 'ta'): Access => ({
  tenant,
  scopes: ['operate'],
  sessionId: null,
  user: null,
  who: 'somebody',
})
const key = (id: string, tenant = 'ta') => ({ tenant, agent: 'scripted', id })

let folder: string
let data: string
let root: string
beforeEach(() => {
  folder = realpathSync(mkdtempSync(join(tmpdir(), 'bridle-sources-')))
  root = join(folder, 'srv')
  data = join(root, '.bridle')
  for (const name of ['a', 'b', 'shared']) {
    mkdirSync(join(root, name), { recursive: true })
    writeFileSync(join(root, name, 'f.txt'), name)
  }
})
afterEach(() => rmSync(folder, { recursive: true, force: true }))

const workspaces = (more: Partial<NodeWorkspacesOptions> = {}) =>
  new NodeWorkspaces({
    data,
    workspaces: {
      sources: [join(root, 'shared')],
      tenants: { ta: [join(root, 'a')], tb: [join(root, 'b')] },
    },
    exists: async () => false,
    ...more,
  })
const prepare = (source: string | null, more: Partial<NodeWorkspacesOptions> = {}, id = 's1', tenant = 'ta') =>
  workspaces(more).prepare(key(id, tenant), { source, access: access(tenant) })
const everything = { workspaces: { sources: ['/'] } }
const git = (top: string, ...args: string[]) =>
  execFileSync('git', ['-C', top, '-c', 'user.name=n', '-c', 'user.email=e@example.org', ...args], { stdio: 'pipe' })

describe('[F29] a source', () => {
  test('is one that the operator listed for everybody, or for the tenant', async () => {
    const table = { ta: ['a', 'shared'], tb: ['b', 'shared'], tc: ['shared'] }
    for (const [tenant, allowed] of Object.entries(table)) {
      for (const name of ['a', 'b', 'shared']) {
        const made = await prepare(join(root, name), {}, `${tenant}-${name}`, tenant)
        expect([tenant, name, 'id' in made]).toEqual([tenant, name, allowed.includes(name)])
      }
    }
  })

  test('is never another, with one answer for those that are there and those that are not', async () => {
    symlinkSync('/etc', join(root, 'a/link'))
    symlinkSync(join(root, 'b'), join(root, 'a/b'))
    const answers = new Set<string>()
    for (const source of [
      '/etc',
      '/nowhere',
      '..',
      'constructor',
      '',
      join(root, 'a/..'),
      join(root, 'a/link'),
      join(root, 'a/b'),
      join(root, 'a/../b'),
      join(root, 'ab'),
    ]) {
      const made = await prepare(source, {}, 's1')
      answers.add(JSON.stringify(made))
    }
    expect(answers.size).toBe(1)
    expect([...answers][0]).toMatch(/workspaces\.sources/)
    expect(await prepare(join(root, 'a/f.txt'))).toEqual({ problem: expect.any(String) })
    expect(existsSync(sessionFolder(data, key('s1')))).toBe(false)
  })

  test('is not in the data folder, by whatever path', async () => {
    const inner = join(sessionFolder(data, key('other')), 'work')
    mkdirSync(inner, { recursive: true })
    writeFileSync(join(inner, 'theirs'), 'x')
    symlinkSync(data, join(root, 'shared/link'))
    symlinkSync(inner, join(folder, 'link'))
    for (const source of [
      data,
      inner,
      join(root, 'shared/link'),
      join(folder, 'link'),
      join(root, 'a/../.bridle/workspaces'),
    ])
      expect(await prepare(source, everything)).toEqual({ problem: expect.stringMatching(/data folder/) })
  })

  test('is not a folder with settings and secrets that a copy of its project leaves out', async () => {
    const top = join(root, 'a')
    git(top, 'init', '--quiet')
    for (const name of ['.env.d', '.bridle/files', '.git/hooks', 'lib/.git/modules'])
      mkdirSync(join(top, name), { recursive: true })
    symlinkSync('.git', join(top, 'link'))
    for (const name of ['.git', '.git/hooks', '.env.d', '.bridle', '.bridle/files', 'lib/.git/modules', 'link']) {
      const refused = { problem: expect.stringContaining('Name the folder of the project') }
      expect(await prepare(join(top, name))).toEqual(refused)
      const request = { source: join(top, name), access: access(), mode: 'in_place' } as const
      for (const reach of ['started', 'any'] as const)
        expect(await workspaces({ reachOf: () => reach, started: top }).prepare(key(reach), request)).toEqual(refused)
    }
    expect(await prepare(join(top, 'lib'))).toMatchObject({ kind: 'copy' })
  })

  test('is not a repository in the data folder, though the source lies elsewhere', async () => {
    mkdirSync(data)
    const evil = hostileRepository(join(data, 'evil'))
    for (const name of evil.ran()) rmSync(join(`${evil.top}.ran`, name))
    writeFileSync(join(root, 'a/.git'), `gitdir: ${evil.top}/.git\n`)
    expect(await prepare(join(root, 'a'))).toEqual({ problem: expect.stringMatching(/data folder/) })
    symlinkSync(join(evil.top, '.git'), join(root, 'shared/.git'))
    expect(await prepare(join(root, 'shared'))).toEqual({ problem: expect.stringMatching(/data folder/) })
    expect(evil.ran()).toEqual([])
  })

  test('shows no more of a repository than the folder in which a server without a token was started', async () => {
    git(root, 'init', '--quiet')
    git(root, 'add', '-f', 'a', 'b')
    git(root, 'commit', '--quiet', '-m', 'one')
    const own = { workspaces: {}, data: join(folder, 'data'), started: join(root, 'a') }
    const made = (reach: 'started' | 'any') => prepare(join(root, 'a'), { ...own, reachOf: () => reach }, reach)
    expect(await made('started')).toMatchObject({ kind: 'copy' })
    expect(await made('any')).toMatchObject({ kind: 'git_worktree' })
  })

  test('shows no more of a repository than was listed', async () => {
    git(root, 'init', '--quiet')
    git(root, 'add', 'a', 'b')
    git(root, 'commit', '--quiet', '-m', 'one')
    const made = await prepare(join(root, 'a'))
    expect(made).toMatchObject({ kind: 'copy' })
    expect(readdirSync((made as { path: string }).path)).toEqual(['f.txt'])
  })
})

describe('[F29] never copied are', () => {
  const secrets = () => {
    mkdirSync(join(data, 'x'), { recursive: true })
    writeFileSync(join(data, 'secret'), 'SECRET')
    for (const name of [
      '.env',
      '.env.local',
      'bridle.config.ts',
      'bridle.config.mjs',
      'a/.env',
      'a/bridle.config.json',
    ])
      writeFileSync(join(root, name), 'SECRET')
  }
  const found = (path: string) =>
    execFileSync('find', ['.', '-type', 'f', '-not', '-name', '.git'], { cwd: path, encoding: 'utf8' })
      .trim()
      .split('\n')
      .sort()
  const rest = ['./a/f.txt', './b/f.txt', './shared/f.txt']

  test('the data folder of another server', async () => {
    mkdirSync(join(root, 'a/.bridle'))
    writeFileSync(join(root, 'a/.bridle/token'), 'secret')
    const { path } = (await prepare(join(root, 'a'))) as { path: string }
    expect(readdirSync(path)).toEqual(['f.txt'])
  })

  test('settings, secrets and the data folder, from a folder', async () => {
    secrets()
    mkdirSync(join(root, 'b/.git'))
    writeFileSync(join(root, 'b/.git/config'), 'SECRET')
    const made = await prepare(root, everything)
    expect(found((made as { path: string }).path)).toEqual(rest)
  })

  test('and from a repository where they are committed', async () => {
    secrets()
    git(root, 'init', '--quiet')
    git(root, 'add', '-f', '.')
    git(root, 'commit', '--quiet', '-m', 'one')
    const made = await prepare(root, everything)
    expect(made).toMatchObject({ kind: 'git_worktree' })
    expect(found((made as { path: string }).path)).toEqual(rest)
    expect(git((made as { path: string }).path, 'status', '--short').toString()).toBe('')
  })

  test('and a data folder that is reached by a link', async () => {
    secrets()
    symlinkSync(data, join(folder, 'data'))
    const made = await prepare(root, { ...everything, data: join(folder, 'data') })
    expect(found((made as { path: string }).path)).toEqual(rest)
  })
})

test('[O25] the repository is noted before git is asked, and only the note is believed', async () => {
  const repository = join(root, 'a')
  git(repository, 'init', '--quiet')
  git(repository, 'add', '.')
  git(repository, 'commit', '--quiet', '-m', 'one')
  const all = workspaces()
  const made = await Promise.all(
    ['one', 'two', 'three'].map((id) => all.prepare(key(id), { source: repository, access: access() })),
  )
  for (const each of made) if (!('id' in each)) throw new Error(JSON.stringify(each))
  const note = JSON.parse(readFileSync(join(sessionFolder(data, key('two')), 'workspace.json'), 'utf8'))
  expect(note).toMatchObject({ state: 'ready', gitDir: join(repository, '.git'), key: key('two') })
  // The agent of the second one has another `.git`, and the server was killed before it was done with it.
  const evil = hostileRepository(join(folder, 'evil'))
  evil.git('branch', note.branch)
  for (const name of evil.ran()) rmSync(join(`${evil.top}.ran`, name))
  writeFileSync(join((made[1] as { path: string }).path, '.git'), `gitdir: ${evil.top}/.git\n`)
  await workspaces({ exists: async ({ id }) => id !== 'two' }).removeOrphans()
  expect(evil.ran()).toEqual([])
  expect(evil.git('branch', '--list', note.branch)).toContain(note.branch)
  expect(git(repository, 'branch', '--list', note.branch).toString()).toBe('')
  expect(readdirSync(join(repository, '.git/worktrees'))).toHaveLength(2)
  expect(made.map((each) => existsSync((each as { path: string }).path))).toEqual([true, false, true])
})

test('[O26] what a tenant may hold is said when a workspace would be more', async () => {
  const MiB = 1024 ** 2
  for (const name of ['a', 'b']) writeFileSync(join(root, name, 'big'), Buffer.alloc(2 * MiB, 1))
  const limited = workspaces({ workspaces: { ...everything.workspaces, maxTenantBytes: 5 * MiB } })
  const from = (id: string, tenant: string) =>
    limited.prepare(key(id, tenant), { source: join(root, tenant === 'ta' ? 'a' : 'b'), access: access(tenant) })
  expect('id' in (await from('1', 'ta'))).toBe(true)
  expect('id' in (await from('2', 'ta'))).toBe(true)
  expect(await from('3', 'ta')).toEqual({
    problem: expect.stringMatching(/^The session folders of this tenant hold 4(\.\d)? MiB and may hold 5 MiB together/),
  })
  expect('id' in (await from('3', 'tb'))).toBe(true)
  expect(existsSync(sessionFolder(data, key('3')))).toBe(false)
})

test.skipIf(!isRoot)('[O26] work is given to the user of the sandbox, notes are not (as root)', async () => {
  const repository = join(root, 'b')
  git(repository, 'init', '--quiet')
  symlinkSync('/etc/passwd', join(repository, 'out'))
  git(repository, 'add', '.')
  git(repository, 'commit', '--quiet', '-m', 'one')
  const owner = { uid: 5301, gid: 5302 }
  const passwd = statSync('/etc/passwd').uid
  for (const [id, source] of [
    ['empty', null],
    ['copy', join(root, 'a')],
    ['worktree', repository],
  ] as const) {
    const made = await prepare(source, { ...everything, owner }, id)
    if (!('id' in made)) throw new Error(JSON.stringify(made))
    const own = sessionFolder(data, key(id))
    for (const name of ['.', ...readdirSync(made.path)])
      expect([id, name, lstatSync(join(made.path, name)).uid]).toEqual([id, name, 5301])
    expect([lstatSync(own).uid, statSync(own).mode & 0o777]).toEqual([0, 0o711])
    expect([statSync(join(own, 'workspace.json')).uid, statSync(join(own, 'workspace.json')).mode & 0o777]).toEqual([
      0, 0o600,
    ])
  }
  expect(statSync('/etc/passwd').uid).toBe(passwd)
})

describe('[O70] the folders that may be named although they are not listed', () => {
  const who = createHash('sha256').update('owner').digest('hex')
  const local = { hostname: '127.0.0.1', isOpen: true }
  const caller = access('default')
  test.each([
    ['on loopback without a token', local, caller, 'started'],
    ['on every address', { ...local, hostname: '0.0.0.0' }, caller, 'listed'],
    ['with a token that is not the owner’s', { ...local, isOpen: false }, caller, 'listed'],
    ['with the owner’s token', { ...local, isOpen: false, ownerToken: 'owner' }, { ...caller, who }, 'any'],
    ['with another token beside the owner’s', { ...local, isOpen: false, ownerToken: 'owner' }, caller, 'listed'],
    [
      'with the owner’s token on every address',
      { hostname: '::', isOpen: false, ownerToken: 'owner' },
      { ...caller, who },
      'listed',
    ],
    ['where a tenant is required', { ...local, tenantRequired: true }, caller, 'listed'],
    [
      'where tokens have tenants',
      { ...local, isOpen: false, ownerToken: 'owner', tokens: [{ token: 'x', tenants: ['ta'] }] },
      { ...caller, who },
      'listed',
    ],
    ['where sources have tenants', { ...local, workspaces: { tenants: { ta: ['/srv'] } } }, caller, 'listed'],
    ['for another tenant', local, access('ta'), 'listed'],
    ['for one user', local, { ...caller, user: 'ada' }, 'listed'],
    ['with a ticket for one session', local, { ...caller, sessionId: 's' }, 'listed'],
  ])('%s: %#', (_name, reach, asking, expected) => {
    expect(folderAccess(reach)(asking)).toBe(expected)
  })
})
