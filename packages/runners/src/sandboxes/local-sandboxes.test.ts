import { spawn } from 'node:child_process'
import { once } from 'node:events'
import {
  existsSync,
  lstatSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Key } from '@bridle/kernel/event'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { longTest } from '../../../../scripts/long-test.ts'
import { startTimeOf } from '../process/process-table.ts'
import { endProcesses } from '../process/sandbox-processes.ts'
import type { Sandbox } from '../remote/provider.ts'
import { NoFreeSandboxError } from '../remote/sandbox-queue.ts'
import { fakeRunner, setBusy, shell } from './fake-runner.suite.ts'
import { workspaceFile } from './folders/session-paths.ts'
import type { LocalSandboxOptions } from './local-sandbox-options.ts'
import { LocalSandboxes } from './local-sandboxes.ts'

const key = (id: string): Key => ({ tenant: 't', agent: 'claude', id })
const [a, b, c] = [key('a'), key('b'), key('../../c')] as const

let folder: string
let now: number
let made: LocalSandboxes[]

const provider = (options: Partial<LocalSandboxOptions> = {}): LocalSandboxes => {
  const settings = { folder, secret: 'a secret', backend: 'process', command: fakeRunner(), now: () => now } as const
  const sandboxes = new LocalSandboxes({ ...settings, ...options })
  made.push(sandboxes)
  return sandboxes
}
const records = () => (existsSync(join(folder, 'sandboxes')) ? readdirSync(join(folder, 'sandboxes')) : [])
/** As another process finds it. */
const same = (box: Sandbox) => ({ ...box, fetch: expect.any(Function) })
const recordOf = (id: string) => JSON.parse(readFileSync(join(folder, 'sandboxes', id, 'record.json'), 'utf8'))
const isUp = ({ url, fetch: fetchRunner = fetch }: Sandbox) =>
  fetchRunner(`${url}/health`, {}).then(
    () => true,
    () => false,
  )

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'bridle-boxes-'))
  now = 1_000_000
  made = []
})
afterEach(async () => {
  vi.unstubAllEnvs()
  for (const id of records()) {
    try {
      const { pid, startedAt } = recordOf(id)
      await endProcesses({ pid, startedAt }, id, 5_000)
    } catch {
      // No record: nothing was started.
    }
  }
  for (const each of made) await each.close()
  rmSync(folder, { recursive: true, force: true })
})

test('[O76] a session in place can write while its runner is busy, also after a restart of the server', async () => {
  const place = mkdtempSync(join(folder, 'place-'))
  const open = new Set<string>()
  const onInPlace = (work: string) => {
    open.add(work)
    return () => void open.delete(work)
  }
  const boxes = provider({ onInPlace })
  const copied = await boxes.acquire(a)
  expect(open.size).toBe(0)
  await boxes.stop(copied)
  for (const name of readdirSync(join(folder, 'workspaces')))
    writeFileSync(workspaceFile(join(folder, 'workspaces', name)), JSON.stringify({ kind: 'in_place', path: place }))
  const box = await boxes.acquire(a)
  await setBusy(box, true)
  expect([...open]).toEqual([place])
  // The run goes on in its sandbox.
  await boxes.close()
  open.clear()
  const restarted = provider({ onInPlace })
  expect([...open]).toEqual([place])
  now += 5_000
  await setBusy(box, false)
  await expect.poll(() => open.size, { timeout: 10_000 }).toBe(0)
  await restarted.acquire(a)
  expect([...open]).toEqual([place])
  await restarted.stop(box)
  expect(open.size).toBe(0)
})

