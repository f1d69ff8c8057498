import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, describe, expect, test } from 'vitest'
import { kill, processesInside, startTimeOf } from '../../process/process-table.ts'
import { type ExceededLimit, RESOURCE_LIMITS, type ResourceLimits } from './resource-limits.ts'
import { type ResourceWatch, watchResources } from './resource-watch.ts'

const started: ChildProcess[] = []
const watches: ResourceWatch[] = []
const folders: string[] = []

afterEach(() => {
  for (const child of started.splice(0)) child.kill('SIGKILL')
  for (const watch of watches.splice(0)) {
    watch.stop()
    for (const { pid } of watch.remainingProcesses()) kill(pid)
  }
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true })
})

/** Ready when it has written a line; a group of its own, as a sandbox has. */
const shell = async (script: string) => {
  const child = spawn('/bin/sh', ['-c', script], { detached: true, stdio: ['pipe', 'pipe', 'ignore'] })
  started.push(child)
  await once(child.stdout, 'data')
  return Object.assign(child, { pid: child.pid as number })
}
const sleeper = () => shell('echo; exec sleep 600')
const node = (script: string) => `"${process.execPath}" -e '${script}'`

const newFolder = (): string => {
  const folder = mkdtempSync(join(tmpdir(), 'resources-'))
  folders.push(folder)
  return folder
}

const watch = (rootPid: number, limits: Partial<ResourceLimits>, measured: string[] = [], more: object = {}) => {
  const exceeded: ExceededLimit[] = []
  const watching = watchResources({
    rootPid,
    folders: measured,
    limits: { ...RESOURCE_LIMITS, ...limits },
    onExceeded: (limit) => exceeded.push(limit),
    sampleMs: 20,
    ...more,
  })
  watches.push(watching)
  return { watching, exceeded }
}

/** Several more looks, so that a second report would have come. */
const looks = async (watching: ResourceWatch, count = 5) => {
  for (let seen = 0, last = watching.usage(); seen < count; ) {
    await new Promise((resolve) => setTimeout(resolve, 5))
    if (watching.usage() !== last) seen++
    last = watching.usage()
  }
}

const MIB = 2 ** 20
/** Real processes on a busy machine take their time. */
const soon = { timeout: 30_000 }
/** Forks without a new program, threads and files without a name take a language that can. */
const hasPython = spawnSync('python3', ['-c', '1']).status === 0

