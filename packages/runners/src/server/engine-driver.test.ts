import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, expect, test, vi } from 'vitest'
import { claudeInfo } from '../engines/claude/description.ts'
import type { Engine, EngineSession } from '../engines/engine.ts'
import { puppetEngine } from '../engines/puppet.suite.ts'
import { EngineDriver, type EngineDriverOptions } from './engine-driver.ts'
import { textDigest } from './run-history.ts'
import { RunRecord } from './run-record.ts'

afterEach(() => vi.useRealTimers())

const newDriver = (options: Partial<EngineDriverOptions> = {}) =>
  new EngineDriver({
    workFolder: 'work',
    stateFolder: 'state',
    privateFolder: 'private',
    launcher: async () => Promise.reject(new Error('Nothing is started here.')),
    ...options,
  })

const newRecord = (requestId = 'req-1') =>
  new RunRecord({
    requestId,
    token: null,
    acknowledges: false,
    approvals: null,
    bodyDigest: '',
    env: {},
    epoch: 0,
    digest: async (text) => textDigest(text),
    now: Date.now,
  })

test('[R11] an engine that is still opening when its runner closes is closed as soon as it is there', async () => {
  vi.useFakeTimers()
  const close = vi.fn(async () => {})
  let opened = (_session: EngineSession) => {}
  const engine: Engine = {
    name: 'slow',
    provider: 'anthropic',
    info: claudeInfo('1.0.0'),
    needs: async () => null,
    open: () => new Promise((resolve) => (opened = resolve)),
  }
  const player = newDriver()
  const record = newRecord()
  const played = player.run(record, engine, { prompt: 'Hello' }, true)
  const closed = player.close()
  await vi.advanceTimersByTimeAsync(10_000)
  await closed
  opened({
    resume: null,
    sessionId: null,
    alive: true,
    play: async () => ({ kind: 'completed' }),
    interrupt: async () => {},
    steer: async () => {},
    close,
  })
  await played
  expect([close.mock.calls.length, record.end]).toMatchObject([1, { type: 'run.error', reason: 'runner_stopped' }])
})

test.each([
  [0, [], 1],
  [1, ['1 background command was stopped when the turn ended.'], 1],
  [2, ['2 background commands were stopped when the turn ended.'], 1],
  [null, ['Background commands did not stop when the turn ended, so the engine was closed with them.'], 2],
] as const)('[R24] a turn that left %j commands says so before its end', async (leftovers, messages, opened) => {
  const engine = puppetEngine()
  engine.leftovers = leftovers
  const [driver, record, next] = [newDriver(), newRecord(), newRecord('req-2')]
  await driver.run(record, engine, { prompt: 'Hello' }, true)
  const types = (record.framesAfter(0) ?? []).map((frame) => /^event: (.*)$/m.exec(frame)?.[1])
  expect(types.slice(-1 - messages.length)).toEqual([...messages.map(() => 'context.warning'), 'run.completed'])
  expect((record.framesAfter(0) ?? []).flatMap((frame) => /"message":"([^"]*)"/.exec(frame)?.[1] ?? [])).toEqual(
    messages,
  )
  const { resume } = record.end as { resume: string }
  engine.leftovers = 0
  await driver.run(next, engine, { prompt: 'Hello', resume }, true)
  expect([engine.opened.length, next.end?.type]).toEqual([opened, 'run.completed'])
  await driver.close()
})

test.each<[string, (driver: EngineDriver) => void, object]>([
  ['while the server is away', () => {}, { reason: 'server_away', transient: true }],
  ['after the provider answered', (driver) => driver.onProviderStatus(500), { reason: 'provider' }],
])('[R27] an engine that fails %s', async (_name, then, expected) => {
  const end = { kind: 'failed', message: 'API Error: 502', reason: 'provider' } as const
  const [driver, record] = [newDriver(), newRecord()]
  const played = driver.run(record, puppetEngine(), { prompt: JSON.stringify([{ sleepMs: 20 }, { end }]) }, true)
  driver.onServerAway()
  then(driver)
  await played
  expect(record.end).toMatchObject({ type: 'run.error', resume: 'start>1', ...expected })
  await driver.close()
})

