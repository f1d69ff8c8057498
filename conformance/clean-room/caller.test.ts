// Our runner with a caller that was written from its document alone.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type PuppetEngine, puppetEngine, steps, text } from '@bridle/runners/engines/puppet.suite'
import { withoutIsolation } from '@bridle/runners/sandboxes/isolation/engine-start.suite'
import { SandboxRunner, type SandboxRunnerOptions } from '@bridle/runners/server/sandbox-runner'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { health, startQuery } from './caller.ts'

/** A busy machine takes its time. */
const polled = <T>(look: () => T) => expect.poll(look, { timeout: 10_000, interval: 10 })

let folder: string
let engine: PuppetEngine
let runner: SandboxRunner
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'bridle-clean-caller-'))
  engine = puppetEngine('claude')
})
afterEach(async () => {
  await runner.close()
  rmSync(folder, { recursive: true, force: true })
})
const start = async (options: Partial<SandboxRunnerOptions> = {}) => {
  runner = await SandboxRunner.start({
    engines: [engine],
    workFolder: join(folder, 'work'),
    stateFolder: join(folder, 'state'),
    env: { ANTHROPIC_API_KEY: 'key' },
    ...withoutIsolation(folder),
    ...options,
  })
  return runner.url
}
const asking = (toolUseId: string) => ({
  ask: { toolUseId, toolName: 'Write', input: { path: 'a' }, reason: 'writes' },
})

describe('a caller of the document', () => {
  test('[R20] gets three runs one after the other, a 409 while one is under way, and cancels by dropping its request', async () => {
    const url = await start()
    for (const word of ['one', 'two', 'three']) {
      const run = await startQuery(url, steps(text(word), { act: `act-${word}` }))
      await run.ended
      const types = run.events.map(({ type }) => type)
      expect(types).toEqual(['run.started', 'assistant.delta', 'tool.started', 'run.completed'])
    }
    const hanging = await startQuery(url, steps(text('so far'), { hang: 'politely' }))
    await polled(() => hanging.events.length).toBe(2)
    expect((await startQuery(url, 'me too')).status).toBe(409)
    expect(await health(url)).toMatchObject({ ok: true, busy: true })
    hanging.drop()
    await polled(() => health(url)).toMatchObject({ busy: false })
    const next = await startQuery(url, steps(text('free'), { act: 'again' }))
    await next.ended
    expect(next.events.at(-1)).toMatchObject({ type: 'run.completed' })
    expect(engine.acted).toEqual(['act-one', 'act-two', 'act-three', 'again'])
  })

  test('[R20] that drops its request while the engine is being opened leaves nothing running', async () => {
    const url = await start()
    engine.openMs = 50
    const opening = await startQuery(url, steps({ act: 'never' }))
    opening.drop()
    await polled(() => health(url)).toMatchObject({ busy: false })
    expect(engine.acted).toEqual([])
  })

  test('[R20] a caller that names its run may leave and come back', async () => {
    const url = await start()
    const leave = new AbortController()
    const body = JSON.stringify({ prompt: steps(text('so far'), { sleepMs: 80 }, { act: 'after' }), requestId: 'mine' })
    const first = await fetch(`${url}/query`, { method: 'POST', body, signal: leave.signal })
    expect(first.status).toBe(200)
    leave.abort()
    await polled(() => engine.acted).toEqual(['after'])
    expect(await (await fetch(`${url}/runs/mine/events`)).text()).toContain('event: run.completed')
  })

  const both = steps(
    asking('writes'),
    { ask: { toolUseId: 'reads', toolName: 'Read', input: {}, reason: 'reads' }, effect: 'pure' },
    text('done'),
  )
  const denied = { decision: 'denied', reason: expect.stringContaining('does not answer approvals') }
  const approved = { decision: 'approved' }
  test.each([
    [undefined, [denied, denied]],
    ['deny', [denied, denied]],
    ['read-only', [denied, approved]],
    ['allow', [approved, approved]],
  ] as const)('[R21] with approvals %s each question is decided, and the run ends', async (approvals, verdicts) => {
    const url = await start({ ...(approvals && { approvals }) })
    const run = await startQuery(url, both)
    await run.ended
    expect(run.events.at(-1)).toMatchObject({ type: 'run.completed' })
    expect(engine.verdicts).toMatchObject(verdicts)
  })

  test('[R21] a caller that says that it answers approvals is asked', async () => {
    const url = await start({ approvals: 'allow' })
    const body = JSON.stringify({ prompt: both, answersApprovals: true })
    const { body: stream } = await fetch(`${url}/query`, { method: 'POST', body })
    const decoder = new TextDecoder()
    let said = ''
    for await (const bytes of stream ?? []) {
      said += decoder.decode(bytes)
      if (said.includes('approval.required')) break
    }
    expect(engine.verdicts).toEqual([])
  })
})
