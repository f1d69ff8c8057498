// A model that reads its next step in the plan, and says how the calls before it ended. Each request that it gets is recorded, and
// there are gates in the middle of its answer and at its end. A summary of its conversation says which step of which plan it is at.
import { createHash } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import type { LanguageModel } from 'bridle'
import { type ScriptAnswer, type ScriptCall, type ScriptRequest, scriptedModel } from 'bridle/testing'
import { type Effect, passGate, recordEffect } from './effects.ts'
import { childPlace, outcomeText, type Plan, parsePlan, toolOf } from './plan.ts'

export const planModel: LanguageModel = {
  specificationVersion: 'v4',
  provider: 'plan',
  modelId: 'plan-1',
  doStream: async (options) => {
    const asked = Promise.withResolvers<ScriptRequest>()
    const model = scriptedModel((request) => {
      asked.resolve(request)
      return isSummary(request) ? summaryOf(request) : answerOf(request)
    })
    const { stream } = await model.doStream(options)
    const scripted = await asked.promise
    const { place, paceMs = 0 } = planOf(scripted)
    const key = createHash('sha256')
      .update(JSON.stringify([options.prompt, options.tools]))
      .digest('hex')
    const name = isSummary(scripted) ? 'summary' : `think-${stepOf(scripted) - 1}`
    const request: Effect = { kind: 'model', place, name, key }
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

const answerOf = (request: ScriptRequest): ScriptAnswer => {
  const { place, steps, paceMs } = planOf(request)
  const step = stepOf(request)
  const { say = '', calls = [], tokens = 10 } = steps[step - 1] ?? {}
  const before = steps[step - 2]?.calls ?? []
  const outcomes = request.results.map(({ output: { type } }, index) =>
    outcomeText(before[index] ?? '', type === 'text' || type === 'json' ? 'ok' : 'failed'),
  )
  return {
    text: `${outcomes.join('')}${say}`,
    calls: calls.map(
      (call): ScriptCall =>
        toolOf(call) === 'help'
          ? { tool: 'ask_help', input: { task: JSON.stringify({ place: childPlace(place), steps: childSteps }) } }
          : { tool: toolOf(call), input: { place, call, ...(paceMs !== undefined && { paceMs }) } },
    ),
    usage: { inputTokens: tokens, outputTokens: 5 },
  }
}

/** The plan of a child. */
const childSteps: Plan['steps'] = [{ say: 'I read. ', calls: ['read1'] }, { say: 'Read.' }]

/** The request has the conversation as one text, with a line for each plan. */
const isSummary = ({ prompt }: ScriptRequest): boolean => prompt.startsWith('<conversation>')

const planOf = (request: ScriptRequest): Plan =>
  parsePlan(
    isSummary(request)
      ? (request.prompt
          .match(/^User: (\{.*\})$/gm)
          ?.at(-1)
          ?.slice(6) ?? '')
      : request.prompt,
  )

const summaryOf = (request: ScriptRequest): ScriptAnswer => {
  const { place } = planOf(request)
  const answers = request.prompt.slice(request.prompt.lastIndexOf('\nUser: {')).match(/^Assistant: /gm) ?? []
  return { text: `${answers.length} steps of ${place} are done.`, usage: { inputTokens: 10, outputTokens: 5 } }
}

/** The steps that the conversation shows, behind those that its summary counts. */
const stepOf = (request: ScriptRequest): number => {
  const { place } = planOf(request)
  const done = new RegExp(`(\\d+) steps of ${place} are done`).exec(JSON.stringify(request.messages.slice(0, 2)))
  return Number(done?.[1] ?? 0) + request.step
}
