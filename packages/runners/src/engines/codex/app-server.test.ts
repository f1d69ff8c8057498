// A program that speaks the protocol and misbehaves, in place of codex.
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { EngineSession } from '../engine.ts'
import { RecordingTurn } from '../recording-turn.suite.ts'
import { CodexWorld } from './codex.suite.ts'

/** Misbehaviour in place of a turn, by prompt. */
const MISBEHAVIOUR = `
const fs = require('node:fs')
const send = (message) => process.stdout.write(JSON.stringify(message) + '\\n')
const say = (method, params) => send({ method, params: { threadId: 't', turnId: '1', ...params } })
const started = () => say('turn/started', { turn: { id: '1' } })
const done = (status = 'completed') => say('turn/completed', { turn: { id: '1', status } })
const delta = (text) => say('item/agentMessage/delta', { itemId: 'm', delta: text })
const acts = {
  rubbish: () => {
    process.stdout.write('Segmentation fault\\n\\u0000\\u0001\\n{"half":\\n[1,2]\\nnull\\n"text"\\n{}\\n{"id":99,"result":1}\\n')
    for (const item of [null, 3, {}, { type: 'commandExecution' }]) say('item/started', { item })
    delta('Fine.')
    done()
    done('failed')
  },
  dies: () => { delta('Half'); process.stderr.write('\\u001b[31mout of memory\\u001b[0m\\n', () => process.exit(7)) },
  'ends and dies': () => { delta('Whole'); done(); setTimeout(() => process.exit(0), 20) },
  deaf: () => delta('Going on.'),
  flood: () => { for (let i = 0; i < 5000; i++) delta(i + ' '); done() },
  asks: () => send({ id: 'q', method: 'something/new', params: { threadId: 't' } }),
}
require('node:readline').createInterface({ input: process.stdin }).on('line', (line) => {
  const { id, method, params, error } = JSON.parse(line)
  if (id === 'q') { delta(error ? 'refused' : 'answered'); return done() }
  if (method === 'initialize') return process.env.NEVER ? undefined : send({ id, result: {} })
  if (method === 'thread/start') return send({ id, result: { thread: { id: 't' } } })
  if (method !== 'turn/start') return
  const text = params.input[0].text
  if (text === 'silent') return
  if (text === 'refuses') return send({ id, error: { code: -32600, message: 'No such thing.' } })
  started()
  send({ id, result: { turn: { id: '1' } } })
  acts[text]()
})
fs.writeFileSync('fake.pid', String(process.pid))
setInterval(() => {}, 1000)
process.on('SIGTERM', () => {})
`

