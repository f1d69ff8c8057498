// A model that reads its next step in the plan, and says how the calls before it ended. Each request that it gets is recorded, and
// there are gates in the middle of its answer and at its end.
import { createHash } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import type { LanguageModel } from 'bridle'
import { type ScriptAnswer, type ScriptRequest, scriptedModel } from 'bridle/testing'
import { type Effect, passGate, recordEffect } from './effects.ts'
import { outcomeText, parsePlan, toolOf } from './plan.ts'

export const planModel: LanguageModel = {
  specificationVersion: 'v4',
  provider: 'plan',
  modelId: 'plan-1',
  doStream: async (options) => {
    const asked = Promise.withResolvers<ScriptRequest>()
    const model = scriptedModel((request) => {
      asked.resolve(request)
      return answerOf(request)
    })
    const { stream } = await model.doStream(options)
    const { prompt, step } = await asked.promise
    const { place, paceMs = 0 } = parsePlan(prompt)
    const key = createHash('sha256')
      .update(JSON.stringify([options.prompt, options.tools]))
      .digest('hex')
    const request: Effect = { kind: 'model', place, name: `think-${step - 1}`, key }
    recordEffect(request, 'begin')
    let hasSpoken = false
    const gates = new TransformStream<{ readonly type: string }, { readonly type: string }>({
      transform: async (part, controller) => {
        if (part.type === 'finish') {
          await passGate(place, `${request.name}.done`)
          recordEffect(request, 'end')
        }
        controller.enqueue(part)
        if (part.type !== 'text-delta' || hasSpoken) return
        hasSpoken = true
        if (paceMs > 0) await sleep(paceMs)
        await passGate(place, `${request.name}.during`)
      },
    })
    return { stream: stream.pipeThrough(gates) }
  },
}

const answerOf = ({ prompt, step, results }: ScriptRequest): ScriptAnswer => {
  const { place, steps, paceMs } = parsePlan(prompt)
  const { say = '', calls = [] } = steps[step - 1] ?? {}
  const before = steps[step - 2]?.calls ?? []
  const outcomes = results.map(({ output: { type } }, index) =>
    outcomeText(before[index] ?? '', type === 'text' || type === 'json' ? 'ok' : 'failed'),
  )
  return {
    text: `${outcomes.join('')}${say}`,
    calls: calls.map((call) => ({
      tool: toolOf(call),
      input: { place, call, ...(paceMs !== undefined && { paceMs }) },
    })),
    usage: { inputTokens: 10, outputTokens: 5 },
  }
}