describe.skipIf(!existsSync('/proc/self/stat'))('[O18] where /proc tells what a sandbox uses', () => {
  test('memory of a process deep in the tree is counted, and told once', async () => {
    const script = 'const b = Buffer.alloc(200e6, 1); console.log(b.length); setInterval(() => b, 1e3)'
    const child = await shell(`sh -c '${node(script).replaceAll("'", `'\\''`)}; true'; true`)
    const { watching, exceeded } = watch(child.pid, { memoryBytes: 150 * MIB })
    await expect.poll(() => exceeded.length, soon).toBe(1)
    await looks(watching)
    expect(exceeded).toEqual([{ resource: 'memory', used: expect.any(Number), limit: 150 * MIB }])
    expect(exceeded[0]?.used).toBeGreaterThan(190 * MIB)
    expect(exceeded[0]?.used).toBeLessThan(500 * MIB)
  })

  test.skipIf(!hasPython)('pages that processes share count once', async () => {
    // Each child has all pages of its parent until it writes them: 6 times 100 MB resident, about 100 MB in truth.
    const script = [
      'import os, time, sys',
      'b = bytearray(os.urandom(1000000)) * 100',
      'for n in range(5):',
      '  if os.fork() == 0: time.sleep(600)',
      'print(len(b)); sys.stdout.flush(); time.sleep(600)',
    ].join('\n')
    const child = await shell(`exec python3 -c '${script}'`)
    const { watching, exceeded } = watch(child.pid, { memoryBytes: 300 * MIB })
    await expect.poll(() => watching.usage().processes, soon).toBe(6)
    await looks(watching)
    expect(exceeded).toEqual([])
    expect(watching.usage().memoryBytes).toBeGreaterThan(90 * MIB)
    expect(watching.usage().memoryBytes).toBeLessThan(250 * MIB)
  })

  test.skipIf(!hasPython)('processes are counted, threads too but apart', async () => {
    const child = await shell('for n in $(seq 30); do sleep 600 & done; echo; wait')
    const { watching, exceeded } = watch(child.pid, { processes: 10 })
    await expect.poll(() => exceeded.length, soon).toBe(1)
    await looks(watching)
    expect(exceeded).toEqual([{ resource: 'processes', used: 31, limit: 10 }])

    const threads = [
      'import threading, time',
      ...Array(40).fill('threading.Thread(target=time.sleep, args=(600,)).start()'),
    ]
    const many = await shell(`exec python3 -c '${[...threads, 'print(1, flush=True)'].join('\n')}'`)
    const one = watch(many.pid, { processes: 2 })
    await expect.poll(() => one.exceeded, soon).toEqual([{ resource: 'threads', used: 41, limit: 32 }])
    const enough = watch(many.pid, { processes: 3 })
    await looks(enough.watching)
    expect([enough.exceeded, enough.watching.usage()]).toMatchObject([[], { processes: 1, threads: 41 }])
  })

  test.skipIf(!hasPython)('a main thread that has ended hides neither its process nor its memory', async () => {
    const script = [
      'import ctypes, threading, time',
      'b = bytearray(100000000)',
      'threading.Thread(target=time.sleep, args=(600,)).start()',
      'print(1, flush=True)',
      'ctypes.CDLL(None).pthread_exit(0)',
    ].join('\n')
    const child = await shell(`exec python3 -c '${script}'`)
    const { watching, exceeded } = watch(child.pid, { memoryBytes: 90 * MIB })
    await expect.poll(() => exceeded, soon).toEqual([{ resource: 'memory', used: expect.any(Number), limit: 90 * MIB }])
    expect(watching.remainingProcesses()).toEqual([{ pid: child.pid, startedAt: startTimeOf(child.pid) }])
    expect(startTimeOf(child.pid)).not.toBe(null)
  })

  test.skipIf(!hasPython)(
    'files without a name count: in memory as memory, on disk as disk, once for all who have them',
    async () => {
      const fork = 'for n in range(3):\n  if os.fork() == 0: time.sleep(600)\nprint(1, flush=True); time.sleep(600)'
      const inMemory = `import os, time\nf = os.memfd_create("x")\nfor n in range(100): os.write(f, bytes(1000000))\n${fork}`
      const onDisk = `import os, time\nf = os.open("x", os.O_CREAT | os.O_RDWR)\nos.unlink("x")\nos.write(f, bytes(20000000))\n${fork}`
      const folder = newFolder()
      const memory = watch((await shell(`exec python3 -c '${inMemory}'`)).pid, { memoryBytes: 100 * MIB })
      const disk = watch((await shell(`cd '${folder}'; exec python3 -c '${onDisk}'`)).pid, { workBytes: 10 * MIB }, [
        folder,
      ])
      await expect.poll(() => [memory.exceeded.length, disk.exceeded.length], soon).toEqual([1, 1])
      expect([memory.exceeded, disk.exceeded]).toEqual([
        [{ resource: 'memory', used: expect.any(Number), limit: 100 * MIB }],
        [{ resource: 'disk', used: expect.any(Number), limit: 10 * MIB }],
      ])
      expect([(memory.exceeded[0]?.used ?? 0) < 200 * MIB, (disk.exceeded[0]?.used ?? 0) < 21 * MIB]).toEqual([
        true,
        true,
      ])
    },
  )

  test('three trees at once: only the one that is over its limit is told of', async () => {
    const scripts = [2, 20, 3].map((count) => `for n in $(seq ${count}); do sleep 600 & done; echo; wait`)
    const children = await Promise.all(scripts.map(shell))
    const all = children.map(({ pid }) => watch(pid, { processes: 10 }))
    await expect.poll(() => all[1]?.exceeded.length, soon).toBe(1)
    await Promise.all(all.map(({ watching }) => looks(watching)))
    expect(all.map(({ exceeded, watching }) => [exceeded, watching.usage().processes])).toEqual([
      [[], 3],
      [[{ resource: 'processes', used: 21, limit: 10 }], 21],
      [[], 4],
    ])
  })

  test('a process that forked twice, with a session of its own and no environment, is still found, its children too', async () => {
    const folder = newFolder()
    const detached = `env -i /usr/bin/setsid /bin/sh -c "read line < go; sleep 601 & sleep 602"`
    const child = await shell(`cd '${folder}'; mkfifo go; echo; (${detached} & read line); exec sleep 600`)
    const { watching } = watch(child.pid, {})
    await expect.poll(() => watching.usage().processes, soon).toBe(3)
    // The shell between them ends, the detached process continues, and then the root is killed.
    child.stdin.write('\n')
    await expect.poll(() => watching.usage().processes, soon).toBe(2)
    writeFileSync(join(folder, 'go'), '\n')
    await expect.poll(() => watching.usage().processes, soon).toBe(4)
    child.kill('SIGKILL')
    await once(child, 'exit')
    watching.stop()
    const left = watching.remainingProcesses()
    expect(left.map(({ pid, startedAt }) => startTimeOf(pid) === startedAt)).toEqual([true, true, true])
    for (const { pid } of left) kill(pid)
    await expect.poll(() => watching.remainingProcesses(), soon).toEqual([])
  })

  test('a process that was started and left between two looks is known by its session', async () => {
    const [child, other] = [await shell('echo; read line; (sleep 601 &); echo; exec sleep 600'), await sleeper()]
    const { watching } = watch(child.pid, {}, [], { sampleMs: 600_000 })
    child.stdin.write('\n')
    await once(child.stdout, 'data')
    child.kill('SIGKILL')
    await once(child, 'exit')
    const left = watching.remainingProcesses().map(({ pid }) => pid)
    expect([left.length, left.includes(other.pid)]).toEqual([1, false])
  })

  test('processes that come and go all the time disturb nobody', async () => {
    const child = await shell('echo; n=0; while [ $n -lt 3000 ]; do n=$((n+1)); /bin/true; done; exec sleep 600')
    const { watching, exceeded } = watch(child.pid, { memoryBytes: 1 }, [], { sampleMs: 1 })
    await looks(watching, 20)
    expect(exceeded).toEqual([{ resource: 'memory', used: expect.any(Number), limit: 1 }])
  })

  test('a process is found by its folder, its root or its program', async () => {
    const [mine, other] = [newFolder(), newFolder()]
    mkdirSync(join(mine, 'deep'))
    const inside = await shell(`cd '${mine}/deep'; echo; env -i /usr/bin/setsid /bin/sleep 600 & wait`)
    const program = await shell(`cp /bin/sleep '${mine}/program'; echo; cd /; exec '${mine}/program' 600`)
    const outside = await shell(`cd '${other}'; echo; exec sleep 600`)
    await expect.poll(() => processesInside([mine]), soon).toHaveLength(3)
    rmSync(join(mine, 'program'))
    const found = processesInside([mine])
    expect([found.length, found.includes(inside.pid), found.includes(program.pid)]).toEqual([3, true, true])
    expect(processesInside([`${other}/`])).toEqual([outside.pid])
    expect(processesInside([`${mine}x`, mine.slice(0, -1), join(other, 'none')])).toEqual([])
    for (const pid of found) kill(pid)
  })

  test('the end of all processes is no limit, and a stopped watch tells nothing', async () => {
    const child = await shell('for n in $(seq 5); do sleep 600 & done; echo; wait')
    const { watching, exceeded } = watch(child.pid, {})
    await expect.poll(() => watching.usage().processes, soon).toBe(6)
    for (const { pid } of watching.remainingProcesses()) kill(pid)
    await expect.poll(() => watching.usage(), soon).toMatchObject({ processes: 0, memoryBytes: 0, threads: 0 })
    const stopped = watch((await sleeper()).pid, {})
    stopped.watching.stop()
    const figures = stopped.watching.usage()
    started.at(-1)?.kill('SIGKILL')
    await once(started.at(-1)!, 'exit')
    expect([exceeded, stopped.exceeded, stopped.watching.usage()]).toEqual([[], [], figures])
  })
})

describe('[O18] disk', () => {
  test('a file over the limit is told once; three folders, of which one is over', async () => {
    const all = [newFolder(), newFolder(), newFolder()]
    const { pid } = await sleeper()
    const watched = all.map((folder) => watch(pid, { workBytes: 10 * MIB }, [folder]))
    await expect.poll(() => watched.every(({ watching }) => watching.usage().workBytes !== null), soon).toBe(true)
    writeFileSync(join(all[1]!, 'big'), Buffer.alloc(20 * MIB, 1))
    await expect.poll(() => watched[1]?.exceeded.length, soon).toBe(1)
    await Promise.all(watched.map(({ watching }) => looks(watching)))
    expect(watched.map(({ exceeded }) => exceeded)).toEqual([
      [],
      [{ resource: 'disk', used: expect.any(Number), limit: 10 * MIB }],
      [],
    ])
    const used = watched[1]?.exceeded[0]?.used ?? 0
    expect([used >= 20 * MIB, used < 21 * MIB]).toEqual([true, true])
  })

  test('folders count together, one inside another once, and one that is not there as nothing', async () => {
    const [one, two] = [newFolder(), newFolder()]
    mkdirSync(join(one, 'inner'))
    writeFileSync(join(one, 'inner', 'file'), Buffer.alloc(3 * MIB, 1))
    writeFileSync(join(two, 'file'), Buffer.alloc(4 * MIB, 1))
    const { watching, exceeded } = watch((await sleeper()).pid, {}, [one, join(one, 'inner'), two, join(two, 'none')])
    await expect.poll(() => Math.floor((watching.usage().workBytes ?? 0) / MIB), soon).toBe(7)
    expect(exceeded).toEqual([])
  })

  test.skipIf(!hasPython)('a file that loses its name counts once, with the files that have one', async () => {
    const folder = newFolder()
    writeFileSync(join(folder, 'named'), Buffer.alloc(3 * MIB, 1))
    const lines = ['import os, time, sys', 'f = os.open("x", os.O_CREAT | os.O_RDWR)', `os.write(f, bytes(${6 * MIB}))`]
    const script = [...lines, 'print(1, flush=True)', 'sys.stdin.readline()', 'os.unlink("x")', 'time.sleep(600)'].join(
      '\n',
    )
    const child = await shell(`cd '${folder}'; exec python3 -c '${script}'`)
    const { watching, exceeded } = watch(child.pid, { workBytes: 10 * MIB }, [folder])
    const size = () => Math.floor((watching.usage().workBytes ?? 0) / MIB)
    await expect.poll(size, soon).toBe(9)
    child.stdin.write('\n')
    await expect.poll(() => existsSync(join(folder, 'x')), soon).toBe(false)
    await looks(watching, 10)
    await expect.poll(size, soon).toBe(9)
    expect(exceeded).toEqual([])
  })

  test('a folder that is closed to reading counts too', async () => {
    const folder = newFolder()
    mkdirSync(join(folder, 'closed'))
    writeFileSync(join(folder, 'closed', 'big'), Buffer.alloc(20 * MIB, 1))
    chmodSync(join(folder, 'closed'), 0o300)
    const { exceeded } = watch((await sleeper()).pid, { workBytes: 10 * MIB }, [folder])
    await expect.poll(() => exceeded, soon).toEqual([{ resource: 'disk', used: expect.any(Number), limit: 10 * MIB }])
    chmodSync(join(folder, 'closed'), 0o700)
  })

  test('folders that cannot be measured in time, twice, are over the limit', async () => {
    const { exceeded } = watch((await sleeper()).pid, {}, ['/usr'], { measureMs: 1 })
    await expect.poll(() => exceeded).toEqual([{ resource: 'disk', used: null, limit: RESOURCE_LIMITS.workBytes }])
  })
})
