// An agent with the tools of a workspace, in place in folders from which servers load: real commands in real sandboxes.
import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, linkSync, mkdirSync, readdirSync, rmSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { holdPlaceholders } from '@bridle/runners/sandboxes/protection/placeholders'
import { registerProject } from '@bridle/runners/sandboxes/protection/server-projects'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { needs } from '../../../../scripts/needs.ts'
import { callTool, TestWorkspace } from '../workspace.suite.ts'
import { type WorkspaceSettings, workspace } from '../workspace.ts'
import type { ShellResult } from './shell-command.ts'

const BWRAP = 'bwrap'
let place: TestWorkspace
let unregister: () => void
beforeEach(() => {
  place = new TestWorkspace({
    'agents/x.ts': 'export default 1\n',
    'bridle.config.ts': 'export default {}\n',
    'package.json': '{"type": "module"}\n',
    'src/a.ts': 'a\n',
    'apps/bot/package.json': '{"dependencies": {"bridle": "1"}}\n',
    'apps/bot/agents/y.ts': 'export default 2\n',
  })
  unregister = registerProject({ root: place.root, agents: [], data: join(place.outside, 'data') })
})
afterEach(() => {
  unregister()
  place.remove()
})

const open = async (options: WorkspaceSettings = {}) => {
  const source = workspace(options)
  const context = { sessionId: 's', tenant: 't', signal: new AbortController().signal }
  const { tools } = await source.open({ ...context, workspace: place.root, isInPlace: true })
  return new Map(tools.map((each) => [each.name, each]))
}
const shell = async (command: string) =>
  (await callTool((await open({ shell: 'sandboxed' })).get('shell'), { command })) as ShellResult
const write = async (path: string) =>
  callTool((await open({ shell: false })).get('write_file'), { path, text: 'evil' }).then(
    () => 'written',
    (error: { code: string }) => error.code,
  )

test('[N245] write_file and edit_file write nothing that the server loads, by any name', async () => {
  symlinkSync('agents', join(place.root, 'way'))
  const refused = ['agents/z.ts', 'agents/x.ts', 'Agents/z.ts', 'way/x.ts', '.env', 'bridle.config.mjs', 'package.json']
  const further = ['node_modules/bridle/index.js', 'apps/bot/agents/z.ts', 'apps/bot/.env', 'apps/node_modules/b.js']
  for (const path of [...refused, ...further]) expect([path, await write(path)]).toEqual([path, 'protected'])
  for (const path of ['src/b.ts', 'lib/agents/z.ts', '.envrc'])
    expect([path, await write(path)]).toEqual([path, 'written'])
  const edit = (await open({ shell: false })).get('edit_file')
  const change = { path: 'agents/x.ts', old_text: '1', new_text: '2' }
  await expect(callTool(edit, change)).rejects.toMatchObject({ code: 'protected' })
})

test('[N245] without a sandbox there are no commands in place in such a folder', async () => {
  await expect(open({ shell: 'unsandboxed' })).rejects.toMatchObject({ code: 'protected' })
})

