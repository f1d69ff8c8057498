import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process'
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { type EngineStarter, startUncontained } from '../isolation/engine-start.ts'
import { sandboxUser } from '../isolation/sandbox-user.ts'
import { withResourceWatch } from './engine-watch.ts'
import { RESOURCE_LIMITS } from './resource-limits.ts'

let parent: string
beforeEach(() => {
  parent = mkdtempSync(join(tmpdir(), 'bridle-watch-'))
})
afterEach(() => rmSync(parent, { recursive: true, force: true }))

const engine = (file: string, ...args: string[]) => ({ file, args, cwd: '/', env: { PATH: process.env.PATH } })
const watchedBy = (start: EngineStarter) =>
  withResourceWatch(start, { folders: [], limits: RESOURCE_LIMITS, cgroup: parent, onExceeded: () => {} })

/** The files of a real cgroup go with its folder; here they are removed by hand. */
const emptyCgroups = () => {
  for (const name of readdirSync(parent))
    for (const file of readdirSync(join(parent, name))) rmSync(join(parent, name, file))
}

describe('[O18] an engine that cannot be started leaves no cgroup', () => {
  test.each<[string, EngineStarter]>([
    ['its program is missing', () => spawn('/no/such/program') as ChildProcessWithoutNullStreams],
    [
      'its start throws',
      () => {
        throw new Error('The command line is too long.')
      },
    ],
  ])('%s', async (_name, start) => {
    try {
      watchedBy(start)(engine('any')).on('error', () => {})
    } catch {
      // The second row.
    }
    expect(readdirSync(parent)).toHaveLength(1)
    emptyCgroups()
    await expect.poll(() => readdirSync(parent)).toEqual([])
  })
})

describe.skipIf(process.getuid?.() !== 0)('[O18] under a runner that is root (skipped for other users)', () => {
  test('an engine without walls enters its cgroup as root, and is another user after that', async () => {
    const child = watchedBy(startUncontained)(engine('/bin/sh', '-c', 'read wait; echo $$; id -u; id -G; pwd'))
    const [name = ''] = readdirSync(parent)
    const joined = join(parent, name, 'cgroup.procs')
    await expect.poll(() => existsSync(joined) && readFileSync(joined, 'utf8').trim()).toBe(String(child.pid))
    child.stdin.end('\n')
    const { uid, gid } = sandboxUser() ?? {}
    expect((await text(child.stdout)).trim().split('\n')).toEqual([String(child.pid), `${uid}`, `${gid}`, '/'])
    emptyCgroups()
    await expect.poll(() => readdirSync(parent)).toEqual([])
  })
})
