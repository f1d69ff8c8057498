import { mkdtempSync, rmSync } from 'node:fs'
import { request } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import type { EngineApprovalRequest } from '../engines/engine.ts'
import { type PuppetEngine, puppetEngine, steps, text } from '../engines/puppet.suite.ts'
import { withoutIsolation } from '../sandboxes/isolation/engine-start.suite.ts'
import { caller, echo } from './runner.suite.ts'
import { SandboxRunner, type SandboxRunnerOptions } from './sandbox-runner.ts'

let folder: string
let engine: PuppetEngine
let runner: SandboxRunner
const start = async (options: Partial<SandboxRunnerOptions> = {}) => {
  runner = await SandboxRunner.start({
    engines: [engine],
    workFolder: join(folder, 'work'),
    stateFolder: join(folder, 'state'),
    env: { ANTHROPIC_API_KEY: 'key' },
    ...withoutIsolation(folder),
    ...options,
  })
  return caller(runner.url, options.token)
}
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'bridle-runner-'))
  engine = puppetEngine()
})
afterEach(async () => {
  await runner?.close()
  rmSync(folder, { recursive: true, force: true })
})
/** Acknowledged to its end, it is dropped when the runner next looks. */
const dropped = async (runs: ReturnType<typeof caller>, id: string) => {
  await runs.post(`/runs/${id}/ack`, { frame: 3 })
  for (let tries = 0; (await runs.attach(id, 3)).status === 200; tries++) {
    expect(tries).toBeLessThan(500)
    await new Promise((resolve) => setTimeout(resolve, 20))
  }
}
const until = async (isSo: () => boolean) => {
  for (let tries = 0; !isSo(); tries++) {
    expect(tries).toBeLessThan(1_000)
    await new Promise((resolve) => setTimeout(resolve, 5))
  }
}
const idle = async (runs: ReturnType<typeof caller>) => {
  for (;;) {
    const { body } = await runs.ask('/health')
    if (!(body as { busy: boolean }).busy) return body
    await new Promise((resolve) => setTimeout(resolve, 10))
  }
}

describe('a run', () => {
  test('[R1] the document’s own exchange: POST { prompt }, frames with event and data', async () => {
    await start()
    const response = await fetch(`${runner.url}/query`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ prompt: 'Hello' }),
    })
    expect(response.headers.get('content-type')).toBe('text/event-stream')
    const said = await response.text()
    expect(said.replaceAll(/req-[\w-]+/g, 'REQ')).toBe(
      [
        'id: 1\nevent: run.started\ndata: {"type":"run.started","requestId":"REQ","engine":"puppet"}\n\n',
        'id: 2\nevent: assistant.delta\ndata: {"type":"assistant.delta","text":"Hello"}\n\n',
        'id: 3\nevent: run.completed\ndata: {"type":"run.completed","result":"done","sessionId":"puppet-session","resume":"start>1"}\n\n',
      ].join(''),
    )
  })

  test('[R2] health: the three fields, and whose runner it is', async () => {
    const runs = await start()
    const at = { instance: expect.any(String), hasOpenAIKey: false }
    const idleHealth = { ok: true, busy: false, hasAnthropicKey: true, ...at }
    expect((await runs.ask('/health')).body).toEqual(idleHealth)
    const reading = await runs.query({ requestId: 'a', prompt: steps({ hang: 'politely' }) })
    await reading.first('run.started')
    // A runner without a token does not say which run it has.
    expect((await caller(runner.url, 'x').ask('/health')).body).toEqual({ ...idleHealth, busy: true })
    await runs.post('/runs/a/cancel')
    await runs.put('/env', { vars: { ANTHROPIC_API_KEY: null } })
    expect((await runs.ask('/health')).body).toMatchObject({ busy: false, hasAnthropicKey: false })
  })

  test('[R2] engines and what each can tell', async () => {
    const runs = await start()
    engine.missing = 'It is not installed.'
    expect((await runs.ask('/engines')).body).toMatchObject({
      engines: [
        {
          name: 'puppet',
          available: false,
          needs: 'It is not installed.',
          events: { token: 'native', reflection: 'none' },
        },
      ],
    })
  })

  test('[R2] one at a time: another is 409, the same one again is the same stream', async () => {
    const runs = await start()
    const prompt = (last: string) => steps(text('one'), { sleepMs: 200 }, text(last))
    const first = await runs.query({ requestId: 'a', prompt: prompt('two') })
    await first.first('assistant.delta')
    const other = await runs.query({ requestId: 'b', prompt: 'x' })
    expect([other.status, other.problem?.error?.type]).toEqual([409, 'busy'])
    const again = await runs.query({ requestId: 'a', prompt: prompt('two') })
    expect(await again.end).toEqual(await first.end)
    expect(again.frames).toEqual(first.frames)
    expect(engine.opened).toHaveLength(1)
  })

  test('[R8] is warm for who resumes it, and for nobody else', async () => {
    const runs = await start()
    const first = await runs.query({ prompt: 'one' })
    await first.end
    await idle(runs)
    const second = await runs.query({ prompt: 'two', resume: 'start>1' })
    expect(await second.end).toMatchObject({ resume: 'start>1>2' })
    await idle(runs)
    expect(engine.opened).toHaveLength(1)
    await (await runs.query({ prompt: 'three', resume: 'start>1>2', settings: { model: 'another' } })).end
    await idle(runs)
    await (await runs.query({ prompt: 'four' })).end
    expect(engine.opened).toEqual([{ resume: null }, { resume: 'start>1>2' }, { resume: null }])
    expect(engine.closed).toBe(2)
  })
})

