// Runs that a runner plays, behind a session's object: both are real, and only one of them sleeps.
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type PuppetEngine, puppetEngine, steps, text } from '@bridle/runners/engines/puppet.suite'
import { SandboxRunner } from '@bridle/runners/server/sandbox-runner'
import { deriveToken } from '@bridle/surfaces/http/access/sealing'
import { get, isIdle, post, readFrames, typesOf } from '@bridle/surfaces/http/test-client.suite'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { isThorough } from '../../../../../scripts/variants.ts'
import { openTestSocket } from '../../tests/socket-client.suite.ts'
import {
  alarmCount,
  containerCalls,
  evict,
  incarnation,
  readSigningSecret,
  reset,
  ringTwice,
  startTestWorker,
  stopContainer,
} from '../tests/test-worker.suite.ts'
import { noTools, type WorkerdProcess } from '../tests/workerd.suite.ts'

describe.skipIf(noTools)('a runner behind workerd', () => {
  let folder: string
  let engine: PuppetEngine
  let runner: SandboxRunner
  let world: WorkerdProcess
  const vars = () => ({
    BRIDLE_RUNNER_URL: runner.url,
    BRIDLE_RUNNER_TOKEN: 'runner',
    BRIDLE_SECRET: 'a secret of this test, long enough',
  })
  const agent = (id: string) => `${world.url}/agents/claude/${id}`
  const stream = (id: string) => `${agent(id)}/stream`

  beforeEach(async () => {
    folder = mkdtempSync(join(tmpdir(), 'bridle-cf-runner-'))
    engine = puppetEngine('claude')
    runner = await SandboxRunner.start({
      engines: [engine],
      workFolder: join(folder, 'work'),
      stateFolder: join(folder, 'state'),
      env: { ANTHROPIC_API_KEY: 'key' },
      token: 'runner',
    })
    world = await startTestWorker({ vars: vars() })
  })
  afterEach(async () => {
    await world?.dispose()
    await runner.close()
    rmSync(folder, { recursive: true, force: true })
  })

  test('[CF9] what it says arrives piece by piece, and the result with the last', async () => {
    const prompt = steps(...['a', 'b', 'c', 'd'].flatMap((each) => [text(each), { sleepMs: 150 }]), {
      act: 'call-1',
    })
    const asked = post(agent('pieces'), { prompt })
    const first = await readFrames(stream('pieces'), (all) => all.at(-1)?.data.type === 'text_delta')
    // The runner has not sent its last events yet.
    expect([typesOf(first), engine.acted]).toEqual([['prompt_start', 'notice', 'text_delta'], []])
    const frames = await readFrames(stream('pieces'), isIdle)
    expect(typesOf(frames).filter((type) => type === 'text_delta')).toHaveLength(4)
    expect((await asked).body.result).toBe('done')
    expect(engine.acted).toEqual(['call-1'])
  })

  test('[EN27] an agent on the engine has its own settings, also after its object was reset', async () => {
    const ask = (more: object = {}) =>
      post(`${world.url}/agents/reviewer/named`, { prompt: steps(text('Hi')), ...more })
    expect((await ask()).body.result).toBe('done')
    await reset(world, 'named', 'reviewer')
    expect((await ask({ model: 'haiku' })).body.result).toBe('done')
    expect((await ask({ effort: 'sharp' })).status).toBe(400)
    expect(engine.openedWith).toEqual([
      { settings: { effort: 'max' }, instructions: 'Review.' },
      { settings: { effort: 'max', model: 'haiku' }, instructions: 'Review.' },
    ])
  })

  test('[CF12] a container is started on first use, given its settings with each run, and goes with its session', async () => {
    await world.dispose()
    const token = 'a token that the session has derived'
    await runner.close()
    runner = await SandboxRunner.start({
      engines: [engine],
      workFolder: join(folder, 'work'),
      stateFolder: join(folder, 'state'),
      env: { ANTHROPIC_API_KEY: 'key' },
      token: await deriveToken(token, 'sandbox', 'default/claude/box'),
    })
    world = await startTestWorker({ hasContainers: true, vars: { TEST_RUNNER_URL: runner.url, BRIDLE_SECRET: token } })
    const ask = () => post(agent('box'), { prompt: steps(text('Hi'), { act: 'call' }) })
    expect((await ask()).body.result).toBe('done')
    expect((await ask()).body.result).toBe('done')
    const calls = (await containerCalls(world, 'box')).filter((call) => !call.endsWith('/ack'))
    // The query carries everything that a run needs: nothing is set for the next.
    expect(calls).toEqual(['start BRIDLE_RUNNER_TOKEN', 'POST /query', 'POST /query'])
    const frames = await readFrames(stream('box'), isIdle)
    expect(typesOf(frames)).toContain('tool_end')
    // Gone meanwhile, it is started again.
    await stopContainer(world, 'box')
    expect((await ask()).body.result).toBe('done')
    expect((await containerCalls(world, 'box')).filter((call) => call.startsWith('start'))).toHaveLength(2)
    expect((await fetch(agent('box'), { method: 'DELETE' })).status).toBe(200)
    await expect.poll(() => containerCalls(world, 'box')).toContain('destroy')
  })

  test('[CF22] a container has a token also where nobody set BRIDLE_SECRET', async () => {
    const guarded = { FABRIC_HARNESS_API_TOKEN: 'the-token' }
    await world.kill()
    const before = await startTestWorker({ hasContainers: true, vars: guarded })
    const secret = await readSigningSecret(before)
    await before.kill()
    await runner.close()
    runner = await SandboxRunner.start({
      engines: [engine],
      workFolder: join(folder, 'work'),
      stateFolder: join(folder, 'state'),
      env: { ANTHROPIC_API_KEY: 'key' },
      token: await deriveToken(secret, 'sandbox', 'default/claude/box'),
    })
    const vars = { ...guarded, TEST_RUNNER_URL: runner.url }
    world = await startTestWorker({ hasContainers: true, vars, folder: before.folder })
    const headers = { authorization: 'Bearer the-token' }
    const { body } = await post(agent('box'), { prompt: steps(text('Hi'), { act: 'call' }) }, headers)
    expect(body.result).toBe('done')
    expect((await containerCalls(world, 'box'))[0]).toBe('start BRIDLE_RUNNER_TOKEN')
  })

  test('[CF1] its run over, or its client gone, the object sleeps, and its runner stays warm', async () => {
    const watching = await openTestSocket(`${world.url}/ws?sessionId=warm&agent=claude`)
    watching.say({ type: 'commands', commands: [{ type: 'submit', prompt: steps(text('Hi'), { act: 'call-1' }) }] })
    await watching.until(() => engine.acted.length === 1)
    await post(agent('left'), { prompt: steps(text('Hi'), { act: 'call-2' }) })
    const leaving = await openTestSocket(`${world.url}/sessions/left/ws`)
    leaving.ws.close()
    await leaving.closed
    const lives = () => Promise.all(['warm', 'left'].map((id) => incarnation(world, id, 'claude')))
    const before = await lives()
    // The runtime evicts an idle object after ten seconds, which `npm run test:long` waits for.
    if (isThorough) await new Promise((resolve) => setTimeout(resolve, 14_000))
    else for (const id of ['warm', 'left']) await evict(world, id, 'claude')
    const after = await lives()
    expect(after.map((life, index) => life === before[index])).toEqual([false, false])
    const asked = await post(agent('left'), { prompt: steps(text('Hi'), { act: 'call-3' }) })
    expect([asked.body.result, engine.opened.length]).toEqual(['done', 2])
    watching.ws.close()
  })

  test('[CF10] an object that is reset in the middle of a run takes it up again behind the last frame', async () => {
    const before = ['one ', 'two ', 'three ']
    const prompt = steps(...before.map(text), { sleepMs: 1_000 }, text('four'), { act: 'call-1' })
    expect((await post(agent('reset'), { prompt }, { prefer: 'respond-async' })).status).toBe(202)
    const seen = await readFrames(
      stream('reset'),
      (all) => typesOf(all).filter((type) => type === 'text_delta').length === 3,
    )
    const life = await incarnation(world, 'reset', 'claude')
    await reset(world, 'reset', 'claude')
    const all = await readFrames(stream('reset'), isIdle)
    expect(await incarnation(world, 'reset', 'claude')).not.toBe(life)
    expect(all.slice(0, seen.length).map(({ raw }) => raw)).toEqual(seen.map(({ raw }) => raw))
    expect(all.map(({ data }) => data.data.delta ?? '').join('')).toBe('one two three four')
    expect(all.at(-2)?.data).toMatchObject({ type: 'result', data: { result: 'done' } })
    expect(engine.opened).toHaveLength(1)
    expect(engine.acted).toEqual(['call-1'])
  })

  describe('with a watchdog that does not wait long', () => {
    const prompt = steps(text('one '), text('two '), { sleepMs: 1_500 }, text('three'), { act: 'call-1' })
    const begun = async (id: string) => {
      expect((await post(agent(id), { prompt }, { prefer: 'respond-async' })).status).toBe(202)
      await expect.poll(async () => (await sessionRow(id))?.status).toBe('running')
      await readFrames(stream(id), (all) => typesOf(all).includes('text_delta'))
    }
    /** From the directory: the object is not asked. */
    const sessionRow = async (id: string) => {
      const { sessions } = (await get(`${world.url}/sessions`)).body as { sessions: { id: string; status: string }[] }
      return sessions.find((session) => session.id === id)
    }
    const isWhole = async (id: string) => {
      const all = await readFrames(stream(id), isIdle)
      expect(all.map(({ data }) => data.data.delta ?? '').join('')).toBe('one two three')
      expect(typesOf(all).filter((type) => type === 'result')).toHaveLength(1)
      expect(all.at(-2)?.data).toMatchObject({ type: 'result', data: { result: 'done' } })
      expect([engine.opened.length, engine.acted]).toEqual([1, ['call-1']])
    }

    beforeEach(async () => {
      await world.dispose()
      world = await startTestWorker({ vars: { ...vars(), TEST_OPTIONS: JSON.stringify({ watchdogMs: 400 }) } })
    })

    test('[CF3] [CF10] its object gone in the middle of a run, the alarm alone takes it up again', async () => {
      await begun('alone')
      const life = await incarnation(world, 'alone', 'claude')
      await reset(world, 'alone', 'claude')
      // Nobody asks the object for anything.
      await expect.poll(async () => (await sessionRow('alone'))?.status, { timeout: 8_000 }).toBe('idle')
      expect(engine.acted).toEqual(['call-1'])
      expect(await alarmCount(world, 'alone', 'claude')).toBeGreaterThan(0)
      expect(await incarnation(world, 'alone', 'claude')).not.toBe(life)
      await isWhole('alone')
    })

    test('[CF3] the watchdog that rings while the run is in hand, or twice, takes nothing up twice', async () => {
      await begun('rung')
      await Promise.all([ringTwice(world, 'rung', 'claude'), ringTwice(world, 'rung', 'claude')])
      await reset(world, 'rung', 'claude')
      await Promise.all([ringTwice(world, 'rung', 'claude'), ringTwice(world, 'rung', 'claude')])
      await isWhole('rung')
    })
  })

  test('[CF10] killed in the middle of a run, the next process takes it up; nobody has to ask', async () => {
    const prompt = steps(text('before '), { sleepMs: 1_500 }, text('after'), { act: 'call-1' })
    expect((await post(agent('crash'), { prompt }, { prefer: 'respond-async' })).status).toBe(202)
    const seen = await readFrames(stream('crash'), (all) => all.at(-1)?.data.type === 'text_delta')
    await world.kill()
    world = await startTestWorker({ vars: vars(), folder: world.folder })
    const all = await readFrames(stream('crash'), isIdle)
    expect(all.slice(0, seen.length).map(({ raw }) => raw)).toEqual(seen.map(({ raw }) => raw))
    expect(all.at(-2)?.data).toMatchObject({ type: 'result', data: { result: 'done' } })
    expect(engine.acted).toEqual(['call-1'])
  })

  test('[CF10] a runner that is gone ends the run with its reason, and never leaves it running', async () => {
    const prompt = steps(text('so far'), { hang: 'politely' })
    expect((await post(agent('lost'), { prompt }, { prefer: 'respond-async' })).status).toBe(202)
    await readFrames(stream('lost'), (all) => all.at(-1)?.data.type === 'text_delta')
    await world.kill()
    await runner.close()
    world = await startTestWorker({ vars: vars(), folder: world.folder })
    const all = await readFrames(stream('lost'), isIdle)
    expect(all.at(-2)?.data).toMatchObject({ type: 'error', data: { reason: 'interrupted' } })
  })

  test('[CF9] a runner that takes a connection and never answers is a failed run, in words', async () => {
    const deaf = createServer(() => {}).listen(0, '127.0.0.1')
    await once(deaf, 'listening')
    const { port } = deaf.address() as AddressInfo
    await world.dispose()
    world = await startTestWorker({ vars: { ...vars(), BRIDLE_RUNNER_URL: `http://127.0.0.1:${port}` } })
    const { status, body } = await post(agent('deaf'), { prompt: 'Hello?' })
    expect(status).toBe(500)
    expect(body.error).toMatchObject({ type: 'internal_error', message: expect.stringContaining('does not answer') })
    deaf.close()
    deaf.closeAllConnections()
  })

  test('[CF9] a cancel reaches the runner; an approval goes there and back', async () => {
    const ask = { toolUseId: 'call-1', toolName: 'Write', input: { n: 1 }, reason: 'asks' }
    const asked = post(agent('ask'), { prompt: steps({ ask }, { hang: 'politely' }) })
    const frames = await readFrames(stream('ask'), (all) => all.at(-1)?.data.type === 'approval_requested')
    const approvalId = String(frames.at(-1)?.data.data.approvalId)
    const answer = await post(`${world.url}/sessions/ask/approvals/${approvalId}/approve`, { args: { n: 2 } })
    expect(answer.status).toBe(200)
    await readFrames(stream('ask'), (all) => all.at(-1)?.data.type === 'tool_end')
    expect(engine.verdicts).toMatchObject([{ decision: 'approved', input: { n: 2 } }])
    expect((await post(`${world.url}/sessions/ask/cancel`, {})).body).toMatchObject({ cancelled: true })
    expect((await asked).status).toBe(409)
  })
})
