// The same work, asked for again: with --once, and with a key.

import { fabricClient } from '@bridle/client/index'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type VerbWorld, verbWorld } from '../verb-calls.suite.ts'

let world: VerbWorld
beforeAll(async () => {
  world = await verbWorld()
})
afterAll(() => world.close())

const scriptOf = (...steps: unknown[]): string => `@script ${JSON.stringify(steps)}`
const script = scriptOf({ text: 'done' })
const runsOf = async (id: string): Promise<number> => {
  const { messages } = await fabricClient({ url: world.server.url }).session(id)
  return messages.filter(({ role }) => role === 'user').length
}
const outcome = async (...argv: string[]) => {
  const { code, stdout } = await world.json('run', 'scripted', ...argv)
  return { code, ...(JSON.parse(stdout.split('\n').at(-1) ?? '') as { runId: string; status: string }) }
}

test('[C376] a second call with --once has the run of the first, watched or in the background', async () => {
  for (const [first, second] of [
    ['', ''],
    ['', '--background'],
    ['--background', ''],
    ['--background', '--background'],
  ]) {
    const id = `pair${first}${second}`
    const argv = (way = '') => [script, '--id', id, '--once', ...(way === '' ? [] : [way])]
    const { runId } = await outcome(...argv(first))
    await expect
      .poll(() => outcome(...argv(second)))
      .toMatchObject({ code: 0, runId, status: 'completed', result: 'done' })
    expect(await runsOf(id)).toBe(1)
  }
})

test('[C376] people see the outcome of the first call', async () => {
  const ask = (...more: string[]) => world.text('run', 'scripted', script, '--id', 'seen', '--once', ...more)
  await ask()
  expect(await ask()).toMatchObject({
    code: 0,
    stdout: 'done',
    notes: expect.stringMatching(/completed, session seen$/),
  })
  expect(await ask('--background')).toEqual({
    ...{ code: 0, stdout: 'seen', notes: 'completed, session seen, in an earlier call' },
  })
  await world.text('run', 'scripted', script, '--id', 'away', '--once', '--background')
  await expect
    .poll(() => world.text('run', 'scripted', script, '--id', 'away', '--once'))
    .toEqual({ code: 0, stdout: 'done', notes: 'completed, session away' })
})

test('[C376] three calls at the same time are one run', async () => {
  const slow = scriptOf({ text: 'slow' }, { sleepMs: 50 })
  const ends = await Promise.all([1, 2, 3].map(() => outcome(slow, '--id', 'three', '--once')))
  expect(ends).toEqual([1, 2, 3].map(() => expect.objectContaining({ code: 0, status: 'completed', runId: 'r-2' })))
  expect(await runsOf('three')).toBe(1)
})

test('[C376] a failure is an outcome, too', async () => {
  const failing = [scriptOf({ fail: 'boom' }), '--id', 'fails', '--once']
  for (const more of [[], [], ['--background']])
    expect(await outcome(...failing, ...more)).toMatchObject({ code: 1, status: 'failed', runId: 'r-2' })
  expect(await world.text('run', 'scripted', ...failing, '--background')).toMatchObject({
    notes: 'failed, session fails, in an earlier call: boom',
  })
})

test('[C376] background work that waits for an approval is still at work for a later call', async () => {
  const waiting = [scriptOf({ approve: 'go', args: {} }), '--id', 'waits', '--once']
  const { runId } = await outcome(...waiting, '--background')
  await expect.poll(() => outcome(...waiting)).toMatchObject({ code: 0, runId, status: 'awaiting_approval' })
  expect((await world.text('run', 'scripted', ...waiting)).notes).toContain(
    'continues in the background. Watch it with',
  )
  expect(await runsOf('waits')).toBe(1)
})

test('[C376] another prompt, input or session is other work', async () => {
  const first = await outcome(script, '--id', 'other', '--once')
  expect((await outcome(scriptOf({ text: 'two' }), '--id', 'other', '--once')).runId).not.toBe(first.runId)
  expect((await outcome(script, '--set', 'n=1', '--id', 'other', '--once')).runId).not.toBe(first.runId)
  expect(await runsOf('other')).toBe(3)
})

test('[C377] a key of the caller names the session, and stands for one prompt', async () => {
  const ask = (...argv: string[]) => world.text('run', 'scripted', ...argv, '--idempotency-key', 'report-1')
  const { notes } = await ask(script)
  const id = /session (scripted-[0-9a-f]{32})$/.exec(notes)?.[1] ?? ''
  expect((await ask(script)).notes).toMatch(new RegExp(`completed, session ${id}$`))
  for (const more of [[], ['--background']])
    expect(await ask('another', ...more)).toEqual({
      ...{ code: 1, stdout: '' },
      notes: `This command id was used for another body. In the session ${id} a key stands for one prompt with its options: send the same ones, or name another key.`,
    })
  expect(await runsOf(id)).toBe(1)
})

test.each([
  [['--once'], '--once needs --id, which names the work, such as --id "report-$(date +%F)".'],
  [['--once', '--id', 'x', '--idempotency-key', 'k'], 'Give --once or --idempotency-key, not both.'],
  [['--idempotency-key='], '--idempotency-key is empty.'],
  [['--idempotency-key', 'no key'], 'The Idempotency-Key is not a valid id.'],
])('[C376] [C377] %j is a usage error', async (flags, notes) => {
  expect(await world.text('run', 'scripted', script, ...flags)).toEqual({ code: 2, stdout: '', notes })
})

test('[C379] of a run that failed without a reason, people learn where to look for the place', async () => {
  const { notes } = await world.text('run', 'scripted', scriptOf({ fail: 'boom' }), '--id', 'place')
  expect(notes).toMatch(
    /failed, session place\nIf the agent threw, the output of the server has the place in its file\.$/,
  )
})