describe('[R18] a run is told apart by its id and its body', () => {
  const body = { requestId: 'a', prompt: 'x', engine: 'puppet', resume: null, settings: { model: 'm' } }

  test.each([
    ['prompt', { prompt: 'y' }],
    ['resume', { resume: 'start>1' }],
    ['settings', { settings: { model: 'n' } }],
    ['engine', { engine: 'another' }],
  ])('another %s by a known id is 409, while the run is kept and after', async (_name, other) => {
    const runs = await start()
    await (await runs.query(body)).end
    const conflict = async () => {
      const { status, problem } = await runs.query({ ...body, ...other })
      return [status, problem?.error?.type]
    }
    expect(await conflict()).toEqual([409, 'conflict'])
    expect((await runs.query({ ...body, epoch: 3, env: { ANTHROPIC_API_KEY: 'other' } })).status).toBe(200)
    await dropped(runs, 'a')
    expect(await conflict()).toEqual([409, 'conflict'])
    expect((await runs.query(body)).status).toBe(410)
    expect(engine.opened).toHaveLength(1)
  })
})

describe('[R7] the variables of a run', () => {
  /** The request that the relay sends upstream when an engine calls it. */
  const askedWith = async (): Promise<unknown> =>
    (await (
      await fetch(`${await engine.baseUrl()}/v1/messages`, { method: 'POST', body: '{"model":"m"}' })
    ).json()) as never

  test('are that run’s alone: nobody else’s change with them', async () => {
    const upstream = await echo()
    const runs = await start({ env: { ANTHROPIC_API_KEY: 'own', ANTHROPIC_BASE_URL: upstream.url } })
    const hang = steps({ hang: 'politely' })
    for (const name of ['ada', 'bob', 'eve']) {
      const env = { ANTHROPIC_API_KEY: `of ${name}`, ANTHROPIC_BASE_URL: upstream.url }
      const reading = await runs.query({ requestId: name, token: name, prompt: hang, env })
      await until(() => engine.opened.length > 0 && runner.busy)
      await reading.first('run.started')
      expect(await askedWith()).toEqual({ key: `of ${name}` })
      // Another caller, with or without a run of its own.
      expect((await runs.put('/env', { vars: { ANTHROPIC_API_KEY: 'evil' } })).status).toBe(409)
      const other = await runs.query({ requestId: 'x', prompt: 'x', env: { ANTHROPIC_API_KEY: 'evil' } })
      expect(other.problem?.error?.type).toBe('busy')
      expect((await runs.put(`/runs/${name}/env`, { vars: { ANTHROPIC_API_KEY: 'evil' } })).status).toBe(401)
      expect(await askedWith()).toEqual({ key: `of ${name}` })
      const owner = caller(runner.url, name)
      expect((await owner.put(`/runs/${name}/env`, { vars: { ANTHROPIC_API_KEY: 'renewed' } })).status).toBe(200)
      expect(await askedWith()).toEqual({ key: 'renewed' })
      await owner.post(`/runs/${name}/cancel`)
      await idle(runs)
    }
    const reading = await runs.query({ requestId: 'last', prompt: hang })
    await reading.first('run.started')
    expect(await askedWith()).toEqual({ key: 'own' })
    await upstream.close()
  })

  test('never take the runner’s own key to an address that the caller named', async () => {
    const upstream = await echo()
    const runs = await start({ env: { ANTHROPIC_API_KEY: 'own' } })
    const reading = await runs.query({ prompt: 'x', env: { ANTHROPIC_BASE_URL: upstream.url } })
    expect(await reading.end).toMatchObject({ type: 'run.error', reason: 'not_configured' })
    expect(upstream.keys).toEqual([])
    await upstream.close()
  })
})

