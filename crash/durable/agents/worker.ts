// A durable function that follows a plan.
import { setTimeout as sleep } from 'node:timers/promises'
import { type AgentSession, agent } from 'bridle'
import { passGate, performEffect } from '../effects.ts'
import {
  approvalOf,
  type CallName,
  outcomeText,
  type Plan,
  type PlanStep,
  parsePlan,
  toolEffects,
  toolOf,
} from '../plan.ts'

export default agent({
  name: 'worker',
  run: async ({ input, attachments, session }) => {
    const plan = parsePlan(String(input.prompt))
    for (const [index, step] of plan.steps.entries()) {
      await passGate(plan.place, `before-${index}`)
      await say(session, plan, index)
      if (step.calls) {
        const ends = await Promise.all(step.calls.map((call) => makeCall(session, plan, call)))
        await session.text(ends.join(''))
      }
      const [file] = step.reads ? attachments : []
      const text = await file?.text()
      if (text !== undefined) await session.text(`[${text.length}: ${text.slice(0, 20)}]`)
      await takeStep(session, plan, step)
    }
    await passGate(plan.place, 'end')
  },
})

const say = async (session: AgentSession, { place, steps, paceMs = 0 }: Plan, index: number): Promise<void> => {
  const text = steps[index]?.say ?? ''
  const middle = Math.ceil(text.length / 2)
  await session.text(text.slice(0, middle))
  if (paceMs > 0) await sleep(paceMs)
  await passGate(place, `text-${index}`)
  await session.text(text.slice(middle))
}

const makeCall = (session: AgentSession, { place, paceMs }: Plan, call: CallName): Promise<string> => {
  const tool = toolOf(call)
  return session
    .tool(
      tool,
      { place, call },
      (_args, { stepKey }) => performEffect({ kind: 'call', place, name: call, key: stepKey }, paceMs),
      { id: call, effect: toolEffects[tool], approve: approvalOf(tool) },
    )
    .then(
      () => outcomeText(call, 'ok'),
      () => outcomeText(call, 'failed'),
    )
}

const takeStep = async (
  session: AgentSession,
  { place, paceMs }: Plan,
  { step, ask, sleepMs, waitFor, propose }: PlanStep,
): Promise<void> => {
  if (step !== undefined)
    await session.text(
      await session.step(step, async ({ stepKey }) => {
        await performEffect({ kind: 'step', place, name: step, key: stepKey }, paceMs)
        return `[${step}]`
      }),
    )
  if (ask !== undefined) {
    const { approved } = await session.approval({ subject: ask, args: { place }, reason: 'The plan asks.' })
    await session.text(outcomeText(ask, approved ? 'ok' : 'failed'))
  }
  if (propose !== undefined) {
    const known = await session.memory.get<number>(propose)
    await session.text(`[knows ${known}]`)
    await session.memory.propose(propose, (known ?? 0) + 1)
  }
  if (sleepMs !== undefined) await session.sleep('nap', sleepMs)
  if (waitFor !== undefined) await session.text(`[${waitFor}: ${JSON.stringify(await session.waitFor(waitFor))}]`)
}
