import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterEach, describe, expect, test } from 'vitest'
import { makeSandboxCgroup } from './cgroup.ts'
import { findDelegatedCgroup } from './cgroup-delegation.ts'
import { watchResources } from './resource-watch.ts'

const made: string[] = []
afterEach(() => {
  for (const folder of made.splice(0)) rmSync(folder, { recursive: true, force: true })
})

/** Folders and files as the kernel shows them; what is written stays as it was written. */
const fakeTree = (files: { [path: string]: string }): string => {
  const root = mkdtempSync(join(tmpdir(), 'cgroup-'))
  made.push(root)
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(root, path)), { recursive: true })
    writeFileSync(join(root, path), text)
  }
  return root
}
const all = 'cpuset cpu io memory pids\n'
const limits = { memoryBytes: 1_000_000, processes: 8, workBytes: 1 }
const pid = 4711

describe('[O18] a cgroup that was delegated', () => {
  const find = (files: { [path: string]: string }, own: string, named?: string) => {
    const root = fakeTree({ 'cgroup.controllers': all, 'proc-self': own, ...files })
    const found = findDelegatedCgroup({ root, procSelfCgroup: join(root, 'proc-self'), pid, ...(named && { named }) })
    return { root, found: found?.replace(root, '') ?? null }
  }
  const service = (procs: string, more = {}) => ({
    'system/bridle/cgroup.controllers': all,
    'system/bridle/cgroup.subtree_control': '\n',
    'system/bridle/cgroup.procs': procs,
    ...more,
  })

  test('holds this process alone: the process moves down and the controllers are switched on', () => {
    const { root, found } = find(service(`${pid}\n`), '0::/system/bridle\n')
    const read = (name: string) => readFileSync(join(root, 'system/bridle', name), 'utf8')
    expect([found, read('bridle-server/cgroup.procs'), read('cgroup.subtree_control')]).toEqual([
      '/system/bridle',
      `${pid}`,
      '+memory +pids',
    ])
    expect(readdirSync(join(root, 'system/bridle')).filter((name) => name.includes('probe'))).toEqual([])
  })

  test.each<[string, { [path: string]: string }, string, string | undefined, string | null]>([
    [
      'made ready before',
      service('', {
        'system/bridle/cgroup.subtree_control': 'memory pids\n',
        'system/bridle/bridle-server/cgroup.procs': `${pid}\n`,
      }),
      '0::/system/bridle/bridle-server\n',
      undefined,
      '/system/bridle',
    ],
    ['a container of its own', { 'cgroup.subtree_control': 'cpu memory pids\n' }, '0::/\n', undefined, ''],
    ['both versions at once', service(`${pid}\n`), '4:memory:/x\n0::/system/bridle\n', undefined, '/system/bridle'],
    ['named by an operator', { 'mine/cgroup.subtree_control': 'memory pids' }, '', '/mine', '/mine'],
    ['named, relative', { 'mine/cgroup.subtree_control': 'memory pids' }, '', 'mine', '/mine'],
    ['named and not ready', { 'mine/cgroup.subtree_control': 'memory' }, '', 'mine', null],
    ['named and not there', {}, '', 'mine', null],
    ['others are inside', service(`${pid}\n4712\n`), '0::/system/bridle\n', undefined, null],
    ['we are not inside', service('4712\n'), '0::/system/bridle\n', undefined, null],
    ['empty', service(''), '0::/system/bridle\n', undefined, null],
    [
      'no pids controller',
      service(`${pid}\n`, { 'system/bridle/cgroup.controllers': 'memory\n' }),
      '0::/system/bridle',
      undefined,
      null,
    ],
    ['version 1', { 'cgroup.controllers': '' }, '4:memory:/x\n', undefined, null],
    ['no line of version 2', service(`${pid}\n`), '4:memory:/system/bridle\n', undefined, null],
    ['outside of what we see', service(`${pid}\n`), '0::/../system/bridle\n', undefined, null],
    ['no such file', {}, '0::/nowhere\n', undefined, null],
  ])('%s', (_name, files, own, named, expected) => {
    expect(find(files, own, named).found).toBe(expected)
  })

  test('where the controllers cannot be switched on, the process moves back', () => {
    const files = service(`${pid}\n`)
    const root = fakeTree({ 'cgroup.controllers': all, 'proc-self': '0::/system/bridle\n', ...files })
    const control = join(root, 'system/bridle/cgroup.subtree_control')
    rmSync(control)
    mkdirSync(control)
    expect(findDelegatedCgroup({ root, procSelfCgroup: join(root, 'proc-self'), pid })).toBe(null)
    expect(readFileSync(join(root, 'system/bridle/cgroup.procs'), 'utf8')).toBe(`${pid}`)
  })

  test('is not there on a machine without any', () => {
    expect(findDelegatedCgroup({ root: '/nowhere', procSelfCgroup: '/nowhere' })).toBe(null)
  })
})