describe('[R4] re-attaching', () => {
  test('goes on behind the cursor, also after the end, with nothing lost or repeated', async () => {
    const runs = await start()
    const first = await runs.query({
      requestId: 'a',
      prompt: steps(text('one'), { sleepMs: 100 }, text('two'), text('three')),
    })
    await first.first('assistant.delta')
    first.leave()
    const second = await runs.attach('a', 2)
    await second.end
    expect(second.frames.map(({ id }) => id)).toEqual([3, 4, 5])
    const third = await runs.attach('a', 4)
    expect(await third.end).toMatchObject({ type: 'run.completed' })
    expect(third.frames).toHaveLength(1)
  })

  test('an unknown run is 404, one that was acknowledged to its end is 410 and is never played again', async () => {
    const runs = await start()
    expect((await runs.attach('never')).status).toBe(404)
    const first = await runs.query({ requestId: 'a', prompt: 'x', acknowledges: true })
    await first.end
    await dropped(runs, 'a')
    expect((await runs.attach('a')).status).toBe(410)
    expect((await runs.query({ requestId: 'a', prompt: 'x' })).status).toBe(410)
    expect(engine.opened).toHaveLength(1)
  })

  test('a call acts once it is acknowledged', async () => {
    const runs = await start()
    const reading = await runs.query({ requestId: 'a', prompt: steps({ act: 't1' }), acknowledges: true })
    await reading.first('tool.started')
    expect(engine.acted).toEqual([])
    await runs.post('/runs/a/ack', { frame: 2 })
    expect(await reading.end).toMatchObject({ type: 'run.completed' })
    expect(engine.acted).toEqual(['t1'])
  })

  test('nobody follows and nobody comes back: it ends', async () => {
    const runs = await start({ keepMs: 50 })
    const reading = await runs.query({ requestId: 'a', prompt: steps({ hang: 'politely' }) })
    await reading.first('run.started')
    reading.leave()
    await idle(runs)
    expect((await runs.query({ prompt: 'next' })).status).toBe(200)
  })

  test('[R27] nobody follows: its requests wait for the server, and are stopped with it', async () => {
    const [provider, runs] = [await echo(), await start({ keepMs: 1_500 })]
    const away = { ANTHROPIC_API_KEY: 'old', ANTHROPIC_BASE_URL: 'http://127.0.0.1:1' }
    const begin = async (requestId: string) => {
      const reading = await runs.query({ requestId, prompt: steps({ hang: 'politely' }), env: away })
      await reading.first('run.started')
      reading.leave()
      return fetch(`${await engine.baseUrl()}/v1/models`).then(({ status }) => status)
    }
    const waits = begin('comes-back')
    await until(() => engine.opened.length === 1)
    await new Promise((resolve) => setTimeout(resolve, 400))
    const env = { ANTHROPIC_API_KEY: 'new', ANTHROPIC_BASE_URL: provider.url }
    expect((await runs.put('/runs/comes-back/env', { vars: env })).status).toBe(200)
    expect([await waits, provider.keys]).toEqual([200, ['new']])
    await idle(runs)
    expect(await begin('stays-away')).toBe(403)
    await provider.close()
  })
})

