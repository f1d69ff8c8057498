import { describe, expect, test } from 'vitest'
import { deferred, flushPending, key, setUp } from '../host/host.suite.ts'
import { askItem, call, eventReport, finished, token } from '../rules/rules.suite.ts'
import { REST_GRACE_MS } from './hand-over.ts'

const ids = ['s1', 's2', 's3'] as const
/** Three sessions whose durable runs have started. */
const begun = async () => {
  const all = setUp()
  all.runner.durable = true
  for (const id of ids) await all.host.send(key(id), { type: 'submit', prompt: id })
  await flushPending()
  return all
}
type World = Awaited<ReturnType<typeof begun>>
const attemptOf = ({ runner }: Pick<World, 'runner'>, id: string) =>
  runner.attempts.findLast(({ job }) => job.key.id === id)!
const letWait = async (world: World, id: string, until: number | null = null) => {
  const { reporter, end } = attemptOf(world, id)
  await reporter.report([{ type: 'waiting', until, seen: reporter.session.job()!.course!.head }])
  if (reporter.closed) end('waiting')
  await flushPending()
  return reporter
}

describe('[S43] a run that waits', () => {
  test('leaves its session idle, and only its own', async () => {
    const world = await begun()
    const reporter = await letWait(world, 's2')
    expect(reporter.closed).toBe(true)
    const sessions = await Promise.all(ids.map((id) => world.host.open(key(id))))
    expect(sessions.map(({ quiet }) => quiet)).toEqual([false, true, false])
    expect(world.host.runningCount).toBe(2)
    // The heartbeats of the two that are at work.
    expect(world.clock.pending).toBe(2)
  })

  test('is attached when news come, in this process or in the next', async () => {
    const world = await begun()
    for (const id of ids) await letWait(world, id)
    await world.host.send(key('s3'), { type: 'signal', name: 'go', payload: 1 })
    await flushPending()
    expect(attemptOf(world, 's3').how).toBe('attach')
    expect(world.runner.attempts).toHaveLength(4)

    const next = await world.again()
    next.runner.durable = true
    await next.host.start()
    await next.host.send(key('s1'), { type: 'signal', name: 'go', payload: 2 })
    await flushPending()
    expect(next.runner.attempts.map(({ how, job }) => [how, job.key.id, job.attempt])).toEqual(
      expect.arrayContaining([
        ['attach', 's1', 1],
        ['attach', 's3', 1],
      ]),
    )
    expect(next.runner.attempts).toHaveLength(2)
  })

  test('is attached at its moment, also by a process that has never seen it', async () => {
    const world = await begun()
    const at = world.clock.now() + 3_600_000
    await letWait(world, 's1', at)
    await letWait(world, 's2', at + 1_000)
    await letWait(world, 's3')
    const next = await world.again()
    await next.host.start()
    await next.clock.pass(3_600_000)
    expect(next.runner.attempts.map(({ how, job }) => [how, job.key.id])).toEqual([['attach', 's1']])
  })

  test('news in the very commit of the wait keep it: it is taken up again at once', async () => {
    const world = await begun()
    const { reporter, end } = attemptOf(world, 's1')
    const gate = deferred()
    world.log.before = () => gate.promise
    // The first append is on its way: both commands behind it are one batch.
    const first = reporter.report([token('x')])
    const { head } = reporter.session.job()!.course!
    const wait = reporter.report([{ type: 'waiting', until: null, seen: head + 1 }])
    const signal = world.host.send(key('s1'), { type: 'signal', name: 'go', payload: 1 })
    await flushPending()
    gate.release()
    await Promise.all([first, wait, signal])
    expect(reporter.closed).toBe(false)
    end('waiting')
    await world.clock.pass(0)
    expect(attemptOf(world, 's1').how).toBe('attach')
  })
})

