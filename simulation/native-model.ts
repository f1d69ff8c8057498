// A model agent that plays the scripts of the simulation: each answer of its model is some text and the calls after it.
import { agent } from '@bridle/agents/agent'
import type { LanguageModel } from '@bridle/agents/model/model'
import type { ScriptAnswer, ScriptCall } from '@bridle/agents/testing/script'
import { scriptedModel } from '@bridle/agents/testing/scripted-model'
import { tool } from '@bridle/agents/tools/tool'
import { hashText } from '@bridle/events/json'
import type { Key } from '@bridle/kernel/event'
import type { CallEffect, NativeEffects } from './native-effects.ts'
import { pause, type SimulatedProcess } from './process.ts'
import { parsePrompt } from './scripts.ts'

export const thinkerAgent = (process: SimulatedProcess, effects: NativeEffects) =>
  agent({
    name: 'thinker',
    model: simulatedModel(process, effects),
    // The model learns from it whose request it gets.
    instructions: ({ sessionId }) => sessionId,
    tools: [
      ...(Object.keys(toolNames) as CallEffect[]).map((effect) => simulatedTool(process, effects, effect)),
      tool({
        name: 'deploy',
        description: 'Waits for an approval.',
        approve: ({ expiresMs }) => (typeof expiresMs === 'number' ? { expiresMs } : true),
        run: (input, { stepKey, session }) =>
          process.outside(async () => {
            effects.call(process, keyOf(session.id), stepKey, 'unsafe')
            return input
          }),
      }),
    ],
  })

const toolNames: { readonly [effect in CallEffect]: string } = {
  pure: 'read_file',
  idempotent: 'write_file',
  unsafe: 'send',
}

const keyOf = (id: string): Key => ({ tenant: 't', agent: 'thinker', id })

const simulatedTool = (process: SimulatedProcess, effects: NativeEffects, effect: CallEffect) =>
  tool({
    name: toolNames[effect],
    description: `Has an effect that is ${effect}.`,
    effect,
    run: async ({ ms, result }, { stepKey, session }) => {
      await process.outside(async () => effects.call(process, keyOf(session.id), stepKey, effect))
      await pause(process, Number(ms))
      return result
    },
  })

const simulatedModel = (process: SimulatedProcess, effects: NativeEffects): LanguageModel => ({
  specificationVersion: 'v4',
  provider: 'simulated',
  modelId: 'model-1',
  doStream: async (options) => {
    const { prompt, tools } = options
    const key = keyOf(String(prompt.find(({ role }) => role === 'system')?.content))
    const users = prompt.filter(({ role }) => role === 'user').length
    // The request is of the run that makes it now: when it arrives, that run may have ended.
    const request = { runId: effects.runOf(key), users, hash: hashText(JSON.stringify([prompt, tools])) }
    await process.outside(async () => effects.request(process, key, request))
    const { stream } = await scriptedModel(({ prompt, step }) => answersOf(prompt)[step - 1] ?? {}).doStream(options)
    const pace = new TransformStream<{ readonly type: string }, { readonly type: string }>({
      transform: async (part, controller) => {
        await pause(process, process.random.int(0, 8))
        controller.enqueue(part)
      },
    })
    return { stream: stream.pipeThrough(pace) }
  },
})

/** A script as the answers of a model. Text after calls begins the next answer; the last one has no calls. */
const answersOf = (prompt: string): ScriptAnswer[] => {
  const answers: Draft[] = [{ text: '', calls: [] }]
  for (const [index, step] of parsePrompt(prompt).entries()) {
    const last = answers.at(-1) as Draft
    if ('text' in step) {
      if (last.calls.length > 0) answers.push({ text: step.text, calls: [] })
      else last.text += step.text
    } else if ('tool' in step) {
      const { effect, ms, result } = step
      last.calls.push({ tool: toolNames[effect], input: { index, ms, result: JSON.stringify(result) } })
    } else if ('approve' in step)
      last.calls.push({ tool: 'deploy', input: { index, expiresMs: step.expiresMs ?? null } })
    else if ('fail' in step)
      return [...ended(answers), { error: { status: step.transient ? 529 : 400, message: step.fail } }]
  }
  return ended(answers)
}

const ended = (answers: readonly Draft[]): ScriptAnswer[] =>
  answers.at(-1)?.calls.length === 0 ? [...answers] : [...answers, {}]

interface Draft {
  text: string
  readonly calls: ScriptCall[]
}