describe('[R5] approvals', () => {
  const question = { toolUseId: 't 1/2', toolName: 'Bash', input: { command: 'ls' }, reason: 'It asks.' }
  test.each([
    ['approved', { decision: 'approved' }, { decision: 'approved', input: { command: 'ls' } }],
    [
      'edited',
      { decision: 'approved', input: { command: 'pwd' } },
      { decision: 'approved', input: { command: 'pwd' } },
    ],
    ['denied', { decision: 'denied', reason: 'no' }, { decision: 'denied', reason: 'no' }],
    [
      'not what was approved',
      { decision: 'approved', input: { command: 'rm' }, approvedDigest: 'of something else' },
      { decision: 'denied', reason: 'This is not what was approved.' },
    ],
  ])('%s', async (_name, verdict, expected) => {
    const runs = await start()
    const reading = await runs.query({ requestId: 'a', prompt: steps({ ask: question }) })
    expect(await reading.first('approval.required')).toEqual({ type: 'approval.required', ...question })
    const path = `/runs/a/approvals/${encodeURIComponent(question.toolUseId)}`
    expect(await runs.post(path, { ...verdict, answerId: 'apr-1' })).toEqual({ status: 200, body: { ok: true } })
    // Delivered twice is one answer; another one comes too late.
    expect((await runs.post(path, { ...verdict, answerId: 'apr-1' })).status).toBeLessThan(411)
    await reading.end
    expect(engine.verdicts).toEqual([expected])
  })

  test('[R17] a caller that acknowledges says what it approved, or approves nothing', async () => {
    const runs = await start()
    const { digest } = await import('@bridle/kernel/host/host.suite')
    const { callDigest } = await import('@bridle/kernel/host/approval-binding')
    const asked = ['t1', 't2', 't3'].map((toolUseId) => ({ ask: { ...question, toolUseId } }))
    const reading = await runs.query({ requestId: 'a', prompt: steps(...asked), acknowledges: true })
    const right = await callDigest(digest, question.toolName, question.input)
    for (const [index, more] of [{}, { approvedDigest: null }, { approvedDigest: right }].entries()) {
      const isAsked = () => reading.events().filter(({ type }) => type === 'approval.required').length > index
      for (let tries = 0; !isAsked(); tries++) {
        expect(tries).toBeLessThan(500)
        await new Promise((resolve) => setTimeout(resolve, 5))
      }
      await runs.post(`/runs/a/approvals/t${index + 1}`, { decision: 'approved', ...more })
    }
    await reading.end
    const denied = { decision: 'denied', reason: 'The approval does not say what was approved.' }
    expect(engine.verdicts).toEqual([denied, denied, { decision: 'approved', input: question.input }])
  })

  test('nobody asked: 404', async () => {
    const runs = await start()
    const reading = await runs.query({ requestId: 'a', prompt: steps({ hang: 'politely' }) })
    await reading.first('run.started')
    expect((await runs.post('/runs/a/approvals/t1', { decision: 'approved' })).status).toBe(404)
  })
})

