// Verbs that go on: `logs -f` and `health -w` across kill -9 of the server, and the completion of a shell that asks it.
import { execFileSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { fabricClient } from '@bridle/client/index'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { variants } from '../../../../scripts/variants.ts'
import { CliWorkspace, type JsonRow, parseJsonRows, scriptOf } from '../cli.suite.ts'

// Every step is a process of its own, and the machine may be busy.
vi.setConfig({ testTimeout: 90_000, hookTimeout: 90_000 })
let work: CliWorkspace
beforeAll(async () => {
  work = new CliWorkspace()
  await work.boot()
})
afterAll(() => work.remove())

const fabric = () => fabricClient({ url: work.url })
const play = (id: string, ...steps: readonly unknown[]) =>
  fabric()
    .invoke('scripted', id, { prompt: scriptOf(...steps) })
    .catch(() => {})

test('[C153] logs -f goes on after kill -9 of the server: nothing lost, nothing repeated, of one session of three', async () => {
  const ids = ['f-one', 'f-two', 'f-three']
  await Promise.all(ids.map((id) => play(id, { text: id })))
  const follower = work.start(['logs', 'f-two', '-f', '--tier', 'debug'])
  const count = (type: string) => follower.lines.filter((line) => line.includes(`"type":"${type}"`)).length
  await follower.until(() => count('turn_end') === 1)
  await work.kill()
  await work.boot()
  await Promise.all(ids.map((id) => play(id, { text: `${id} again` }, { tool: 'read', result: 2 })))
  await follower.until(() => count('turn_end') === 2)
  follower.process.kill('SIGINT')
  const { code, stdout, stderr } = await follower.ended
  expect([code, stderr]).toEqual([0, ''])
  const seen = parseJsonRows(stdout)
  const all = parseJsonRows((await work.bridle(['logs', 'f-two', '--tier', 'debug'])).stdout)
  expect(seen).toEqual(all.slice(0, seen.length))
  expect(seen.filter(({ type }) => type === 'tool_call')).toHaveLength(1)
})

test.each(
  variants(
    [
      ['logs', ['logs', 'd-logs', '-f', '--text'], 'd-logs'],
      [
        'run',
        ['run', 'scripted', scriptOf({ tool: 'read', result: 2 }, { sleepMs: 600_000 }), '--id', 'd-run', '--text'],
        'd-run',
      ],
    ],
    [
      ['attach', ['attach', 'd-attach', '--text'], 'd-attach'],
      ['health', ['health', 'd-health', '-w', '--text'], 'd-health'],
    ],
  ),
)('[C285] %s ends when its session is deleted, and says so alone', async (verb, args, id) => {
  await Promise.all([id, `${id}-2`].map((each) => play(each, { text: each })))
  const follower = work.start(args)
  await follower.until(() => follower.lines.length > 0)
  // A line that comes later: the stream is open.
  if (verb === 'logs')
    await Promise.all([play(id, { text: 'More.' }), follower.until((line) => line.includes('More.'))])
  await fabric().remove('scripted', id)
  const { code, stderr } = await follower.ended
  expect([code, stderr.split('\n').filter((line) => line !== `scripted, session ${id}`)]).toEqual([
    1,
    [`bridle: The session ${id} is no longer there.`, ''],
  ])
})

test('[C158] health -w shows each change, also those behind a restart', async () => {
  await play('w-fine', { text: 'fine' })
  const watcher = work.start(['health', '-w'])
  const rows = () => parseJsonRows(watcher.lines.join('\n')) as (JsonRow & { sessionId: string; score: number })[]
  const has = (id: string, isLow: boolean) => () =>
    rows().some((row) => row.sessionId === id && row.score < 100 === isLow)
  await watcher.until(has('w-fine', false))
  await play('w-ill', { tool: 'bash', outcome: 'error' }, { fail: 'Broken' })
  await watcher.until(has('w-ill', true))
  await work.kill()
  await work.boot()
  await play('w-late', { fail: 'Broken' })
  await watcher.until(has('w-late', true))
  watcher.process.kill('SIGINT')
  expect((await watcher.ended).code).toBe(0)
  // A row that says what was said before is left out.
  const texts = watcher.lines
  for (const [at, text] of texts.entries()) expect(texts.indexOf(text)).toBe(at)
})

test('[C162] a shell completes verbs, flags, agents, and the ids of sessions', async () => {
  await Promise.all(['tab-1', 'tab-2'].map((id) => play(id, { text: id })))
  const main = fileURLToPath(new URL('../main.ts', import.meta.url))
  const program = join(work.folder, 'bridle')
  writeFileSync(program, `#!/bin/sh\nexec '${process.execPath}' --conditions=bridle-source '${main}' "$@"\n`, {
    mode: 0o755,
  })
  const { stdout: script } = await work.bridle(['completion', 'bash'])
  const completed = (words: readonly string[], url = work.url): string[] => {
    const lines = `${script}\nCOMP_WORDS=('${program}' ${words.map((word) => `'${word}'`).join(' ')})
      COMP_CWORD=${words.length}; _bridle; printf '%s\\n' "\${COMPREPLY[@]}"`
    const env = { ...work.env, BRIDLE_URL: url }
    return execFileSync('bash', ['-c', lines], { encoding: 'utf8', env }).trim().split('\n')
  }
  expect(completed(['ins'])).toEqual(['inspect'])
  expect(completed(['logs', '--f'])).toEqual(['--follow'])
  // The server has less than a second for its answer, and the machine may be busy: the next Tab gets it.
  const offers = (words: readonly string[], expected: readonly string[]) =>
    vi.waitFor(() => expect(completed(words).sort()).toEqual(expected), { timeout: 40_000, interval: 100 })
  await offers(['inspect', 'tab-'], ['tab-1', 'tab-2'])
  await offers(['run', 'scr'], ['scripted'])
  expect(completed(['completion', ''])).toEqual(['bash', 'zsh', 'fish'])
  // Without a server there is nothing to offer, and nothing to read.
  expect(completed(['inspect', 'tab-'], 'http://127.0.0.1:1')).toEqual([''])
  for (const shell of ['zsh', 'fish']) {
    const { code, stdout } = await work.bridle(['completion', shell])
    expect(code).toBe(0)
    for (const words of ['inspect', 'awaiting_approval', 'completion sessions', 'completion agents'])
      expect(stdout).toContain(words)
  }
})

test('[C162] a server cannot run commands with the names that a Tab offers', async () => {
  const names = ['tab-1', '$(touch ran)', '`touch ran`', 'a b', '$HOME', 'x;touch ran', '\u001b[2J']
  const answers: { readonly [path: string]: unknown } = {
    '/sessions': { sessions: names.map((id) => ({ id })) },
    '/agents': { agents: names.map((name) => ({ name })) },
    '/ready': { ready: true },
  }
  const hostile = createServer(({ url = '' }, response) =>
    response.setHeader('content-type', 'application/json').end(JSON.stringify(answers[url.split('?')[0] ?? ''] ?? {})),
  )
  await new Promise<void>((resolve) => hostile.listen(0, '127.0.0.1', resolve))
  const env = { BRIDLE_URL: `http://127.0.0.1:${(hostile.address() as AddressInfo).port}` }
  for (const list of ['sessions', 'agents'])
    await vi.waitFor(
      async () =>
        expect((await work.bridle(['completion', list], { env })).stdout.trim().split('\n')).toEqual(['tab-1']),
      { timeout: 40_000, interval: 100 },
    )
  hostile.closeAllConnections()
  hostile.close()
})
