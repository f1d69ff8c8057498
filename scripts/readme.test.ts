// The requests of README, and the program of docs/cli.md, as they stand there, against a real server.
import { execFile, spawn } from 'node:child_process'
import { readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { promisify } from 'node:util'
import { CliWorkspace } from '@bridle/cli/cli.suite'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { parseTutorial } from './tutorials/page.ts'

// Every request is a process of its own, and the machine may be busy.
vi.setConfig({ testTimeout: 60_000, hookTimeout: 60_000 })
const root = join(import.meta.dirname, '..')
const readme = readFileSync(join(root, 'README.md'), 'utf8')
let work: CliWorkspace
beforeAll(async () => {
  work = new CliWorkspace()
  await work.boot()
})
afterAll(() => work.remove())

/** The commands of a section that ask the server. */
const requestsOf = (title: string): readonly string[] => {
  const [, section = ''] = readme.split(`\n## ${title}\n`)
  const steps = parseTutorial(section.split('\n## ')[0] ?? '')
  return steps.flatMap((step) => ('commands' in step ? step.commands : [])).filter((each) => each.startsWith('curl'))
}
const here = (command: string) => command.replace('http://127.0.0.1:4317', work.url)
const run = promisify(execFile)
const ask = async (command = '') => {
  const { stdout } = await run('sh', ['-c', here(command).replace(/^curl/, 'curl -s')])
  expect(stdout.endsWith('}\n')).toBe(true)
  return JSON.parse(stdout)
}
const waitFor = <T>(check: () => Promise<T>): Promise<T> => vi.waitFor(check, { timeout: 40_000, interval: 50 })
/** Lines of a stream that goes on. */
const watch = (command = '') => {
  const child = spawn('sh', ['-c', `exec ${here(command)} -s`])
  const lines: string[] = []
  createInterface({ input: child.stdout }).on('line', (line) => lines.push(line))
  return { lines, close: () => child.kill() }
}

test('five minutes with curl: a watcher, a run, and an approval that outlives the server', async () => {
  const [stream, hello, scenario, approvals, approve, session, later, ...others] = requestsOf(
    'The same with curl, in five minutes',
  )
  expect(others).toEqual([])
  const watcher = watch(stream)
  expect(await ask(hello)).toMatchObject({ sessionId: 'hello', result: expect.any(String) })
  await waitFor(async () => expect(watcher.lines.join()).toContain('"type":"idle"'))
  const asking = ask(scenario).catch(() => 'The server is gone.')
  const open = async () => {
    const [approval] = (await ask(approvals)).approvals
    expect(approval).toMatchObject({ sessionId: 'hello', args: { path: 'a.txt' } })
    return String(approval.id)
  }
  const id = await waitFor(open)
  await work.kill()
  expect(await asking).toBe('The server is gone.')
  await work.boot()
  expect(await open()).toBe(id)
  await ask(approve?.replace('apr-68', id))
  await waitFor(async () => expect((await ask(session)).status).toBe('idle'))
  // The channel repeats the events, and would be most of the answer.
  expect(await ask(session)).not.toHaveProperty('channel')
  const last = id.replace('apr-', '')
  const rest = watch(later?.replace(': 68', `: ${last}`))
  await waitFor(async () => expect(rest.lines.join()).toContain('"path":"b.txt"'))
  const ids = rest.lines.flatMap((line) => /^id: (\d+)$/.exec(line)?.[1] ?? [])
  expect(ids.filter((each) => Number(each) <= Number(last))).toEqual([])
  for (const { close } of [watcher, rest]) close()
})

test('background work is still there to be paused, resumed, branched at its checkpoint, and cancelled', async () => {
  const [start, pause, resume, session, branch, cancel, ...others] = requestsOf('Work in the background')
  expect(others).toEqual([])
  expect(await ask(start)).toMatchObject({ session_id: 'report', max_retries: 2 })
  const { checkpoints } = await waitFor(async () => {
    const shown = await ask(session)
    expect(shown.checkpoints).toHaveLength(1)
    return shown
  })
  expect(await ask(pause)).toMatchObject({ paused: true })
  expect(await ask(resume)).toMatchObject({ paused: false })
  expect(branch).toContain(checkpoints[0].resume_cursor)
  expect(await ask(branch)).toMatchObject({ parent_session_id: 'report', kind: 'background' })
  expect(await ask(cancel)).toMatchObject({ cancelled: true })
})

test('a program asks, and prints the answer to this prompt, also in a session that has others', async () => {
  const [, program = ''] =
    /## In a program[\s\S]*?```ts\n([\s\S]*?)```/.exec(readFileSync(join(root, 'docs/cli.md'), 'utf8')) ?? []
  symlinkSync(join(root, 'node_modules'), join(work.folder, 'node_modules'))
  const file = join(work.folder, 'ask.mjs')
  for (const word of ['apples', 'berries', 'cherries']) {
    writeFileSync(file, here(program).replace("'Hello'", `'@script [{"text": "${word}"}]'`))
    const { stdout } = await run(process.execPath, ['--conditions=bridle-source', file])
    expect(stdout).toMatch(new RegExp(`^${word}\\{`))
  }
})