describe('[R29] questions', () => {
  const db = { id: 'db', question: 'Which?', options: [{ label: 'SQLite' }, { label: 'PostgreSQL' }] }
  const schema = { type: 'object', properties: { port: { type: 'integer' } }, required: ['port'] }
  const call = { toolUseId: 't1', toolName: 'Ask', input: { asked: 1 }, reason: 'It asks.' }
  const denied = (reason: string) => ({ decision: 'denied', reason })

  test.each<[string, object, object, object]>([
    [
      'answered',
      { questions: [db] },
      { decision: 'approved', answers: { db: 'SQLite' } },
      { decision: 'approved', input: { asked: 1, answers: { db: 'SQLite' } }, given: { answers: { db: 'SQLite' } } },
    ],
    [
      'a form',
      { schema },
      { decision: 'approved', values: { port: 1 } },
      { decision: 'approved', input: { asked: 1, values: { port: 1 } }, given: { values: { port: 1 } } },
    ],
    [
      'by a caller that knows no questions',
      { questions: [db] },
      { decision: 'approved', input: { asked: 2 } },
      { decision: 'approved', input: { asked: 2 } },
    ],
    ['declined', { questions: [db] }, { decision: 'denied' }, denied('The user declined to answer.')],
    [
      'an answer that does not fit',
      { questions: [db] },
      { decision: 'approved', answers: { db: 'Oracle' } },
      denied('The answer does not fit. "Oracle" is not an option of question "db".'),
    ],
    [
      'not what was approved',
      { questions: [db] },
      { decision: 'approved', answers: { db: 'SQLite' }, approvedDigest: 'of something else' },
      denied('This is not what was approved.'),
    ],
  ])('%s', async (_name, question, answer, expected) => {
    const runs = await start()
    const ask = { ...call, question } as EngineApprovalRequest
    const reading = await runs.query({ requestId: 'a', prompt: steps({ ask }) })
    const asked = { type: 'approval.required', kind: 'question', ...call, ...question }
    expect(await reading.first('approval.required')).toEqual(asked)
    expect((await runs.post('/runs/a/approvals/t1', answer)).status).toBe(200)
    await reading.end
    expect(engine.verdicts).toEqual([expected])
  })

  test('an answer that is none is refused, and the question stays open', async () => {
    const runs = await start()
    const ask = { ...call, question: { questions: [db] } }
    const reading = await runs.query({ requestId: 'a', prompt: steps({ ask }) })
    await reading.first('approval.required')
    const send = (answers: unknown) => runs.post('/runs/a/approvals/t1', { decision: 'approved', answers })
    expect([(await send({ db: 1 })).status, (await send({ db: 'SQLite' })).status]).toEqual([400, 200])
    await reading.end
    expect(engine.verdicts).toMatchObject([{ given: { answers: { db: 'SQLite' } } }])
  })

  test('[R21] no setting answers one for a caller that answers no approvals', async () => {
    const runs = await start({ approvals: 'allow' })
    const ask = { ...call, question: { questions: [db] } }
    const reading = await runs.query({ prompt: steps({ ask }) })
    await reading.end
    expect(engine.verdicts).toMatchObject([denied(expect.stringMatching(/^Questions cannot be answered here/))])
    expect(reading.events()).toContainEqual(expect.objectContaining({ type: 'policy.decided', outcome: 'denied' }))
  })
})

