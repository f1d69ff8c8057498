// Every row of the tables of docs/agents/runs.md about processes that end, with real kills of a real server. The rows share the server: all
// of their runs stand at their points when it is killed.
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { answerNow, atPoint, castOf, closeGates, openGates, sendSignals, verdictOf } from './cast.ts'
import { effectCounts, problemsOf } from './checks.ts'
import type { EffectLine } from './effects.ts'
import { childPlace, outcomeText } from './plan.ts'
import { isProposing, ProposalDecisions } from './proposals.ts'
import { deathRows } from './rows.ts'
import { agentNames, DurableWorld, type SessionRecord } from './world.ts'

const only = process.env.BRIDLE_ROWS?.split(',')
const groups = deathRows
  .filter(({ name }) => only?.includes(name) ?? true)
  .flatMap((row) =>
    row.agents
      .filter((agent) => agentNames.includes(agent))
      .map((agent) => ({ name: `${row.name} (${agent})`, row, cast: castOf(row, agent) })),
  )
const cast = groups.flatMap((group) => group.cast)

const world = new DurableWorld()
let records = new Map<string, SessionRecord>()
let lines: readonly EffectLine[] = []
const remembered = new Map<string, Awaited<ReturnType<ProposalDecisions['lookAgain']>>>()
let isBroken = true

beforeAll(async () => {
  let isKilled = false
  const sent = Promise.withResolvers<void>()
  closeGates(world, cast)
  await world.boot()
  void world.answerApprovals(verdictOf(cast, () => isKilled))
  const signals = sendSignals(world, cast, () => isKilled)
  const decisions = new ProposalDecisions(world, cast)
  const plays = cast.map((session) =>
    world.play(session, (place) => {
      if (session.row.at === 'sent' && place === session.killed) return sent.promise
      // A value counts from the next turn on.
      return decisions.accepted(session.plans[session.plans.findIndex((plan) => plan.place === place) - 1]?.place)
    }),
  )
  const ends = Promise.allSettled([...plays, signals])
  const alone = plays.filter((_, index) => cast[index]?.killed === null)
  await Promise.all([...alone, ...cast.map((session) => atPoint(world, session))])
  await Promise.all(cast.map(({ row, killed }) => (row.at === 'decided' ? decisions.accepted(killed) : null)))

  sent.resolve()
  await answerNow(world, cast)
  isKilled = true
  await world.kill()
  await world.boot()
  openGates(world, cast)
  await ends
  for (const session of cast.filter(isProposing)) remembered.set(session.id, await decisions.lookAgain(session))
  records = await world.finish(cast)
  lines = world.effects.lines()
}, 240_000)
afterAll(() => world.end(isBroken))

describe.each(groups)('[N14] $name', ({ row, cast: sessions }) => {
  const recordOf = (id: string): SessionRecord => {
    const record = records.get(id)
    if (!record) expect.fail(`${id} is gone`)
    return record
  }

  test.each(sessions)('$id', (session) => {
    const [alone] = sessions
    const record = recordOf(session.id)
    expect(problemsOf(session, record, lines)).toEqual([])
    for (const [turn, { place }] of session.plans.entries()) {
      const isKilled = session.killed === place
      const counts = effectCounts(lines, place)
      const ofChild = row.isInChild ? effectCounts(lines, childPlace(place)) : {}
      expect([place, Object.keys(ofChild)]).toEqual([place, row.isInChild ? ['think-0', 'read1', 'think-1'] : []])
      const all = [
        ...Object.entries(counts).map((each) => [...each, !row.isInChild] as const),
        ...Object.entries(ofChild).map((each) => [...each, true] as const),
      ]
      for (const [name, count, isCounted] of all) {
        const times = isKilled && isCounted ? (row.times?.[name] ?? 1) : 1
        if (!Number.isNaN(times)) expect([place, name, count]).toEqual([place, name, times])
      }
      let answer = recordOf(alone!.id).answers[turn] ?? ''
      if (isKilled)
        for (const call of row.fails ?? [])
          answer = answer.replace(outcomeText(call, 'ok'), outcomeText(call, 'failed'))
      expect([place, record.answers[turn]]).toEqual([place, answer])
      if (!isKilled) expect([place, Object.keys(counts).length > 0]).toEqual([place, true])
    }
    const questions = record.events.filter(
      ({ type, payload }) => type === 'approval_required' && (payload as { kind?: string }).kind === 'unknown_outcome',
    )
    const asked = record.events.filter(({ type }) => type === 'approval_required').length
    if (row.asks !== undefined) expect([session.id, asked]).toEqual([session.id, row.asks])
    const children = record.events.flatMap(({ type, payload }) =>
      type === 'subagent_event' ? [(payload as { session_id?: string }).session_id] : [],
    )
    expect([session.id, new Set(children).size]).toEqual([session.id, row.isInChild ? session.plans.length : 0])
    if (isProposing(session))
      expect(remembered.get(session.id)).toEqual({
        value: session.plans.length,
        statuses: session.plans.map(() => 409),
      })
    if (row.at !== 'answered') expect(questions.length).toBe(session.killed === null ? 0 : (row.questions ?? 0))
  })
})

test('nothing is left to look at', () => {
  isBroken = false
})
