// `npm run -s bridle --` in the folders of a checkout, as the READMEs of the examples type it.
import { spawnSync } from 'node:child_process'
import { globSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { freePort } from '@bridle/cli/cli.suite'
import { afterAll, expect, test } from 'vitest'

const root = join(import.meta.dirname, '..')
const data = mkdtempSync(join(tmpdir(), 'bridle-checkout-'))
afterAll(() => rmSync(data, { recursive: true, force: true }))
const manifest = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { scripts: Record<string, string> }

const agentsFound = async (folder: string, ...args: string[]): Promise<string[]> => {
  const url = `http://127.0.0.1:${await freePort()}`
  const command = ['run', '-s', 'bridle', '--', 'doctor', '--json', '--url', url, '--data', data, ...args]
  // Nothing answers at the address, so doctor ends with 1.
  const { stdout } = spawnSync('npm', command, { cwd: join(root, folder), encoding: 'utf8' })
  const rows = stdout
    .split('\n')
    .flatMap((line): { check: string; detail: string }[] => (line ? [JSON.parse(line)] : []))
  return rows.flatMap(({ check, detail }) => (detail.endsWith('.ts') ? [`${check}: ${detail}`] : []))
}

test('[C104] the command works in the folder where it is typed', async () => {
  expect(await agentsFound('examples/hello')).toEqual(['agent hello: agents/hello.ts'])
  expect(await agentsFound('examples/triage', '--agents', '../hello')).toEqual([
    'agent hello: ../hello/agents/hello.ts',
  ])
})

test('[C127] a hint is a command of the checkout', async () => {
  const command = ['run', '-s', 'bridle', '--', 'sessions', '--url', `http://127.0.0.1:${await freePort()}`]
  const { status, stderr } = spawnSync('npm', command, { cwd: join(root, 'examples/hello'), encoding: 'utf8' })
  expect([status, stderr]).toEqual([1, expect.stringContaining('Start one with npm run -s bridle -- start')])
})

test.each(globSync('examples/*/README.md', { cwd: root }))('commands of %s exist in a checkout', (page) => {
  const blocks = [...readFileSync(join(root, page), 'utf8').matchAll(/```sh\n([\s\S]*?)```/g)].map(([, text]) => text)
  const commands = blocks.join('\n')
  expect(commands).not.toMatch(/npx bridle/)
  const scripts = [...commands.matchAll(/npm run (?:-s )?([\w:-]+)/g)].map(([, name = '']) => name)
  expect(scripts.filter((name) => !manifest.scripts[name])).toEqual([])
})