describe('[R6] who may ask', () => {
  test('a lower epoch of the run is refused, whatever it asks; another run has its own', async () => {
    const runs = await start()
    await (await runs.query({ prompt: 'x', epoch: 70 })).end
    await idle(runs)
    const body = { requestId: 'a', prompt: steps({ hang: 'politely' }) }
    const reading = await runs.query({ ...body, epoch: 7 })
    await reading.first('run.started')
    const late = await runs.query({ ...body, epoch: 6 })
    expect([late.status, late.problem?.error?.type]).toEqual([409, 'stale_epoch'])
    for (const path of ['/runs/a/cancel', '/runs/a/ack', '/runs/a/steer', '/runs/a/approvals/t'])
      expect((await runs.post(path, { epoch: 6, frame: 1, id: 's', text: 's', decision: 'denied' })).status).toBe(409)
    expect((await runs.put('/runs/a/env', { vars: {}, epoch: 6 })).status).toBe(409)
    expect((await runs.put('/runs/a/env', { vars: {}, epoch: 'x' })).status).toBe(400)
    expect((await runs.post('/runs/a/cancel', { epoch: 8 })).status).toBe(200)
  })

  test('a token for the runner, another for the run', async () => {
    const runs = await start({ token: 'secret' })
    const stranger = caller(runner.url)
    expect((await stranger.ask('/health')).status).toBe(200)
    expect((await stranger.ask('/engines')).status).toBe(401)
    expect((await stranger.query({ prompt: 'x' })).status).toBe(401)
    expect((await stranger.put('/env', { vars: { ANTHROPIC_BASE_URL: 'http://evil' } })).status).toBe(401)
    const reading = await runs.query({ requestId: 'a', token: 'of the run', prompt: steps({ hang: 'politely' }) })
    await reading.first('run.started')
    expect((await runs.post('/runs/a/cancel')).status).toBe(401)
    expect((await stranger.ask('/runs/a/events')).status).toBe(401)
    expect((await caller(runner.url, 'of the run').post('/runs/a/cancel')).status).toBe(200)
  })

  test.each([
    ['a page elsewhere', { origin: 'https://evil.example' }],
    ['a name that points here', { host: 'evil.example' }],
    ['a sandboxed page', { origin: 'null' }],
  ])('without a token nobody asks by way of %s', async (_name, headers) => {
    await start()
    const { port } = new URL(runner.url)
    const status = await new Promise((resolve) => {
      const asked = request({ port, host: '127.0.0.1', path: '/query', method: 'POST', headers }, (got) =>
        resolve(got.statusCode),
      )
      asked.end('{"prompt":"x"}')
    })
    expect(status).toBe(403)
    expect(engine.opened).toEqual([])
  })

  test('who knows the name of a run does not therefore follow it', async () => {
    const runs = await start({ token: 'secret' })
    const reading = await runs.query({ requestId: 'a', token: 'of the run', prompt: steps({ hang: 'politely' }) })
    await reading.first('run.started')
    expect((await runs.query({ requestId: 'a', prompt: 'x' })).status).toBe(401)
  })

  test('[R16] which run is in progress, and which there were, is for who has a token', async () => {
    const runs = await start({ token: 'secret' })
    const stranger = caller(runner.url)
    const own = caller(runner.url, 'of the run')
    const reading = await runs.query({ requestId: 'a', token: 'of the run', prompt: 'x' })
    await reading.first('run.started')
    await reading.end
    for (const who of [stranger, own]) expect((await who.ask('/health')).body).not.toHaveProperty('requestId')
    expect((await runs.ask('/health')).body).toMatchObject({ requestId: null })
    await dropped(own, 'a')
    const answers = async (who: typeof runs) =>
      Promise.all(['a', 'never'].map(async (id) => (await who.ask(`/runs/${id}/events`)).status))
    expect(await answers(runs)).toEqual([410, 404])
    expect(await answers(own)).toEqual([410, 401])
    expect(await answers(stranger)).toEqual([401, 401])
    const asked = await Promise.all(['a', 'never'].map((id) => stranger.ask(`/runs/${id}/events`)))
    expect(asked[0]).toEqual(asked[1])
    const busy = await runs.query({ requestId: 'b', prompt: steps({ hang: 'politely' }) })
    await busy.first('run.started')
    expect((await runs.ask('/health')).body).toMatchObject({ requestId: 'b' })
    expect((await stranger.ask('/health')).body).not.toHaveProperty('requestId')
  })

  test('[R16] a runner without a token tells nobody which runs there were, but their own bearers', async () => {
    const runs = await start()
    await (await runs.query({ requestId: 'a', token: 'of the run', prompt: 'x' })).end
    const own = caller(runner.url, 'of the run')
    await dropped(own, 'a')
    expect((await own.attach('a')).status).toBe(410)
    expect(await runs.ask('/runs/a/events')).toEqual(await runs.ask('/runs/never/events'))
  })

  test('an address that others reach needs a token', async () => {
    const started = SandboxRunner.start({ engines: [engine], workFolder: folder, stateFolder: folder, host: '0.0.0.0' })
    await expect(started).rejects.toThrow('BRIDLE_RUNNER_TOKEN')
  })
})

