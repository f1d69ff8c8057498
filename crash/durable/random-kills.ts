// Rounds of random plans and random kills. A plan says what its answer is, so no run without kills is needed to compare with.
import { setTimeout as sleep } from 'node:timers/promises'
import { Prng } from '../../simulation/prng.ts'
import { problemsOf } from './checks.ts'
import { type CallName, outcomeText, type PlanStep } from './plan.ts'
import { type AgentName, agentNames, type DurableSession, type DurableWorld, type SessionRecord } from './world.ts'

/** A kill strikes at any moment of a life this long; most plans need several lives. */
const LIFE_MS = 400
const PACE_MS = 10

export const playRandomKills = async (
  world: DurableWorld,
  seed: number,
  killsMax: number,
): Promise<{ readonly problems: readonly string[]; readonly kills: number }> => {
  const prng = new Prng(seed)
  const sessions = Array.from({ length: 8 }, (_, index) => drawSession(prng, index))
  const rejected = new Set<string>()
  await world.boot()
  void world.answerApprovals(({ sessionId, kind, toolCallId, id }) => {
    // A decision stands, however often a lost answer is sent again.
    const isDenied = kind === 'unknown_outcome' && new Prng(seed + Number(id.replace(/\D/g, ''))).chance(0.4)
    if (isDenied) rejected.add(`${sessionId} ${toolCallId}`)
    return isDenied ? 'reject' : 'approve'
  })
  let isOver = false
  const ends = Promise.allSettled(sessions.map((session) => world.play(session))).then(() => {
    isOver = true
  })
  let kills = 0
  for (; kills < killsMax && !isOver; kills++) {
    await sleep(prng.next() * LIFE_MS)
    await world.restart()
  }
  await ends
  const records = await world.finish(sessions)
  const lines = world.effects.lines()
  const problems = sessions.flatMap((session) => {
    const record = records.get(session.id)
    if (!record) return [`${session.id} is gone`]
    return [...problemsOf(session, record, lines), ...answerProblems(session, record)]
  })
  return { problems, kills }
}

const answerProblems = ({ id, plans }: DurableSession, { answers, events }: SessionRecord): string[] => {
  // A function names its calls itself, so that two turns may have calls of one id.
  const failed = new Set(
    events.flatMap(({ type, run, payload }) => {
      const { tool_call_id, status } = payload as { tool_call_id?: string; status?: string }
      return type === 'tool_outcome' && status !== 'ok' && run ? [`${run} ${tool_call_id}`] : []
    }),
  )
  const names = new Map(
    events.flatMap(({ type, run, payload }) => {
      const { tool_call_id, arguments: args } = payload as {
        tool_call_id?: string
        arguments?: { call?: string; place?: string }
      }
      return type === 'tool_call' && run ? [[`${args?.place} ${args?.call}`, `${run} ${tool_call_id}`] as const] : []
    }),
  )
  const expected = plans.map(({ place, steps }) =>
    steps
      .map(({ say, calls = [], step }) =>
        [
          say,
          ...calls.map((call) => outcomeText(call, failed.has(names.get(`${place} ${call}`) ?? '') ? 'failed' : 'ok')),
          ...(step === undefined ? [] : [`[${step}]`]),
        ].join(''),
      )
      .join(''),
  )
  const isSame = JSON.stringify(answers) === JSON.stringify(expected)
  return isSame ? [] : [`${id} answered ${JSON.stringify(answers)}, not ${JSON.stringify(expected)}`]
}

const drawSession = (prng: Prng, index: number): DurableSession => {
  const agent = agentNames[index % agentNames.length] as AgentName
  const kind = index < 6 ? 'chat' : 'background'
  const id = `${agent}-${index}`
  const turns = kind === 'chat' ? [1, 2] : [1]
  return {
    id,
    agent,
    kind,
    plans: turns.map((turn) => ({ place: `${id}-${turn}`, steps: drawSteps(prng, agent), paceMs: PACE_MS })),
  }
}

const drawSteps = (prng: Prng, agent: AgentName): PlanStep[] => {
  let number = 0
  const steps = Array.from({ length: prng.int(3, 7) }, (_, index): PlanStep => {
    const say = `Step ${index} of some words. `
    if (agent === 'worker' && prng.chance(0.25)) return { say, step: `step-${index}` }
    if (agent === 'worker' && prng.chance(0.1)) return { say, sleepMs: prng.int(1, 300) }
    const tools = prng.pick([['read'], ['put'], ['pay'], ['pay', 'read'], ['read', 'read', 'put'], ['deploy']])
    return { say, calls: tools.map((tool) => `${tool}${++number}` as CallName) }
  })
  return [...steps, { say: 'The end.' }]
}
