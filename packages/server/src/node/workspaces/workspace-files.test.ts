import { execFileSync } from 'node:child_process'
import {
  chmodSync,
  existsSync,
  linkSync,
  mkdirSync,
  mkdtempSync,
  realpathSync,
  renameSync,
  rmSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Key } from '@bridle/kernel/event'
import { sessionFolder, workFolder } from '@bridle/runners/sandboxes/folders/session-paths'
import type { Access } from '@bridle/surfaces/http/access/authenticate'
import { bearer, get, post, scriptBody } from '@bridle/surfaces/http/test-client.suite'
import type { WorkspaceChange, WorkspaceFolder, WorkspaceReport } from '@bridle/wire/http/wire'
import { ReviewThreads } from '@bridle/workspace/review/review-threads'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { HarnessServer } from '../index.ts'
import { NodeWorkspaceFiles } from './workspace-files.ts'
import { NodeWorkspaces } from './workspaces.ts'

let folder: string
let project: string
let data: string
beforeEach(() => {
  folder = realpathSync(mkdtempSync(join(tmpdir(), 'bridle-files-')))
  project = join(folder, 'project')
  data = join(folder, 'data')
  mkdirSync(join(project, 'src'), { recursive: true })
  writeFileSync(join(project, 'src', 'a.txt'), 'one\ntwo\nthree\n')
  writeFileSync(join(project, 'src', 'b.txt'), 'stays\n')
  writeFileSync(join(project, 'gone.txt'), 'one\ntwo\n')
  writeFileSync(join(project, 'logo.png'), Buffer.from([1, 0, 2]))
  writeFileSync(join(project, 'run.sh'), 'echo\n')
  symlinkSync('src/a.txt', join(project, 'link'))
})
afterEach(() => rmSync(folder, { recursive: true, force: true }))

const repository = () => {
  const git = (...args: string[]) =>
    execFileSync('git', ['-C', project, '-c', 'user.name=n', '-c', 'user.email=e@example.org', ...args], {
      stdio: 'pipe',
    })
  git('init', '--quiet')
  git('add', '.')
  git('commit', '--quiet', '-m', 'one')
}

const key = (id: string, tenant = 't'): Key => ({ tenant, agent: 'scripted', id })
const access: Access = { tenant: 't', scopes: ['operate'], sessionId: null, user: null, who: 'somebody' }
const workspaces = (sources = [project]) =>
  new NodeWorkspaces({ data, workspaces: { sources }, exists: async () => false })
/** The folder of a session's files. */
const work = (of: Key) => workFolder(sessionFolder(realpathSync(data), of))
const prepare = async (of: Key, source: string | null = project, parent?: Key): Promise<string> => {
  const made = await workspaces().prepare(of, { source, access, ...(parent && { parent }) })
  if (!('id' in made)) throw new Error(JSON.stringify(made))
  return work(of)
}
const files = () => new NodeWorkspaceFiles(data)
const report = async (of: Key, from = files()) => {
  const comparison = await from.compare(of)
  if ('refused' in comparison) throw new Error(comparison.message)
  return comparison
}
const row = ({ path, kind, status, additions, deletions, is_binary }: WorkspaceChange) =>
  [path, kind, status, additions, deletions, ...(is_binary ? ['binary'] : [])] as const
const rows = async (of: Key, from = files()) => (await report(of, from)).changes.map(row)