describe('a session has one sandbox', () => {
  test('started when it is first needed, the same one afterwards, another for another session', async () => {
    const boxes = provider()
    expect(records()).toEqual([])
    const [first, again] = await Promise.all([boxes.acquire(a), boxes.acquire(a)])
    const other = await boxes.acquire(b)
    expect(again).toEqual(first)
    expect(await boxes.acquire(a)).toEqual(first)
    expect([other.id === first.id, other.token === first.token]).toEqual([false, false])
    expect(await boxes.health(first)).toMatchObject({ ok: true, busy: false, hasAnthropicKey: false })
    await boxes.setEnvVars(first, { ANTHROPIC_API_KEY: 'x' })
    expect(await boxes.health(first)).toMatchObject({ hasAnthropicKey: true })
    await expect(boxes.setEnvVars({ ...first, token: 'wrong' }, { A: 'x' })).rejects.toThrow('it answered 401')
  })

  test.each(['process', 'auto'] as const)('it runs our own runner where nothing else is said (%s)', async (backend) => {
    const boxes = provider({ backend, command: undefined })
    const box = await boxes.acquire(a)
    expect(await boxes.health(box)).toMatchObject({ ok: true, busy: false, hasAnthropicKey: false })
    await boxes.setEnvVars(box, { ANTHROPIC_API_KEY: 'x' })
    expect(await boxes.health(box)).toMatchObject({ hasAnthropicKey: true })
    await boxes.stop(box)
    expect([await isUp(box), records()]).toEqual([false, []])
  })

  test('it is started again after kill -9, in the same folders', async () => {
    const boxes = provider()
    const first = await boxes.acquire(a)
    await shell(first, 'echo kept > file; echo kept > "$HOME/transcript"')
    process.kill(recordOf(first.id).pid, 'SIGKILL')
    await expect.poll(() => boxes.find(first.id)).toBe(null)
    const second = await boxes.acquire(a)
    expect([second.id === first.id, await shell(second, 'cat file "$HOME/transcript"')]).toEqual([false, 'kept\nkept'])
    expect(records()).toEqual([second.id])
  })

  longTest('one that hangs is replaced', async () => {
    const boxes = provider({ healthMs: 300, stopMs: 100 })
    const first = await boxes.acquire(a)
    process.kill(recordOf(first.id).pid, 'SIGSTOP')
    const second = await boxes.acquire(a)
    expect(second.id).not.toBe(first.id)
    expect(startTimeOf(recordOf(second.id).pid)).not.toBe(null)
    expect(records()).toEqual([second.id])
  })

  test('stopping ends it, also one that does not listen, and all that it started', async () => {
    const boxes = provider({ command: fakeRunner('--deaf'), stopMs: 200 })
    const box = await boxes.acquire(a)
    const left = Number(await shell(box, 'setsid sleep 600 >/dev/null 2>&1 & echo $!'))
    expect(startTimeOf(left)).not.toBe(null)
    await boxes.stop(box)
    expect([await isUp(box), startTimeOf(left), records()]).toEqual([false, null, []])
  })

  test('a runner that does not come up is a sentence, and leaves nothing', async () => {
    const fails = provider({ command: ['/bin/sh', '-c', 'echo The engine is missing. >&2; exit 3'] })
    await expect(fails.acquire(a)).rejects.toThrow(
      "The sandbox's runner did not start: it ended with 3. It said: The engine is missing.",
    )
    const silent = provider({ command: ['/bin/sleep', '600'], startMs: 100 })
    await expect(silent.acquire(a)).rejects.toThrow('it said nothing for 0.1 seconds')
    const absent = provider({ command: ['/nonexistent/runner'] })
    await expect(absent.acquire(a)).rejects.toThrow('did not start: spawn /nonexistent/runner ENOENT')
    expect(records()).toEqual([])
  })
})

describe('what it is given', () => {
  test('no key, no token of the server: an environment that we wrote', async () => {
    vi.stubEnv('ANTHROPIC_API_KEY', 'sk-canary-0001')
    vi.stubEnv('OPENAI_API_KEY', 'sk-canary-0002')
    vi.stubEnv('FABRIC_HARNESS_API_TOKEN', 'canary-0003')
    const box = await provider({ env: { EXTRA: 'given' } }).acquire(a)
    const env = await shell(box, 'env')
    expect(env).not.toMatch(/canary|a secret/)
    const names = env.split('\n').map((line) => line.split('=')[0] ?? '')
    const shellOwn = ['PWD', 'OLDPWD', 'SHLVL', '_']
    expect(names.filter((name) => !shellOwn.includes(name) && name !== 'TZ').sort()).toEqual([
      'BRIDLE_RUNNER_IDLE_MS',
      'BRIDLE_RUNNER_PRIVATE',
      'BRIDLE_RUNNER_SOCKET',
      'BRIDLE_RUNNER_STATE',
      'BRIDLE_RUNNER_TOKEN_FROM',
      'BRIDLE_RUNNER_WALLS',
      'BRIDLE_RUNNER_WORK',
      'BRIDLE_SANDBOX_ID',
      'EXTRA',
      'HOME',
      'LANG',
      'PATH',
      'TMPDIR',
    ])
    expect(await shell(box, 'cat /proc/self/environ /proc/$PPID/environ 2>/dev/null')).not.toContain('canary')
  })

  test('folders of its own, private, named by no id; and its token is in no file', async () => {
    const box = await provider().acquire(c)
    const [work = '', home = ''] = (await shell(box, 'pwd; echo "$HOME"')).split('\n')
    for (const path of [work, home]) {
      expect(path.startsWith(join(folder, 'workspaces'))).toBe(true)
      expect(path).toMatch(/\/workspaces\/[0-9a-f]{40}\/(work|state)$/)
      expect(statSync(path).mode & 0o777).toBe(0o700)
    }
    expect(recordOf(box.id)).toEqual({
      id: box.id,
      key: c,
      isReady: true,
      pid: expect.any(Number),
      startedAt: startTimeOf(recordOf(box.id).pid),
      bornAt: now,
      notice: {
        requestedBackend: 'process',
        resolvedBackend: 'process',
        isolation: 'none',
        reason: expect.stringContaining('a plain process was asked for'),
      },
    })
    for (const file of readdirSync(folder, { recursive: true, withFileTypes: true })) {
      if (file.isFile()) expect(readFileSync(join(file.parentPath, file.name), 'utf8')).not.toContain(box.token)
    }
  })

  test('what isolation it really has; none where nobody asked for none is an error', async () => {
    const without = { bwrap: '/nonexistent/bwrap' }
    for (const backend of ['auto', 'bubblewrap', undefined] as const)
      await expect(provider({ ...without, backend }).acquire(b)).rejects.toThrow(
        'No sandbox can be started: bubblewrap (bwrap) is not installed. Install bubblewrap, or set BRIDLE_SANDBOX=process',
      )
    const box = await provider({ backend: 'process', ...without }).acquire(a)
    expect(box.notice).toMatchObject({ requestedBackend: 'process', resolvedBackend: 'process', isolation: 'none' })
  })
})