describe('[S12] the runner of a durable run', () => {
  test('that fails at an event stops its session, and no other; callers get their answers, and the next owner attaches', async () => {
    const world = await begun()
    const { reporter } = attemptOf(world, 's1')
    reporter.follow(() => {
      throw new Error('this event is not for me')
    })
    const answer = await world.host.send(key('s1'), { type: 'signal', name: 'go', payload: 1 })
    expect(answer).toMatchObject({ runId: attemptOf(world, 's1').job.runId })
    await flushPending()
    expect(reporter.closed).toBe(true)
    expect(attemptOf(world, 's2').reporter.closed).toBe(false)
    await world.host.open(key('s1'))
    await flushPending()
    expect(attemptOf(world, 's1').how).toBe('attach')
  })

  test('sees what it reported before its report resolves, and what others did', async () => {
    const world = await begun()
    const { reporter } = attemptOf(world, 's1')
    const seen: string[] = []
    reporter.follow((events) => seen.push(...events.map(({ type }) => type)))
    await reporter.report([call('c1'), askItem('c1')])
    expect(seen).toContain('approval_required')
    expect(reporter.session.job()?.course?.open).toMatchObject([{ toolCallId: 'c1' }])
    await world.host.send(key('s1'), {
      type: 'approve',
      approvalId: reporter.session.job()!.course!.open[0]!.id,
      decision: 'denied',
    })
    expect(seen).toContain('approval_decided')
    expect(reporter.session.job()?.course).toMatchObject({ open: [], answers: [{ decision: 'denied' }] })
    // Another session's events are none of its business.
    const others = seen.length
    await attemptOf(world, 's2').reporter.report([token('hello')])
    expect(seen).toHaveLength(others)
  })

  test('reads the log, the conversation and artifacts', async () => {
    const world = await begun()
    const { reporter } = attemptOf(world, 's1')
    const text = 'r'.repeat(20_000)
    await reporter.report([call('c1'), eventReport('tool_result', { tool_call_id: 'c1', result: text })])
    const events = await reporter.session.read(0, 1_000)
    const result = events.find(({ type }) => type === 'tool_result')!.payload as { result: { artifact_id: string } }
    expect(await reporter.session.artifactText(result.result.artifact_id)).toBe(text)
    expect(await reporter.session.artifactText('art-none')).toBeNull()
    expect(reporter.session.messages().map(({ content }) => content)).toEqual(['s1', ''])
  })

  test('keeps values while the session is in memory, each session its own', async () => {
    const world = await begun()
    const session = await world.host.open(key('s1'))
    const { bytes } = session
    const seen = { chars: 1_000 }
    attemptOf(world, 's1').reporter.session.cache.set('seen', seen)
    // Values count as memory of the session.
    expect(session.bytes).toBe(bytes + 2_000)
    await letWait(world, 's1')
    await world.host.send(key('s1'), { type: 'signal', name: 'go', payload: 1 })
    await flushPending()
    expect(attemptOf(world, 's1').reporter.session.cache.get('seen')).toBe(seen)
    expect(attemptOf(world, 's2').reporter.session.cache.size).toBe(0)
  })
})

describe('[S38] a process that is about to end', () => {
  test('lets durable runs end what they have begun, parks none and starts none', async () => {
    const world = await begun()
    const gate = deferred()
    world.runner.resting = gate.promise
    await letWait(world, 's3')
    const handed = world.host.handOver()
    await flushPending()
    expect(world.runner.rested.map(({ key: { id } }) => id)).toEqual(['s1', 's2'])
    await attemptOf(world, 's1').reporter.report([finished()])
    await world.host.send(key('s3'), { type: 'signal', name: 'go', payload: 1 })
    await flushPending()
    gate.release()
    await handed
    expect(world.runner.attempts).toHaveLength(3)
    const next = await world.again()
    await next.host.start()
    await flushPending()
    expect(next.runner.attempts.map(({ how, job }) => [how, job.key.id, job.attempt]).sort()).toEqual([
      ['attach', 's2', 1],
      ['attach', 's3', 1],
    ])
  })

  test('does not wait for ever', async () => {
    const world = await begun()
    world.runner.resting = new Promise(() => {})
    const handed = world.host.handOver()
    await world.clock.pass(REST_GRACE_MS)
    await handed
  })
})