describe('[R10] steering', () => {
  test('once by id; none where nothing runs', async () => {
    const runs = await start()
    const reading = await runs.query({ requestId: 'a', prompt: steps({ hang: 'politely' }) })
    await reading.first('run.started')
    for (let times = 0; times < 2; times++)
      expect((await runs.post('/runs/a/steer', { id: 's', text: 'left' })).status).toBe(200)
    expect(engine.steered).toEqual(['left'])
    await runs.post('/runs/a/cancel')
    expect((await runs.post('/runs/a/steer', { id: 's2', text: 'right' })).status).toBe(409)
  })
})

describe('[R11] an engine that', () => {
  test.each([
    ['fails', steps({ end: { kind: 'failed', message: 'It broke.', reason: 'engine', transient: true } }), 'It broke.'],
    ['throws', steps({ reject: 'boom' }), 'boom'],
    ['cannot be opened', 'broken', 'no such file'],
  ])('%s: one error, and the runner is free', async (_name, prompt, message) => {
    const runs = await start()
    const reading = await runs.query({ prompt, ...(prompt === 'broken' && { resume: 'broken' }) })
    expect(await reading.end).toMatchObject({ type: 'run.error', message: expect.stringContaining(message) })
    await idle(runs)
    expect(await (await runs.query({ prompt: 'next' })).end).toMatchObject({ type: 'run.completed' })
  })

  test('is not installed, or has no key: says what to do', async () => {
    const runs = await start()
    engine.missing = 'Run: npm install it'
    expect(await (await runs.query({ prompt: 'x' })).end).toMatchObject({
      type: 'run.error',
      message: 'Run: npm install it',
    })
    engine.missing = null
    await runs.put('/env', { vars: { ANTHROPIC_API_KEY: null } })
    await idle(runs)
    const keyless = await (await runs.query({ prompt: 'x' })).end
    expect(keyless).toMatchObject({ type: 'run.error', message: expect.stringContaining('ANTHROPIC_API_KEY') })
  })

  test('says nothing for too long is stopped; one that waits for a person is not', async () => {
    const runs = await start({ stallMs: 100 })
    const hangs = await runs.query({ prompt: steps({ hang: 'politely' }) })
    expect(await hangs.end).toMatchObject({ type: 'run.error', reason: 'stalled' })
    await idle(runs)
    const asks = { toolUseId: 't', toolName: 'Bash', input: {}, reason: 'It asks.' }
    const waits = await runs.query({ requestId: 'w', prompt: steps({ ask: asks }) })
    await waits.first('approval.required')
    await new Promise((resolve) => setTimeout(resolve, 1_200))
    await runs.post('/runs/w/approvals/t', { decision: 'approved' })
    expect(await waits.end).toMatchObject({ type: 'run.completed' })
  })

  test('never ends is stopped', async () => {
    const runs = await start({ runMs: 300 })
    const reading = await runs.query({ prompt: steps({ flood: 10, size: 1 }, { hang: 'politely' }) })
    expect(await reading.end).toMatchObject({ type: 'run.error', reason: 'too_long' })
  })

  test('is still being opened has not stopped, and says so', async () => {
    const runs = await start()
    engine.openMs = 4_000
    const reading = await runs.query({ requestId: 'a', prompt: 'x' })
    await reading.first('run.started')
    expect((await runs.post('/runs/a/cancel')).body).toEqual({ stopped: false, resume: null })
    expect(await reading.end).toMatchObject({ type: 'run.error', reason: 'cancelled' })
    expect((await runs.post('/runs/a/cancel')).body).toMatchObject({ stopped: true })
  })

  test('does not close well harms nobody', async () => {
    const runs = await start()
    await (await runs.query({ prompt: 'one' })).end
    engine.closing = Promise.reject(new Error('no'))
    engine.closing.catch(() => {})
    expect(await (await runs.query({ prompt: 'two' })).end).toMatchObject({ type: 'run.completed' })
    engine.closing = Promise.resolve()
  })

  test('is deaf to an interrupt is ended all the same', async () => {
    const runs = await start()
    const reading = await runs.query({ requestId: 'a', prompt: steps(text('a'), { hang: 'deaf' }) })
    await reading.first('assistant.delta')
    expect((await runs.post('/runs/a/cancel')).body).toMatchObject({ stopped: true })
    expect(await reading.end).toMatchObject({ type: 'run.error', reason: 'cancelled' })
    expect(engine.closed).toBe(1)
    expect(await (await runs.query({ prompt: 'next' })).end).toMatchObject({ type: 'run.completed' })
  })

  test('floods waits for its reader, and nothing is lost', async () => {
    const runs = await start()
    const reading = await runs.query({ prompt: steps({ flood: 100_000, size: 200 }) })
    await reading.end
    expect(reading.frames.map(({ id }) => id)).toEqual(reading.frames.map((_, index) => index + 1))
    expect(reading.frames).toHaveLength(100_002)
  })

  test('floods while nobody reads stops at a limit', async () => {
    const runs = await start()
    const before = process.memoryUsage().rss
    const reading = await runs.query({
      requestId: 'a',
      acknowledges: true,
      prompt: steps({ flood: 1_000_000, size: 1_000 }),
    })
    await reading.first('assistant.delta')
    reading.leave()
    await new Promise((resolve) => setTimeout(resolve, 500))
    expect(process.memoryUsage().rss - before).toBeLessThan(300_000_000)
    expect((await runs.post('/runs/a/cancel')).status).toBe(200)
  })
})