describe('[O12] how long it stays', () => {
  test('until it is idle for long enough, never while it is busy', async () => {
    const boxes = provider({ idleMs: 60_000 })
    const [idle, busy] = [await boxes.acquire(a), await boxes.acquire(b)]
    await setBusy(busy, true)
    now += 59_000
    await boxes.sweep()
    expect([await isUp(idle), await isUp(busy)]).toEqual([true, true])
    now += 1_000
    await boxes.sweep()
    expect([await isUp(idle), await isUp(busy), records()]).toEqual([false, true, [busy.id]])
    now += 600_000
    await boxes.sweep()
    await setBusy(busy, false)
    now += 59_000
    await boxes.sweep()
    expect(await isUp(busy)).toBe(true)
    now += 1_000
    await boxes.sweep()
    expect(await isUp(busy)).toBe(false)
  })

  test('by itself, without being told', async () => {
    const boxes = provider({ idleMs: 1, graceMs: 0, sweepMs: 20, now: Date.now })
    const box = await boxes.acquire(a)
    await expect.poll(() => isUp(box), { timeout: 20_000 }).toBe(false)
  })

  test('until it is too old and not busy', async () => {
    const boxes = provider({ maxAgeMs: 100_000, idleMs: 1_000_000 })
    const old = await boxes.acquire(a)
    await setBusy(old, true)
    now += 100_000
    await boxes.sweep()
    expect((await boxes.acquire(a)).id).toBe(old.id)
    await setBusy(old, false)
    expect((await boxes.acquire(a)).id).not.toBe(old.id)
    now += 100_000
    await boxes.sweep()
    expect(records()).toEqual([])
  })

  test('until others need the place: the longest idle gives way, and where all are busy a run may wait', async () => {
    const boxes = provider({ max: 2, graceMs: 10 })
    const first = await boxes.acquire(a)
    now += 100
    const second = await boxes.acquire(b)
    now += 100
    await boxes.acquire(a)
    now += 100
    const third = await boxes.acquire(c)
    expect([await isUp(first), await isUp(second), await isUp(third)]).toEqual([true, false, true])
    await setBusy(first, true)
    await setBusy(third, true)
    now += 100
    await expect(boxes.acquire(b)).rejects.toBeInstanceOf(NoFreeSandboxError)
    await setBusy(first, false)
    expect((await boxes.acquire(b)).id).not.toBe(second.id)
    expect(await isUp(first)).toBe(false)
  })

  test('one that was just asked for does not give way before its run begins', async () => {
    const boxes = provider({ max: 1 })
    const box = await boxes.acquire(a)
    await expect(boxes.acquire(b)).rejects.toThrow('All 1 sandboxes are busy.')
    expect(await isUp(box)).toBe(true)
  })

  test('sessions that ask at once do not get more than there may be', async () => {
    const boxes = provider({ max: 2 })
    const asked = await Promise.allSettled([boxes.acquire(a), boxes.acquire(b), boxes.acquire(c)])
    expect(asked.map(({ status }) => status).sort()).toEqual(['fulfilled', 'fulfilled', 'rejected'])
    expect(records()).toHaveLength(2)
  })

  test('its session is removed: it goes with all its files', async () => {
    const boxes = provider()
    const box = await boxes.acquire(a)
    await boxes.acquire(b)
    await shell(box, 'mkdir -p deep/er; echo x > deep/er/file; chmod -R a-w deep; ln -s / root')
    await boxes.forget(a)
    expect([await isUp(box), readdirSync(join(folder, 'workspaces')).length]).toEqual([false, 1])
    await boxes.forget(a)
    expect(existsSync('/tmp')).toBe(true)
  })

  test('its output does not grow without end', async () => {
    const boxes = provider()
    const box = await boxes.acquire(a)
    const file = join(folder, 'sandboxes', box.id, 'output.log')
    writeFileSync(file, Buffer.alloc(9 * 1024 * 1024))
    await boxes.sweep()
    expect(statSync(file).size).toBe(0)
  })
})