describe('[H85] the changes of a workspace', () => {
  const change = (path: string) => {
    writeFileSync(join(path, 'src', 'a.txt'), 'one\n2\nthree\nfour\n')
    writeFileSync(join(path, 'src', 'new.txt'), 'x\ny')
    writeFileSync(join(path, 'logo.png'), Buffer.from([1, 0, 3]))
    rmSync(join(path, 'gone.txt'))
    rmSync(join(path, 'link'))
    symlinkSync('src/b.txt', join(path, 'link'))
    chmodSync(join(path, 'run.sh'), 0o755)
  }
  const changed = [
    ['gone.txt', 'file', 'deleted', 0, 2],
    ['link', 'link', 'modified', null, null],
    ['logo.png', 'file', 'modified', null, null, 'binary'],
    ['run.sh', 'file', 'modified', 0, 0],
    ['src/a.txt', 'file', 'modified', 2, 1],
    ['src/new.txt', 'file', 'added', 2, 0],
  ]

  test('are told for three sessions of two tenants, each against its own source', async () => {
    const [one, two, three] = [key('s1'), key('s1', 'other'), key('s2')]
    const copy = await prepare(one)
    repository()
    const worktree = await prepare(two)
    const empty = await prepare(three, null)
    const all = files()
    expect(await Promise.all([one, two, three].map((each) => report(each, all)))).toEqual(
      ['copy', 'git_worktree', 'empty'].map((kind) => ({
        kind,
        is_available: true,
        is_compared: true,
        changes: [],
        truncated: false,
      })),
    )
    change(copy)
    writeFileSync(join(empty, 'a'), 'a')
    // The source changes meanwhile: nobody in the sessions did that.
    writeFileSync(join(project, 'src', 'a.txt'), 'later')
    rmSync(join(project, 'src', 'b.txt'))
    expect(await rows(one, all)).toEqual(changed)
    expect(await rows(two, all)).toEqual([])
    change(worktree)
    expect(await rows(two, all)).toEqual(changed)
    expect(await rows(three, all)).toEqual([['a', 'file', 'added', 1, 0]])
    expect(await all.read(one, 'src/a.txt', 'source')).toMatchObject({ text: 'one\ntwo\nthree\n', size: 14 })
    expect(await all.read(two, 'link', 'source')).toMatchObject({ kind: 'link', text: 'src/a.txt' })
    expect(await all.read(two, 'link', 'current')).toMatchObject({ kind: 'link', text: 'src/b.txt' })
    expect(await all.read(three, 'a', 'source')).toMatchObject({ refused: 'not_found' })
  })

  test('are seen where somebody sets the time of a file back', async () => {
    const path = join(await prepare(key('s')), 'src', 'b.txt')
    writeFileSync(path, 'Stays\n')
    utimesSync(path, 1, 1)
    expect(await rows(key('s'))).toEqual([['src/b.txt', 'file', 'modified', 1, 1]])
  })

  test('leave out what was written again with the same content, and say where a kind changed', async () => {
    const path = await prepare(key('s'))
    writeFileSync(join(path, 'src', 'a.txt'), 'one\ntwo\nthree\n')
    rmSync(join(path, 'src', 'b.txt'))
    mkdirSync(join(path, 'src', 'b.txt'))
    writeFileSync(join(path, 'src', 'b.txt', 'inside'), '')
    rmSync(join(path, 'link'))
    writeFileSync(join(path, 'link'), 'src/a.txt')
    expect(await rows(key('s'))).toEqual([
      ['link', 'file', 'modified', null, null],
      ['src/b.txt', 'file', 'deleted', 0, 1],
      ['src/b.txt/inside', 'file', 'added', 0, 0],
    ])
  })

  test('of a branch are those since the source of its parent, whatever is left of the parent', async () => {
    const parent = await prepare(key('parent'))
    writeFileSync(join(parent, 'src', 'a.txt'), 'one\n')
    const child = await prepare(key('child'), project, key('parent'))
    writeFileSync(join(child, 'more'), 'x')
    const expected = ['src/a.txt', 'file', 'modified', 0, 2] as const
    expect(await rows(key('parent'))).toEqual([expected])
    expect(await rows(key('child'))).toEqual([['more', 'file', 'added', 1, 0], expected])
    await workspaces()
      .wrapRunner({} as never)
      .forget?.(key('parent'))
    expect(existsSync(parent)).toBe(false)
    expect(await rows(key('child'))).toEqual([['more', 'file', 'added', 1, 0], expected])
    expect(await files().read(key('child'), 'src/a.txt', 'source')).toMatchObject({ text: 'one\ntwo\nthree\n' })
  })

  test('of 10,000 files are found without holding up the server, the changed ones of the source first', async () => {
    const many = join(folder, 'many')
    for (let at = 0; at < 100; at += 1) {
      mkdirSync(join(many, `d${at}`), { recursive: true })
      writeFileSync(join(many, `d${at}`, 'f0'), `${at}\n`)
      for (let file = 1; file < 100; file += 1) linkSync(join(many, `d${at}`, 'f0'), join(many, `d${at}`, `f${file}`))
    }
    const threads = new ReviewThreads(1, 1)
    const asked = { root: many, ms: 20_000 }
    const compare = () => threads.run({ kind: 'compare', ...asked, memory: folder })
    expect(await threads.run({ kind: 'remember', ...asked, folder, textBytesMax: 1_000 })).toBe(true)
    expect(await compare()).toEqual({ changes: [], isCut: false })
    for (let file = 0; file < 1_500; file += 1) linkSync(join(many, 'd0', 'f0'), join(many, `a${file}`))
    rmSync(join(many, 'd99', 'f99'))
    writeFileSync(join(many, 'd99', 'f99'), '99\nmore\n')
    rmSync(join(many, 'd50'), { recursive: true })
    let turns = 0
    const timer = setInterval(() => (turns += 1), 1)
    const { changes, isCut } = (await compare()) ?? { changes: [], isCut: false }
    clearInterval(timer)
    expect(turns).toBeGreaterThan(0)
    expect([changes.length, isCut]).toEqual([1_000, true])
    const statuses = Object.groupBy(changes, ({ status }) => status)
    expect([statuses.modified?.length, statuses.deleted?.length, statuses.added?.length]).toEqual([1, 100, 899])
    expect(changes.map(({ path }) => path)).toEqual(changes.map(({ path }) => path).toSorted())
  })

  test('name installed packages as one folder, and git’s own files not at all', async () => {
    repository()
    const path = await prepare(key('s'))
    mkdirSync(join(path, 'app', 'node_modules', 'left-pad'), { recursive: true })
    writeFileSync(join(path, 'app', 'node_modules', 'left-pad', 'index.js'), '')
    mkdirSync(join(path, 'app', '.git'))
    writeFileSync(join(path, 'app', '.git', 'config'), '[core]\n\tfsmonitor = false\n')
    expect(await rows(key('s'))).toEqual([['app/node_modules', 'folder', 'added', null, null]])
    expect(await files().list(key('s'), 'app/node_modules')).toMatchObject({ entries: [{ name: 'left-pad' }] })
  })

  test('are not guessed where nobody remembers the source', async () => {
    const path = await prepare(key('s'))
    rmSync(join(path, '..', 'source.json'))
    const told = await report(key('s'))
    expect(told).toMatchObject({ kind: 'copy', is_available: true, is_compared: false, changes: [] })
    expect(told.reason).toContain('not remembered')
    expect(await files().read(key('s'), 'src/a.txt', 'source')).toMatchObject({ refused: 'not_found' })
    expect(await files().read(key('s'), 'src/a.txt', 'current')).toMatchObject({ text: 'one\ntwo\nthree\n' })
  })
})