test('[R24] in a folder of a person the engine ends with its turn, before the run has ended', async () => {
  const engine = puppetEngine()
  const driver = newDriver({ keepsEngine: false })
  const [record, next] = [newRecord(), newRecord('req-2')]
  await driver.run(record, engine, { prompt: 'Hello' }, true)
  const { resume } = record.end as { resume: string }
  await driver.run(next, engine, { prompt: 'Hello', resume }, true)
  expect([engine.opened.length, next.end?.type]).toEqual([2, 'run.completed'])
})

test('[R33] [R34] [R35] texts of the repository are read before each turn, and a change reopens the engine with its memory', async () => {
  const work = mkdtempSync(join(tmpdir(), 'bridle-driver-'))
  const engine = puppetEngine()
  const driver = newDriver({ workFolder: work })
  let resume: string | undefined
  const turn = async (requestId: string, repository?: 'instructions' | 'none') => {
    const record = newRecord(requestId)
    const query = { prompt: 'Hello', ...(resume && { resume }), ...(repository && { repository }) }
    await driver.run(record, engine, query, true)
    ;({ resume } = record.end as { resume: string })
    const loaded = (record.framesAfter(0) ?? []).filter((frame) => frame.includes('event: instructions.loaded'))
    return loaded.map((frame) => /"files":\[(.*?)\]/.exec(frame)?.[1] !== '')
  }
  writeFileSync(join(work, 'CLAUDE.md'), 'One.')
  expect(await turn('1', 'instructions')).toEqual([true])
  expect(await turn('2', 'instructions')).toEqual([true])
  expect(engine.opened).toEqual([{ resume: null, texts: ['One.'] }])
  writeFileSync(join(work, 'CLAUDE.md'), 'Two.')
  await turn('3', 'instructions')
  expect(engine.opened.slice(1)).toEqual([{ resume: 'start>1>2', texts: ['Two.'] }])
  rmSync(join(work, 'CLAUDE.md'))
  expect(await turn('4', 'instructions')).toEqual([false])
  // A caller that says nothing, such as an older server, gets the engine as it was.
  writeFileSync(join(work, 'CLAUDE.md'), 'Three.')
  expect([await turn('5'), await turn('6', 'none')]).toEqual([[], []])
  expect(engine.opened.slice(2).map(({ texts }) => texts)).toEqual([undefined, undefined])
  await driver.close()
  rmSync(work, { recursive: true })
})

test('[R45] [R46] the engine gets instructions and effort, and a change of either opens another one that resumes', async () => {
  const engine = puppetEngine()
  const driver = newDriver()
  const play = async (number: number, more: object) => {
    const record = newRecord(`req-${number}`)
    await driver.run(record, engine, { prompt: '[]', ...more }, true)
    return (record.end as { readonly resume?: string }).resume ?? null
  }
  const first = await play(1, { instructions: 'Be brief.', settings: { effort: 'low' } })
  const second = await play(2, { instructions: 'Be brief.', settings: { effort: 'low' }, resume: first })
  expect(engine.opened).toEqual([{ resume: null }])
  const third = await play(3, { instructions: 'Be kind.', settings: { effort: 'low' }, resume: second })
  const fourth = await play(4, { instructions: 'Be kind.', settings: { effort: 'high' }, resume: third })
  await play(5, { settings: { effort: 'high' }, resume: fourth })
  expect(engine.opened).toEqual([null, second, third, fourth].map((resume) => ({ resume })))
  expect(engine.openedWith).toEqual([
    { settings: { effort: 'low' }, instructions: 'Be brief.' },
    { settings: { effort: 'low' }, instructions: 'Be kind.' },
    { settings: { effort: 'high' }, instructions: 'Be kind.' },
    { settings: { effort: 'high' } },
  ])
  await driver.close()
})