describe('a program that misbehaves', () => {
  let world: CodexWorld
  let file: string
  beforeAll(async () => {
    world = await CodexWorld.make()
    file = join(world.folder, 'misbehaves.cjs')
    await writeFile(file, MISBEHAVIOUR)
  })
  afterAll(() => world?.end())

  const open = (controlMs = 10_000): Promise<EngineSession> =>
    world.open({}, { controlMs, program: { file: process.execPath, args: [file] } })
  const isRunning = async () => {
    try {
      return process.kill(Number(await readFile(join(world.work, 'fake.pid'), 'utf8')), 0)
    } catch {
      return false
    }
  }

  test('rubbish lines cost nothing, and a turn ends once', async () => {
    const session = await open()
    const turn = new RecordingTurn()
    expect(await session.play('rubbish', turn)).toEqual({ kind: 'completed' })
    expect(turn.text).toBe('Fine.')
    expect(session.resume).toBe('t:1')
  })

  test('it dies: the turn fails and says what it complained about', async () => {
    const session = await open()
    const turn = new RecordingTurn()
    const message = 'Codex ended (exit code 7): out of memory'
    expect(await session.play('dies', turn)).toEqual({ kind: 'failed', message, reason: 'engine_gone' })
    expect(turn.text).toBe('Half')
    expect(session.alive).toBe(false)
    await session.close()
  })

  test('it dies after the end: the turn has ended well, however late that is read', async () => {
    const session = await open()
    const turn = new RecordingTurn(undefined, { full: true })
    const end = session.play('ends and dies', turn)
    await until(async () => !session.alive)
    turn.makeRoom()
    expect(await end).toMatchObject({ kind: 'completed' })
    expect(turn.text).toBe('Whole')
  })

  test('it never answers: the turn fails and the program is gone', async () => {
    const session = await open(300)
    const end = await session.play('silent', new RecordingTurn())
    const message = 'Codex did not answer turn/start within 0.3 s.'
    expect(end).toEqual({ kind: 'failed', message, reason: 'engine_error' })
    expect([session.alive, await isRunning()]).toEqual([false, false])
  })

  test('it refuses a turn', async () => {
    const session = await open()
    const end = await session.play('refuses', new RecordingTurn())
    expect(end).toEqual({ kind: 'failed', message: 'No such thing.', reason: 'engine_error' })
  })

  test('it never answers while it is opened', async () => {
    const args = ['-e', `process.env.NEVER = '1';${MISBEHAVIOUR}`]
    const opened = world.open({}, { controlMs: 300, program: { file: process.execPath, args } })
    await expect(opened).rejects.toThrow('Codex could not be opened: Codex did not answer initialize within 0.3 s.')
    expect(await isRunning()).toBe(false)
  })

  test('it cannot be started', async () => {
    const program = { file: join(world.folder, 'nothing-here'), args: [] }
    await expect(world.open({}, { program })).rejects.toThrow('Codex could not be started')
  })

  test('it does not heed an interrupt: it is killed', async () => {
    const session = await open()
    const turn = new RecordingTurn()
    const end = session.play('deaf', turn)
    await turn.until(({ text }) => text !== '')
    await session.interrupt()
    expect(await end).toEqual({ kind: 'interrupted' })
    expect([session.alive, await isRunning()]).toEqual([false, false])
  })

  test('it does not heed that it is closed: it is killed', async () => {
    const session = await open()
    await session.close()
    expect([session.alive, await isRunning()]).toEqual([false, false])
  })

  test('a flood waits until there is room', async () => {
    const session = await open()
    const turn = new RecordingTurn(undefined, { full: true })
    const end = session.play('flood', turn)
    await new Promise((resolve) => setTimeout(resolve, 100))
    expect(turn.events).toEqual([])
    turn.makeRoom()
    expect(await end).toMatchObject({ kind: 'completed' })
    expect(turn.text).toBe(Array.from({ length: 5000 }, (_, i) => `${i} `).join(''))
  })

  test('a turn without room is interrupted all the same', async () => {
    const session = await open()
    const turn = new RecordingTurn(undefined, { full: true })
    const end = session.play('flood', turn)
    await session.interrupt()
    expect((await end).kind).toMatch(/^(completed|interrupted)$/)
    expect(turn.events.filter(({ type }) => type !== 'run.resume')).toEqual([])
  })

  test('what it asks that nobody knows is refused, so that it does not wait', async () => {
    const session = await open()
    const turn = new RecordingTurn()
    expect(await session.play('asks', turn)).toMatchObject({ kind: 'completed' })
    expect(turn.text).toBe('refused')
  })

  test('a caller that throws ends the turn', async () => {
    const session = await open()
    const turn = new RecordingTurn()
    turn.report = () => {
      throw new Error('The log is full.')
    }
    const end = await session.play('rubbish', turn)
    expect(end).toEqual({ kind: 'failed', message: 'The log is full.', reason: 'runner_error' })
  })

  test('one turn at a time', async () => {
    const session = await open()
    const turn = new RecordingTurn()
    const first = session.play('deaf', turn)
    expect(await session.play('rubbish', new RecordingTurn())).toMatchObject({ kind: 'failed', reason: 'engine_busy' })
    await session.close()
    expect(await first).toEqual({ kind: 'interrupted' })
  })
})

const until = async (holds: () => Promise<boolean>): Promise<void> => {
  while (!(await holds())) await new Promise((resolve) => setTimeout(resolve, 10))
}