describe('the next process', () => {
  test.each(['process', 'auto'] as const)('finds it after kill -9 of the server (%s)', async (backend) => {
    const local = fileURLToPath(new URL('./local-sandboxes.ts', import.meta.url))
    const options = JSON.stringify({ folder, secret: 'a secret', backend, command: fakeRunner() })
    const program = `const { LocalSandboxes } = await import(${JSON.stringify(local)})
      console.log(JSON.stringify(await new LocalSandboxes(${options}).acquire(${JSON.stringify(a)})))
      setInterval(() => {}, 1000)`
    const args = ['--conditions=bridle-source', '--input-type=module', '-e', program]
    const server = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'], detached: true })
    const [line] = (await once(server.stdout, 'data')) as [Buffer]
    const box = JSON.parse(line.toString())
    process.kill(-(server.pid ?? 0), 'SIGKILL')
    await once(server, 'exit')
    const next = provider()
    const found = (await next.find(box.id)) as Sandbox
    expect(found).toEqual(same(box))
    expect(await next.health(found)).toMatchObject({ ok: true })
    await next.stop(found)
    expect([await isUp(found), records()]).toEqual([false, []])
  })

  test('finds it by its id, and by its session', async () => {
    const box = await provider().acquire(a)
    const next = provider()
    expect(await next.find(box.id)).toEqual(same(box))
    expect(await next.acquire(a)).toEqual(same(box))
    const strange = ['box-0000000000000000', '../workspaces', '..', '']
    expect(await Promise.all(strange.map((id) => next.find(id)))).toEqual(strange.map(() => null))
  })

  test('leaves those that a live run names, and ends the others', async () => {
    const before = provider()
    const [live, idle, unsure] = [await before.acquire(a), await before.acquire(b), await before.acquire(c)]
    const next = provider()
    await next.reap(async (of, id) => {
      if (of.id === c.id) throw new Error('The store is slow.')
      return of.id === 'a' && id === live.id
    })
    expect([await isUp(live), await isUp(idle), await isUp(unsure)]).toEqual([true, false, true])
    expect(records().sort()).toEqual([live.id, unsure.id].sort())
    expect(await next.find(live.id)).toEqual(same(live))
  })

  test('ends one that does not listen, one that was still starting, and clears what is left of one that is gone', async () => {
    const [deaf, gone, starting] = [
      await provider({ command: fakeRunner('--deaf'), stopMs: 200 }).acquire(a),
      await provider().acquire(b),
      await provider().acquire(c),
    ]
    process.kill(recordOf(gone.id).pid, 'SIGKILL')
    await expect.poll(() => startTimeOf(recordOf(gone.id).pid)).toBe(null)
    writeFileSync(
      join(folder, 'sandboxes', starting.id, 'record.json'),
      JSON.stringify({ ...recordOf(starting.id), url: null }),
    )
    await provider({ stopMs: 200 }).reap(async (_key, id) => id === gone.id)
    expect([await isUp(deaf), await isUp(starting), records()]).toEqual([false, false, []])
  })

  test('a number that is somebody else by now is neither asked nor killed', async () => {
    const box = await provider().acquire(a)
    const record = recordOf(box.id)
    const bystander = await provider({ folder: join(folder, 'other') }).acquire(b)
    const other = JSON.parse(
      readFileSync(join(folder, 'other', 'sandboxes', bystander.id, 'record.json'), 'utf8'),
    ) as typeof record
    process.kill(record.pid, 'SIGKILL')
    // The record's number and address now belong to the bystander.
    const reused = { ...record, pid: other.pid, url: other.url }
    writeFileSync(join(folder, 'sandboxes', box.id, 'record.json'), JSON.stringify(reused))
    const next = provider()
    expect(await next.find(box.id)).toBe(null)
    await next.reap(async () => false)
    expect([records(), await isUp(bystander)]).toEqual([[], true])
    await made[1]?.stop(bystander)
  })

  test('[O15] a server that stops ends a busy one whose run is over, and counts the others', async () => {
    const boxes = provider()
    const [ended, busy] = [await boxes.acquire(a), await boxes.acquire(b)]
    for (const box of [ended, busy]) await setBusy(box, true)
    await boxes.endUnnamed(async (_key, id) => id === busy.id)
    expect([await boxes.close(), await isUp(ended), await isUp(busy)]).toEqual([1, false, true])
  })

  test('[O15] a server that stops ends idle ones and leaves busy ones to the next', async () => {
    const boxes = provider()
    const [idle, busy] = [await boxes.acquire(a), await boxes.acquire(b)]
    await setBusy(busy, true)
    expect([await boxes.close(), boxes.orphanEndMs]).toEqual([1, 30 * 60_000])
    expect([await isUp(idle), await isUp(busy)]).toEqual([false, true])
    await expect(boxes.acquire(a)).rejects.toThrow('the server is stopping')
    expect(await provider().find(busy.id)).toEqual(same(busy))
  })
})