describe('[H86] a folder of a workspace', () => {
  test('lists folders first, with kinds, sizes and times', async () => {
    const path = await prepare(key('s'))
    utimesSync(join(path, 'run.sh'), 1_000, 1_000)
    const { entries } = (await files().list(key('s'), '')) as WorkspaceFolder
    expect(entries.map(({ name }) => name)).toEqual(['src', 'gone.txt', 'link', 'logo.png', 'run.sh'])
    expect(entries.at(-1)).toEqual({ name: 'run.sh', kind: 'file', size: 5, modified: '1970-01-01T00:16:40.000Z' })
    expect(entries[2]).toMatchObject({ kind: 'link', size: null })
    expect(await files().list(key('s'), './src//')).toMatchObject({ path: 'src', entries: { length: 2 } })
    expect(await files().list(key('s'), 'run.sh')).toMatchObject({ refused: 'not_found' })
    expect(await files().list(key('s'), 'no')).toMatchObject({ refused: 'not_found' })
  })

  test('with more entries than a page shows says so', async () => {
    const path = await prepare(key('s'), null)
    writeFileSync(join(path, 'a'), '')
    for (let file = 0; file < 2_000; file += 1) linkSync(join(path, 'a'), join(path, `${file}`))
    expect(await files().list(key('s'), '')).toMatchObject({ entries: { length: 2_000 }, truncated: true })
  })
})

