// A model agent that follows a plan.
import { agent, type Middleware, type MiddlewareTurn, subagent, tool } from 'bridle'
import { performEffect } from '../effects.ts'
import { planModel } from '../model.ts'
import { approvalOf, parsePlan, type ToolName, toolEffects, WINDOW_TOKENS } from '../plan.ts'

const names = (Object.keys(toolEffects) as ToolName[]).filter((name) => name !== 'help')
const tools = names.map((name) =>
  tool({
    name,
    description: `Does what the plan calls "${name}".`,
    effect: toolEffects[name],
    approve: approvalOf(name),
    resources: ({ call }) => [String(call)],
    run: ({ place, call, paceMs }, { stepKey }) =>
      performEffect({ kind: 'call', place: String(place), name: String(call), key: stepKey }, Number(paceMs ?? 0)),
  }),
)

/** Decides at every point, where the plan says so. */
const guide: Middleware = {
  name: 'guide',
  start: (turn) => decide(turn, 'start', turn.sessionId, () => undefined),
  before: (call) =>
    decide(call, `before-${call.input.call}`, call.callId, () => ({ input: { ...call.input, guided: true } })),
  after: (call, result) => decide(call, `after-${call.input.call}`, call.callId, () => `${result}, seen`),
  answer: (turn) => decide(turn, 'answer', turn.sessionId, () => undefined),
}

const decide = async <T>(
  turn: MiddlewareTurn,
  name: string,
  key: string,
  decision: () => T,
): Promise<T | undefined> => {
  const { place, isGuided } = parsePlan(turn.prompt)
  if (!isGuided) return undefined
  await performEffect({ kind: 'hook', place, name, key })
  return decision()
}

const help = agent({ name: 'help', description: 'Follows a plan of its own.', model: planModel, tools })

export default agent({
  name: 'thinker',
  model: planModel,
  instructions: 'Follow the plan.',
  tools,
  policy: [{ tool: 'grant', do: 'ask', once: true }],
  use: [guide, subagent({ agents: [help] })],
  limits: { windowTokens: WINDOW_TOKENS },
})
