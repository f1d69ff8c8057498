// A model agent that follows a plan.
import { agent, tool } from 'bridle'
import { performEffect } from '../effects.ts'
import { planModel } from '../model.ts'
import { approvalOf, type ToolName, toolEffects, WINDOW_TOKENS } from '../plan.ts'

const tools = (Object.keys(toolEffects) as ToolName[]).map((name) =>
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

export default agent({
  name: 'thinker',
  model: planModel,
  instructions: 'Follow the plan.',
  tools,
  limits: { windowTokens: WINDOW_TOKENS },
})