test('a run waits for a place rather than fail', async () => {
  const boxes = provider({ max: 1, graceMs: 0 })
  const first = await boxes.acquire(a)
  await setBusy(first, true)
  const second = boxes.acquire(b)
  await setBusy(first, false)
  expect((await second).id).not.toBe(first.id)
})

test('one that does not know us any more is ended, and the next run has another', async () => {
  const box = await provider().acquire(a)
  const stranger = provider({ secret: 'another' })
  await stranger.acquire(a)
  await expect(stranger.setEnvVars({ ...box, token: 'wrong' }, {})).rejects.toThrow('401')
  expect(await isUp(box)).toBe(false)
})

test('a folder deeper than a path can be is removed all the same', async () => {
  const boxes = provider()
  const box = await boxes.acquire(a)
  const nest = 'n=$(printf %0100d 0); for i in $(seq 60); do mkdir $n && cd -P $n || exit; done; pwd | wc -c'
  expect(Number(await shell(box, nest))).toBeGreaterThan(4096)
  await boxes.forget(a)
  expect(readdirSync(join(folder, 'workspaces'))).toEqual([])
})

describe('a branch', () => {
  test('begins with what its parent had, and either goes its own way', async () => {
    const boxes = provider()
    const parent = await boxes.acquire(a)
    const workOf = (id: string) => join(folder, 'workspaces', workspaces(id) ?? '', 'work', 'file.txt')
    writeFileSync(workOf('a'), 'of the parent')
    symlinkSync('/etc/hostname', join(workOf('a'), '..', 'link'))
    await boxes.acquire(b, a)
    expect(readFileSync(workOf('b'), 'utf8')).toBe('of the parent')
    expect(lstatSync(join(workOf('b'), '..', 'link')).isSymbolicLink()).toBe(true)
    writeFileSync(workOf('b'), 'of the branch')
    expect(readFileSync(workOf('a'), 'utf8')).toBe('of the parent')
    await boxes.stop(parent)
    // Once: what it has by now is its own.
    writeFileSync(workOf('a'), 'later')
    await boxes.acquire(b, a)
    expect(readFileSync(workOf('b'), 'utf8')).toBe('of the branch')
  })
})

describe('[O15] the reaper', () => {
  test('leaves alone what this process was asked for', async () => {
    const boxes = provider()
    const box = await boxes.acquire(a)
    await boxes.reap(async () => false)
    expect(await isUp(box)).toBe(true)
  })

  test('removes the folders of sessions that are gone', async () => {
    const boxes = provider()
    await boxes.acquire(a)
    await boxes.acquire(b)
    for (const each of [a, b]) await boxes.stop(await boxes.acquire(each))
    await provider().reap(
      async () => false,
      async ({ id }) => id === 'a',
    )
    expect([workspaces('a') === undefined, workspaces('b')]).toEqual([false, undefined])
  })
})

/** The workspace of a session, if there is one. */
const workspaces = (id: string): string | undefined =>
  readdirSync(join(folder, 'workspaces')).find((name) => {
    const key: Key = JSON.parse(readFileSync(join(folder, 'workspaces', name, 'key.json'), 'utf8'))
    return key.id === id
  })
