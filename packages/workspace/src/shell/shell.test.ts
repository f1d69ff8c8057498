// The tool `shell`, with real commands: in a sandbox and without one.

import { chmodSync, existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, describe, expect, test, vi } from 'vitest'
import { needs } from '../../../../scripts/needs.ts'
import { callTool, TestWorkspace } from '../workspace.suite.ts'
import { type WorkspaceSettings, workspace } from '../workspace.ts'
import type { ShellResult } from './shell-command.ts'
import { OUTPUT_EDGE_BYTES } from './shell-command.ts'

const places: TestWorkspace[] = []
afterEach(() => {
  vi.unstubAllEnvs()
  for (const place of places.splice(0)) place.remove()
})

const folderWith = (files: Readonly<Record<string, string>> = {}): TestWorkspace => {
  const place = new TestWorkspace(files)
  places.push(place)
  return place
}

const sandboxed = { shell: 'sandboxed' } as const
const unsandboxed = { shell: 'unsandboxed' } as const
const run = (place: TestWorkspace, command: string, options: WorkspaceSettings, more = {}) =>
  place.call('shell', { command, ...more }, options) as Promise<ShellResult>

/** Whether some process of this machine has the text in its command line. */
const isRunning = (text: string): boolean =>
  readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name) && Number(name) !== process.pid)
    .some((pid) => commandLine(pid).includes(text))

const commandLine = (pid: string): string => {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8')
  } catch {
    return ''
  }
}

describe.each([
  ['in a sandbox', sandboxed, needs('bubblewrap')],
  ['without a sandbox', unsandboxed, null],
] as const)('[N152] a command %s', (_where, options, missing) => {
  test.skipIf(missing)('works in the folder, and answers its output and exit code', async () => {
    const place = folderWith({ 'a.txt': 'one\n' })
    vi.stubEnv('TMPDIR', place.outside)
    const command = 'cat a.txt; echo grün >&2; echo new > b.txt; pwd; cat; exit 3'
    expect(await run(place, command, options)).toEqual({ exit_code: 3, output: `one\ngrün\n${place.root}\n` })
    expect(place.read('b.txt')).toBe('new\n')
    expect(readdirSync(place.outside)).toEqual(['secret.txt'])
    expect(await run(place, 'node -p 6*7', options)).toEqual({ exit_code: 0, output: '42\n' })
    await expect(run(place, 'a\0b', options)).resolves.toBe('bad_command')
  })

  test.skipIf(missing)('has nothing of the environment of the server', async () => {
    vi.stubEnv('ANTHROPIC_API_KEY', 'sk-of-the-server')
    const { output } = await run(folderWith(), 'env; cat /proc/$PPID/environ 2>/dev/null', options)
    expect(output).toContain('TERM=dumb')
    expect(output).not.toContain('sk-of-the-server')
  })

  test.skipIf(missing)('shows the two ends of a long output, and is stopped where it prints for ever', async () => {
    const place = folderWith()
    const long = await run(place, 'seq 1 100000', options)
    expect(long.output).toMatch(/^1\n2\n[\s\S]*bytes are left out here[\s\S]*\n100000\n$/)
    const flood = await run(place, 'head -c 1000000000 /dev/zero | tr "\\0" x', options)
    expect(flood).toMatchObject({ exit_code: null, stopped: 'It printed more than 33554432 bytes.' })
    for (const { output } of [long, flood]) expect(output.length).toBeLessThan(2 * OUTPUT_EDGE_BYTES + 100)
  })

  test.skipIf(missing)('is ended in time, whatever it does about signals', async () => {
    const place = folderWith()
    const command = 'trap "" TERM INT HUP; echo begun; sleep 27182.818; while :; do sleep 27182.818; done'
    // A busy machine may take longer for the start alone.
    for (const timeout_ms of [1_000, 5_000, 25_000]) {
      const result = await run(place, command, options, { timeout_ms })
      expect(result).toMatchObject({ exit_code: null, stopped: `It took longer than ${timeout_ms} ms.` })
      if (result.output === 'begun\n') break
      expect([result.output, timeout_ms]).not.toEqual(['', 25_000])
    }
    await expect.poll(() => isRunning('27182.818')).toBe(false)
  })

  test.skipIf(missing)('leaves nothing behind in the background', async () => {
    const place = folderWith()
    const command =
      'sleep 31415.926 & setsid sleep 31415.926 & (nohup setsid sleep 31415.926 &) ; (trap "" TERM; sleep 31415.926) & echo done'
    expect(await run(place, command, options)).toEqual({ exit_code: 0, output: 'done\n' })
    await expect.poll(() => isRunning('31415.926')).toBe(false)
  })

  test.skipIf(missing)('ends with its call', async () => {
    const place = folderWith()
    const tool = (await place.tools(options)).get('shell')
    const call = new AbortController()
    const command = callTool(tool, { command: 'touch begun; sleep 16180.339' }, call.signal)
    await expect.poll(() => existsSync(join(place.root, 'begun'))).toBe(true)
    call.abort(new Error('cancelled'))
    await expect(command).rejects.toThrow('cancelled')
    await expect.poll(() => isRunning('16180.339')).toBe(false)
  })
})