describe('[R12] bad input', () => {
  test.each([
    ['no JSON', '{', 400],
    ['no prompt', '{}', 400],
    ['an empty prompt', '{"prompt":""}', 400],
    ['a prompt that is no text', '{"prompt":7}', 400],
    ['a name that is none', '{"prompt":"x","requestId":"../etc"}', 400],
    ['an engine that is not here', '{"prompt":"x","engine":"__proto__"}', 400],
    ['deep nesting', `{"prompt":"x","a":${'['.repeat(100_000)}${']'.repeat(100_000)}}`, 400],
    ['a body too large', JSON.stringify({ prompt: 'x'.repeat(9_000_000) }), 413],
  ])('%s', async (_name, body, status) => {
    const runs = await start()
    const response = await fetch(`${runner.url}/query`, { method: 'POST', body })
    expect(response.status).toBe(status)
    expect(await response.json()).toEqual({ error: { type: expect.any(String), message: expect.any(String) } })
    expect((await runs.ask('/health')).body).toMatchObject({ busy: false })
  })

  test('routes and cursors that are none', async () => {
    const runs = await start()
    expect((await runs.ask('/nope')).status).toBe(404)
    expect((await runs.ask('/runs/%ff/events')).status).toBe(404)
    const reading = await runs.query({ requestId: 'a', prompt: steps({ hang: 'politely' }) })
    await reading.first('run.started')
    const bad = await runs.ask('/runs/a/events', { headers: { 'last-event-id': 'x' } })
    expect(bad.status).toBe(400)
    expect((await runs.post('/runs/a/nope')).status).toBe(404)
    expect((await runs.put('/env', { vars: { A: 7 } })).status).toBe(400)
  })

  test('a reader that goes away in the middle of everything harms nobody', async () => {
    const runs = await start()
    const reading = await runs.query({ requestId: 'a', prompt: steps({ flood: 5_000 }, { sleepMs: 50 }) })
    for (let times = 0; times < 20; times++) {
      const cut = request(`${runner.url}/runs/a/events`)
      cut.on('error', () => {})
      cut.on('response', (answer) => answer.once('data', () => cut.destroy()))
      cut.end()
    }
    expect(await reading.end).toMatchObject({ type: 'run.completed' })
  })
})