describe('[H87] a file of a workspace', () => {
  test('is text, cut at a megabyte between two characters, or binary', async () => {
    const path = await prepare(key('s'), null)
    writeFileSync(join(path, 'large'), `a${'ü'.repeat(600_000)}`)
    writeFileSync(join(path, 'binary'), Buffer.from([65, 0]))
    writeFileSync(join(path, 'latin'), Buffer.from([0x66, 0xfc, 0x72]))
    writeFileSync(join(path, 'bom'), '\ufeffx')
    const read = async (name: string) => {
      const file = await files().read(key('s'), name, 'current')
      if ('refused' in file) throw new Error(file.message)
      return file
    }
    const large = await read('large')
    expect([large.size, large.truncated, large.text?.length]).toEqual([1_200_001, true, 524_288])
    expect(large.text?.endsWith('ü')).toBe(true)
    expect(await read('binary')).toMatchObject({ is_binary: true, text: null, truncated: false, size: 2 })
    expect(await read('latin')).toMatchObject({ is_binary: false, text: 'f\ufffdr' })
    expect(await read('bom')).toMatchObject({ text: '\ufeffx' })
    expect((await rows(key('s'))).find(([name]) => name === 'large')).toEqual(['large', 'file', 'added', null, null])
  })

  test('of the source that was too large to keep has no text, and its change is seen', async () => {
    writeFileSync(join(project, 'large'), 'x'.repeat(1_100_000))
    const path = await prepare(key('s'))
    expect(await rows(key('s'))).toEqual([])
    writeFileSync(join(path, 'large'), 'y'.repeat(1_100_000))
    expect(await rows(key('s'))).toEqual([['large', 'file', 'modified', null, null]])
    expect(await files().read(key('s'), 'large', 'source')).toMatchObject({
      text: null,
      truncated: true,
      size: 1_100_000,
    })
  })
})

describe('[H88] files that an agent made to do harm', () => {
  const secret = 'root:x:0:0'

  test('no link leads out, in no part of a path and in neither version', async () => {
    const path = await prepare(key('s'))
    mkdirSync(join(folder, 'outside'))
    writeFileSync(join(folder, 'outside', 'passwd'), secret)
    symlinkSync(join(folder, 'outside'), join(path, 'out'))
    symlinkSync(join(folder, 'outside', 'passwd'), join(path, 'src', 'passwd'))
    symlinkSync('loop', join(path, 'loop'))
    const all = files()
    const answers = [
      await all.read(key('s'), 'out/passwd', 'current'),
      await all.read(key('s'), 'src/passwd', 'current'),
      await all.read(key('s'), 'loop', 'current'),
      await all.list(key('s'), 'out'),
      await all.list(key('s'), ''),
      await all.compare(key('s')),
    ]
    expect(JSON.stringify(answers)).not.toContain(secret)
    expect(answers.map((each) => ('refused' in each ? each.refused : 'told'))).toEqual([
      'not_found',
      'told',
      'told',
      'not_found',
      'told',
      'told',
    ])
    expect(await rows(key('s'))).toEqual([
      ['loop', 'link', 'added', null, null],
      ['out', 'link', 'added', null, null],
      ['src/passwd', 'link', 'added', null, null],
    ])
    for (const bad of ['../key.json', 'src/../../key.json', '/etc/passwd', 'a\0b', '..'])
      expect(await all.read(key('s'), bad, 'current')).toMatchObject({ refused: 'bad_path' })
  })

  test('a folder that was replaced by a link is none, also that of the session', async () => {
    const path = await prepare(key('s'))
    mkdirSync(join(folder, 'outside', 'work'), { recursive: true })
    writeFileSync(join(folder, 'outside', 'work', 'a'), secret)
    renameSync(path, join(folder, 'moved'))
    symlinkSync(join(folder, 'outside', 'work'), path)
    expect(await files().list(key('s'), '')).toMatchObject({ refused: 'not_found' })
    expect(await files().read(key('s'), 'a', 'current')).toMatchObject({ refused: 'not_found' })
    expect(await files().compare(key('s'))).toMatchObject({ refused: 'not_found' })
  })

  test('a folder above the files that became a link leads nowhere, though its files are the same', async () => {
    const place = join(await prepare(key('s')), '..')
    expect(await files().list(key('s'), '')).toMatchObject({ path: '' })
    renameSync(place, join(folder, 'moved'))
    symlinkSync(join(folder, 'moved'), place)
    expect(await files().list(key('s'), '')).toMatchObject({ refused: 'not_found' })
    expect(await files().read(key('s'), 'run.sh', 'current')).toMatchObject({ refused: 'not_found' })
  })

  test('pipes, sockets and what has no readable name are named and not opened', async () => {
    const path = await prepare(key('s'), null)
    execFileSync('mkfifo', [join(path, 'pipe')])
    const server = createServer()
    // The path of a socket is short.
    await new Promise<void>((resolve) => server.listen(join(folder, 'socket'), resolve))
    renameSync(join(folder, 'socket'), join(path, 'socket'))
    writeFileSync(Buffer.concat([Buffer.from(`${path}/`), Buffer.from([0x66, 0xff])]), 'x')
    try {
      const foreign = 'f\ufffd'
      expect(await rows(key('s'))).toEqual([
        [foreign, 'other', 'added', null, null],
        ['pipe', 'other', 'added', null, null],
        ['socket', 'other', 'added', null, null],
      ])
      expect(await files().read(key('s'), 'pipe', 'current')).toMatchObject({ refused: 'bad_path' })
      expect(await files().read(key('s'), 'socket', 'current')).toMatchObject({ refused: 'bad_path' })
      expect(await files().read(key('s'), foreign, 'current')).toMatchObject({ refused: 'not_found' })
    } finally {
      server.close()
    }
  })

  test('names are data, however strange', async () => {
    const path = await prepare(key('s'))
    const names = ['\u202egnp.exe', '__proto__', 'a\nb', '<b>', '\u001b[31m', ' ', 'back\\slash', 'constructor', '…']
    for (const name of names) writeFileSync(join(path, 'src', name), name)
    const told = await rows(key('s'))
    expect(told.map(([name]) => name)).toEqual(names.map((name) => `src/${name}`).toSorted())
    for (const name of names)
      expect(await files().read(key('s'), `src/${name}`, 'current')).toMatchObject({ path: `src/${name}`, text: name })
  })

  test('a tree that is too deep, and a file that nobody may read, do not stop the rest', async () => {
    const path = await prepare(key('s'))
    mkdirSync(join(path, ...Array.from({ length: 80 }, () => 'd')), { recursive: true })
    writeFileSync(join(path, 'src', 'b.txt'), 'other content')
    linkSync(join(path, 'src', 'a.txt'), join(path, 'twin'))
    chmodSync(join(path, 'src', 'b.txt'), 0)
    const { changes, truncated } = await report(key('s'))
    expect(truncated).toBe(true)
    expect(changes.map(({ path: name, status }) => [name, status])).toEqual([
      ['src/b.txt', 'modified'],
      ['twin', 'added'],
    ])
  })
})

