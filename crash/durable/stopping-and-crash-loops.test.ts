// A stop that is announced, and a run that kills its server again and again. Approvals that wait meanwhile notice nothing.
import { afterEach, beforeEach, expect, test } from 'vitest'
import { effectCounts, problemsOf } from './checks.ts'
import type { CallName, PlanStep } from './plan.ts'
import { type AgentName, agentNames, type DurableSession, DurableWorld } from './world.ts'

let world: DurableWorld
beforeEach(() => {
  world = new DurableWorld()
})
afterEach(({ task }) => world.end(task.result?.state === 'fail'))

const sessionOf = (
  id: string,
  agent: AgentName,
  kind: DurableSession['kind'],
  steps: readonly PlanStep[],
): DurableSession => ({
  id,
  agent,
  kind,
  plans: (kind === 'chat' ? [1, 2] : [1]).map((turn) => ({ place: `${id}-${turn}`, steps })),
})

test('[N14] [O4] a stop that is announced waits for the calls under way, and nobody is asked about them', async () => {
  const steps = (call: CallName): PlanStep[] => [
    { say: 'First. ', calls: ['read1'] },
    { say: 'Then. ', calls: [call] },
    { say: 'That is all.', calls: ['read2'] },
  ]
  const sessions = agentNames.flatMap((agent) => [
    sessionOf(`pay-${agent}`, agent, 'chat', steps('pay1')),
    sessionOf(`put-${agent}`, agent, 'background', steps('put1')),
  ])
  const called = (session: DurableSession) => ({
    place: session.plans[0]!.place,
    point: session.id.startsWith('pay') ? 'pay1.during' : 'put1.done',
  })
  for (const { place, point } of sessions.map(called)) world.effects.close(place, point)
  await world.boot()
  const ends = Promise.allSettled(sessions.map((session) => world.play(session)))
  for (const { place, point } of sessions.map(called))
    await world.until(`${place} is in its call`, () => world.effects.reachedBy(place, point) !== null)
  const url = world.server.url
  const stopped = world.kill('SIGTERM')
  // The server is stopping when it says that it is not ready; only then do the calls end.
  await world.until(
    'the server stops',
    async () => (await fetch(`${url}/ready`, { headers: { connection: 'close' } })).status === 503,
  )
  for (const { place, point } of sessions.map(called)) world.effects.open(place, point)
  expect(await stopped).toBe(0)
  await world.boot()
  await ends
  const records = await world.finish(sessions)
  const lines = world.effects.lines()
  for (const session of sessions) {
    const record = records.get(session.id)!
    expect(problemsOf(session, record, lines)).toEqual([])
    expect(record.events.filter(({ type }) => type === 'approval_required')).toEqual([])
    for (const { place } of session.plans)
      for (const [name, times] of Object.entries(effectCounts(lines, place)))
        expect([place, name, times]).toEqual([place, name, 1])
  }
})

test('[N14] [S68] a run that gets no further in its lives fails as crash_loop, and an approval waits through all of them', async () => {
  const loops = agentNames.map((agent) => ({
    ...sessionOf(`loops-${agent}`, agent, 'background', [{ say: 'On and on. ', calls: ['read1'] }, { say: 'Done.' }]),
    maxRetries: 0,
  }))
  const waits = agentNames.flatMap((agent) =>
    (['chat', 'background'] as const).map((kind) =>
      sessionOf(`waits-${agent}-${kind}`, agent, kind, [{ say: 'May I? ', calls: ['deploy1'] }, { say: 'Done.' }]),
    ),
  )
  for (const { plans } of loops) world.effects.close(plans[0]!.place, 'read1.during')
  await world.boot()
  const ends = Promise.allSettled([...loops, ...waits].map((session) => world.play(session)))
  const open = async () => (await world.approvals()).map(({ id, sessionId }) => `${sessionId} ${id}`).sort()
  await world.until('all approvals are open', async () => (await open()).length === waits.length)
  const asked = await open()
  const inCall = () => loops.map(({ plans }) => world.effects.reachedBy(plans[0]!.place, 'read1.during'))
  const status = async (id: string) => (await world.detail(id))?.status
  // After three lives together each is at work alone, one after the other, until it fails.
  for (let lives = 0, pids: (number | null)[] = [], failed = 0; failed < loops.length; lives++) {
    const before = pids
    const isNew = (pid: number | null, index: number) => pid !== null && pid !== before[index]
    const areUnderWay = () => (lives < TOGETHER ? inCall().every(isNew) : inCall().some(isNew))
    await world.until(`the calls of life ${lives} are under way, or all have failed`, async () => {
      const statuses = await Promise.all(loops.map(({ id }) => status(id)))
      failed = statuses.filter((each) => each === 'failed').length
      return failed === loops.length || areUnderWay()
    })
    pids = inCall()
    if (failed < loops.length) await world.restart()
    expect(await open()).toEqual(asked)
  }
  expect(await open()).toEqual(asked)
  void world.answerApprovals(() => 'approve')
  await ends
  const records = await world.finish([...loops, ...waits])
  const lines = world.effects.lines()
  for (const session of waits) {
    const record = records.get(session.id)!
    expect(problemsOf(session, record, lines)).toEqual([])
    expect(record.answers).toEqual(session.plans.map(() => 'May I? [deploy1=ok]Done.'))
  }
  for (const { id, plans } of loops) {
    const { events } = records.get(id)!
    expect(
      events.flatMap(({ type, payload }) => (type === 'error' ? [(payload as { reason?: string }).reason] : [])),
    ).toEqual(['crash_loop'])
    expect(effectCounts(lines, plans[0]!.place).read1).toBe(RESUMES + 1)
  }
})

/** The kernel's limits: take-ups before a run fails, and lives in which nobody is suspected. */
const RESUMES = 5
const TOGETHER = 3