describe('[O18] the cgroup of a sandbox', () => {
  test('has the limits, and threads for as many processes as are allowed', () => {
    const parent = fakeTree({})
    const { folder } = makeSandboxCgroup(parent, 'box-1', limits)
    const files = Object.fromEntries(
      readdirSync(folder).map((name) => [name, readFileSync(join(folder, name), 'utf8')]),
    )
    expect([folder, files]).toEqual([
      join(parent, 'bridle-box-1'),
      { 'memory.max': '1000000', 'pids.max': '128', 'memory.swap.max': '0', 'memory.oom.group': '1' },
    ])
    expect(() => makeSandboxCgroup(parent, 'box-1', limits)).toThrow('EEXIST')
    for (const id of ['', '.', '../x', 'a/b'])
      expect(() => makeSandboxCgroup(parent, id, limits)).toThrow('needs an id')
  })

  test('is entered before the command runs, whatever the command and the folder are called', () => {
    const parent = join(fakeTree({}), `a 'b" $(touch x)`)
    mkdirSync(parent)
    const { folder, enterCommand } = makeSandboxCgroup(parent, 'box', limits)
    const script = 'echo "$$" "$@"; cat "$FOLDER/cgroup.procs"'
    const [program = '', ...args] = enterCommand(['/bin/sh', '-c', script, 'x', 'one two', '$(three)', '*'])
    const { stdout } = spawnSync(program, args, { encoding: 'utf8', env: { FOLDER: folder, PATH: process.env.PATH } })
    const [line = '', joined] = stdout.split('\n')
    expect(line).toBe(`${joined} one two $(three) *`)
    chmodSync(folder, 0o755)
    rmSync(folder, { recursive: true })
    expect(spawnSync(program, args).stdout.toString()).toBe('')
  })

  test('three sandboxes: each tells of its own limits only, and only of what happened since it was made', () => {
    const parent = fakeTree({})
    const boxes = ['a', 'b', 'c'].map((id) => {
      const cgroup = makeSandboxCgroup(parent, id, limits)
      const write = (name: string, text: string) => writeFileSync(join(cgroup.folder, name), text)
      return { cgroup, write }
    })
    const told = () => boxes.map(({ cgroup }) => cgroup.exceeded())
    expect(told()).toEqual([null, null, null])
    for (const { write } of boxes) write('memory.events', 'low 0\nhigh 0\nmax 9\noom 0\noom_kill 0\noom_group_kill 0\n')
    for (const { write } of boxes) write('pids.events', 'max 0\n')
    expect(told()).toEqual([null, null, null])
    boxes[0]?.write('memory.events', 'max 12\noom 1\noom_kill 3\noom_group_kill 1\n')
    boxes[2]?.write('pids.events', 'max 1\n')
    expect(told()).toEqual([
      { resource: 'memory', used: null, limit: 1_000_000 },
      null,
      { resource: 'threads', used: null, limit: 128 },
    ])
  })

  test('its figures and its verdict are those of a watch, with the count of processes', async () => {
    const cgroup = makeSandboxCgroup(fakeTree({}), 'box', limits)
    expect(cgroup.usage()).toBe(null)
    const write = (name: string, text: string) => writeFileSync(join(cgroup.folder, name), text)
    write('memory.current', '5000000\n')
    write('pids.current', '90\n')
    write('cgroup.procs', '11\n12\n13\n')
    const exceeded: unknown[] = []
    const onExceeded = (limit: unknown) => exceeded.push(limit)
    const watch = watchResources({ rootPid: 2 ** 22 + 1, folders: [], limits, onExceeded, cgroup, sampleMs: 5 })
    // Files that the kernel keeps in memory are in that figure; the kernel decides.
    expect([watch.usage(), exceeded]).toEqual([
      { memoryBytes: 5_000_000, processes: 3, threads: 90, workBytes: null },
      [],
    ])
    write('memory.events', 'oom_kill 1\n')
    await expect
      .poll(() => exceeded, { timeout: 30_000 })
      .toEqual([{ resource: 'memory', used: null, limit: 1_000_000 }])
    watch.stop()
    write('memory.events', '')
    write('cgroup.procs', '1 2 3 4 5 6 7 8 9')
    const more: unknown[] = []
    watchResources({
      rootPid: 2 ** 22 + 1,
      folders: [],
      limits,
      onExceeded: (limit) => more.push(limit),
      cgroup,
    }).stop()
    expect(more).toEqual([{ resource: 'processes', used: 9, limit: 8 }])
  })

  test('is ended by one write where the kernel can', () => {
    const cgroup = makeSandboxCgroup(fakeTree({}), 'box', limits)
    writeFileSync(join(cgroup.folder, 'cgroup.kill'), '')
    cgroup.kill()
    expect(readFileSync(join(cgroup.folder, 'cgroup.kill'), 'utf8')).toBe('1')
  })

  test('is ended one by one on older kernels, and never by killing our own group', async () => {
    const children = [1, 2, 3].map(() => spawn('sleep', ['600']))
    const [one, two, spared] = children
    const cgroup = makeSandboxCgroup(fakeTree({}), 'box', limits)
    writeFileSync(join(cgroup.folder, 'cgroup.procs'), `0\n${one?.pid}\n${two?.pid}\n`)
    const ended = [one, two].map((child) => once(child!, 'exit'))
    cgroup.kill()
    expect((await Promise.all(ended)).map(([, signal]) => signal)).toEqual(['SIGKILL', 'SIGKILL'])
    expect([spared?.exitCode, existsSync(join(cgroup.folder, 'cgroup.kill'))]).toEqual([null, false])
    spared?.kill('SIGKILL')
  })

  test('is removed with the cgroups inside it, when the kernel lets it go', async () => {
    const parent = fakeTree({})
    const cgroup = makeSandboxCgroup(parent, 'box', limits)
    mkdirSync(join(cgroup.folder, 'inner/deeper'), { recursive: true })
    // Here the files stay, as if a process were still alive.
    expect(await cgroup.remove(40)).toBe(false)
    const removed = cgroup.remove()
    for (const name of readdirSync(cgroup.folder)) rmSync(join(cgroup.folder, name), { recursive: true, force: true })
    expect([await removed, readdirSync(parent), await cgroup.remove()]).toEqual([true, [], true])
  })
})