test('[H84] [H89] a server shows the files of a session to its tenant, and an engine’s folder without a workspace', async () => {
  const tokens = ['one', 'two'].map((tenant) => ({ token: `a-long-token-of-${tenant}`, tenants: [tenant] }))
  const [one, two] = tokens.map(({ token }) => bearer(token))
  const server = await HarnessServer.start({ port: 0, data, tokens, workspaces: { sources: [project] } })
  try {
    const body = { engine: 'scripted', ...scriptBody({ text: 'done' }), workspace: { mode: 'write', source: project } }
    const start = await post(`${server.url}/sessions`, body, one)
    const url = `${server.url}/sessions/${String(start.body.session_id)}/workspace`
    writeFileSync(join(String(start.body.workspace_path), 'src', 'a.txt'), 'one\n')
    const told = (await get(url, one)).body as unknown as WorkspaceReport
    expect(told).toEqual({
      workspace_id: start.body.workspace_id,
      mode: 'write',
      kind: 'copy',
      source: project,
      is_available: true,
      is_compared: true,
      changes: [{ path: 'src/a.txt', kind: 'file', status: 'modified', additions: 0, deletions: 2, is_binary: false }],
      truncated: false,
    })
    expect((await get(`${url}/files?path=src`, one)).body).toMatchObject({ entries: [{ name: 'a.txt' }, {}] })
    expect((await get(`${url}/file?path=src/a.txt&version=source`, one)).body).toMatchObject({
      text: 'one\ntwo\nthree\n',
    })
    for (const path of [url, `${url}/files`, `${url}/file?path=run.sh`]) expect((await get(path, two)).status).toBe(404)
    await post(`${server.url}/agents/scripted/chat`, scriptBody({ text: 'hi' }), one)
    const chat = `${server.url}/sessions/chat/workspace`
    expect((await get(chat, one)).body).toMatchObject({ is_available: false, mode: 'none', changes: [] })
    expect((await get(`${chat}/files`, one)).status).toBe(404)
    // The folder that a sandbox gives an engine, with the note that says whose it is.
    const own = sessionFolder(realpathSync(data), { tenant: 'one', agent: 'scripted', id: 'chat' })
    mkdirSync(join(own, 'work'), { recursive: true })
    writeFileSync(join(own, 'work', 'made'), 'x')
    expect((await get(chat, one)).body).toMatchObject({ is_available: false })
    writeFileSync(join(own, 'key.json'), JSON.stringify({ tenant: 'one', agent: 'scripted', id: 'chat' }))
    expect((await get(chat, one)).body).toMatchObject({
      is_available: true,
      kind: 'empty',
      workspace_id: null,
      changes: [{ path: 'made', status: 'added' }],
    })
  } finally {
    await server.close()
  }
})