describe('[N151] the sandbox', () => {
  test.skipIf(needs('bubblewrap'))(
    'has no network, and nothing of the host but programs and the workspace',
    async () => {
      const place = folderWith({ '.bridle/secret': 'the secret' })
      expect(await run(place, 'grep -c : /proc/net/dev', sandboxed)).toEqual({ exit_code: 0, output: '1\n' })
      const { output } = await run(
        place,
        `cat ${place.secret} .bridle/secret; ln -s ${place.outside} out; ls out/`,
        sandboxed,
      )
      expect(output).not.toContain('the secret')
      expect(await place.call('read_file', { path: 'out/secret.txt' })).toBe('outside')
    },
  )

  test.skipIf(needs('bubblewrap'))('hides the data of a server that was started further below', async () => {
    const place = folderWith({ 'app/.bridle/secret': 'the secret' })
    vi.spyOn(process, 'cwd').mockReturnValue(join(place.root, 'app'))
    try {
      const { output } = await run(place, 'cat app/.bridle/secret; ls app', sandboxed)
      expect(output).not.toContain('the secret')
    } finally {
      vi.restoreAllMocks()
    }
  })

  test.skipIf(needs('bubblewrap'))('keeps git’s files of a folder in which a session works in place', async () => {
    const place = folderWith({ '.git/config': '[core]\n', '.git/hooks/x': '' })
    // Under root, commands run as another user, who shall be no less than the owner here.
    for (const name of ['.git', '.git/config', '.git/hooks']) chmodSync(join(place.root, name), 0o777)
    const command =
      'echo evil >> .git/config; echo evil > .git/hooks/pre-commit; mv .git old; cat .git/config; echo a > a.txt'
    const opened = await workspace(sandboxed).open({
      ...{ sessionId: 's', tenant: 't', workspace: place.root, isInPlace: true },
      signal: AbortSignal.timeout(60_000),
    })
    const shell = opened.tools.find(({ name }) => name === 'shell')
    const { output } = (await callTool(shell, { command })) as ShellResult
    expect(output).toContain('[core]')
    expect([place.read('.git/config'), readdirSync(join(place.root, '.git/hooks'))]).toEqual(['[core]\n', ['x']])
    expect(readdirSync(place.root).sort()).toEqual(['.git', 'a.txt'])
    // A folder that an agent has for itself may have a repository of its own.
    await run(place, 'echo own >> .git/config', sandboxed)
    expect(place.read('.git/config')).toBe('[core]\nown\n')
  })

  test.skipIf(needs('bubblewrap'))('lets commands read a workspace that is only to read', async () => {
    const place = folderWith({ 'a.txt': 'one\n' })
    const options = { shell: 'sandboxed', readOnly: true } as const
    const result = await run(place, 'cat a.txt; echo x > ~/b; cat ~/b; echo two > a.txt || echo refused', options)
    expect(result.output).toMatch(/^one\nx\n[\s\S]*refused\n$/)
    expect([place.read('a.txt'), readdirSync(place.root)]).toEqual(['one\n', ['a.txt']])
    expect((await place.tools(options)).get('shell')).toMatchObject({ effect: 'pure', approve: false })
  })

  test.skipIf(needs('bubblewrap'))(
    'is used unless told otherwise; outside of it each command wants an approval',
    async () => {
      const place = folderWith()
      expect((await place.tools({})).get('shell')).toMatchObject({ effect: 'unsafe', approve: false, resources: null })
      expect((await place.tools(unsandboxed)).get('shell')).toMatchObject({
        effect: 'unsafe',
        approve: { reason: 'The command runs without a sandbox.' },
      })
      expect((await place.tools({ ...unsandboxed, approve: false })).get('shell')).toMatchObject({ approve: false })
      expect((await place.tools({ approve: true })).get('shell')).toMatchObject({ approve: true })
    },
  )

  test('where there is none, there is no shell, and an agent that wants one does not start', async () => {
    const place = folderWith()
    vi.stubEnv('PATH', join(place.root, 'none'))
    expect((await place.tools({})).has('shell')).toBe(false)
    await expect(place.tools(sandboxed)).rejects.toMatchObject({ code: 'no_sandbox' })
    expect((await place.tools(unsandboxed)).has('shell')).toBe(true)
  })
})