describe.skipIf(needs('bubblewrap') !== null)('in a sandbox', () => {
  const chown = () => {
    if (process.getuid?.() === 0) execFileSync('chown', ['-R', '61017:61017', place.root])
  }
  beforeEach(chown)
  const listing = () =>
    execFileSync('find', [place.root, '-newermt', '@1', '-type', 'f', '-exec', 'md5sum', '{}', '+'])
      .toString()
      .split('\n')
      .sort()
  const ATTACKS = [
    'echo evil > agents/z.ts',
    'echo evil >> agents/x.ts',
    'echo evil > bridle.config.ts',
    'rm bridle.config.ts',
    'echo evil > bridle.config.js',
    'echo evil > .env',
    'cp package.json .env',
    'mkdir -p .bridle && echo evil > .bridle/secret',
    'mkdir -p node_modules/bridle && echo evil > node_modules/bridle/index.js',
    'echo "{}" > package.json',
    'mv package.json p.json',
    'mv agents old && mkdir agents && echo evil > agents/z.ts',
    'ln agents/x.ts src/x.ts && echo evil >> src/x.ts',
    'ln -s ../agents src/way && echo evil > src/way/z.ts',
    'mkdir -p .fabricharness/agents && echo evil > .fabricharness/agents/z.ts',
    'echo evil > apps/bot/agents/z.ts',
    'mv apps old && mkdir -p apps/bot/agents && echo evil > apps/bot/agents/z.ts',
    'mv apps/bot old && mkdir -p apps/bot/agents && echo evil > apps/bot/agents/z.ts',
    'mkdir -p apps/node_modules/bridle',
    `mv "$PWD" "$PWD.old"`,
    'umount agents || umount -l .env',
    'unshare -Urm sh -c "umount agents; echo evil > agents/z.ts"',
    'unshare -Urm sh -c "mount --bind . /tmp && echo evil > /tmp/agents/z.ts"',
  ]

  test('[N245] a command changes nothing that a server loads, whatever it tries', async () => {
    const before = listing()
    const report = ATTACKS.map((attack, at) => `( ${attack} ) >/dev/null 2>&1 && echo "worked: ${at}"`).join('\n')
    expect(await shell(`${report}\nrm -f src/way; echo fine > src/new.ts; true`)).toEqual({ exit_code: 0, output: '' })
    expect(place.read('src/new.ts')).toBe('fine\n')
    // A move to another mount copies, and then cannot remove.
    const after = listing().filter((line) => !/\/work\/(old\/|src\/new\.ts)/.test(line))
    expect(after).toEqual(before)
  })

  test('[N245] three commands at once leave no trace, and git sees none while they run', async () => {
    const git = (...args: string[]) =>
      execFileSync('git', ['-C', place.root, '-c', 'safe.directory=*', ...args], { encoding: 'utf8' })
    git('init', '--quiet')
    chown()
    const [names, status] = [readdirSync(place.root), git('status', '--porcelain', '-uall')]
    const commands = ['sleep 0.2', 'sleep 0.4; ls -A agents', 'sleep 0.6; echo x > .env'].map(shell)
    await expect.poll(() => readdirSync(place.root).includes('.env')).toBe(true)
    expect(git('status', '--porcelain', '-uall')).toBe(status)
    const results = await Promise.all(commands)
    expect(results.map(({ exit_code: code }) => code)).toEqual([0, 0, 2])
    expect([readdirSync(place.root), git('status', '--porcelain', '-uall')]).toEqual([names, status])
    expect(readdirSync(join(place.root, 'apps/bot'))).toEqual(['agents', 'package.json'])
  })

  test('[N245] packages of a repository without a project stay writable', async () => {
    unregister()
    for (const path of ['agents', 'bridle.config.ts', 'apps']) execFileSync('rm', ['-r', join(place.root, path)])
    const command =
      'mkdir -p node_modules/a && echo 1 > node_modules/a/i.js && echo "{}" > package.json && echo 1 > .env'
    expect(await shell(command)).toEqual({ exit_code: 0, output: '' })
  })

  test('[O74] a placeholder that is still mounted when its sandbox was killed goes soon after', async () => {
    const [leases, path] = [join(place.root, '..', 'leases'), join(place.root, '.env.local')]
    const release = holdPlaceholders(leases, [path])
    const other = spawn(BWRAP, [
      '--die-with-parent',
      '--bind',
      '/',
      '/',
      '--tmpfs',
      path,
      '--',
      'sh',
      '-c',
      'echo up; exec sleep 60',
    ])
    await once(other.stdout, 'data')
    release()
    expect(existsSync(path)).toBe(true)
    other.kill('SIGKILL')
    await expect.poll(() => existsSync(path), { timeout: 10_000 }).toBe(false)
    rmSync(leases, { recursive: true })
  })

  test('[N245] a hard link from before is one more name of the file: the sandbox writes the other one', async () => {
    linkSync(join(place.root, 'agents/x.ts'), join(place.root, 'src/twin.ts'))
    mkdirSync(join(place.root, 'lib'))
    chown()
    expect((await shell('echo 2 >> src/twin.ts')).exit_code).toBe(0)
    // So what the server loads is compared by its content, too.
    expect(place.read('agents/x.ts')).toBe('export default 1\n2\n')
  })
})
