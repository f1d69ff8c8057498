// The workflow runs the commands of the README with every optional program, and the long tests end in time.
import { spawnSync } from 'node:child_process'
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, test } from 'vitest'
import { PROGRAMS } from './needs.ts'
import { parts, run, TOTAL_MINUTES } from './test-long.ts'

const root = fileURLToPath(new URL('..', import.meta.url))
const read = (file: string): string => readFileSync(join(root, file), 'utf8')

describe('.ci/run', () => {
  const lines = read('.ci/run').split('\n')
  const shell = (command: string, env: NodeJS.ProcessEnv = {}) =>
    spawnSync('/bin/bash', ['-c', `set -e; . .ci/programs; ${command}`], {
      cwd: root,
      encoding: 'utf8',
      env: { ...process.env, ...env },
    })

  test('runs the test line of the README, and then the long tests', () => {
    const line = /Test it:\n\n```sh\n(.*)\n```/.exec(read('README.md'))?.[1]
    expect(line).toBe('npm ci && npm test')
    expect(lines.filter((each) => /^npm /.test(each))).toEqual([line, 'npm run test:long'])
  })

  test('installs and tries programs that `needs` knows, and names those that it could not get', () => {
    const { stdout } = shell('echo $programs')
    const programs = stdout.trim().split(' ')
    expect(programs).toEqual(['bubblewrap', 'chromium', 'espeak-ng', 'nginx', 'tmux'])
    expect(PROGRAMS).toEqual(expect.arrayContaining(programs))
    const nowhere = { PATH: '/nonexistent', CHROMIUM: '' }
    expect(shell('missing_programs', nowhere).stdout.trim()).toBe(programs.join(' '))
    // Without apt it says so, and goes on.
    const { status, stdout: told } = shell('id() { echo 1000; }; install_programs; echo on', nowhere)
    expect([status, told.trim().split('\n').at(-1)]).toEqual([0, 'on'])
    expect(told).toContain(`Missing: ${programs.join(' ')}.`)
  })

  test.each(['.ci/run', '.ci/programs'])('%s is valid shell', (file) => {
    expect(spawnSync('/bin/bash', ['-n', file], { cwd: root, encoding: 'utf8' })).toMatchObject({
      status: 0,
      stderr: '',
    })
  })
})

describe('npm run test:long', () => {
  test('its parts fit in its time, and every long test is in one of them', () => {
    expect(parts.reduce((sum, { minutes }) => sum + minutes, 0)).toBeLessThanOrEqual(TOTAL_MINUTES)
    const files = globSync('{apps,packages,scripts}/**/*.long.test.ts', {
      cwd: root,
      exclude: (name) => name === 'node_modules',
    })
    const named = parts.flatMap(({ command }) => command.filter((word) => word.endsWith('.long.test.ts')))
    expect(files.filter((file) => !named.some((name) => file.endsWith(name)))).toEqual([])
    expect(named.filter((name) => !files.some((file) => file.endsWith(name)))).toEqual([])
  })

  test('plays the cases that any file leaves out of `npm test`', () => {
    const { command = [] } = parts.find(({ name }) => name === 'variants') ?? {}
    expect(command).toEqual(
      expect.arrayContaining([
        ...['packages/cli/src/tests/engines.test.ts', 'packages/runners/src/engines/codex/codex.test.ts'],
        ...['packages/client/src/harness/client.test.ts', 'crash/kills.test.ts', 'scripts/pack.test.ts'],
      ]),
    )
    expect(command.filter((file) => file.startsWith('apps/'))).toEqual([])
  })

  const part = (script: string) => ({ name: 'x', proves: '', minutes: 1, command: ['/bin/sh', '-c', script] })
  test.each([
    ['a part that ends well', 'exit 0', 60_000, 'passed'],
    ['a part that ends badly', 'exit 3', 60_000, 'failed (3)'],
    ['a part that takes too long, with what it started', 'sleep 600 & wait', 1_000, 'cut off after 1 seconds'],
  ])('%s', async (_name, script, leftMs, verdict) => {
    expect(await run(part(script), leftMs)).toMatchObject({ name: 'x', verdict })
  })

  test('a program that is not there is a failure', async () => {
    const missing = { ...part(''), command: ['/nonexistent/program'] }
    expect((await run(missing, 1_000)).verdict).toMatch(/^did not start: /)
  })
})
